"""Answers to a decision problem that contradict each other: which of them is true, as far as answers show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from ceps.records import Ending, Outcome

NOBODY_KNOWS = ""
"""What is true of an instance of which those that count most say different things: no answer says nothing."""


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
        verdict = "nobody knows who is right" if self.truth == NOBODY_KNOWS else f"'{self.truth}' counts for more"
        return f"{self.name}: answers contradict each other: {quoted(self.said)}; {verdict}"


def told(found: Sequence[Contradiction], most: int = 20) -> list[str]:
    """For people: a line each, as many as can be read."""
    left = len(found) - most
    return [*map(str, found[:most]), *([f"and likewise on {left} more instances"] if left > 0 else [])]


def quoted(said: Iterable[tuple[str, str]]) -> str:
    """Who says what, in words."""
    return ", ".join(f"{who} says '{says}'" for who, says in said)


def truth_of(said: Mapping[str, float]) -> str | None:
    """What is true of an instance; None where nothing that counts was said of it.

    ``said``: all that answers say, each with the least cost of one that says it, infinite where it is worth nothing.
    What was verified costs less than what is believed, so it shows who of the believed is wrong. An answer that says
    nothing is nobody's rival.
    """
    rivals = {says: cost for says, cost in said.items() if says}
    best = min(rivals.values(), default=inf)
    if best == inf:
        return None
    first, *others = [says for says, cost in rivals.items() if cost == best]
    return NOBODY_KNOWS if others else first


def is_false(says: str, truth: str | None) -> bool:
    """Whether an answer is known to be wrong, or one of those of which nobody knows who is."""
    return bool(says) and truth is not None and says != truth


def why_false(says: str, truth: str) -> str:
    if truth == NOBODY_KNOWS:
        return f"says '{says}' and others do not, and nobody knows who is right"
    return f"says '{says}', and others '{truth}', which counts for more"


def judged(outcome: Outcome, truth: str | None) -> Outcome:
    """The outcome of a run on an instance of which this is true: a wrong answer is a false claim."""
    if truth is None or not is_false(outcome.says, truth):
        return outcome
    reason = why_false(outcome.says, truth)
    return replace(outcome, ending=Ending.INVALID, reason=reason, cost=None, solution=None, trace=())
