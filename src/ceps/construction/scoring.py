"""Scores of portfolios, at the price of as few CPU seconds as they can be had for.

f(s, Θ) = min over θ in Θ of f(s, θ), so a member need not run past the best score of the others. All functions return
what they cost beside what they found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from ceps.evaluator import Evaluator
from ceps.metrics import Metric
from ceps.records import Configuration


@dataclass(frozen=True, slots=True)
class Scored:
    """A score and its charge."""

    score: float
    charge: float


def portfolio_score(
    evaluator: Evaluator, members: Sequence[Configuration], instance: Any, seed: int, bound: float = inf
) -> Scored:
    """f(s, Θ), or ``bound`` where that is smaller: members in fixed order, each capped by the best so far."""
    best, charge = min(bound, evaluator.metric.penalty), 0.0
    for member in members:
        made = evaluator.submit(member, instance, seed, bound=best).result()
        best, charge = min(best, made.score), charge + made.charge
    return Scored(best, charge)


_EARLY_SHARES = (1 / 16, 1 / 4)
"""Of the cap, that members try with first."""


def race_at_worst(size: int, metric: Metric) -> float:
    """CPU seconds that :func:`raced_score` takes of so many members where none has an answer."""
    early = sum(_EARLY_SHARES) if size > 1 and not metric.exact_limit else 0.0
    return (1.0 + early) * size * metric.cutoff


def raced_score(
    evaluator: Evaluator, members: Sequence[Configuration], instance: Any, seed: int, bound: float
) -> Scored:
    """As :func:`portfolio_score`, for members of which it is not known who is good.

    Some may never end, and would use up their whole cap before the fast one has its turn. So all try with small caps
    first: that costs a third more where nobody has an answer, and a fraction where one has it soon.
    """
    limit, charge = evaluator.metric.cap(bound), 0.0
    early = [share * limit for share in _EARLY_SHARES if len(members) > 1]
    for cap in early:
        if evaluator.metric.cap(cap) < limit:  # Not where the metric asks for runs of full length.
            tried = portfolio_score(evaluator, members, instance, seed, bound=cap)
            charge += tried.charge
            if tried.score < cap:
                return Scored(tried.score, charge)
    last = portfolio_score(evaluator, members, instance, seed, bound)
    return Scored(last.score, charge + last.charge)


@dataclass(frozen=True, slots=True)
class Panel:
    """Scores of all members on one instance, exact where it matters: the best two are known exactly."""

    scores: tuple[float, ...]
    charge: float

    def without(self, member: int, penalty: float) -> float:
        """f(s, Θ \\ {θ}): the best of the other members."""
        return min((score for index, score in enumerate(self.scores) if index != member), default=penalty)


def member_scores(
    evaluator: Evaluator, members: Sequence[Configuration], instance: Any, seed: int, known: Sequence[float] = ()
) -> Panel:
    """Scores of all members, each capped by the second best so far, so that any one may be taken out exactly.

    ``known`` are scores of members that have run before; they come first, and are charged to nobody.
    """
    scores, charge = list(known), 0.0
    for member in members:
        second = sorted([*scores, inf, inf])[1]
        made = evaluator.submit(member, instance, seed, bound=min(second, evaluator.metric.penalty)).result()
        scores.append(made.score)
        charge += made.charge
    return Panel(tuple(scores), charge)
