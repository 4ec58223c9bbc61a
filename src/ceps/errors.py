"""Mistakes a user can mend, told so that they can."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

BEGINNING, END = 1200, 600
"""Characters of a message that people are shown: it may quote a file, in which names may be as long as the file."""


class UserError(Exception):
    """Bad input. The message names the file or option, the key or line, and the fix; the CLI exits with 2."""

    def __str__(self) -> str:
        message = super().__str__()
        return message if len(message) <= BEGINNING + END else f"{message[:BEGINNING]} … {message[-END:]}"


class InUseError(UserError):
    """A run directory that another process is working in."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``" Did you mean 'x'?"`` for the closest known word, or the list of known words when none is close."""
    choices = sorted(known)
    close = difflib.get_close_matches(word, choices, n=1)
    if close:
        return f" Did you mean '{close[0]}'?"
    return f" Known: {', '.join(choices)}." if choices else ""
