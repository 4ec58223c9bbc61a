"""The cost that counts as solved, for any problem: by consensus of independent runs of a named solver.

Within a phase references are constant. What runs find in the meantime is noted, and taken over by :meth:`settle` at
the phase's end; runs judged by the old value have another target, so they are made again where they are needed.
References are functions of recorded runs, so a replayed build arrives at the same ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf
from typing import Any

from ceps import seeds
from ceps.execution.executor import Run
from ceps.problems.problem import Problem
from ceps.records import FAILURES, Ending, Limits
from ceps.runner import Runner
from ceps.solvers.solver import Solver, default_configuration
from ceps.store import Answer, Reference


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for a reference."""

    cpu: float
    """CPU seconds of each run of the first round; doubled with every further round."""
    runs: int = 3
    """Runs of a round, and how many must agree on the best cost."""
    rounds: int = 3


class References:
    """The references of a build or an evaluation.

    ``exact`` is a solver whose own end proves its answer; it is asked first.
    """

    def __init__(
        self,
        problem: Problem,
        solver: Solver,
        runner: Runner,
        effort: Effort,
        seed: int,
        memory: int,
        exact: Solver | None = None,
    ) -> None:
        self._problem = problem
        self._solver = solver
        self._exact = exact
        self._defaults = {each.name: default_configuration(each) for each in (solver, exact) if each is not None}
        self._runner = runner
        self._effort = effort
        self._seed = seed
        self._memory = memory
        self._references: dict[str, Reference] = {}
        self._noted: dict[str, float] = {}
        self._mutex = threading.Lock()
        self.cpu_charged = 0.0

    def cost(self, instance: Any) -> float:
        """The cost that counts as solved. The reference must be known or established before."""
        return self._references[instance.id].cost

    def reference(self, instance: Any) -> Reference | None:
        return self._references.get(instance.id)

    def know(self, instance: Any, cost: float, source: str) -> None:
        """Take a value from outside: a proven optimum, a best-known cost."""
        self._keep(instance, Reference(cost, 1.0, source, 0.0))

    def note(self, instance: Any, cost: float) -> None:
        """A verified cost some run has found. It counts from the next :meth:`settle` on."""
        with self._mutex:
            self._noted[instance.id] = min(cost, self._noted.get(instance.id, inf))

    def settle(self, instances: Iterable[Any]) -> list[Any]:
        """Take over better costs found since; the instances whose reference changed."""
        changed = []
        for instance in instances:
            old, found = self._references.get(instance.id), self._noted.get(instance.id)
            if old is not None and found is not None and found < old.cost:
                self._keep(instance, Reference(found, 0.0, "a later run", old.cpu))
                changed.append(instance)
        return changed

    def estimate(self, instance: Any) -> Reference | None:
        """A cheap reference from one run of the first round, which :meth:`establish` will use again."""
        found = self._charged(self._run(instance, 0, self._effort.cpu).result())
        reference = self._consensus(instance, [found])
        if reference is not None:
            self._keep(instance, reference)
        return reference

    def establish(
        self, instances: Iterable[Any], on_established: Callable[[Any, Reference | None], None] = lambda *_: None
    ) -> list[Any]:
        """References for all instances that have none yet; the instances for which no run found a solution."""
        missing = [instance for instance in instances if instance.id not in self._references]
        if self._exact is not None:
            self._prove(missing, on_established)
            missing = [instance for instance in missing if instance.id not in self._references]
        answers: dict[str, list[Answer]] = {instance.id: [] for instance in missing}
        for round_ in range(self._effort.rounds):
            self._play_round(round_, missing, answers)
            undecided = []
            for instance in missing:
                reference = self._consensus(instance, answers[instance.id])
                agreed = reference is not None and reference.agreement >= 1.0
                if agreed or round_ == self._effort.rounds - 1:
                    if reference is not None:
                        self._keep(instance, reference)
                    on_established(instance, reference)
                else:
                    undecided.append(instance)
            missing = undecided
        return [instance for instance in instances if instance.id not in self._references]

    def _prove(self, instances: list[Any], on_established: Callable[[Any, Reference | None], None]) -> None:
        assert self._exact is not None
        limit = 20.0 * self._effort.cpu
        pending = [(i, self._submit(self._exact, i, seeds.derive(self._seed, "prove", i.id), limit)) for i in instances]
        for instance, future in pending:
            found = self._charged(future.result())
            if found.outcome.ending is Ending.FINISHED and found.outcome.cost is not None:
                self._keep(instance, Reference(found.outcome.cost, 1.0, self._exact.name, found.charge))
                on_established(instance, self.reference(instance))

    def _play_round(self, round_: int, instances: list[Any], answers: dict[str, list[Answer]]) -> None:
        """All runs of a round, side by side."""
        first, cpu = round_ * self._effort.runs, self._effort.cpu * 2**round_
        pending = [
            (instance, self._run(instance, number, cpu))
            for instance in instances
            for number in range(first, first + self._effort.runs)
        ]
        for instance, future in pending:
            answers[instance.id].append(self._charged(future.result()))

    def _consensus(self, instance: Any, answers: list[Answer]) -> Reference | None:
        outcomes = [found.outcome for found in answers if found.outcome.ending not in FAILURES]
        costs = [outcome.cost for outcome in outcomes if outcome.cost is not None]
        if not costs:
            return None
        best = min(costs)
        agreement = min(1.0, costs.count(best) / self._effort.runs)
        return Reference(best, agreement, f"{self._solver.name}, {len(answers)} runs", sum(a.charge for a in answers))

    def _run(self, instance: Any, number: int, cpu: float) -> Future[Answer]:
        return self._submit(self._solver, instance, seeds.derive(self._seed, "reference", instance.id, number), cpu)

    def _submit(self, solver: Solver, instance: Any, seed: int, cpu: float) -> Future[Answer]:
        run = Run(
            problem=self._problem,
            solver=solver,
            configuration=self._defaults[solver.name],
            instance=instance,
            seed=seed,
            limits=Limits(cpu, self._memory),
        )
        return self._runner.submit(run, cutoff=cpu, exact_limit=True)

    def _charged(self, found: Answer) -> Answer:
        self.cpu_charged += found.charge
        return found

    def _keep(self, instance: Any, reference: Reference) -> None:
        self._references[instance.id] = reference
        self._runner.remember_instance(self._problem, instance)
        self._runner.store.put_reference(instance.id, reference)
