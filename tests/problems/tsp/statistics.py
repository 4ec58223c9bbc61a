"""What the paper's instances look like, generator by generator, and how far ours are from that.

``python -m tests.problems.tsp.statistics 500`` prints, for every generator and statistic, the mean over 500 instances
and its distance from the published files' in standard errors (for linearprojection, as a share of the value).
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import NDArray

from ceps.problems.tsp.generate import generate

Floats = NDArray[np.float64]

FILES = 50
"""The published files of each generator."""
CITIES = 800
STATISTICS = ("nearest", "nearest cv", "fullest cells", "empty cells", "aspect", "tree")
ROUNDING = 0.0005
"""The figures below have three decimals."""

PUBLISHED = {
    "portgen": [(1.016, 0.020), (0.534, 0.021), (0.135, 0.006), (0.134, 0.012), (0.998, 0.002), (0.659, 0.007)],
    "netgen": [(0.485, 0.044), (0.891, 0.053), (0.519, 0.064), (0.722, 0.042), (0.963, 0.047), (0.317, 0.029)],
    "explosion": [(0.745, 0.045), (0.926, 0.135), (0.234, 0.023), (0.538, 0.059), (0.871, 0.089), (0.446, 0.031)],
    "implosion": [(0.983, 0.020), (0.564, 0.022), (0.146, 0.007), (0.173, 0.019), (0.997, 0.002), (0.639, 0.008)],
    "cluster": [(0.922, 0.056), (0.758, 0.120), (0.302, 0.109), (0.239, 0.042), (0.998, 0.003), (0.601, 0.036)],
    "rotation": [(0.839, 0.062), (0.564, 0.021), (0.203, 0.020), (0.445, 0.084), (0.800, 0.131), (0.485, 0.047)],
    "expansion": [(0.595, 0.042), (0.980, 0.192), (0.371, 0.055), (0.673, 0.042), (0.826, 0.105), (0.357, 0.030)],
    "compression": [(0.841, 0.031), (0.752, 0.052), (0.268, 0.033), (0.324, 0.035), (0.938, 0.037), (0.530, 0.022)],
    "gridmutation": [(1.068, 0.025), (0.556, 0.015), (0.136, 0.006), (0.123, 0.014), (0.997, 0.002), (0.681, 0.008)],
}
"""Means and standard deviations over the published files."""

LINEARPROJECTION = (0.646, 0.931, 0.433, 0.587, 0.624, 0.346)
"""Means only, and of a simulation: the published folder of that name has explosions in it."""


def statistics_of(generator: str, count: int) -> Floats:
    """The statistics of the instances of seeds 1 to ``count``, one to a row."""
    return np.array([_statistics(generate(generator, CITIES, seed).coordinates) for seed in range(1, count + 1)])


def standard_errors(generator: str, made: Floats) -> Floats:
    """Of the differences between the published means and those of the statistics made."""
    deviations = np.array(PUBLISHED[generator])[:, 1]
    return np.sqrt(deviations**2 / FILES + made.var(axis=0, ddof=1) / len(made))


def _statistics(points: Floats) -> list[float]:
    from scipy.spatial import cKDTree

    n, sides = len(points), np.ptp(points, axis=0)
    nearest = cKDTree(points).query(points, k=2)[0][:, 1]
    cells = np.minimum(points * (20 / 1e6), 19).astype(int)
    filled = np.sort(np.bincount(cells[:, 0] * 20 + cells[:, 1], minlength=400))
    return [
        nearest.mean() / (0.5 * math.sqrt(sides.prod() / n)),
        nearest.std(ddof=1) / nearest.mean(),
        filled[-20:].sum() / n,
        (filled == 0).mean(),
        sides.min() / sides.max(),
        _tree_length(points) / math.sqrt(n * 1e12),
    ]


def _tree_length(points: Floats) -> float:
    """Of a shortest spanning tree, whose edges are all in a Delaunay triangulation."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import Delaunay

    corners = Delaunay(points, qhull_options="QJ Pp").simplices
    edges = np.unique(np.sort(corners[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2), axis=1), axis=0)
    # Lengths of zero would be no edges.
    lengths = np.maximum(np.hypot(*(points[edges[:, 0]] - points[edges[:, 1]]).T), 1e-9)
    return float(minimum_spanning_tree(csr_array((lengths, edges.T), shape=(len(points), len(points)))).sum())


def main(count: int) -> None:
    print(" " * 16, *(f"{name:>15}" for name in STATISTICS))
    for generator, published in PUBLISHED.items():
        made = statistics_of(generator, count)
        distances = (made.mean(axis=0) - np.array(published)[:, 0]) / standard_errors(generator, made)
        pairs = zip(made.mean(axis=0), distances, strict=True)
        print(f"{generator:16}", *(f"{mean:7.4f} ({distance:+5.2f})" for mean, distance in pairs))
    means = statistics_of("linearprojection", count).mean(axis=0)
    shares = means / LINEARPROJECTION - 1.0
    print("linearprojection", *(f"{mean:7.4f} ({share:+5.1%})" for mean, share in zip(means, shares, strict=True)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
