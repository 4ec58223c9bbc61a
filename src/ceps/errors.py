"""Mistakes a user can mend, told so that they can."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_LONG_WORD = re.compile(r"\S{400,}")
_LONGEST = 1800
"""Characters of a message: it may quote a file, in which names, and whatever else, may be as long as the file."""


class UserError(Exception):
    """Bad input. The message names the file or option, the key or line, and the fix; the CLI exits with 2."""

    def __str__(self) -> str:
        message = _LONG_WORD.sub(lambda word: _cut(word[0], 300), super().__str__())
        return message if len(message) <= _LONGEST else _cut(message, _LONGEST)


def _cut(text: str, length: int) -> str:
    """The beginning and the end of a text."""
    end = length // 3
    return f"{text[: length - end]}…{text[-end:]}"


class UntrustedError(UserError):
    """Programs that a file names, and that nobody has said to know. Told whole: no length may hide what they do."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class InUseError(UserError):
    """A run directory that another process is working in."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``" Did you mean 'x'?"`` for the closest known word, or the list of known words when none is close."""
    choices = sorted(known)
    close = difflib.get_close_matches(word, choices, n=1)
    if close:
        return f" Did you mean '{close[0]}'?"
    return f" Known: {', '.join(choices)}." if choices else ""
