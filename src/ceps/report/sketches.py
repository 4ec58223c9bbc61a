"""Instances as drawings: packed for the page's script, which draws them large, and drawn small right away."""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from ceps.problems.sketch import Floats, Sketch
from ceps.report.charts.figure import COLOURS

LARGEST = 4095
"""Coordinates are whole numbers from 0 to this: twelve bits, two letters."""
_LETTERS = np.frombuffer((string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/").encode(), np.uint8)
_MARGIN = 110
_MANY_PLACES = 400
"""With more, they are drawn smaller."""
_DEPOT = 170

Integers = npt.NDArray[np.int64]


def packed(sketch: Sketch) -> dict[str, object]:
    """What the script needs to draw it."""
    places, width, height = _scaled(sketch.places)
    data: dict[str, object] = {"places": _letters(places), "width": width, "height": height}
    if sketch.marked:
        data["marked"] = list(sketch.marked)
    if sketch.ways:
        data["ways"] = [list(way) for way in sketch.ways]
    if sketch.windows is not None:
        data |= _times(sketch.windows, sketch.visits)
    return data


def drawn(sketch: Sketch, says: str) -> Markup:
    """A small picture: ways, places, and depots."""
    places, width, height = _scaled(sketch.places)
    ways = "".join(_way(places, sketch, index) for index in range(len(sketch.ways)))
    # A line of no length with round ends is a dot, and takes less room than a circle.
    dots = "".join(f"M{x} {y}h0" for x, y in places.tolist())
    depots = "".join(
        f'<rect class="depot" x="{x - _DEPOT // 2}" y="{y - _DEPOT // 2}" width="{_DEPOT}" height="{_DEPOT}"/>'
        for x, y in places[list(sketch.marked)].tolist()
    )
    many = " many" if len(places) > _MANY_PLACES else ""
    return Markup(
        '<svg class="sketch{}" role="img" aria-label="{}" viewBox="{} {} {} {}">{}<path class="places" d="{}"/>{}</svg>'
    ).format(
        many,
        says,
        -_MARGIN,
        -_MARGIN,
        width + 2 * _MARGIN,
        height + 2 * _MARGIN,
        Markup(ways),
        dots,
        Markup(depots),
    )


def _way(places: Integers, sketch: Sketch, index: int) -> str:
    """Pale from and to a depot, for these would hide the rest."""
    way = sketch.ways[index]
    colour = f" c{index % COLOURS}" if len(sketch.ways) > 1 else ""
    stops = [place for place in way if place not in sketch.marked]
    if len(stops) == len(way) or not stops:
        return f'<path class="way{colour}" d="M{_path(places, way)}"/>'
    legs = f"M{_path(places, (way[0], stops[0]))}M{_path(places, (stops[-1], way[-1]))}"
    return f'<path class="leg{colour}" d="{legs}"/><path class="way{colour}" d="M{_path(places, stops)}"/>'


def _path(places: Integers, way: Sequence[int]) -> str:
    return "L".join(f"{x} {y}" for x, y in places[list(way)].tolist())


def _scaled(places: Floats) -> tuple[Integers, int, int]:
    """Whole coordinates, y downwards as on a screen, with the extent in both directions; the aspect is kept."""
    low, high = places.min(axis=0), places.max(axis=0)
    extent = high - low
    scale = LARGEST / max(float(extent.max()), 1e-12)
    right, down = places[:, 0] - low[0], high[1] - places[:, 1]
    whole = np.rint(np.stack([right, down], axis=1) * scale).astype(np.int64)
    return whole, round(float(extent[0]) * scale), round(float(extent[1]) * scale)


def _times(windows: Floats, visits: Floats | None) -> dict[str, object]:
    """Windows and visits on one scale, and its ends. A visit that never is ends before it begins."""
    tables = [windows] if visits is None else [windows, visits]
    finite = np.concatenate([table[np.isfinite(table)] for table in tables])
    begin, end = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    scale = LARGEST / max(end - begin, 1e-12)
    data: dict[str, object] = {"begin": begin, "end": end}
    for name, table in zip(("windows", "visits"), tables, strict=False):
        never = np.isnan(table).any(axis=1)
        inside = np.clip(np.nan_to_num(table, posinf=end, neginf=begin), begin, end)
        whole = np.rint((inside - begin) * scale).astype(np.int64)
        whole[never] = (LARGEST, 0)
        data[name] = _letters(whole)
    return data


def _letters(numbers: Integers) -> str:
    """Each number as two letters, six bits each."""
    flat = numbers.ravel()
    return _LETTERS[np.stack([flat >> 6, flat & 63], axis=1)].tobytes().decode()
