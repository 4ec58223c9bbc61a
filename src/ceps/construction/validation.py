"""Compare candidate portfolios on the training instances with fresh seeds, the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceps import seeds
from ceps.construction.budget import Account
from ceps.construction.method import Members, Task
from ceps.construction.scoring import member_scores
from ceps.records import Configuration


@dataclass(frozen=True, slots=True)
class Replacement:
    """A candidate portfolio Θ': Θ with the member at ``slot`` replaced."""

    slot: int
    configuration: Configuration

    def applied_to(self, members: Members) -> Members:
        return (*members[: self.slot], self.configuration, *members[self.slot + 1 :])


@dataclass(frozen=True, slots=True)
class Validated:
    """Scores on the instances that all candidates have finished, in the order they were taken.

    Arrays have one row per instance and seed.
    """

    instances: tuple[Any, ...]
    members: npt.NDArray[np.float64]
    """f(s, θ) of Θ's members: exact for the best two of each instance."""
    newcomers: npt.NDArray[np.float64]
    """f(s, θ') of the candidates' new configurations: exact where below the rest."""
    candidates: npt.NDArray[np.float64]
    """f(s, Θ') of the candidates."""

    @property
    def incumbent(self) -> npt.NDArray[np.float64]:
        """f(s, Θ)."""
        best: npt.NDArray[np.float64] = self.members.min(axis=1)
        return best

    def with_replaced(self, candidate: int, slot: int) -> npt.NDArray[np.float64]:
        """Scores of the members of a candidate."""
        scores = self.members.copy()
        scores[:, slot] = self.newcomers[:, candidate]
        return scores


def validate(
    task: Task,
    members: Members,
    candidates: Sequence[Replacement],
    instances: Sequence[Any],
    round_: int,
    batch: int,
    account: Account,
    passes: float = 1,
) -> Validated:
    """f(s, Θ) and f(s, Θ') for all candidates Θ', instance by instance in one fixed random order.

    When one more instance could overdraw the account, what all have finished is what they are compared on. Only what
    the candidates do not share is run: the members of Θ once, and each new configuration capped by the rest it joins.
    ``passes``: how often to take all instances, each time with seeds of its own: the more the surer.
    """
    rng = seeds.generator(task.seed, "validation order", round_)
    order = [instances[index] for index in rng.permutation(len(instances))]
    at_worst = (len(members) + len(candidates)) * task.evaluator.metric.cutoff

    def wanted(rows: Sequence[_Row]) -> int:
        if len(rows) >= len(order) and sum(row.charge for row in rows[-len(order) :]) == 0.0:
            return 0  # Runs that cost nothing would never empty the account.
        most = min(batch, passes * len(order) - len(rows), account.left // at_worst)
        return int(max(not rows, most))

    def score(number: int) -> _Row:
        pass_, index = divmod(number, len(order))
        instance = order[index]
        seed = seed_of(task, round_, pass_, instance)
        panel = member_scores(task.evaluator, members, instance, seed)
        rests = [panel.without(candidate.slot, task.evaluator.metric.penalty) for candidate in candidates]
        made = [
            task.evaluator.submit(candidate.configuration, instance, seed, bound=rest).result()
            for candidate, rest in zip(candidates, rests, strict=True)
        ]
        newcomers = [each.score for each in made]
        together = [min(pair) for pair in zip(rests, newcomers, strict=True)]
        for portfolio in (min(panel.scores), *together):
            task.evaluator.tally(task.size, portfolio)
        return _Row(panel.scores, newcomers, together, panel.charge + sum(each.charge for each in made))

    rows: list[_Row] = []
    while count := wanted(rows):
        made = task.evaluator.map(score, range(len(rows), len(rows) + count))
        account.pay(sum(row.charge for row in made))
        rows.extend(made)
    shape = (len(rows), len(candidates))
    return Validated(
        instances=tuple(order[number % len(order)] for number in range(len(rows))),
        members=np.array([row.members for row in rows]),
        newcomers=np.array([row.newcomers for row in rows]).reshape(shape),
        candidates=np.array([row.together for row in rows]).reshape(shape),
    )


def seed_of(task: Task, round_: int, pass_: int, instance: Any) -> int:
    """The seed with which the validation of this round takes an instance for the first time (0), the second (1) …"""
    return seeds.derive(task.seed, "validate", round_, pass_, instance.id)


@dataclass(frozen=True, slots=True)
class _Row:
    members: tuple[float, ...]
    newcomers: list[float]
    together: list[float]
    charge: float


def quartiles(scores: npt.NDArray[np.float64]) -> dict[str, Any]:
    """How many scores of a portfolio there are, and how they spread; rows and columns as in :func:`contributions`."""
    best = scores.min(axis=1)
    return {"count": len(best), "quartiles": np.quantile(best, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()}


def contributions(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """By how much the mean would rise without each member: one row per instance, one column per member."""
    best = scores.min(axis=1).mean()
    others = [np.delete(scores, member, axis=1) for member in range(scores.shape[1])]
    return np.array([other.min(axis=1).mean() - best if other.size else np.inf for other in others])
