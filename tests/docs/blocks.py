"""The blocks of code in the pages of the documentation."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]

_FENCED = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\s`]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_REASON = re.compile(r"<!-- not executed: (?P<reason>[^>]*) -->\s*\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    place: str
    """Page and line, for people."""
    language: str
    text: str
    reason: str | None
    """Why it is not executed, in the words of the page."""
    output: str | None
    """The block of text that follows at once, if one does: what this one prints."""


def blocks_of(page: str) -> Iterator[Block]:
    """The blocks of a page, in its order."""
    text = (ROOT / page).read_text()
    found = list(_FENCED.finditer(text))
    for match, following in zip_longest(found, found[1:]):
        reason = _REASON.search(text, 0, match.start())
        printed = following is not None and following["language"] == "text" and not _between(text, match, following)
        yield Block(
            place=f"{page}, line {1 + text.count(chr(10), 0, match.start())}",
            language=match["language"],
            text=textwrap.dedent(match["text"]),
            reason=None if reason is None else reason["reason"],
            output=textwrap.dedent(following["text"]) if following is not None and printed else None,
        )


def _between(text: str, first: re.Match[str], second: re.Match[str]) -> str:
    return text[first.end() : second.start()].strip()
