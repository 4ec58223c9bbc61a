"""Boxplots that lie: quartiles as a box, whiskers to the extremes, the mean as a diamond, the values as dots below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup

from ceps.report.charts.figure import Numbers, Words, across, figure, mark, px, short, symbol, text, width_of
from ceps.report.charts.plane import Point
from ceps.report.charts.scale import Axis, Scale, fitted
from ceps.report.facts import Spread
from ceps.report.pieces import joined
from ceps.report.words import number, spread_text

_WIDTH = 560.0
_BOX, _DOTS = 16.0, 14.0
"""Heights of a box, and of the dots below it."""
_MOST_DOTS = 80
_NAMES_MOST = 190.0


@dataclass(frozen=True, slots=True)
class Box:
    label: str
    spread: Spread
    number: int = 0
    values: Sequence[Point] = ()
    """The values themselves, by ``x``; not shown where there are too many to tell them apart."""


def boxes(words: Words, axis: Axis, rows: Sequence[Box]) -> Markup:
    """A box per row."""
    labels = [f"{row.label} (n = {row.spread.count})" for row in rows]
    left = width_of(labels, _NAMES_MOST) + 14.0
    dotted = any(0 < len(row.values) <= _MOST_DOTS for row in rows)
    step = _BOX + 12.0 + (_DOTS if dotted else 0.0)
    bottom = 8.0 + step * len(rows)
    ends = [end for row in rows for end in (row.spread.lowest, row.spread.highest)]
    scale = fitted(axis, ends, left, _WIDTH - 16.0)
    parts = [across(scale, 4.0, bottom)]
    for index, (row, label) in enumerate(zip(rows, labels, strict=True)):
        middle = 8.0 + step * index + 6.0 + _BOX / 2
        parts.append(text(left - 8, middle + 4, short(label, _NAMES_MOST), "end"))
        parts.append(_box(row, scale, middle))
        if len(row.values) <= _MOST_DOTS:
            parts += [_dot(row, value, scale, middle + _BOX / 2 + 8.0) for value in _finite(row.values)]
    head = ("", "n", "mean", "lowest", "quartile", "median", "quartile", "highest")
    numbers = Numbers(head, [(row.label, *_cells(row.spread)) for row in rows])
    return figure(words, _WIDTH, bottom + 42.0, joined(parts), numbers=numbers)


def _box(row: Box, scale: Scale, middle: float) -> Markup:
    spread = row.spread
    low, first, median, third, high = (
        scale.at(value)
        for value in (spread.lowest, spread.lower_quartile, spread.median, spread.upper_quartile, spread.highest)
    )
    top = middle - _BOX / 2
    whiskers = f"M{px(low)} {px(middle)}H{px(first)}M{px(third)} {px(middle)}H{px(high)}"
    caps = f"M{px(low)} {px(middle - 4)}v8M{px(high)} {px(middle - 4)}v8"
    body = Markup(
        '<rect class="hit" x="{low}" y="{top}" width="{all}" height="{height}"/><path class="whisker" d="{lines}"/>'
        '<rect class="box" x="{first}" y="{top}" width="{width}" height="{height}"/>'
        '<path class="median" d="M{median} {top}v{height}"/>{mean}'
    ).format(
        low=px(low),
        all=px(max(high - low, 1.0)),
        lines=whiskers + caps,
        first=px(first),
        top=px(top),
        width=px(max(third - first, 0.5)),
        height=px(_BOX),
        median=px(median),
        mean=symbol("diamond", scale.at(spread.mean), middle, 4.0),
    )
    return mark(body, f"{row.label}\n{spread_text(spread)}", colour=row.number, series=row.number)


def _dot(row: Box, value: Point, scale: Scale, height: float) -> Markup:
    body = symbol(value.shape or "circle", scale.at(value.x), height, 3.0)
    return mark(body, value.tip, value.opens, row.number, row.number)


def _finite(values: Sequence[Point]) -> list[Point]:
    return sorted((value for value in values if isfinite(value.x)), key=lambda value: value.x)


def _cells(spread: Spread) -> list[object]:
    quantiles = (spread.lowest, spread.lower_quartile, spread.median, spread.upper_quartile, spread.highest)
    return [spread.count, number(spread.mean), *map(number, quantiles)]
