"""What runs have found of instances: it counts from the end of a phase on."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from ceps.records import Outcome


@dataclass(frozen=True, slots=True)
class Finding:
    """That some run has found this of an instance."""

    instance: str
    """Its id."""
    says: str
    """As :attr:`~ceps.records.Outcome.says` has it."""
    cost: float | None
    """None where the answer is worth nothing."""


def finding_of(instance: str, outcome: Outcome) -> Finding | None:
    """What a run on an instance, given by its id, has found; None where it has no answer."""
    if outcome.cost is None and not outcome.says:
        return None
    return Finding(instance, outcome.says, outcome.cost)


class Findings:
    """By instance, all that runs say of it, each with the least cost. Threads may share it."""

    def __init__(self) -> None:
        self._said: dict[str, dict[str, float]] = {}
        self._mutex = threading.Lock()

    def add(self, findings: Iterable[Finding]) -> None:
        with self._mutex:
            for each in findings:
                said = self._said.setdefault(each.instance, {})
                said[each.says] = min(said.get(each.says, inf), inf if each.cost is None else each.cost)

    def of(self, instance: str) -> dict[str, float]:
        """What was said of an instance, given by its id, each with its least cost; infinite where worth nothing."""
        with self._mutex:
            return dict(self._said.get(instance, {}))

    def all(self) -> tuple[Finding, ...]:
        """In an order of their own: it does not show which runs ended first."""
        with self._mutex:
            every = sorted((key, says, cost) for key, said in self._said.items() for says, cost in said.items())
        return tuple(Finding(key, says, None if cost == inf else cost) for key, says, cost in every)
