"""Features: many, finite, and meaning what they are called."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.problems.vrpspdtw.features import features
from ceps.problems.vrpspdtw.generate import generate
from tests.problems.vrpspdtw.strategies import instances, small

DATA = os.environ.get("CEPS_DATA")


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_features_are_finite_and_always_the_same_ones(instance: VrpspdtwInstance) -> None:
    """Single customers, customers in one place and without demands have the same features as others, all finite."""
    described = features(instance)
    assert list(described) == list(features(small()))
    assert len(described) >= 20
    assert all(type(value) is float and math.isfinite(value) for value in described.values())


@pytest.mark.parametrize("unit", [1e-300, 1e-12, 1e7])
def test_features_are_finite_in_any_unit(unit: float) -> None:
    """Tiny and huge coordinates, times and demands give finite numbers."""
    described = features(small(table=small().table * unit, capacity=10 * unit))
    assert all(math.isfinite(value) for value in described.values())


def test_features_have_no_unit() -> None:
    """A map in another unit of length and time, loads in another unit of weight, are the same to the features."""
    rescaled = small().table * [3, 3, 7, 7, 3, 3, 3]
    other = small(table=rescaled, capacity=70.0, dispatching_cost=300.0)
    assert features(other) == pytest.approx(features(small()))


def test_features_by_hand() -> None:
    """Compatibility, windows and demands of three customers, counted by hand."""
    described = features(small())
    # From 7 (leave at 7): to 8 at 13.7, to 9 at 12; from 8 (leave at 14): 7 is closed, to 9 at 25.7;
    # from 9 (leave at 7): to 7 at 12, to 8 at 18.7. The depot is reached in time from all.
    assert described["compatible"] == pytest.approx(5 / 6)
    assert described["compatible_both_ways"] == pytest.approx(4 / 6)
    assert described["compatible_neighbours"] == pytest.approx(5 / 6)
    assert described["window_width"] == pytest.approx((20 + 18 + 50) / 3 / 50)
    assert described["delivery"] == pytest.approx(1 / 3)
    assert described["with_both"] == pytest.approx(2 / 3)
    assert described["pickup_share"] == pytest.approx(8 / 18)
    assert described["vehicles_for_load"] == 1.0
    assert described["customers"] == 3.0
    assert described["depot_distance"] == pytest.approx(7 / ((5 + math.sqrt(45) + math.sqrt(136)) / 3))


def test_families_can_be_told_apart() -> None:
    """Clusters, long horizons, narrow and missing windows show in the features they should show in."""
    scattered = features(generate("solomon", 100, 1, {"geometry": 0, "horizon": 1, "windows": 1, "width": 0.05}))
    clustered = features(generate("solomon", 100, 1, {"geometry": 1, "horizon": 2, "windows": 0.5, "width": 0.2}))
    assert clustered["nearest_neighbour"] < scattered["nearest_neighbour"]
    assert clustered["horizon_in_trips"] > scattered["horizon_in_trips"]
    assert clustered["window_width"] > scattered["window_width"]
    assert clustered["without_window"] > 0.3 > scattered["without_window"]
    assert clustered["compatible"] > scattered["compatible"]


def test_large_instances_are_described_by_a_sample() -> None:
    """Two thousand customers are described much as five hundred of them are."""
    large = features(generate("city", 2000, 1))
    part = features(generate("city", 500, 1))
    assert large["compatible"] == pytest.approx(part["compatible"], abs=0.05)
    assert large["mean_distance"] == pytest.approx(part["mean_distance"], abs=0.03)


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_generated_days_have_the_features_of_real_ones() -> None:
    """Features of all published instances are finite, and those of generated days are near those of real ones."""
    problem = Vrpspdtw()
    paths = sorted((Path(str(DATA)) / "vrpspdtw").glob("*/*.txt"))
    described = {path: problem.features(problem.read(path)) for path in paths}
    assert all(math.isfinite(value) for each in described.values() for value in each.values())
    real = [each for path, each in described.items() if path.parent.name == "jd"]
    made = [features(generate("city", 400, seed, {"city_seed": seed})) for seed in range(8)]
    for name in (
        "nearest_neighbour",
        "mean_distance",
        "window_slack",
        "delivery",
        "pickup",
        "with_both",
        "ready",
        "due",
    ):
        ours, theirs = ([each[name] for each in many] for many in (made, real))
        assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.15), name
    ours, theirs = ([each["compatible"] for each in many] for many in (made, real))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.05)
