"""Horizontal bars of several segments, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ceps.report.charts.figure import (
    Key,
    Numbers,
    Words,
    across,
    figure,
    mark,
    px,
    short,
    text,
    width_of,
)
from ceps.report.charts.scale import Axis, fitted
from ceps.report.pieces import joined

_WIDTH = 560.0
_ROW, _BAR = 30.0, 20.0
_NAMES_MOST = 170.0


@dataclass(frozen=True, slots=True)
class Segment:
    value: float
    tip: str
    number: int = 0
    """Tells its colour, and which entry of the legend it belongs to."""
    name: str = ""
    """Written into it, where there is room."""


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    segments: Sequence[Segment]
    full: float | None = None
    """How far the bar could go: shown as a track behind it."""


def bars(words: Words, axis: Axis, rows: Sequence[Bar], keys: Sequence[Key], numbers: Numbers | None = None) -> Markup:
    """A bar per row, its segments one after the other."""
    left = width_of([row.label for row in rows], _NAMES_MOST) + 14.0
    bottom = 8.0 + _ROW * len(rows)
    reaches = [max(sum(segment.value for segment in row.segments), row.full or 0.0) for row in rows]
    scale = fitted(axis, [0.0, *reaches], left, _WIDTH - 16.0)
    parts = [across(scale, 4.0, bottom)]
    for index, row in enumerate(rows):
        top = 8.0 + _ROW * index + (_ROW - _BAR) / 2
        parts.append(text(left - 8, top + _BAR / 2 + 4, short(row.label, _NAMES_MOST), "end"))
        if row.full is not None:
            parts.append(_box("track", scale.begin, scale.at(row.full), top))
        reached = 0.0
        for segment in row.segments:
            begin, end = scale.at(reached), scale.at(reached + segment.value)
            reached += segment.value
            if end - begin > 0.05:
                parts.append(_segment(segment, begin, end, top))
    return figure(words, _WIDTH, bottom + 42.0, joined(parts), keys, numbers)


def _segment(segment: Segment, begin: float, end: float, top: float) -> Markup:
    fits = width_of([segment.name], 1000.0) + 6.0 <= end - begin
    name = text((begin + end) / 2, top + _BAR / 2 + 4, segment.name, "middle", "inside") if fits else ""
    body = joined([_box("segment", begin, end, top), name])
    return mark(body, segment.tip, colour=segment.number, series=segment.number)


def _box(classes: str, begin: float, end: float, top: float) -> Markup:
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        classes, px(begin), px(top), px(max(end - begin, 0.5)), px(_BAR)
    )
