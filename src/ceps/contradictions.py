"""Answers to a decision problem that contradict each other: which of them is true, as far as answers show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf

from ceps.records import Ending, Outcome

NOBODY_KNOWS = "contradictory"
"""What is true of an instance of which those that count most say different things."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An instance that different things were said of."""

    instance: str
    """Its id."""
    name: str
    said: tuple[tuple[str, str], ...]
    """Who says what."""
    truth: str
    """What counts for most of it, or :data:`NOBODY_KNOWS`."""

    def __str__(self) -> str:
        verdict = "nobody knows which is true" if self.truth == NOBODY_KNOWS else f"'{self.truth}' counts for more"
        return f"{self.name}: answers contradict each other: {quoted(self.said)}; {verdict}"


def quoted(said: Iterable[tuple[str, str]]) -> str:
    """Who says what, in words."""
    return ", ".join(f"{who} says '{says}'" for who, says in said)


def truth_of(said: Mapping[str, float]) -> str | None:
    """What is true of an instance; None where nothing that counts was said of it.

    ``said``: all that answers say, each with the least cost of one that says it, infinite where it is worth nothing.
    What was verified costs less than what is believed, so it shows who of the believed is wrong.
    """
    best = min(said.values(), default=inf)
    if best == inf:
        return None
    first, *others = [says for says, cost in said.items() if cost == best]
    return NOBODY_KNOWS if others else first


def is_false(says: str, truth: str | None) -> bool:
    """Whether an answer is known to be wrong, or one of those of which nobody knows who is."""
    return bool(says) and truth is not None and says != truth


def why_false(says: str, truth: str) -> str:
    if truth == NOBODY_KNOWS:
        return f"says '{says}' and others the opposite, and nobody knows which is true"
    return f"says '{says}', and others '{truth}', which counts for more"


def judged(outcome: Outcome, truth: str | None) -> Outcome:
    """The outcome of a run on an instance of which this is true: a wrong answer is a false claim."""
    if truth is None or not is_false(outcome.says, truth):
        return outcome
    reason = why_false(outcome.says, truth)
    return replace(outcome, ending=Ending.INVALID, reason=reason, cost=None, solution=None, trace=())
