"""Points and lines between two axes: curves with bands, scatter plots, maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite

from markupsafe import Markup

from ceps.report.charts.figure import (
    COLOURS,
    Key,
    Numbers,
    Words,
    across,
    figure,
    mark,
    px,
    shape_of,
    short,
    symbol,
    text,
    upward,
    width_of,
)
from ceps.report.charts.scale import Axis, Scale, fitted
from ceps.report.pieces import joined

_LABEL_HEIGHT = 14.0
_LABELS_MOST = 130.0
_BETWEEN_NAMES = 8.0


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float
    tip: str
    opens: str | None = None
    shape: str | None = None
    """None: that of its series."""
    size: float = 4.0
    tint: float | None = None
    """From 0 to 1; None: the colour of its series."""
    name: str = ""
    """Written below it, where there is room."""


@dataclass(frozen=True, slots=True)
class Band:
    """Between two curves."""

    x: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Series:
    label: str
    points: Sequence[Point]
    number: int = 0
    """Tells its colour and its shape."""
    line: Sequence[tuple[float, float]] = ()
    band: Sequence[Band] = ()


def plane(
    words: Words,
    x: Axis,
    y: Axis,
    series: Sequence[Series],
    keys: Sequence[Key] | None = None,
    numbers: Numbers | None = None,
    size: tuple[float, float] = (560.0, 320.0),
    named_ends: bool = False,
    diagonal: bool = False,
) -> Markup:
    """Series between two axes. ``named_ends`` names lines where they end; ``diagonal`` shows where x equals y."""
    width, height = size
    places = [
        *((point.x, point.y) for each in series for point in each.points),
        *(place for each in series for place in each.line),
        *((band.x, value) for each in series for band in each.band for value in (band.low, band.high)),
    ]
    if diagonal:
        places += [(high, low) for low, high in places]
    room = width_of([each.label for each in series], _LABELS_MOST) + 16.0 if named_ends else 14.0
    left, bottom = 58.0, height - 42.0
    across_scale = fitted(x, [place[0] for place in places], left, width - room)
    upward_scale = fitted(y, [place[1] for place in places], bottom, 30.0)
    body = joined(
        [
            upward(upward_scale, left, width - room),
            across(across_scale, 30.0, bottom),
            _diagonal(across_scale, upward_scale) if diagonal else "",
            *(_band(each, across_scale, upward_scale) for each in series),
            *(_line(each, across_scale, upward_scale) for each in series),
            _ends(series, upward_scale, width - room, room) if named_ends else "",
            *(_points(each, across_scale, upward_scale) for each in series),
        ]
    )
    if keys is None:
        keys = [Key(each.label, shape_of(each.number), each.number, each.number) for each in series]
        keys = keys if len(keys) > 1 else ()
    return figure(words, width, height, body, keys, numbers)


def _points(series: Series, x: Scale, y: Scale) -> Markup:
    """From left to right, so that the arrow keys go that way."""
    made, free = [], -inf
    for point in sorted(series.points, key=lambda point: point.x):
        if not (isfinite(point.x) and isfinite(point.y)):
            continue
        at, up = x.at(point.x), y.at(point.y)
        shape = symbol(point.shape or shape_of(series.number), at, up, point.size)
        hit = Markup('<circle class="hit" cx="{}" cy="{}" r="9"/>').format(px(at), px(up))
        made.append(mark(joined([hit, shape]), point.tip, point.opens, series.number, series.number, point.tint))
        half = width_of([point.name], 200.0) / 2
        if point.name and at - half >= free:
            anchor = "end" if at + half > x.end else "middle"
            made.append(text(at + (8 if anchor == "end" else 0), up + 20, point.name, anchor, "name"))
            free = at + half + _BETWEEN_NAMES
    return joined(made)


def _path(places: Sequence[tuple[float, float]], x: Scale, y: Scale) -> str:
    return "L".join(f"{px(x.at(place[0]))} {px(y.at(place[1]))}" for place in places)


def _line(series: Series, x: Scale, y: Scale) -> Markup:
    if not series.line:
        return Markup("")
    return Markup('<path class="line c{0}" data-series="{1}" d="M{2}"/>').format(
        series.number % COLOURS, series.number, _path(series.line, x, y)
    )


def _band(series: Series, x: Scale, y: Scale) -> Markup:
    if not series.band:
        return Markup("")
    there = [(band.x, band.high) for band in series.band]
    back = [(band.x, band.low) for band in reversed(series.band)]
    return Markup('<path class="band c{0}" data-series="{1}" d="M{2}z"/>').format(
        series.number % COLOURS, series.number, _path([*there, *back], x, y)
    )


def _ends(series: Sequence[Series], y: Scale, right: float, room: float) -> Markup:
    """The name of every line where it ends; names that would lie upon each other are pushed apart."""
    ended = sorted((each for each in series if each.line), key=lambda each: y.at(each.line[-1][1]))
    heights = [y.at(each.line[-1][1]) for each in ended]
    places = _apart(heights, y.begin)
    return joined(
        Markup('<g class="c{0}" data-series="{1}"><path class="lead" d="M{2} {3}L{4} {5}"/>{6}</g>').format(
            each.number % COLOURS,
            each.number,
            px(right),
            px(height),
            px(right + 8),
            px(place),
            text(right + 11, place + 4, short(each.label, room - 12.0)),
        )
        for each, height, place in zip(ended, heights, places, strict=True)
    )


def _apart(heights: Sequence[float], lowest: float) -> list[float]:
    """Heights, given from above to below, moved so far that a label has room at each; none below the lowest."""
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + _LABEL_HEIGHT) if places else height)
    for index in reversed(range(len(places))):
        most = lowest if index == len(places) - 1 else places[index + 1] - _LABEL_HEIGHT
        places[index] = min(places[index], most)
    return places


def _diagonal(x: Scale, y: Scale) -> Markup:
    low, high = max(x.low, y.low), min(x.high, y.high)
    return Markup('<path class="diagonal" d="M{} {}L{} {}"/>').format(
        px(x.at(low)), px(y.at(low)), px(x.at(high)), px(y.at(high))
    )
