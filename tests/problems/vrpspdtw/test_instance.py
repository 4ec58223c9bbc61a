"""Instances: values with an identity."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ceps.problems.vrpspdtw import VrpspdtwInstance
from tests.problems.vrpspdtw.strategies import instances, small

ARRAYS = ("coordinates", "delivery", "pickup", "ready", "due", "service", "ids")


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=40)
def test_pickling_gives_the_same_instance(instance: VrpspdtwInstance) -> None:
    """A copy is equal in all it holds, its name and what only the writer asks included."""
    copy = pickle.loads(pickle.dumps(instance))
    assert copy == instance
    assert (copy.name, copy.states_dispatching_cost) == (instance.name, instance.states_dispatching_cost)
    for name in ARRAYS:
        assert getattr(copy, name).tobytes() == getattr(instance, name).tobytes()


def test_pickles_are_small() -> None:
    """What has been computed does not travel: a pickle is the numbers and little else."""
    instance = small()
    before = len(pickle.dumps(instance))
    assert instance.distance_matrix.shape == (4, 4)
    assert instance.id
    assert len(pickle.dumps(instance)) == before < 4 * 8 * 8 + 500


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_cannot_be_changed(name: str) -> None:
    """No array is writeable, nor can it be made so."""
    array = getattr(small(), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True


def test_arrays_are_copies() -> None:
    """What the caller does with its own array afterwards does not matter."""
    table = small().table
    instance = small(table=table)
    table[:] = 0
    assert instance == small()


def test_the_name_is_no_content() -> None:
    """Instances that differ in name, or in what only the writer asks, are the same; by all else they differ."""
    instance = small()
    assert small(name="other") == instance == replace(instance, states_dispatching_cost=False)
    assert len({small(), small(name="other")}) == 1
    assert instance != "small"
    others = [replace(instance, **{name: getattr(instance, name) + np.eye(4)[3]}) for name in ARRAYS[1:]]
    others.append(replace(instance, coordinates=instance.coordinates + 1))
    others += [replace(instance, vehicles=2), replace(instance, capacity=11), replace(instance, unit_cost=2)]
    others.append(replace(instance, dispatching_cost=1))
    assert len({each.id for each in [instance, *others]}) == len(others) + 1


def test_the_identity_stays() -> None:
    """The hash is the same on every machine and in every version: stores live longer than programs."""
    assert small().id == "a756243ece82d40693975783548f3360"


def test_minus_zero_is_zero() -> None:
    """Equal numbers with other bytes are the same content."""
    table = small().table
    table[0, 0] = -0.0
    assert small(table=table) == small()


def test_distances_are_euclidean() -> None:
    """Between all pairs, from the depot, and element by element; 0 from a node to itself."""
    instance = small()
    expected = [[0, 5, 10, 6], [5, 0, np.sqrt(45), 5], [10, np.sqrt(45), 0, np.sqrt(136)], [6, 5, np.sqrt(136), 0]]
    assert instance.distance_matrix.tolist() == expected
    assert instance.from_depot.tolist() == expected[0]
    assert instance.distances([0, 1], [1, 3]).tolist() == [5, 5]
    assert not instance.distance_matrix.flags.writeable


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coordinates": np.zeros((4, 3))}, "shape"),
        ({"coordinates": np.zeros((1, 2))}, "shape"),
        ({"coordinates": np.full((4, 2), np.nan)}, "finite"),
        ({"coordinates": np.full((4, 2), 2e9)}, "finite"),
        ({"delivery": np.zeros(3)}, "delivery must have one entry per node"),
        ({"due": np.array([1, 2, 3, np.inf])}, "due must be finite"),
        ({"pickup": np.array([0, -1, 2, 3])}, "pickup must not be negative"),
        ({"pickup": np.array([1, 1, 2, 3])}, "pickup must be 0 at the depot"),
        ({"service": np.array([1, 1, 2, 3])}, "service must be 0 at the depot"),
        ({"ids": np.array([0, 1, 1, 2])}, "distinct"),
        ({"ids": np.array([0, 1, 1.5, 2])}, "whole numbers"),
        ({"vehicles": 0}, "vehicles must be"),
        ({"vehicles": 1.5}, "vehicles must be"),
        ({"capacity": 0}, "capacity must be"),
        ({"capacity": np.nan}, "capacity must be"),
        ({"dispatching_cost": -1}, "dispatching_cost must be"),
        ({"unit_cost": np.inf}, "unit_cost must be"),
    ],
)
def test_nonsense_is_refused(changes: dict[str, Any], message: str) -> None:
    """Shapes that do not fit and numbers that mean nothing are refused by name."""
    with pytest.raises(ValueError, match=message):
        replace(small(), **changes)
