"""The rules of exact replay: what a recorded run answers to a request with another cap. No files, no clocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ceps.records import Ending, Outcome


@dataclass(frozen=True, slots=True)
class Execution:
    """One recorded run. Ids grow in the order of recording."""

    id: int
    limit: float
    """The CPU limit it was given."""
    outcome: Outcome
    """As it was measured, without the solution: only the best one of each instance is kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request came to, and what it costs the account that asked."""

    outcome: Outcome
    charge: float


def normalise(outcome: Outcome, limit: float, cutoff: float) -> Outcome:
    """The outcome to record for a run that was given a limit.

    A run that ended by itself, but was measured past its limit, was too late: whether the clock caught it was luck.
    """
    if outcome.ending.is_stop or outcome.cpu > limit:
        return replace(outcome, ending=_stop_at(limit, cutoff), says="")
    return outcome


def answer(row: Execution, cap: float, cutoff: float, exact_limit: bool = False) -> Answer | None:
    """What a recorded run says about a run of the same key with a cap, or None if it cannot say.

    With ``exact_limit`` only a run that had exactly this limit can: quality metrics need it, because solvers may plan
    by their limit and the best solution at an earlier time was not verified.
    """
    recorded = row.outcome
    charge = min(recorded.cpu, cap)
    if exact_limit:
        return Answer(recorded, charge) if row.limit == cap else None
    if recorded.ending.is_stop:
        return Answer(_cut(recorded, cap, cutoff), charge) if row.limit >= cap else None
    return Answer(recorded if recorded.cpu <= cap else _cut(recorded, cap, cutoff), charge)


def first_answer(rows: Iterable[Execution], cap: float, cutoff: float, exact_limit: bool = False) -> Answer | None:
    """The answer of the earliest run that has one: runs recorded later never change what was once answered."""
    return next((found for row in rows if (found := answer(row, cap, cutoff, exact_limit)) is not None), None)


def _cut(recorded: Outcome, cap: float, cutoff: float) -> Outcome:
    """What is known of a run's first ``cap`` seconds: nothing that a stop at the cap would not have shown."""
    return Outcome(
        ending=_stop_at(cap, cutoff),
        # Less than the cap for a run that slept until the wall-clock guard stopped it.
        cpu=min(recorded.cpu, cap),
        trace=tuple(incumbent for incumbent in recorded.trace if incumbent.cpu <= cap),
        host=recorded.host,
    )


def _stop_at(limit: float, cutoff: float) -> Ending:
    return Ending.TIMEOUT if limit >= cutoff else Ending.CAPPED
