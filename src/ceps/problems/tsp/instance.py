"""A TSP instance: cities in the plane and TSPLIB's integer distances between them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class EdgeWeight(StrEnum):
    """TSPLIB's names of the supported distances."""

    EUC_2D = "EUC_2D"
    """Euclidean, rounded to the nearest integer."""
    CEIL_2D = "CEIL_2D"
    """Euclidean, rounded up."""
    ATT = "ATT"
    """Pseudo-Euclidean: a √10th of the Euclidean one, rounded up."""
    GEO = "GEO"
    """Kilometres on the globe; coordinates are latitude and longitude as degrees.minutes."""


def largest_coordinate(n: int) -> float:
    """How far from 0 a coordinate of an instance of ``n`` cities may be.

    Costs travel as doubles, so every tour must be no longer than 2⁵³. An edge is at most 2√2 times the
    largest coordinate, and 1 for rounding.
    """
    return (2.0**53 / n - 1.0) / 3.0


@dataclass(frozen=True, eq=False)
class TspInstance:
    """Cities and a metric. Two instances are equal when their content is, whatever they are called.

    Parameters
    ----------
    name
        What people call it.
    coordinates
        An (n, 2) array; kept as an immutable copy.
    metric
        TSPLIB's EDGE_WEIGHT_TYPE.
    """

    name: str
    coordinates: Floats = field(repr=False)
    metric: EdgeWeight = EdgeWeight.EUC_2D

    def __post_init__(self) -> None:
        given = np.asarray(self.coordinates, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 2 or len(given) == 0:
            raise ValueError(f"coordinates must have the shape (n, 2) with n > 0, not {given.shape}")
        if not np.abs(given).max() <= largest_coordinate(len(given)):
            raise ValueError("coordinates must be finite and so small that tour lengths stay below 2**53")
        # Adding 0 makes -0.0, which equals 0.0 but has other bytes, the same content. An array over bytes,
        # unlike one whose write flag is off, cannot be made writeable again.
        frozen = np.frombuffer((given + 0.0).tobytes(), dtype=np.float64).reshape(given.shape)
        object.__setattr__(self, "coordinates", frozen)
        object.__setattr__(self, "metric", EdgeWeight(self.metric))

    @property
    def n(self) -> int:
        """The number of cities."""
        return len(self.coordinates)

    @cached_property
    def id(self) -> str:
        """A hash of coordinates and metric: the same on every machine."""
        content = hashlib.blake2b(self.metric.encode(), digest_size=16)
        content.update(self.coordinates.astype("<f8").tobytes())
        return content.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, TspInstance) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Callable[..., TspInstance], tuple[str, bytes, str]]:
        return _restore, (self.name, self.coordinates.tobytes(), self.metric.value)

    def distances(self, a: ArrayLike, b: ArrayLike) -> Integers:
        """The distances from cities ``a`` to cities ``b`` (indices from 0), element by element."""
        return lengths(self.metric, self.coordinates[np.asarray(a)], self.coordinates[np.asarray(b)])

    def distance_matrix(self) -> Integers:
        """The distances of all pairs of cities, for small n; 0 from a city to itself."""
        cities = np.arange(self.n)
        matrix = self.distances(cities[:, None], cities[None, :])
        np.fill_diagonal(matrix, 0)  # GEO puts 1 there
        return matrix

    def tour_length(self, tour: Sequence[int] | Integers) -> int:
        """The length of the closed tour through a permutation of the cities; 0 for a single city."""
        if self.n == 1:
            return 0
        order = np.asarray(tour, dtype=np.int64)
        return int(self.distances(order, np.roll(order, -1)).sum())


def _restore(name: str, content: bytes, metric: str) -> TspInstance:
    coordinates = np.frombuffer(content, dtype=np.float64).reshape(-1, 2)
    return TspInstance(name, coordinates, EdgeWeight(metric))


def lengths(metric: EdgeWeight, start: Floats, end: Floats) -> Integers:
    """TSPLIB's integer distances between points given as (…, 2) arrays."""
    return _FORMULAS[metric](start, end).astype(np.int64)


def _squares(start: Floats, end: Floats) -> Floats:
    difference = start - end
    squares: Floats = difference[..., 0] ** 2 + difference[..., 1] ** 2
    return squares


def _euc_2d(start: Floats, end: Floats) -> Floats:
    return np.floor(np.sqrt(_squares(start, end)) + 0.5)


def _ceil_2d(start: Floats, end: Floats) -> Floats:
    return np.ceil(np.sqrt(_squares(start, end)))


def _att(start: Floats, end: Floats) -> Floats:
    return np.ceil(np.sqrt(_squares(start, end) / 10.0))


def _geo(start: Floats, end: Floats) -> Floats:
    # TSPLIB's text rounds the degrees, its optima and all programs truncate them; π has these six digits.
    a, b = _radians(start), _radians(end)
    q1 = _by_libm(math.cos, a[..., 1] - b[..., 1])
    q2 = _by_libm(math.cos, a[..., 0] - b[..., 0])
    q3 = _by_libm(math.cos, a[..., 0] + b[..., 0])
    cosine = np.clip(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3), -1.0, 1.0)
    return np.floor(6378.388 * _by_libm(math.acos, cosine) + 1.0)


def _radians(points: Floats) -> Floats:
    degrees = np.trunc(points)
    radians: Floats = 3.141592 * (degrees + 5.0 * (points - degrees) / 3.0) / 180.0
    return radians


def _by_libm(function: Callable[[float], float], values: Floats) -> Floats:
    # numpy's own cos and acos differ from the C library's in the last bit, by processor, and the arc cosine
    # near 1 magnifies that enough to change an integer distance.
    results = np.fromiter(map(function, values.ravel().tolist()), dtype=np.float64, count=values.size)
    return results.reshape(values.shape)


_FORMULAS: dict[EdgeWeight, Callable[[Floats, Floats], Floats]] = {
    EdgeWeight.EUC_2D: _euc_2d,
    EdgeWeight.CEIL_2D: _ceil_2d,
    EdgeWeight.ATT: _att,
    EdgeWeight.GEO: _geo,
}
