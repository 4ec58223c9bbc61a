"""The contract of a solver. Say in a test module which solver, and an instance that it solves quickly:

>>> TestMine = SolverContract.of(solver=MySolver(), problem=MyProblem(), instance=small)

Runs are real: in processes of their own, limited, and every solution checked. So the solver's class must stand in a
module that can be imported.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from ceps.execution.executor import Executor, Run
from ceps.execution.local import LocalExecutor
from ceps.problems.problem import Problem
from ceps.records import Configuration, Ending, Limits, Outcome
from ceps.solvers.solver import Solver, default_configuration, plain_configuration
from ceps.testing.contract import Contract


class SolverContract(Contract):
    """What every solver promises."""

    solver: ClassVar[Solver]
    problem: ClassVar[Problem]
    instance: ClassVar[Any]
    limits: ClassVar[Limits] = Limits(cpu=2.0)
    """Of each run; within them the default configuration must find some solution."""
    samples: ClassVar[int] = 3
    """How many random configurations are run."""

    @pytest.fixture(scope="class")
    @classmethod
    def executor(cls) -> Iterator[Executor]:
        with LocalExecutor(workers=1) as executor:
            yield executor

    @pytest.fixture(scope="class")
    @classmethod
    def outcome(cls, executor: Executor) -> Outcome:
        """Of a run of the default configuration, without a target unless the problem has one."""
        return cls.run(executor, default_configuration(cls.solver), cls.problem.target)

    @classmethod
    def run(cls, executor: Executor, configuration: Configuration, target: float | None) -> Outcome:
        run = Run(cls.problem, cls.solver, configuration, cls.instance, seed=1, limits=cls.limits, target=target)
        return executor.submit(run).result()

    def test_the_solver_is_a_small_value(self) -> None:
        """It is equal to its pickled copy, of the same version, and solves the problem."""
        copy = pickle.loads(pickle.dumps(self.solver))
        assert (copy, hash(copy), copy.version) == (self.solver, hash(self.solver), self.solver.version)
        assert self.solver.name
        assert self.solver.version
        assert self.problem.name in self.solver.problems

    def test_configurations_are_plain(self) -> None:
        """The default and random configurations are legal, of values that JSON can hold, and can be described."""
        space = self.solver.space
        space.seed(1)
        points = [space.get_default_configuration(), *(space.sample_configuration() for _ in range(5))]
        for point in points:
            point.check_valid_configuration()
            values = plain_configuration(self.solver.name, point).as_dict()
            assert json.loads(json.dumps(values)) == values
            assert self.solver.describe(values)

    def test_the_space_is_the_same_every_time(self) -> None:
        """Whoever asks gets the same parameters."""
        assert self.solver.space == self.solver.space

    def test_a_run_finds_a_true_solution(self, outcome: Outcome) -> None:
        """The default configuration comes to a solution that costs what it is said to cost."""
        assert outcome.ending in (Ending.SOLVED, Ending.FINISHED, Ending.TIMEOUT), outcome
        assert outcome.cost is not None, outcome
        assert self.problem.check(self.instance, outcome.solution) == outcome.cost

    def test_a_target_that_is_reached_is_solved(self, executor: Executor, outcome: Outcome) -> None:
        """A run with the cost of the first as its target, and the same seed, reaches it."""
        assert outcome.cost is not None
        easy = outcome.trace[0].cost if outcome.trace and self.problem.target is None else outcome.cost
        made = self.run(executor, default_configuration(self.solver), max(easy, outcome.cost))
        assert made.ending is Ending.SOLVED, made

    def test_random_configurations_tell_no_lies(self, executor: Executor) -> None:
        """Whatever the parameters, a run does not crash and claims nothing false."""
        space = self.solver.space
        space.seed(2)
        for _ in range(self.samples):
            configuration = plain_configuration(self.solver.name, space.sample_configuration())
            made = self.run(executor, configuration, self.problem.target)
            assert made.ending not in (Ending.CRASHED, Ending.INVALID), (configuration, made)
