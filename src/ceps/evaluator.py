"""Configurations and instances in, scores out: the only thing a construction method sees of runs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf
from typing import Any

from ceps.execution.executor import Run
from ceps.metrics import Metric
from ceps.problems.problem import Problem
from ceps.records import Configuration, Limits, Outcome
from ceps.references import References
from ceps.runner import Runner
from ceps.solvers.solver import Solver
from ceps.store import Answer


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run, scored."""

    score: float
    charge: float
    """CPU seconds the asking account pays, whether the run was made now or came from the store."""
    outcome: Outcome


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
        self._mutex = threading.Lock()
        self.cpu_charged = 0.0

    def submit(self, configuration: Configuration, instance: Any, seed: int, bound: float = inf) -> Future[Evaluation]:
        """Score one configuration on one instance.

        ``bound`` is a score to beat: the run is stopped when it can no longer, and then scores the penalty. Callers
        give the same ``seed`` to all configurations they compare on an instance.
        """
        cap = self.metric.cap(bound)
        run = Run(
            problem=self.problem,
            solver=self._solvers[configuration.solver],
            configuration=configuration,
            instance=instance,
            seed=seed,
            limits=Limits(cpu=cap, memory=self._memory),
            target=self.references.cost(instance) if self.metric.uses_target else None,
        )
        promise: Future[Evaluation] = Future()
        answered = self._runner.submit(run, self.metric.cutoff, self.metric.exact_limit)
        answered.add_done_callback(lambda future: self._score(instance, future, promise))
        return promise

    def _score(self, instance: Any, answered: Future[Answer], promise: Future[Evaluation]) -> None:
        try:
            found = answered.result()
            if found.outcome.cost is not None:
                self.references.note(instance, found.outcome.cost)
            score = self.metric.score(found.outcome, self.problem.scale(instance))
        except BaseException as error:
            promise.set_exception(error)
            return
        with self._mutex:
            self.cpu_charged += found.charge
        promise.set_result(Evaluation(score, found.charge, found.outcome))
