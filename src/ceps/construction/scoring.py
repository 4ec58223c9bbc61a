"""Scores of portfolios, at the price of as few CPU seconds as they can be had for.

f(s, Θ) = min over θ in Θ of f(s, θ), so a member need not run past the best score of the others. All functions return
what they cost beside what they found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ceps.evaluator import Evaluation, Evaluator
from ceps.findings import Finding
from ceps.metrics import Metric
from ceps.records import Configuration, Ending


@dataclass(frozen=True, slots=True)
class Scored:
    """A score, its charge, and what the runs have found."""

    score: float
    charge: float
    findings: tuple[Finding, ...] = ()


def portfolio_score(
    evaluator: Evaluator, members: Sequence[Configuration], instance: Any, seed: int, bound: float = inf
) -> Scored:
    """f(s, Θ), or ``bound`` where that is smaller: members in fixed order, each capped by the best so far."""
    best, charge = min(bound, evaluator.metric.penalty), 0.0
    findings: list[Finding] = []
    for member in members:
        made = evaluator.submit(member, instance, seed, bound=best).result()
        best, charge = min(best, made.score), charge + made.charge
        if made.finding is not None:
            findings.append(made.finding)
    return Scored(best, charge, tuple(findings))


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
    limit = evaluator.metric.cap(bound)
    charge = 0.0
    findings: tuple[Finding, ...] = ()
    early = [share * limit for share in _EARLY_SHARES if len(members) > 1]
    for cap in early:
        if evaluator.metric.cap(cap) < limit:  # Not where the metric asks for runs of full length.
            tried = portfolio_score(evaluator, members, instance, seed, bound=cap)
            charge, findings = charge + tried.charge, (*findings, *tried.findings)
            if tried.score < cap:
                return Scored(tried.score, charge, findings)
    last = portfolio_score(evaluator, members, instance, seed, bound)
    return Scored(last.score, charge + last.charge, (*findings, *last.findings))


@dataclass(frozen=True, slots=True)
class Panel:
    """Scores of all members on one instance, exact where it matters: the best two are known exactly."""

    scores: tuple[float, ...]
    at_least: tuple[float, ...]
    """What the scores are known to be at least: the score, or the bound at which the run was stopped."""
    charge: float

    @property
    def best(self) -> float:
        """f(s, Θ)."""
        return min(self.scores)

    def without(self, member: int, penalty: float) -> float:
        """f(s, Θ \\ {θ}): the best of the other members."""
        return min((score for index, score in enumerate(self.scores) if index != member), default=penalty)

    def with_replaced(self, member: int, made: Evaluation, bound: float) -> Panel:
        """What is known when a member is replaced, by one that ran to see whether it is below ``bound``: the best of
        all. What is not known may be completed by :func:`member_scores`."""
        scores, at_least = list(self.scores), list(self.at_least)
        scores[member] = at_least[member] = made.score
        if made.outcome.ending is Ending.CAPPED:
            at_least[member] = bound
        return Panel(tuple(scores), tuple(at_least), 0.0)


UNKNOWN = Panel((), (), 0.0)


def member_scores(
    evaluator: Evaluator, members: Sequence[Configuration], instance: Any, seed: int, before: Panel = UNKNOWN
) -> Panel:
    """Scores of all members, each capped by the second best so far, so that any one may be taken out exactly.

    ``before`` is what is known of the first members already: nobody is charged for it again.
    """
    penalty, further, charge = evaluator.metric.penalty, len(members) - len(before.scores), 0.0
    panel = Panel((*before.scores, *[penalty] * further), (*before.at_least, *[-inf] * further), charge)
    for index, member in enumerate(members):
        exact = [score for score, least in zip(panel.scores, panel.at_least, strict=True) if score == least]
        bound = sorted([*exact, penalty, penalty])[1]
        if panel.at_least[index] >= min(panel.scores[index], bound):
            continue  # It is known, or known not to be one of the best two.
        made = evaluator.submit(member, instance, seed, bound=bound).result()
        panel, charge = panel.with_replaced(index, made, bound), charge + made.charge
    return replace(panel, charge=charge)


def completion_at_worst(size: int, metric: Metric) -> float:
    """CPU seconds that :func:`member_scores` may take of so many members of which something is known before."""
    return 0.0 if metric.exact_limit else size * metric.cutoff
