"""What Hypothesis draws TSP instances from, and TSPLIB's distances written a second time, city by city."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from ceps.problems.tsp import EdgeWeight, TspInstance

Point = tuple[float, float]

_numbers = {
    "small grid": st.integers(-2, 2).map(float),
    "integers": st.integers(-(10**6), 10**6).map(float),
    "two decimals": st.integers(-9000, 9000).map(lambda units: units / 100),
    "any": st.floats(-1e9, 1e9),
}


@st.composite
def instances(draw: st.DrawFn, max_size: int = 12, kinds: tuple[str, ...] = tuple(_numbers)) -> TspInstance:
    """Instances of one city or more, of every metric, duplicates and flat boxes among them."""
    number = _numbers[draw(st.sampled_from(kinds))]
    points = draw(st.lists(st.tuples(number, number), min_size=1, max_size=max_size))
    return TspInstance("drawn", np.array(points), draw(st.sampled_from(EdgeWeight)))


def distance(metric: EdgeWeight, a: Point, b: Point) -> int:
    """The distance of two points by TSPLIB's formulas, in plain Python."""
    if metric is EdgeWeight.GEO:
        return _geo_distance(a, b)
    squares = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
    if metric is EdgeWeight.EUC_2D:
        return int(math.sqrt(squares) + 0.5)
    if metric is EdgeWeight.CEIL_2D:
        return math.ceil(math.sqrt(squares))
    exact = math.sqrt(squares / 10.0)
    nearest = int(exact + 0.5)
    return nearest + 1 if nearest < exact else nearest


def _geo_distance(a: Point, b: Point) -> int:
    def radians(value: float) -> float:
        degrees = int(value)
        return 3.141592 * (degrees + 5.0 * (value - degrees) / 3.0) / 180.0

    q1 = math.cos(radians(a[1]) - radians(b[1]))
    q2 = math.cos(radians(a[0]) - radians(b[0]))
    q3 = math.cos(radians(a[0]) + radians(b[0]))
    cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return int(6378.388 * math.acos(max(-1.0, min(1.0, cosine))) + 1.0)


def tour_cost(instance: TspInstance, tour: list[int]) -> int:
    """The length of a closed tour, edge by edge."""
    points = [tuple(point) for point in instance.coordinates.tolist()]
    edges = zip(tour, tour[1:] + tour[:1], strict=True)
    return sum(distance(instance.metric, points[i], points[j]) for i, j in edges) if len(tour) > 1 else 0
