"""Configurations and instances in, scores out: the only thing a construction method sees of runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeVar

from ceps.execution.executor import Run
from ceps.findings import Finding, finding_of
from ceps.metrics import Metric, PenaltyError
from ceps.problems.problem import Problem
from ceps.records import Configuration, Ending, Limits, Outcome
from ceps.references import References
from ceps.runner import Runner
from ceps.solvers.solver import Solver
from ceps.store import Answer

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run, scored."""

    score: float
    charge: float
    """CPU seconds the asking account pays, whether the run was made now or came from the store."""
    outcome: Outcome
    finding: Finding | None = None
    """What the run says of the instance, also where that is known to be false."""


def share_saved(trials: float, side_by_side: float) -> float | None:
    """The share of the CPU time of all members side by side that the same trials did not take; None without any."""
    return 1.0 - trials / side_by_side if side_by_side > 0.0 else None


class Evaluator:
    """Scores configurations on instances.

    ``cpu_charged`` counts what requests cost by the rules; what was really spent is the runner's ``cpu_spent``.
    """

    def __init__(
        self,
        problem: Problem,
        solvers: Mapping[str, Solver],
        metric: Metric,
        runner: Runner,
        references: References,
        memory: int,
    ) -> None:
        self.problem = problem
        self.metric = metric
        self.references = references
        self._solvers = solvers
        self._runner = runner
        self._memory = memory
        self._bred: set[str] = set()
        self._mutex = threading.Lock()
        self.cpu_charged = 0.0
        self.cpu_side_by_side = 0.0
        """What scores of portfolios would have cost with all members side by side until one has the answer."""

    def remember(self, instance: Any, parent: Any) -> None:
        """Have an instance that was bred, and its parentage, kept before the first run on it."""
        self._bred.add(instance.id)
        self._runner.remember_instance(self.problem, parent)
        self._runner.remember_instance(self.problem, instance, parent.id)

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """``work`` on every item, as many at a time as there are slots; the results in the items' order.

        For work that asks for several scores one after another. The result does not depend on the number of slots.
        """
        threads = ThreadPoolExecutor(self._runner.slots)
        try:
            return list(threads.map(work, items))
        finally:
            # Not waiting: after an interrupt, a thread ends when its run is killed with the executor.
            threads.shutdown(wait=False, cancel_futures=True)

    def tally(self, size: int, score: float) -> None:
        """Count a portfolio's score on one instance as if its ``size`` members had run side by side."""
        with self._mutex:
            self.cpu_side_by_side += size * self.metric.cap(score)

    def submit(self, configuration: Configuration, instance: Any, seed: int, bound: float = inf) -> Future[Evaluation]:
        """Score one configuration on one instance.

        ``bound`` is a score to beat: the run is stopped when it can no longer, and then scores the penalty. Callers
        give the same ``seed`` to all configurations they compare on an instance. An instance that nobody has solved,
        so that there is no cost that counts as solved, is a timeout for all, at no charge.
        """
        promise: Future[Evaluation] = Future()
        target = None
        if self.metric.uses_target:
            reference = self.references.reference(instance)
            if reference is None:
                promise.set_result(Evaluation(self.metric.penalty, 0.0, Outcome(Ending.TIMEOUT, cpu=0.0)))
                return promise
            target = reference.cost
        cap = self.metric.cap(bound)
        run = Run(
            problem=self.problem,
            solver=self._solvers[configuration.solver],
            configuration=configuration,
            instance=instance,
            seed=seed,
            limits=Limits(cpu=cap, memory=self._memory),
            target=target,
        )
        answered = self._runner.submit(run, self.metric.cutoff, self.metric.exact_limit)
        answered.add_done_callback(lambda future: self._score(instance, future, promise))
        return promise

    def _score(self, instance: Any, answered: Future[Answer], promise: Future[Evaluation]) -> None:
        try:
            found = answered.result()
            finding = finding_of(instance.id, found.outcome)
            if finding is not None:
                self.references.findings.add([finding])
            outcome = self.references.judged(instance, found.outcome)
            score = self._scored(instance, outcome)
        except BaseException as error:
            promise.set_exception(error)
            return
        with self._mutex:
            self.cpu_charged += found.charge
        promise.set_result(Evaluation(score, found.charge, outcome, finding))

    def judged_again(self, instance: Any, made: Evaluation) -> Evaluation:
        """A run by what is known now: one whose answer others have shown to be false has failed."""
        outcome = self.references.judged(instance, made.outcome)
        return replace(made, score=self._scored(instance, outcome), outcome=outcome)

    def _scored(self, instance: Any, outcome: Outcome) -> float:
        try:
            return self.metric.score(outcome, self.problem.scale(instance))
        except PenaltyError:
            # Who has chosen the penalty could not know what would be bred: there, such a solution counts as none, and
            # does not end a build that has come this far.
            if instance.id in self._bred:
                return self.metric.penalty
            raise
