"""What a run tells people of itself besides what it prints: not lost in a flood of output, nor when it is killed."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum, auto


class Note(Enum):
    """What is told. Of each kind the last note counts."""

    CALLED = auto()
    """The command line that is run."""
    READ = auto()
    """What was read so far of what the program has printed."""


RECIPIENT: ContextVar[Callable[[Note, str], None]] = ContextVar("RECIPIENT", default=lambda note, text: None)
"""Who is told. Without a keeper, nobody."""


def tell(note: Note, text: str) -> None:
    RECIPIENT.get()(note, text)
