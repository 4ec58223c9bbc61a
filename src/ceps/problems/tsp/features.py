"""Thirty cheap numbers that describe where the cities of a TSP instance are.

They are known from the literature on algorithm selection (Mersmann et al. 2013, Pihera and Musliu 2014); components
of nearest-neighbour graphs and the depth of the spanning tree are reported as the most predictive. They are functions
of the coordinates, whatever the metric, and the same for an instance that is shifted or enlarged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ceps import seeds
from ceps.problems.tsp.instance import Floats, Integers, TspInstance

LARGEST_SAMPLE = 2000
"""What takes the square of the number of cities looks at so many of them, at most."""

_GRID = 2.0**25
"""Squared distances of points on a grid this fine are exact in doubles: ties stay ties when an instance is enlarged."""

_BORDER = 0.1
_CLOSE = 0.05
"""DBSCAN's radius is this quantile of the distances."""
_CORE = 5
"""DBSCAN's core points have so many points within the radius, themselves included."""
_NEGLIGIBLE = 1e-4
"""Deviations below this share of the mean are rounding."""


def features(instance: TspInstance) -> dict[str, float]:
    """The features by name: finite for every instance, and always the same thirty."""
    points = _unit(instance.coordinates)
    sample = _sample(points)
    distances = _pair_distances(sample)
    return {
        "cities": float(instance.n),
        **_outline(points),
        **_neighbours(points),
        **_spanning_tree(sample, distances),
        **_clustering(sample, distances),
    }


def _unit(coordinates: Floats) -> Floats:
    """Scaled into the unit square, both axes by the same factor."""
    shifted = coordinates - coordinates.min(axis=0)
    extent = float(shifted.max()) or 1.0
    scaled: Floats = np.rint(shifted * (_GRID / extent)) / _GRID
    return scaled


def _sample(points: Floats) -> Floats:
    n = len(points)
    if n <= LARGEST_SAMPLE:
        return points
    chosen = seeds.generator(n, "tsp features").choice(n, LARGEST_SAMPLE, replace=False)
    return points[np.sort(chosen)]


def _unit_length(points: Floats) -> float:
    """√(area / n), the side of a city's share of the box.

    The box, whose longer side is 1, counts as at least 1 / n wide: cities on a line have a share, too.
    """
    width, height = np.ptp(points, axis=0)
    return math.sqrt(max(width * height, 1.0 / len(points)) / len(points))


def _outline(points: Floats) -> dict[str, float]:
    """The box, the convex hull, and how the cities spread in them."""
    n = len(points)
    sides = np.ptp(points, axis=0)
    hull_area, hull_vertices = _hull(points)
    relative = points / np.where(sides > 0.0, sides, 1.0)
    at_border = np.minimum(relative, 1.0 - relative).min(axis=1) <= _BORDER
    from_centroid = np.hypot(*(points - points.mean(axis=0)).T)
    return {
        "box_aspect": _ratio(sides.min(), sides.max()),
        "hull_area": _ratio(hull_area, sides.prod()),
        "hull_vertices": hull_vertices / n,
        "border": float(at_border.mean()),
        "centroid_mean": float(from_centroid.mean()),
        "centroid_cv": _variation(from_centroid),
    }


def _hull(points: Floats) -> tuple[float, int]:
    """Area and number of vertices of the convex hull; that of points on a line has no area and two."""
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 - processes that fork runs stay small

    try:
        hull = ConvexHull(points)
    except QhullError:
        return 0.0, min(2, len(points))
    return float(hull.volume), len(hull.vertices)


def _neighbours(points: Floats) -> dict[str, float]:
    """Distances and angles to the nearest cities, and the graphs of arcs from every city to its nearest ones."""
    nearest, distances = _nearest(points, 5)
    first = distances[:, 0] / _unit_length(points) if len(points) > 1 else np.zeros(1)
    angles = _angles(points, nearest)
    strong3, weak3 = _components(nearest[:, :3])
    strong5, weak5 = _components(nearest)
    n = len(points)
    return {
        **_moments("nearest", first),
        "nearest_sd": float(first.std()),
        "angle_mean": float(angles.mean()),
        "angle_sd": float(angles.std()),
        "strong_3": len(strong3) / n,
        "weak_3": len(weak3) / n,
        "largest_strong_3": float(strong3.max()) / n,
        "strong_5": len(strong5) / n,
        "weak_5": len(weak5) / n,
        "strong_per_weak_5": len(strong5) / len(weak5),
    }


def _nearest(points: Floats, count: int) -> tuple[Integers, Floats]:
    """The nearest other cities of each, as many as there are, and how far they are."""
    from scipy.spatial import cKDTree  # noqa: PLC0415

    n = len(points)
    found = min(count + 1, n)
    distances, cities = cKDTree(points).query(points, k=np.arange(1, found + 1))
    # A city need not be the first of its own list when others are in its place: put it last, and leave out the last.
    others = np.argsort(cities == np.arange(n)[:, None], axis=1, kind="stable")[:, : found - 1]
    return np.take_along_axis(cities, others, axis=1), np.take_along_axis(distances, others, axis=1)


