"""The ten generators of the paper (its appendix A), with the parameters that reproduce its instances.

portgen is that of the DIMACS challenge, netgen the clustered one of Bossek's package of that name, and the others are
the mutations of Bossek et al., "Evolving diverse TSP instances by means of novel and creative mutation operators"
(FOGA 2019): uniform points in the unit square, of which one mutation moves some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ceps import seeds
from ceps.problems.parameters import Parameter
from ceps.problems.tsp.instance import Floats, Integers
from ceps.problems.tsp.mutate import reflect

SIDE = 1e6
"""The longer side of the bounding box of all but portgen's instances."""

_MODULUS = 10**9
_DISCARDED = 165
"""Draws that portgen makes and does not use."""

_NETWORK_SIDE = 150.0
"""The square in which netgen places centres. It matters: a cluster's variance is a distance in it."""

_FEWEST_MOVED = 2
"""A mutation that selects fewer points moves none."""


def portgen(size: int, seed: int) -> Floats:
    """Uniform integers in [0, 10⁶)²: the DIMACS challenge's portgen, bit for bit. Seeds count modulo 10⁹."""
    draws = islice(_subtractive_draws(seed), _DISCARDED, _DISCARDED + 2 * size)
    return np.fromiter((draw // 1000 for draw in draws), dtype=np.float64, count=2 * size).reshape(size, 2)


def netgen(size: int, seed: int, clusters: float) -> Floats:
    """Normal clouds around well-spread centres, wider where the next centre is farther."""
    rng = seeds.generator(seed, "tsp generator", "netgen")
    count = min(int(clusters), size)
    centres = _NETWORK_SIDE * _maximin_latin_hypercube(count, rng)
    sizes = np.full(count, size // count)
    sizes[rng.integers(count)] += size % count
    deviations = np.sqrt(_distances_to_nearest(centres))
    cluster = np.repeat(np.arange(count), sizes)
    points = centres[cluster] + rng.normal(size=(size, 2)) * deviations[cluster, None]
    return _scaled(reflect(points, np.zeros(2), np.full(2, _NETWORK_SIDE)))


def explosion(points: Floats, rng: np.random.Generator, epsilon: float, rate: float) -> Floats:
    """Points near a random centre are blown out of its neighbourhood, to the far side."""
    centre = rng.random(2)
    towards = centre - points
    distances = np.hypot(*towards.T)
    blown = centre + _directions(towards) * (epsilon + rng.exponential(1 / rate, size=(len(points), 1)))
    return _moved(points, distances < epsilon, blown)


def implosion(points: Floats, rng: np.random.Generator, epsilon: float) -> Floats:
    """Points near a random centre are drawn towards it."""
    towards = rng.random(2) - points
    share = np.minimum(np.abs(rng.normal(size=(len(points), 1))), epsilon)
    return _moved(points, np.hypot(*towards.T) < epsilon, points + towards * share)


def cluster(points: Floats, rng: np.random.Generator, probability: float, sigma: float) -> Floats:
    """Random points move into a normal cloud around a random centre."""
    selected = rng.random(len(points)) < probability
    cloud = rng.random(2) + sigma * rng.normal(size=points.shape)
    return _moved(points, selected, np.clip(cloud, 0.0, 1.0))


def rotation(points: Floats, rng: np.random.Generator, probability: float, angle: float) -> Floats:
    """Random points are turned about the origin, by the same angle, and shifted together."""
    selected = rng.random(len(points)) < probability
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = points.T
    turned = np.column_stack([cosine * x - sine * y, sine * x + cosine * y])
    return _moved(points, selected, turned + rng.random(2))


def linearprojection(points: Floats, rng: np.random.Generator, probability: float) -> Floats:
    """Random points fall vertically on a random line."""
    selected = rng.random(len(points)) < probability
    intercept, slope = _random_line(rng)
    x = points[:, 0]
    return _moved(points, selected, np.column_stack([x, intercept + slope * x]))


def expansion(points: Floats, rng: np.random.Generator, epsilon: float, rate: float) -> Floats:
    """Points near a random line are pushed out of the tube around it."""
    feet = _feet(points, *_random_line(rng))
    outwards = points - feet
    pushed = feet + _directions(outwards) * (epsilon + rng.exponential(1 / rate, size=(len(points), 1)))
    return _moved(points, np.hypot(*outwards.T) < epsilon, pushed)


def compression(points: Floats, rng: np.random.Generator, epsilon: float) -> Floats:
    """Points near a random line are squeezed towards it."""
    inwards = _feet(points, *_random_line(rng)) - points
    share = np.minimum(np.abs(rng.normal(size=(len(points), 1))), 1.0)
    return _moved(points, np.hypot(*inwards.T) < epsilon, points + inwards * share)


def gridmutation(points: Floats, rng: np.random.Generator, width: float, height: float) -> Floats:
    """Points in a random box form a square lattice that spans it; those left over stay where they are."""
    sides = np.array([width, height])
    corner = rng.random(2) * (1.0 - sides)
    inside = np.flatnonzero(((points >= corner) & (points <= corner + sides)).all(axis=1))
    if len(inside) < _FEWEST_MOVED:
        return points
    lines = math.isqrt(len(inside))
    steps = np.linspace(0.0, 1.0, lines)
    lattice = np.column_stack([np.repeat(steps, lines), np.tile(steps, lines)])
    moved = points.copy()
    moved[rng.choice(inside, lines**2, replace=False)] = corner + sides * lattice
    return moved


@dataclass(frozen=True, slots=True)
class Generator:
    """How coordinates are made of a size, a seed and the values of these parameters."""

    make: Callable[..., Floats]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


def _mutated(mutation: Callable[..., Floats]) -> Callable[..., Floats]:
    """The generator that applies a mutation once to uniform points."""

    def make(size: int, seed: int, **parameters: float) -> Floats:
        rng = seeds.generator(seed, "tsp generator", mutation.__name__)
        return _scaled(mutation(rng.random((size, 2)), rng, **parameters))

    return make


_EPSILON = Parameter(0.3, 0.0, 1.0)
_PROBABILITY = Parameter(0.4, 0.0, 1.0)
_RATE = Parameter(10.0, 0.1, 1000.0)
_SIDE = Parameter(0.3, 0.0, 1.0)

GENERATORS: Mapping[str, Generator] = {
    "portgen": Generator(portgen),
    "netgen": Generator(netgen, {"clusters": Parameter((4, 8), 1, 500, whole=True)}),
    "explosion": Generator(_mutated(explosion), {"epsilon": _EPSILON, "rate": _RATE}),
    "implosion": Generator(_mutated(implosion), {"epsilon": _EPSILON}),
    "cluster": Generator(_mutated(cluster), {"probability": _PROBABILITY, "sigma": Parameter((0.001, 0.3), 0.0, 1.0)}),
    "rotation": Generator(
        _mutated(rotation), {"probability": _PROBABILITY, "angle": Parameter((0.0, 360.0), 0.0, 360.0)}
    ),
    "linearprojection": Generator(_mutated(linearprojection), {"probability": _PROBABILITY}),
    "expansion": Generator(_mutated(expansion), {"epsilon": _EPSILON, "rate": _RATE}),
    "compression": Generator(_mutated(compression), {"epsilon": _EPSILON}),
    "gridmutation": Generator(_mutated(gridmutation), {"width": _SIDE, "height": _SIDE}),
}

ALIASES: Mapping[str, str] = {"uniform": "portgen", "ClusteredNetwork": "netgen"}


def _moved(points: Floats, selected: NDArray[np.bool_], target: Floats) -> Floats:
    if np.count_nonzero(selected) < _FEWEST_MOVED:
        return points
    return np.where(selected[:, None], target, points)


def _scaled(points: Floats) -> Floats:
    """Into the square from 0 to 10⁶, on its grid, both axes by the same factor; a single place becomes its origin."""
    shifted = points - points.min(axis=0)
    extent = float(shifted.max()) or 1.0
    scaled: Floats = np.rint(shifted * (SIDE / extent))
    return scaled


def _directions(vectors: Floats) -> Floats:
    """Vectors of length one; the zero vector, which has no direction, stays what it is."""
    lengths = np.hypot(*vectors.T)[:, None]
    directions: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
    return directions


def _random_line(rng: np.random.Generator) -> tuple[float, float]:
    """Intercept and slope of a line that crosses the unit square: upwards from its left half, or downwards."""
    intercept, steepness = float(rng.random()), float(rng.uniform(0.0, 3.0))
    return intercept, steepness if intercept < 0.5 else -steepness


def _feet(points: Floats, intercept: float, slope: float) -> Floats:
    """The orthogonal projections on a line."""
    x = (points[:, 0] + slope * (points[:, 1] - intercept)) / (1.0 + slope**2)
    return np.column_stack([x, intercept + slope * x])


def _maximin_latin_hypercube(count: int, rng: np.random.Generator) -> Floats:
    """Points in the unit square, one in each row and column of a grid, each the farthest of some random ones.

    Point by point: the free rows and columns are paired at random, and of these places the one whose nearest chosen
    point is farthest is taken.
    """
    free = [np.arange(count), np.arange(count)]
    chosen = np.empty((count, 2), dtype=np.int64)
    for index in range(count):
        places = np.column_stack([rng.permutation(axis) for axis in free])
        nearest = _squared_distances(places, chosen[:index]).min(axis=1, initial=2 * count**2)
        chosen[index] = place = places[nearest.argmax()]
        free = [axis[axis != taken] for axis, taken in zip(free, place, strict=True)]
    return (chosen + rng.random((count, 2))) / count


def _squared_distances(a: Integers, b: Integers) -> Integers:
    squares: Integers = (a[:, None, 0] - b[None, :, 0]) ** 2 + (a[:, None, 1] - b[None, :, 1]) ** 2
    return squares


def _distances_to_nearest(centres: Floats) -> Floats:
    """The distance from each centre to the nearest other one; a lone centre has the whole square to itself."""
    differences = centres[:, None] - centres[None]
    distances = np.hypot(differences[..., 0], differences[..., 1])
    np.fill_diagonal(distances, np.inf)
    nearest: Floats = np.minimum(distances.min(axis=1), _NETWORK_SIDE)
    return nearest


def _subtractive_draws(seed: int) -> Iterator[int]:
    """Knuth's subtractive random numbers below 10⁹."""
    state = [0] * 55
    state[0] = last = seed % _MODULUS
    following = 1
    for i in range(1, 55):
        k = 21 * i % 55
        state[k] = following
        following = (last - following) % _MODULUS
        last = state[k]
    a, b = 0, 24
    while True:
        a, b = (a - 1) % 55, (b - 1) % 55
        state[a] = (state[a] - state[b]) % _MODULUS
        yield state[a]
