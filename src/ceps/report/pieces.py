"""Pieces of HTML that sections are made of. Whatever is put into them is escaped, unless it is markup already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

MOST_ROWS = 60
"""A longer table is no help."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with a heading and a place in its navigation."""

    anchor: str
    title: str
    body: Markup


def joined(parts: Iterable[str]) -> Markup:
    return Markup("").join(parts)


def side_by_side(parts: Iterable[Markup]) -> Markup:
    """Charts beside each other, where there is room."""
    return Markup('<div class="side">{}</div>').format(joined(parts))


def paragraph(text: object) -> Markup:
    return Markup("<p>{}</p>").format(text)


def heading(text: str) -> Markup:
    return Markup("<h3>{}</h3>").format(text)


def note(parts: Sequence[object]) -> Markup:
    """Something that must not be overlooked; nothing for nothing."""
    if not parts:
        return Markup("")
    return Markup('<div class="note" role="note">{}</div>').format(joined(map(paragraph, parts)))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], names: int = 1, caption: str = "") -> Markup:
    """The first ``names`` columns are words, and stand left; the others are numbers, and stand right."""

    def cell(tag: str, column: int, content: object) -> Markup:
        scope = Markup(' scope="col"') if tag == "th" else ""
        side = "" if column < names else Markup(' class="number"')
        return Markup("<{0}{1}{2}>{3}</{0}>").format(Markup(tag), scope, side, content)

    def line(tag: str, contents: Sequence[object]) -> Markup:
        cells = joined(cell(tag, column, content) for column, content in enumerate(contents))
        return Markup("<tr>{}</tr>").format(cells)

    title = Markup("<caption>{}</caption>").format(caption) if caption else ""
    return Markup('<div class="scroll"><table>{}<thead>{}</thead><tbody>{}</tbody></table></div>').format(
        title, line("th", head), joined(line("td", row) for row in rows)
    )


def details(anchor: str, summary: object, body: object, opened: bool = False) -> Markup:
    """Something to unfold. The anchor lets it stay open while the page is renewed."""
    return Markup('<details id="{}"{}><summary>{}</summary>{}</details>').format(
        anchor, Markup(" open") if opened else "", summary, body
    )


def tiles(pairs: Iterable[tuple[str, object, object]]) -> Markup:
    """Key figures: a name, a value, and what explains it."""
    each = Markup('<div class="tile"><dt>{}</dt><dd><span class="value">{}</span> <span>{}</span></dd></div>')
    return Markup('<dl class="tiles">{}</dl>').format(joined(each.format(*pair) for pair in pairs))


def meter(share: float, says: str) -> Markup:
    """A share of something as a small bar."""
    width = f"{100.0 * min(max(share, 0.0), 1.0):.1f}"
    return Markup(
        '<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="track" width="100" height="6"/><rect class="filled" width="{}" height="6"/></svg>'
    ).format(says, width)


def opener(identifier: str, content: object) -> Markup:
    """A button that opens an instance."""
    return Markup('<button type="button" class="opens" data-opens="{}">{}</button>').format(identifier, content)


def marked(content: object, says: str) -> Markup:
    """Something that stands out, and says why."""
    return Markup('<strong class="best">{}<span class="sign" role="img" aria-label="{}">★</span></strong>').format(
        content, says
    )


def code(text: object) -> Markup:
    return Markup("<code>{}</code>").format(escape(text))
