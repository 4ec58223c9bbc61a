"""A first portfolio, greedily from a random sample of configurations (Algorithm 1, lines 2-7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ceps import seeds
from ceps.construction.budget import Account
from ceps.construction.method import Members, Task
from ceps.errors import UserError
from ceps.evaluator import Evaluation


@dataclass(frozen=True, slots=True)
class Initial:
    """The first portfolio, and its members' scores: one row per training instance."""

    members: Members
    scores: npt.NDArray[np.float64]

    @property
    def score(self) -> float:
        return float(self.scores.min(axis=1).mean())


def wave_at_worst(size: int, instances: int, cutoff: float) -> float:
    """CPU seconds that testing as many configurations as the portfolio has members may take."""
    return size * instances * cutoff


def initialise(task: Task, most_candidates: int, account: Account) -> Initial:
    """Test a random sample on all instances (line 2), then choose members one by one (lines 3-7).

    The sample begins with the default configurations and is as large as the account allows, in waves of K: a wave is
    tested when the account covers it at worst.
    """
    at_worst = wave_at_worst(task.size, len(task.instances), task.evaluator.metric.cutoff)
    candidates = task.sample(most_candidates)
    rows: list[list[Evaluation]] = []
    while len(rows) < len(candidates) and (not rows or account.left >= at_worst):
        wave = candidates[len(rows) : len(rows) + task.size]
        pending = [
            [
                task.evaluator.submit(candidate, instance, seeds.derive(task.seed, "initial", instance.id))
                for instance in task.instances
            ]
            for candidate in wave
        ]
        for futures in pending:
            made = [future.result() for future in futures]
            rows.append(made)
            account.pay(sum(each.charge for each in made))
            for each in made:
                task.evaluator.tally(1, each.score)
    # Nothing was stopped, so this is where most is known of who contradicts whom.
    task.evaluator.references.settle(task.instances)
    judged = [list(map(task.evaluator.judged_again, task.instances, row)) for row in rows]
    if not any(each.outcome.has_answer for row in judged for each in row):
        raise UserError(
            "no run found a solution of any training instance, or only answers that contradict each other: try "
            "`ceps check`, or a longer cut-off"
        )
    scores = np.array([[each.score for each in row] for row in judged])
    chosen = choose_greedily(scores, task.size)
    return Initial(tuple(candidates[index] for index in chosen), scores[chosen].T)


def choose_greedily(scores: npt.NDArray[np.float64], size: int) -> list[int]:
    """Lines 3-7: ``size`` rows, each the one that lowers the mean of the column minima most; the first of equals."""
    chosen: list[int] = []
    best = np.full(scores.shape[1], np.inf)
    for _ in range(size):
        means = np.minimum(scores, best).mean(axis=1)
        means[chosen] = np.inf
        chosen.append(int(np.argmin(means)))
        best = np.minimum(best, scores[chosen[-1]])
    return chosen
