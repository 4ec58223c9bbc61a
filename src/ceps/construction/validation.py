"""Compare candidate portfolios on the training instances with fresh seeds, the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ceps import seeds
from ceps.construction.budget import Account, rows_to_take
from ceps.construction.method import Members, Scores, Task
from ceps.construction.scoring import Panel, completion_at_worst, member_scores
from ceps.metrics import Metric
from ceps.records import Configuration


@dataclass(frozen=True, slots=True)
class Replacement:
    """A candidate portfolio Θ': Θ with the member at ``slot`` replaced."""

    slot: int
    configuration: Configuration

    def applied_to(self, members: Members) -> Members:
        return (*members[: self.slot], self.configuration, *members[self.slot + 1 :])


@dataclass(frozen=True, slots=True)
class Row:
    """One instance with one seed."""

    instance: Any
    seed: int
    members: Panel
    """f(s, θ) of Θ's members."""
    candidates: tuple[Panel, ...]
    """The same of every candidate's: the best of each is known."""
    charge: float


@dataclass(frozen=True, slots=True)
class Validated:
    """What all candidates have finished, in the order it was taken."""

    rows: tuple[Row, ...]

    @property
    def instances(self) -> list[Any]:
        return [row.instance for row in self.rows]

    @property
    def members(self) -> Scores:
        """f(s, θ) of Θ's members: a line for each row, exact for its best two."""
        return np.array([row.members.scores for row in self.rows])

    @property
    def incumbent(self) -> Scores:
        """f(s, Θ)."""
        return np.array([row.members.best for row in self.rows])

    @property
    def candidates(self) -> Scores:
        """f(s, Θ'): a line for each row, a column for each candidate."""
        return np.array([[panel.best for panel in row.candidates] for row in self.rows])


def row_at_worst(size: int, candidates: int, metric: Metric) -> float:
    """CPU seconds that a row may take, its completion included."""
    return (size + candidates) * metric.cutoff + completion_at_worst(size, metric)


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
    evaluator, penalty = task.evaluator, task.evaluator.metric.penalty

    def score(number: int) -> Row:
        pass_, index = divmod(number, len(order))
        instance = order[index]
        seed = seed_of(task, round_, pass_, instance)
        panel = member_scores(evaluator, members, instance, seed)
        rests = [panel.without(candidate.slot, penalty) for candidate in candidates]
        made = [
            evaluator.submit(candidate.configuration, instance, seed, bound=rest).result()
            for candidate, rest in zip(candidates, rests, strict=True)
        ]
        together = tuple(
            panel.with_replaced(candidate.slot, newcomer, rest)
            for candidate, newcomer, rest in zip(candidates, made, rests, strict=True)
        )
        for portfolio in (panel, *together):
            evaluator.tally(task.size, portfolio.best)
        return Row(instance, seed, panel, together, panel.charge + sum(each.charge for each in made))

    rows: list[Row] = []
    at_worst = row_at_worst(len(members), len(candidates), evaluator.metric)
    while count := rows_to_take(
        [row.charge for row in rows], len(order), min(batch, passes * len(order) - len(rows)), at_worst, account
    ):
        made = evaluator.map(score, range(len(rows), len(rows) + count))
        account.pay(sum(row.charge for row in made))
        rows.extend(made)
    return Validated(tuple(rows))


def completed(task: Task, members: Members, rows: Sequence[tuple[Row, Panel]], batch: int, account: Account) -> Scores:
    """Scores of the members of a candidate, exact for the best two of as many rows as the account covers (one or more).

    Before, only the best of a row is known: newcomers are stopped where they are no better than the rest, and others
    were stopped where they were no better than the member that is replaced.
    """
    at_worst = completion_at_worst(len(members), task.evaluator.metric)

    def complete(row: tuple[Row, Panel]) -> Panel:
        return member_scores(task.evaluator, members, row[0].instance, row[0].seed, row[1])

    panels: list[Panel] = []
    while count := int(max(not panels, min(batch, len(rows) - len(panels), account.covers(at_worst)))):
        made = task.evaluator.map(complete, rows[len(panels) : len(panels) + count])
        account.pay(sum(panel.charge for panel in made))
        panels.extend(made)
    return np.array([panel.scores for panel in panels])


def seed_of(task: Task, round_: int, pass_: int, instance: Any) -> int:
    """The seed with which the validation of this round takes an instance for the first time (0), the second (1) …"""
    return seeds.derive(task.seed, "validate", round_, pass_, instance.id)


def quartiles(score: Scores) -> dict[str, Any]:
    """How many scores of a portfolio there are, and how they spread."""
    return {"count": len(score), "quartiles": np.quantile(score, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()}


def contributions(scores: Scores) -> Scores:
    """By how much the mean would rise without each member: one row per instance, one column per member."""
    best = scores.min(axis=1).mean()
    others = [np.delete(scores, member, axis=1) for member in range(scores.shape[1])]
    return np.array([other.min(axis=1).mean() - best if other.size else np.inf for other in others])
