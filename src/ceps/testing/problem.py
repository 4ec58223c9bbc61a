"""The contract of a problem. Say in a test module which problem, with a few instances of it and a solution of each:

>>> TestMine = ProblemContract.of(problem=MyProblem(), instances=(small, large), solutions=(of_small, of_large))
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ceps.errors import UserError
from ceps.problems.problem import Infeasible, Problem
from ceps.testing.contract import Contract

NONSENSE: tuple[Any, ...] = (
    None, True, 0, -1, 0.5, 1e308, 10**30, nan, "", "x", "\ud800", [], [[]], [None], [0], [-1], ["1"], [0.5], [True],
    [nan], [1] * 1000, [[1, 2], [1]], {}, {"a": []}, {"status": "solved"}, [[[[[[[[]]]]]]]],
)  # fmt: skip
"""Values that a broken solver may return."""


class ProblemContract(Contract):
    """What every problem promises."""

    problem: ClassVar[Problem]
    instances: ClassVar[Sequence[Any]]
    solutions: ClassVar[Sequence[Any]]
    """A feasible solution of each instance."""
    size: ClassVar[int] = 12
    """Of the instances that are asked of its generators."""

    def test_the_problem_is_a_small_value(self) -> None:
        """It is equal to its pickled copy, and has a name and endings of files."""
        copy = pickle.loads(pickle.dumps(self.problem))
        assert (copy, hash(copy)) == (self.problem, hash(self.problem))
        assert self.problem.name
        assert self.problem.suffixes
        assert all(suffix == suffix.lower() and suffix.rfind(".") == 0 for suffix in self.problem.suffixes)

    def test_instances_survive_their_files(self, tmp_path: Path) -> None:
        """What is written is read back with the same identity."""
        for number, instance in enumerate(self.instances):
            path = tmp_path / f"{number}{self.problem.suffixes[0]}"
            self.problem.write(instance, path)
            assert self.problem.read(path).id == instance.id

    def test_instances_survive_their_texts(self) -> None:
        """The text is UTF-8, and another name makes no other instance of it."""
        for instance in self.instances:
            text = self.problem.encode(instance)
            assert text.encode().decode() == text
            assert self.problem.decode(text, "another name").id == instance.id

    def test_instances_survive_pickling(self) -> None:
        """A run gets the instance that was asked for."""
        for instance in self.instances:
            assert pickle.loads(pickle.dumps(instance)).id == instance.id

    def test_instances_are_told_apart(self) -> None:
        """Different instances have different identities and some name."""
        assert len({instance.id for instance in self.instances}) == len(self.instances)
        assert all(instance.name for instance in self.instances)

    def test_a_missing_file_is_the_users_to_mend(self, tmp_path: Path) -> None:
        """A file that is not there is told by its name."""
        path = tmp_path / f"missing{self.problem.suffixes[0]}"
        with pytest.raises(UserError, match="missing"):
            self.problem.read(path)

    def test_feasible_solutions_have_a_cost(self) -> None:
        """A cost is a finite number, and the same after the solution has travelled as JSON."""
        for instance, solution in zip(self.instances, self.solutions, strict=True):
            cost = self.problem.check(instance, solution)
            assert not isinstance(cost, Infeasible), cost
            assert isfinite(cost)
            assert self.problem.check(instance, json.loads(json.dumps(solution))) == cost

    def test_answers_to_decisions_are_told_apart(self) -> None:
        """What an answer comes to is a text, the same after it has travelled as JSON; where any answer of a cost counts
        as solved, it says something, so that those that contradict each other are noticed."""
        for solution in self.solutions:
            says = self.problem.says(solution)
            assert isinstance(says, str)
            assert says or self.problem.target is None
            assert self.problem.says(json.loads(json.dumps(solution))) == says

    def test_solutions_survive_their_files(self, tmp_path: Path) -> None:
        """A solution that was written costs the same when it is read."""
        for instance, solution in zip(self.instances, self.solutions, strict=True):
            cost = self.problem.check(instance, solution)
            assert not isinstance(cost, Infeasible)
            self.problem.write_solution(instance, solution, cost, tmp_path / "solution")
            assert self.problem.check(instance, self.problem.read_solution(instance, tmp_path / "solution")) == cost

    def test_nonsense_is_survived(self) -> None:
        """Whatever a solver returns is a solution with a cost or is told to be none, and never an error."""
        for value in NONSENSE:
            assert isinstance(self.problem.check(self.instances[0], value), int | float | Infeasible)

    def test_mutants_are_near_and_readable(self) -> None:
        """Mutation depends on its random numbers alone, makes new instances, and what it makes can be kept as text."""
        if not self.problem.mutates:
            pytest.skip("this problem has no mutation")
        for instance in self.instances:
            children = [self.problem.mutate(instance, np.random.default_rng(seed)) for seed in range(3)]
            assert self.problem.mutate(instance, np.random.default_rng(0)).id == children[0].id
            assert any(child.id != instance.id for child in children)
            for child in children:
                assert self.problem.decode(self.problem.encode(child), child.name).id == child.id

    def test_generators_are_reproducible(self) -> None:
        """A generator makes the same instance of the same size and seed, and it can be kept as text."""
        for name in self.problem.generators:
            made, again = (self.problem.generate(name, self.size, 1) for _ in range(2))
            assert made.id == again.id
            assert self.problem.decode(self.problem.encode(made), made.name).id == made.id

    def test_an_unknown_generator_is_the_users_to_mend(self) -> None:
        """Its name is in the message."""
        if not self.problem.generators:
            pytest.skip("this problem does not list its generators")
        with pytest.raises(UserError, match="no-such-generator"):
            self.problem.generate("no-such-generator", self.size, 1)

    def test_features_are_numbers_of_the_same_names(self) -> None:
        """All instances have the same features, in the same order, and the same ones when asked again."""
        first, *others = (self.problem.features(instance) for instance in self.instances)
        assert list(first.items()) == list(self.problem.features(self.instances[0]).items())
        assert all(isinstance(value, int | float) for value in first.values())
        assert all(list(each) == list(first) for each in others)

    def test_scales_can_be_divided_by(self) -> None:
        """The normaliser of costs is finite and above 0."""
        for instance in self.instances:
            assert 0.0 < self.problem.scale(instance) < float("inf")
