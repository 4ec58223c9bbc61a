"""What runs are judged by, for any problem: the cost that counts as solved, by consensus of independent runs of a named
solver; of a decision problem, which of its answers is true.

Within a phase both are constant, but for instances that are only being bred. What runs find in the meantime is noted,
and taken over by :meth:`References.settle` at the phase's end. Runs judged by the old cost have another target, so they
are made again where they are needed; an answer that has turned out to be false is the same run, judged anew. Both are
functions of recorded runs, so a replayed build arrives at the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from typing import Any

from ceps import contradictions, seeds
from ceps.execution.executor import Run
from ceps.findings import Findings
from ceps.problems.problem import Problem
from ceps.records import FAILURES, Configuration, Ending, Limits, Outcome
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.solvers.solver import Solver, default_configuration
from ceps.store import Answer, Reference

ROUNDING = 1e-6
"""CPU seconds that sums of them may be wrong by: what is granted exactly is enough."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for a reference."""

    cpu: float
    """Most CPU seconds of each run of the first round; doubled with every further round."""
    runs: int = 3
    """How many runs must agree on the best cost; as many are made in the first round."""
    rounds: int = 4
    """Most rounds. Every round after the first makes as many runs as are missing to an agreement."""


class References:
    """The references of a build or an evaluation.

    ``consensus`` tells who is asked; ``exact`` is a solver whose own end proves its answer, and is asked first.
    """

    def __init__(
        self,
        problem: Problem,
        consensus: Consensus,
        runner: Runner,
        effort: Effort,
        seed: int,
        memory: int,
        exact: Solver | None = None,
    ) -> None:
        self._problem = problem
        self._consensus = consensus
        self._exact = exact
        self._runner = runner
        self._effort = effort
        self._seed = seed
        self._memory = memory
        self._references: dict[str, Reference] = {}
        self._answers: dict[str, list[Answer]] = {}
        self._settled: set[str] = set()
        self._truths: dict[str, str] = {}
        self.findings = Findings()
        """Of runs that are judged by these references; they count from the next :meth:`settle` on."""
        self.cpu_charged = 0.0

    @property
    def cpu_of_one(self) -> float:
        """CPU seconds that a reference takes when the first runs agree."""
        return 0.0 if self._problem.target is not None else self._effort.runs * self._effort.cpu

    @property
    def cpu_of_estimate(self) -> float:
        """CPU seconds that :meth:`estimate` may take of one instance."""
        return 0.0 if self._problem.target is not None else self._effort.cpu

    def cost(self, instance: Any) -> float:
        """The cost that counts as solved. The reference must be known or established before."""
        return self._references[instance.id].cost

    def reference(self, instance: Any) -> Reference | None:
        return self._references.get(instance.id)

    def is_settled(self, instance: Any) -> bool:
        """Whether nothing more is done for its reference: it is known, proven or agreed, or all rounds were made."""
        return instance.id in self._settled

    def know(self, instance: Any, cost: float, source: str) -> None:
        """Take a value from outside: a proven optimum, a best-known cost."""
        self._keep(instance, Reference(cost, 1.0, source, 0.0))
        self._settled.add(instance.id)

    def truth(self, instance: Any) -> str | None:
        """Which answer to a decision problem is true; None while nobody has given one that counts."""
        return self._truths.get(instance.id)

    def judged(self, instance: Any, outcome: Outcome) -> Outcome:
        """The outcome of a run on an instance; a false claim where its answer is not the true one."""
        return contradictions.judged(outcome, self.truth(instance))

    def settle(self, instances: Iterable[Any]) -> list[Any]:
        """Take over what was noted since; the instances on which runs are judged differently now."""
        take = self._take_cost if self._problem.target is None else self._take_truth
        return [instance for instance in instances if take(instance)]

    def _take_cost(self, instance: Any) -> bool:
        """A better cost is the reference from now on."""
        old = self.reference(instance)
        if old is None:
            return False
        found = min(self.findings.of(instance.id).values(), default=inf)
        if found >= old.cost:
            return False
        self._keep(instance, Reference(found, 0.0, "a later run", old.cpu))
        return True

    def _take_truth(self, instance: Any) -> bool:
        """Answers that are not the true one are false from now on."""
        said, old = self.findings.of(instance.id), self.truth(instance)
        new = contradictions.truth_of(said)
        if new is None:
            return False
        self._truths[instance.id] = new
        return any(contradictions.is_false(says, old) != contradictions.is_false(says, new) for says in said)

    def estimate(self, instances: Iterable[Any]) -> None:
        """Cheap references from the first run of the consensus, for instances that have none."""
        missing = [instance for instance in self._undecided(instances) if instance.id not in self._references]
        self._play(missing, lambda instance: 1, self._effort.cpu)
        for instance in missing:
            self._take_consensus(instance)

    def establish(
        self,
        instances: Iterable[Any],
        on_established: Callable[[Any, Reference | None], None] = lambda *_: None,
        most_cpu: float = inf,
    ) -> list[Any]:
        """Proven or agreed references for all instances; the instances for which no run found a solution.

        Of runs that could take more than ``most_cpu`` seconds in all, none is made: what is known by then counts.
        """
        wanted = [instance for instance in self._undecided(instances) if instance.id not in self._settled]
        most_charged = self.cpu_charged + most_cpu
        missing = self._prove(wanted, on_established, most_cpu)
        for round_ in range(self._effort.rounds):
            limit = self._effort.cpu * 2**round_
            played = self._affordable(missing, limit, most_charged - self.cpu_charged)
            self._play(played, self._runs_missing, limit)
            undecided = []
            for instance in played:
                reference = self._take_consensus(instance)
                if (reference is not None and reference.agreement >= 1.0) or round_ == self._effort.rounds - 1:
                    self._settled.add(instance.id)
                    on_established(instance, reference)
                else:
                    undecided.append(instance)
            missing = [*undecided, *missing[len(played) :]]
        for instance in missing:
            on_established(instance, self.reference(instance))
        return [instance for instance in wanted if instance.id not in self._references]

    def _affordable(self, instances: list[Any], limit: float, most_cpu: float) -> list[Any]:
        """The first of the instances, as many as may be played for so many CPU seconds."""
        at_worst = accumulate(limit * self._runs_missing(instance) for instance in instances)
        return [instance for instance, cpu in zip(instances, at_worst, strict=True) if cpu <= most_cpu + ROUNDING]

    def _undecided(self, instances: Iterable[Any]) -> list[Any]:
        """Instances whose reference is to be found by runs: none of a decision problem, whose target is known."""
        target = self._problem.target
        if target is None:
            return list(instances)
        for instance in instances:
            if instance.id not in self._settled:
                self.know(instance, target, "decision problem")
        return []

    def _prove(
        self, instances: list[Any], on_established: Callable[[Any, Reference | None], None], most_cpu: float
    ) -> list[Any]:
        """Ask the exact solver, if there is one and it leaves enough for the first round; the instances not proven."""
        exact, limit = self._exact, 20.0 * self._effort.cpu
        if exact is None or len(instances) * (limit + self.cpu_of_one) > most_cpu + ROUNDING:
            return instances
        default = default_configuration(exact)
        pending = [
            (each, self._submit(exact, default, each, seeds.derive(self._seed, "prove", each.id), limit))
            for each in instances
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

    def _play(self, instances: list[Any], runs: Callable[[Any], int], cpu: float) -> None:
        """As many further runs of the consensus as each instance is to have, side by side."""
        pending = [
            (instance, self._run(instance, number, cpu))
            for instance in instances
            for number in self._further_numbers(instance, runs(instance))
        ]
        for instance, future in pending:
            self._answers[instance.id].append(self._charged(future.result()))

    def _further_numbers(self, instance: Any, runs: int) -> range:
        made = len(self._answers.setdefault(instance.id, []))
        return range(made, made + runs)

    def _costs(self, instance: Any) -> list[float]:
        outcomes = [found.outcome for found in self._answers.get(instance.id, [])]
        return [each.cost for each in outcomes if each.cost is not None and each.ending not in FAILURES]

    def _runs_missing(self, instance: Any) -> int:
        """Runs to an agreement, if all of them come to the best cost so far."""
        costs = self._costs(instance)
        return self._effort.runs - (costs.count(min(costs)) if costs else 0)

    def _take_consensus(self, instance: Any) -> Reference | None:
        answers, costs = self._answers[instance.id], self._costs(instance)
        if not costs:
            return None
        best = min(costs)
        known = self.reference(instance)
        if known is not None and known.cost < best:
            return known
        reference = Reference(
            cost=best,
            agreement=min(1.0, costs.count(best) / self._effort.runs),
            source=f"{self._consensus.solver.name}, {len(answers)} runs",
            cpu=sum(found.charge for found in answers),
        )
        self._keep(instance, reference)
        return reference

    def _run(self, instance: Any, number: int, cpu: float) -> Future[Answer]:
        """One run of the consensus."""
        seed = seeds.derive(self._seed, "reference", instance.id, number)
        return self._submit(self._consensus.solver, self._consensus.configuration(number), instance, seed, cpu)

    def _submit(
        self, solver: Solver, configuration: Configuration, instance: Any, seed: int, cpu: float
    ) -> Future[Answer]:
        run = Run(
            problem=self._problem,
            solver=solver,
            configuration=configuration,
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
