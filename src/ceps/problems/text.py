"""Text files of instances and solutions: lines with numbers for messages, and numbers that are what they look like."""

from __future__ import annotations

import re
import reprlib
from math import isfinite
from pathlib import Path

from ceps.errors import UserError
from ceps.files import content_of

LARGEST = 2**30
"""Bytes of an instance or of a solution."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
# Each character can be matched in one way only: nobody may keep a reader busy with a long word that is no number.
_REAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


class Text:
    """The numbered lines of a text, less the blank ones.

    Parameters
    ----------
    source
        What people call it: for messages.
    text
        All of it.
    kind
        What it should be, in a message.
    last
        The line that ends it, in upper case, if there is one: what follows is passed over.
    """

    def __init__(self, source: str, text: str, kind: str, last: str | None = None) -> None:
        self.source = source
        self.lines: list[tuple[int, str]] = []
        self.end = 1
        """The number of the last line: where something is missing."""
        if "\0" in text:
            raise UserError(f"{source}: this is a binary file, not a {kind} text. Unpack or convert it first.")
        if not text.strip("\ufeff \t\r\n\v\f"):
            raise UserError(f"{source}: the file is empty. It should hold a {kind} text.")
        # Not splitlines(): it also breaks lines where editors, which count lines for the user, do not.
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), 1):
            stripped = line.strip()
            self.end = number if stripped else self.end
            if stripped.upper() == last:
                break
            if stripped:
                self.lines.append((number, stripped))

    @classmethod
    def read(cls, path: Path, kind: str, last: str | None = None) -> Text:
        """The text in a file."""
        return cls(str(path), _decoded(load(path)), kind, last)

    def error(self, line: int, message: str) -> UserError:
        return UserError(f"{self.source}, line {line}: {message}")

    def finite(self, line: int, word: str, name: str) -> float:
        """A finite number, called so in messages."""
        if not _REAL.fullmatch(word):
            raise self.error(line, f"{name} {shown(word)} is not a number. Write it like 12, 1.5 or 1e+06.")
        value = float(word)
        if not isfinite(value):
            raise self.error(line, f"{name} {shown(word)} is not finite. Write a number.")
        return value


def integer(word: str) -> int | None:
    """The whole number that a word is, if it is one."""
    # Python's int() would also take '1_000' and the digits of other scripts.
    return int(word) if _INTEGER.fullmatch(word) else None


def written(value: float) -> str:
    """A number so that reading it gives the same to the last bit."""
    return str(int(value)) if value.is_integer() else repr(value)


def name_of(path: Path) -> str:
    """What an instance in a file is called: the file's stem, in characters that can be printed and kept anywhere."""
    return "".join(c if c.isprintable() else "?" for c in path.stem)


def one_line(name: str) -> str:
    """A name that cannot break a file's lines or its encoding."""
    printable = "".join(c if c.isprintable() else " " for c in name)
    return " ".join(printable.split()) or "unnamed"


def shown(word: str) -> str:
    """A word of a file in a message: quoted, and not too long."""
    return reprlib.repr(word)


def save(path: Path, text: str) -> None:
    """Write a text to a file."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path}: the file cannot be written ({error}). Check that its directory exists and is writable."
        ) from None


def joined(*lines: str) -> str:
    """The text of these lines."""
    return "\n".join(lines) + "\n"


def load(path: Path) -> bytes:
    """All of an instance's or a solution's file. Raises :class:`~ceps.errors.UserError` as a text would."""
    return content_of(path, LARGEST)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        # Old files have Latin-1 names in their comments; it maps every byte, so the parser decides.
        return content.decode("latin-1")
