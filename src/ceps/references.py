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
        self._answers: dict[str, list[Answer]] = {}
        self._settled: set[str] = set()
        self._noted: dict[str, float] = {}
        self._mutex = threading.Lock()
        self.cpu_charged = 0.0

    @property
    def cpu_of_one(self) -> float:
        """CPU seconds that a reference takes when the first runs agree."""
        return self._effort.runs * self._effort.cpu

    def cost(self, instance: Any) -> float:
        """The cost that counts as solved. The reference must be known or established before."""
        return self._references[instance.id].cost

    def reference(self, instance: Any) -> Reference | None:
        return self._references.get(instance.id)

    def know(self, instance: Any, cost: float, source: str) -> None:
        """Take a value from outside: a proven optimum, a best-known cost."""
        self._keep(instance, Reference(cost, 1.0, source, 0.0))
        self._settled.add(instance.id)

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

    def estimate(self, instances: Iterable[Any]) -> None:
        """Cheap references from the first run of the consensus, for instances that have none."""
        missing = [instance for instance in instances if instance.id not in self._references]
        self._play(missing, runs=1)
        for instance in missing:
            self._take_consensus(instance)

    def establish(
        self, instances: Iterable[Any], on_established: Callable[[Any, Reference | None], None] = lambda *_: None
    ) -> list[Any]:
        """Proven or agreed references for all instances; the instances for which no run found a solution."""
        wanted = [instance for instance in instances if instance.id not in self._settled]
        missing = self._prove(wanted, on_established)
        for round_ in range(self._effort.rounds):
            self._play(missing, runs=(round_ + 1) * self._effort.runs)
            undecided = []
            for instance in missing:
                reference = self._take_consensus(instance)
                if (reference is not None and reference.agreement >= 1.0) or round_ == self._effort.rounds - 1:
                    self._settled.add(instance.id)
                    on_established(instance, reference)
                else:
                    undecided.append(instance)
            missing = undecided
        return [instance for instance in wanted if instance.id not in self._references]

    def _prove(self, instances: list[Any], on_established: Callable[[Any, Reference | None], None]) -> list[Any]:
        """Ask the exact solver, if there is one; the instances it did not prove."""
        exact = self._exact
        if exact is None:
            return instances
        limit = 20.0 * self._effort.cpu
        pending = [
            (each, self._submit(exact, each, seeds.derive(self._seed, "prove", each.id), limit)) for each in instances
        ]
        unproven = []
        for instance, future in pending:
            found = self._charged(future.result())
            if found.outcome.ending is Ending.FINISHED and found.outcome.cost is not None:
                self._keep(instance, Reference(found.outcome.cost, 1.0, exact.name, found.charge))
                self._settled.add(instance.id)
                on_established(instance, self.reference(instance))
            else:
                unproven.append(instance)
        return unproven

    def _play(self, instances: list[Any], runs: int) -> None:
        """Runs of the consensus, side by side, until each instance has this many."""
        pending = [
            (instance, self._run(instance, number))
            for instance in instances
            for number in range(len(self._answers.setdefault(instance.id, [])), runs)
        ]
        for instance, future in pending:
            self._answers[instance.id].append(self._charged(future.result()))

    def _take_consensus(self, instance: Any) -> Reference | None:
        answers = self._answers[instance.id]
        outcomes = [found.outcome for found in answers if found.outcome.ending not in FAILURES]
        costs = [outcome.cost for outcome in outcomes if outcome.cost is not None]
        if not costs:
            return None
        best = min(costs)
        known = self.reference(instance)
        if known is not None and known.cost < best:
            return known
        reference = Reference(
            cost=best,
            agreement=min(1.0, costs.count(best) / self._effort.runs),
            source=f"{self._solver.name}, {len(answers)} runs",
            cpu=sum(found.charge for found in answers),
        )
        self._keep(instance, reference)
        return reference

    def _run(self, instance: Any, number: int) -> Future[Answer]:
        """One run of the consensus; every round has twice the time of the one before."""
        cpu = self._effort.cpu * 2 ** (number // self._effort.runs)
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
