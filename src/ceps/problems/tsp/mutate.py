"""Algorithm 2 of the paper: a new instance near a given one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from ceps.problems.tsp.instance import Floats, Integers, TspInstance

SHIFT_PROBABILITY = 0.9
STEP = 0.025
"""Standard deviation of a shift, as a share of the range of the axis."""

MOST_DECIMALS = 15
LARGEST_UNITS = 2.0**50
"""Coordinates times the grid's scale stay below this, so that rounding to the grid is exact."""

_MUTANT = re.compile(r"~[0-9a-f]{8}$")


def mutate(instance: TspInstance, rng: np.random.Generator) -> TspInstance:
    """Shift nine of ten cities a little and redraw the others.

    Everything stays in the parent's bounding box (steps across its border are reflected) and on the parent's
    grid: the number of decimals that its coordinates use. Cities stay distinct where the grid has room.
    """
    grid = _Grid.of(instance.coordinates)
    moved = _moved(instance.coordinates, grid, rng)
    places = grid.places(reflect(moved, grid.low, grid.high))
    coordinates = grid.points(_separated(places, grid, rng))
    # A mutant's mutant is named after the same ancestor: names must not grow with the generations.
    name = f"{_MUTANT.sub('', instance.name)}~{rng.integers(2**32):08x}"
    return TspInstance(name, coordinates, instance.metric)


@dataclass(frozen=True)
class _Grid:
    """The places of a bounding box where cities may be: numbered from its lower left corner on each axis."""

    low: Floats
    high: Floats
    scale: float
    """Places per unit of length."""
    origin: Floats
    steps: Integers
    """The number of the last place of each axis."""

    @classmethod
    def of(cls, coordinates: Floats) -> _Grid:
        low, high = coordinates.min(axis=0), coordinates.max(axis=0)
        scale = 10.0 ** _decimals(coordinates)
        origin = np.ceil(low * scale)
        # An axis may be narrower than a step when the coordinates use more digits than a grid can have.
        steps = np.maximum(np.floor(high * scale) - origin, 0.0).astype(np.int64)
        return cls(low, high, scale, origin, steps)

    @property
    def capacity(self) -> int:
        return math.prod(int(last) + 1 for last in self.steps)

    def places(self, points: Floats) -> Integers:
        return np.clip(np.rint(points * self.scale) - self.origin, 0, self.steps).astype(np.int64)

    def points(self, places: Integers) -> Floats:
        # Whole numbers divided by a power of ten: the very doubles that reading those decimals gives.
        return np.clip((self.origin + places) / self.scale, self.low, self.high)


def _decimals(coordinates: Floats) -> int:
    """How many decimals the coordinates use; the most that doubles hold exactly when they use more."""
    largest = float(np.abs(coordinates).max())
    decimals = 0
    while not np.array_equal(np.rint(coordinates * 10.0**decimals) / 10.0**decimals, coordinates):
        if decimals == MOST_DECIMALS or largest * 10.0 ** (decimals + 1) > LARGEST_UNITS:
            break
        decimals += 1
    return decimals


def _moved(coordinates: Floats, grid: _Grid, rng: np.random.Generator) -> Floats:
    size = grid.high - grid.low
    shifts = rng.random(len(coordinates)) <= SHIFT_PROBABILITY
    shifted = coordinates + rng.normal(size=coordinates.shape) * (STEP * size)
    redrawn = grid.low + rng.random(coordinates.shape) * size
    return np.where(shifts[:, None], shifted, redrawn)


def reflect(points: Floats, low: Floats, high: Floats) -> Floats:
    """Fold the plane into the box from ``low`` to ``high``, as often as it takes."""
    size = high - low
    period = np.where(size > 0, 2 * size, 1.0)
    beyond = np.mod(points - low, period)
    return np.where(size > 0, low + np.minimum(beyond, period - beyond), low)


def _separated(places: Integers, grid: _Grid, rng: np.random.Generator) -> Integers:
    """Give a new place to every city whose place an earlier one has."""
    places = places.copy()
    repeated = _repeated(places)
    if len(repeated) == 0 or grid.capacity < len(places):
        return places
    if grid.capacity <= 10 * len(places):
        numbers = np.ravel_multi_index(tuple(places.T), tuple(grid.steps + 1))
        free = np.setdiff1d(np.arange(grid.capacity), numbers)
        chosen = rng.choice(free, size=len(repeated), replace=False)
        places[repeated] = np.column_stack(np.unravel_index(chosen, tuple(grid.steps + 1)))
        return places
    # Nine of ten places are free, so few of the redrawn cities are left after each round.
    while len(repeated) > 0:
        places[repeated] = rng.integers(grid.steps + 1, size=(len(repeated), 2))
        repeated = _repeated(places)
    return places


def _repeated(places: Integers) -> Integers:
    """The indices of the cities whose place a city of a smaller index has."""
    order = np.lexsort(places.T)  # stable: of equal places the smallest index comes first
    same = (np.diff(places[order], axis=0) == 0).all(axis=1)
    repeated: Integers = order[1:][same]
    return repeated