def _angles(points: Floats, nearest: Integers) -> Floats:
    """The angle at each city between its two nearest; 0 where there are none, or where one is in its place."""
    if nearest.shape[1] < 2:
        return np.zeros(1)
    a, b = points[nearest[:, 0]] - points, points[nearest[:, 1]] - points
    cross, dot = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], (a * b).sum(axis=1)
    angles: Floats = np.arctan2(np.abs(cross), dot)
    return angles


def _components(nearest: Integers) -> tuple[Integers, Integers]:
    """The sizes of the strong and of the weak components of a nearest-neighbour graph."""
    n, degree = nearest.shape
    graph = _graph(np.repeat(np.arange(n), degree), nearest.ravel(), n)
    return _component_sizes(graph, "strong"), _component_sizes(graph, "weak")


def _graph(tails: Integers, heads: Integers, n: int) -> Any:
    from scipy.sparse import csr_array  # noqa: PLC0415

    return csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(n, n))


def _component_sizes(graph: Any, connection: str) -> Integers:
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    count, labels = connected_components(graph, directed=True, connection=connection)
    return np.bincount(labels, minlength=count)


@dataclass(frozen=True, slots=True)
class _Tree:
    parents: Integers
    """Of all cities but the root, in the order in which they joined."""
    lengths: Floats
    depths: Integers
    """Of all cities, by their indices."""


def _prim(points: Floats) -> _Tree:
    """A shortest spanning tree, rooted in the city nearest to the centroid."""
    n = len(points)
    x, y = points.T.copy()
    joined = int(np.hypot(*(points - points.mean(axis=0)).T).argmin())
    squares, closest = np.full(n, np.inf), np.full(n, joined)
    inside = np.zeros(n)  # Infinite for cities that have joined, which no longer compete.
    parents, lengths = np.empty(n - 1, dtype=np.int64), np.empty(n - 1)
    depths = np.zeros(n, dtype=np.int64)
    for index in range(n - 1):
        inside[joined] = np.inf
        to_joined = (x - x[joined]) ** 2 + (y - y[joined]) ** 2
        nearer = to_joined < squares
        closest[nearer] = joined
        np.minimum(squares, to_joined, out=squares)
        joined = int((squares + inside).argmin())
        parents[index], lengths[index] = closest[joined], squares[joined]
        depths[joined] = depths[closest[joined]] + 1
    return _Tree(parents, np.sqrt(lengths), depths)


def _spanning_tree(points: Floats, distances: Floats) -> dict[str, float]:
    """The shape of a shortest spanning tree, and its length compared to all distances."""
    n = len(points)
    tree = _prim(points)
    edges = tree.lengths / _unit_length(points) if n > 1 else np.zeros(1)
    # Every city but the root has an edge to its parent.
    degrees = np.bincount(tree.parents, minlength=n) + (tree.depths > 0)
    return {
        **_moments("tree_edge", edges),
        "tree_edge_max": _ratio(edges.max(), edges.mean()),
        "tree_depth_mean": float(tree.depths.mean()),
        "tree_depth_max": float(tree.depths.max()),
        "tree_leaves": float((degrees == 1).mean()),
        "tree_degree_squared": float((degrees**2).mean()),
        "tree_length": _ratio(tree.lengths.sum(), distances.sum()),
    }


def _clustering(points: Floats, distances: Floats) -> dict[str, float]:
    """What the distances of all pairs say about clusters."""
    if len(distances) == 0:
        return {"dbscan_clusters": 0.0, "below_mean": 0.0}
    return {
        "dbscan_clusters": _dbscan_clusters(points, float(np.quantile(distances, _CLOSE))) / len(points),
        "below_mean": float((distances < distances.mean()).mean()),
    }


def _pair_distances(points: Floats) -> Floats:
    from scipy.spatial.distance import pdist  # noqa: PLC0415

    return np.asarray(pdist(points), dtype=np.float64)


def _dbscan_clusters(points: Floats, radius: float) -> int:
    """DBSCAN's clusters are the components of its core points."""
    from scipy.spatial import cKDTree  # noqa: PLC0415

    n = len(points)
    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    core = np.bincount(pairs.ravel(), minlength=n) + 1 >= _CORE
    linked = pairs[core[pairs].all(axis=1)]
    # Points that are no core points are components too.
    return len(_component_sizes(_graph(linked[:, 0], linked[:, 1], n), "weak")) - int((~core).sum())


def _moments(name: str, values: Floats) -> dict[str, float]:
    return {
        f"{name}_mean": float(values.mean()),
        f"{name}_cv": _variation(values),
        f"{name}_skew": _skewness(values),
    }


def _variation(values: Floats) -> float:
    return _ratio(values.std(), values.mean())


def _skewness(values: Floats) -> float:
    deviation = values.std()
    if deviation <= _NEGLIGIBLE * values.mean():
        return 0.0
    return float((((values - values.mean()) / deviation) ** 3).mean())


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else 0.0
