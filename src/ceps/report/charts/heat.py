"""A table whose fields are darker the larger their values are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ceps.report.charts.figure import Numbers, Words, figure, mark, px, short, text, width_of
from ceps.report.pieces import joined

_LEAST_WIDTH, _ROOM, _ROW = 44.0, 560.0, 26.0
_NAMES_MOST, _HEADS_MOST = 170.0, 120.0
_SLANT = 0.6
"""Names of columns rise by this share of their length."""


@dataclass(frozen=True, slots=True)
class Field:
    value: str
    tint: float
    """From 0 to 1."""
    tip: str
    best: bool = False


def heat_map(
    words: Words, rows: Sequence[str], columns: Sequence[str], fields: Mapping[tuple[str, str], Field]
) -> Markup:
    """Fields by row and column, each with its value written into it, the best ones framed."""
    left = width_of(rows, _NAMES_MOST) + 14.0
    over = _SLANT * width_of(columns, _HEADS_MOST) + 18.0
    wide = max(_LEAST_WIDTH, (_ROOM - left - 60.0) / max(len(columns), 1))
    wide = min(wide, 90.0)
    parts = []
    for index, column in enumerate(columns):
        x = left + wide * (index + 0.5)
        parts.append(
            Markup('<text class="slanted" transform="translate({} {}) rotate(-35)">{}</text>').format(
                px(x), px(over - 8), short(column, _HEADS_MOST)
            )
        )
    for line, row in enumerate(rows):
        y = over + _ROW * line
        parts.append(text(left - 8, y + _ROW / 2 + 4, short(row, _NAMES_MOST), "end"))
        for index, column in enumerate(columns):
            field = fields.get((row, column))
            if field is not None:
                parts.append(_field(field, left + wide * index, y, wide))
    width = left + wide * len(columns) + 0.8 * width_of(columns[-1:], _HEADS_MOST) + 10.0
    numbers = Numbers(
        ("", *columns),
        [[row, *(fields[row, column].value if (row, column) in fields else "" for column in columns)] for row in rows],
    )
    return figure(words, max(width, _ROOM), over + _ROW * len(rows) + 8.0, joined(parts), numbers=numbers)


def _field(field: Field, x: float, y: float, wide: float) -> Markup:
    body = Markup('<rect class="field{}" x="{}" y="{}" width="{}" height="{}"/>{}').format(
        " best" if field.best else "",
        px(x + 1),
        px(y + 1),
        px(wide - 2),
        px(_ROW - 2),
        text(x + wide / 2, y + _ROW / 2 + 4, field.value, "middle", "value"),
    )
    return mark(body, field.tip, tint=field.tint)
