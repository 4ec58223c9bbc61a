"""What driver and keeper say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ceps.execution.executor import Run


@dataclass(frozen=True, slots=True)
class Start:
    """The driver's first message."""

    search_path: list[str]
    scratch: Path


@dataclass(frozen=True, slots=True)
class Order:
    """Make a run. ``number`` tells it from others; ``live`` asks for its incumbents while it goes on."""

    number: int
    run: Run
    live: bool


@dataclass(frozen=True, slots=True)
class StopOrder:
    number: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """The solver cannot run here at all; the message is for the user."""

    message: str
