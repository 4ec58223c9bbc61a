"""The data everything else speaks of: frozen, comparable, and without behaviour to speak of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Value = int | float | str | bool
"""One parameter's value."""

Solution = Any
"""What a solver returns: any value that JSON can hold (for the TSP, the list of node ids)."""


def digest(value: object) -> str:
    """A short, stable name for a JSON value: the same on every machine and in every Python."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


MOST_MEMBERS = 256
"""Of a portfolio: they run side by side, each in a process of its own, also those of a stranger's file."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One full setting θ of one solver's parameters. Build it with :meth:`of`."""

    solver: str
    values: tuple[tuple[str, Value], ...]

    @classmethod
    def of(cls, solver: str, values: Mapping[str, Value]) -> Configuration:
        return cls(solver, tuple(sorted(values.items())))

    def as_dict(self) -> dict[str, Value]:
        return dict(self.values)

    @property
    def id(self) -> str:
        return digest([self.solver, self.values])


class Ending(StrEnum):
    """How a run ended. The list is closed, and none of it depends on the metric."""

    SOLVED = "SOLVED"
    """Reached the target, verified."""
    FINISHED = "FINISHED"
    """Ended by itself without reaching the target (or without one)."""
    TIMEOUT = "TIMEOUT"
    """Stopped at the cut-off, with or without a solution."""
    CAPPED = "CAPPED"
    """Stopped earlier than the cut-off, because it could no longer matter."""
    MEMOUT = "MEMOUT"
    """Stopped for using more memory than allowed."""
    CRASHED = "CRASHED"
    """Ended by an error."""
    INVALID = "INVALID"
    """Claimed something false."""

    @property
    def is_stop(self) -> bool:
        """Whether the clock ended the run: a longer limit might have ended it otherwise."""
        return self in (Ending.TIMEOUT, Ending.CAPPED)


FAILURES = (Ending.MEMOUT, Ending.CRASHED, Ending.INVALID)
"""Endings that cost a run the penalty, whatever it found before."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: the whole process tree together."""

    cpu: float
    """CPU seconds, user + system."""
    memory: int = 2 * 1024**3
    """Bytes of resident memory."""
    wall: float | None = None
    """Wall-clock seconds, a guard against runs that sleep; None: ten times the CPU limit and ten seconds more."""

    @property
    def wall_guard(self) -> float:
        return 10.0 * self.cpu + 10.0 if self.wall is None else self.wall


@dataclass(frozen=True, slots=True)
class RunKey:
    """What makes two runs the same run. The CPU limit is not part of it: see the store's rules."""

    solver: str
    version: str
    configuration: str
    instance: str
    seed: int
    target: float | None
    memory: int


@dataclass(frozen=True, slots=True)
class Incumbent:
    """One improvement on the way: the CPU time the run had used, and the cost the solver claimed."""

    cpu: float
    cost: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to."""

    ending: Ending
    cpu: float
    """CPU seconds of the run's process tree, from the kernel."""
    wall: float = 0.0
    memory: int = 0
    """Peak bytes seen."""
    cost: float | None = None
    """The verified cost of ``solution``; never what the solver merely claimed."""
    solution: Solution | None = None
    """The last one; where that has no cost, it is none, or nobody knows."""
    says: str = ""
    """What the answer to a decision problem comes to: others of the instance may say otherwise. Empty without an
    answer, of a run that failed, and where costs are compared."""
    trace: tuple[Incumbent, ...] = ()
    reason: str = ""
    """For people: why the run ended so, when the ending alone does not say it."""
    output: str = ""
    """The end of what the solver printed."""
    host: str = ""

    @property
    def has_answer(self) -> bool:
        """Whether it has a solution that counts."""
        return self.cost is not None and self.ending not in FAILURES
