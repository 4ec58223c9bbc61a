"""Compare candidate portfolios on the training instances with fresh seeds, the same for all, until the money ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

import numpy as np

from ceps import seeds
from ceps.construction.budget import Account, rows_to_take
from ceps.construction.method import Members, Scores, Task
from ceps.construction.scoring import Panel, member_scores


@dataclass(frozen=True, slots=True)
class Compared:
    """Scores of candidates' members, exact for the best two in every row; all candidates have the same rows."""

    candidates: tuple[Members, ...]
    scores: tuple[Scores, ...]
    """For each candidate, one row per instance and seed, one column per member."""

    @property
    def means(self) -> list[float]:
        """The mean of f(s, Θ) of every candidate."""
        return [float(scores.min(axis=1).mean()) for scores in self.scores]

    @property
    def best(self) -> int:
        """The best candidate; the first of equals."""
        return int(np.argmin(self.means))

    @property
    def chosen(self) -> Members:
        return self.candidates[self.best]


def compare(
    task: Task,
    rest: Members,
    newcomers: Sequence[Members],
    instances: Sequence[Any],
    purpose: str,
    batch: int,
    account: Account,
) -> Compared:
    """Scores of all candidates, each ``rest`` and its newcomers, on all instances in one random order, over and over.

    Every pass has seeds of its own: the more the account affords, the surer the choice. It is not overdrawn, unless it
    does not cover even one instance at worst.
    """
    metric = task.evaluator.metric
    at_worst = (len(rest) + sum(map(len, newcomers))) * metric.cutoff
    heats = _heats(task, instances, purpose)
    rows: list[list[tuple[float, ...]]] = []
    charges: list[float] = []
    while wanted := rows_to_take(charges, len(instances), batch, at_worst, account):
        for panels, charge in _score(task, rest, newcomers, list(islice(heats, wanted))):
            rows.append([panel.scores for panel in panels])
            charges.append(charge)
            account.pay(charge)
            for panel in panels:
                task.evaluator.tally(len(panel.scores), min(panel.scores))
    candidates = tuple((*rest, *each) for each in newcomers)
    scores = tuple(np.array([row[index] for row in rows]) for index in range(len(candidates)))
    return Compared(candidates, scores)


def _heats(task: Task, instances: Sequence[Any], purpose: str) -> Iterator[tuple[Any, int]]:
    """Instances with seeds, without end."""
    order = seeds.generator(task.seed, "comparison order", purpose).permutation(len(instances))
    for pass_ in count():
        for index in order:
            yield instances[index], seeds.derive(task.seed, "validate", purpose, pass_, instances[index].id)


def _score(
    task: Task, rest: Members, newcomers: Sequence[Members], heats: Sequence[tuple[Any, int]]
) -> list[tuple[list[Panel], float]]:
    """For each heat, the scores of all candidates and their charge. The rest is run once."""
    evaluator = task.evaluator
    rests = evaluator.map(lambda heat: member_scores(evaluator, rest, *heat), heats)
    pairs = [(heat, panel, each) for heat, panel in zip(heats, rests, strict=True) for each in newcomers]
    joined = evaluator.map(lambda pair: member_scores(evaluator, (*rest, *pair[2]), *pair[0], pair[1]), pairs)
    by_heat = [joined[start : start + len(newcomers)] for start in range(0, len(joined), len(newcomers))]
    return [
        (panels, before.charge + sum(panel.charge for panel in panels))
        for before, panels in zip(rests, by_heat, strict=True)
    ]
