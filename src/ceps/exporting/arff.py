"""ARFF files: a relation with attributes, and rows of comma-separated values; ASCII only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path

STRING, NUMERIC = "STRING", "NUMERIC"

_PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")
_SPECIAL = re.compile(r"[\\'%]")


def one_of(values: Sequence[str]) -> str:
    """The type of an attribute that has one of these values."""
    return f"{{{', '.join(map(_text, values))}}}"


def ascii_name(name: str) -> str:
    """A name in printable ASCII characters, different names staying different: as Python escapes it."""
    # What is an escape in an ARFF file, readers take in different ways; a backslash and an n are two characters to all.
    return name.encode("unicode_escape").decode("ascii")


def write_arff(
    path: Path, relation: str, attributes: Mapping[str, str], rows: Iterable[Sequence[str | float | None]]
) -> None:
    """Write a file, texts by their :func:`ascii_name`; None, and what is no number, is a missing value."""
    lines = [f"@RELATION {_text(relation)}", ""]
    lines += [f"@ATTRIBUTE {_text(name)} {kind}" for name, kind in attributes.items()]
    lines += ["", "@DATA", *(",".join(map(_value, row)) for row in rows), ""]
    path.write_text("\n".join(lines), encoding="ascii")


def _value(value: str | float | None) -> str:
    if isinstance(value, str):
        return _text(value)
    return "?" if value is None or not isfinite(value) else repr(value)


def _text(text: str) -> str:
    name = ascii_name(text)
    return name if _PLAIN.fullmatch(name) else f"'{_SPECIAL.sub(lambda special: chr(92) + special[0], name)}'"
