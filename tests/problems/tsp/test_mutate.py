"""Mutants: near their parent, in its box, on its grid, and distinct."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.problems.tsp import EdgeWeight, TspInstance
from ceps.problems.tsp.generate import generate
from ceps.problems.tsp.mutate import mutate, reflect
from tests.problems.tsp.strategies import instances

GRIDS = ("small grid", "integers", "two decimals")


def _mutant(parent: TspInstance, seed: int = 0) -> TspInstance:
    return mutate(parent, np.random.default_rng(seed))


def _decimals(instance: TspInstance) -> int:
    """The number of decimals, from the shortest text of every coordinate."""
    normal = (Decimal(repr(value)).normalize() for value in instance.coordinates.ravel().tolist())
    return max(max(0, -int(value.as_tuple().exponent)) for value in normal)


def _capacity(instance: TspInstance) -> int:
    """The number of places of the bounding box's grid."""
    sides = np.ptp(instance.coordinates, axis=0) * 10.0 ** _decimals(instance)
    return int((round(sides[0]) + 1) * (round(sides[1]) + 1))


def _distinct(instance: TspInstance) -> int:
    return len(set(map(tuple, instance.coordinates.tolist())))


@given(parent=instances(max_size=30), seed=st.integers(0, 2**32))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_parent_has_a_mutant_in_its_box(parent: TspInstance, seed: int) -> None:
    """A mutant has the parent's size and metric and stays in its bounding box; the parent stays as it was."""
    before = parent.coordinates.tobytes()
    mutant = _mutant(parent, seed)
    assert parent.coordinates.tobytes() == before
    assert (mutant.n, mutant.metric) == (parent.n, parent.metric)
    assert (mutant.coordinates >= parent.coordinates.min(axis=0)).all()
    assert (mutant.coordinates <= parent.coordinates.max(axis=0)).all()


@given(parent=instances(max_size=30, kinds=GRIDS), seed=st.integers(0, 2**32))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_mutants_are_on_the_grid_and_distinct(parent: TspInstance, seed: int) -> None:
    """A mutant uses no more decimals than its parent, and no place twice where there are enough."""
    mutant = _mutant(parent, seed)
    assert _decimals(mutant) <= _decimals(parent)
    assert _distinct(mutant) == mutant.n or _capacity(parent) < parent.n


@given(parent=instances(), seed=st.integers(0, 2**32))
@settings(derandomize=True, deadline=None, max_examples=50)
def test_the_seed_decides(parent: TspInstance, seed: int) -> None:
    """The same seed gives the same mutant by the same name."""
    one, other = _mutant(parent, seed), _mutant(parent, seed)
    assert (one, one.name) == (other, other.name)


def test_another_seed_gives_another_mutant() -> None:
    """Two seeds give two mutants with two names."""
    parent = generate("portgen", 100, 1)
    one, other = _mutant(parent, 1), _mutant(parent, 2)
    assert one != other
    assert one.name != other.name


def test_the_numbers_of_algorithm_2() -> None:
    """A tenth of the cities is redrawn all over the box; the others move by 2.5 % of the range on each axis."""
    parent = generate("portgen", 20_000, 1)
    size = np.ptp(parent.coordinates, axis=0)
    moves = (_mutant(parent).coordinates - parent.coordinates) / size
    inner = (np.abs(parent.coordinates / size - 0.5) < 0.3).all(axis=1)
    shifted = (np.abs(moves) < 0.125).all(axis=1)
    # A redrawn city lands that near with probability (0.25)² when it is far from the border.
    assert (~shifted[inner]).mean() == pytest.approx(0.1 * (1 - 0.0625), abs=0.008)
    near = moves[inner & shifted]
    middle = np.quantile(near, [0.1587, 0.8413], axis=0)
    assert np.abs(middle[1] - middle[0]) / 2 == pytest.approx(0.025, rel=0.03)
    assert near.mean(axis=0) == pytest.approx(0.0, abs=0.001)


@pytest.mark.parametrize("side", [2, 7, 200])
def test_a_full_grid_stays_full(side: int) -> None:
    """When cities and places are equally many, every place is taken: no guessing finds the last of 40,000."""
    places = [(x, y) for x in range(side) for y in range(side)]
    mutant = _mutant(TspInstance("full", np.array(places)))
    assert sorted(map(tuple, mutant.coordinates.tolist())) == places


def test_a_tight_grid_keeps_cities_distinct() -> None:
    """In a box of 100 places 60 cities, many of them drawn together, find distinct places."""
    corners = [(0, 0), (9, 9), *[(4, 4)] * 58]
    for seed in range(20):
        assert _distinct(_mutant(TspInstance("tight", np.array(corners)), seed)) == 60


def test_a_roomy_grid_separates_duplicates() -> None:
    """A thousand cities in one place and two corners become distinct in a box of a million places."""
    points = [(0, 0), (999, 999), *[(500, 500)] * 1000]
    assert _distinct(_mutant(TspInstance("roomy", np.array(points)))) == 1002


def test_more_cities_than_places() -> None:
    """Twenty cities in a box of nine places: a mutant with unavoidable duplicates, not an endless loop."""
    mutant = _mutant(TspInstance("crowd", np.array([(i % 3, i // 3 % 3) for i in range(20)])))
    assert mutant.n == 20


@pytest.mark.parametrize(
    "points",
    [
        [[5, 5]],
        [[1 / 3, 1e-300]],
        [[5, 5]] * 4,
        [[0, 7], [50, 7], [20, 7]],
        [[1 / 3, 0], [1 / 3, 50], [1 / 3, 20]],
        [[1e-300, 0], [2e-300, 1e-310], [5e-324, 0]],
        [[1.0, 1.0], [np.nextafter(1.0, 2), 1.0]],
        [[1e9 + 1 / 3, 0], [1e9 + 2 / 3, 1]],
    ],
    ids=["one", "one float", "all equal", "flat", "upright", "tiny", "one ulp", "far away"],
)
@pytest.mark.parametrize("metric", EdgeWeight)
def test_degenerate_boxes(points: list[list[float]], metric: EdgeWeight) -> None:
    """Boxes without area, or narrower than a grid can be, have mutants inside them."""
    parent = TspInstance("degenerate", np.array(points), metric)
    for seed in range(10):
        mutant = _mutant(parent, seed)
        assert (mutant.coordinates >= parent.coordinates.min(axis=0)).all()
        assert (mutant.coordinates <= parent.coordinates.max(axis=0)).all()


@given(st.floats(-1e4, 1e4), st.integers(-50, 50), st.integers(0, 50))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_reflection_folds_as_often_as_it_takes(point: float, low: int, size: int) -> None:
    """Points beyond the box by any distance end where step-by-step mirroring at its borders takes them."""
    high, expected = low + size, point
    while size and not low <= expected <= high:
        expected = 2 * low - expected if expected < low else 2 * high - expected
    box = np.array([[low], [high]], dtype=np.float64)
    folded = reflect(np.array([[point]]), box[0], box[1])
    assert folded[0, 0] == pytest.approx(expected if size else low, abs=1e-6)


def test_names_do_not_grow() -> None:
    """Fifty generations later the name is the ancestor's and eight digits."""
    instance = generate("portgen", 5, 1)
    for seed in range(50):
        instance = _mutant(instance, seed)
    ancestor, digits = instance.name.split("~")
    assert ancestor == "portgen-5-1"
    assert len(digits) == 8
    assert int(digits, 16) >= 0
