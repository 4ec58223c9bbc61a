"""Mutants: near their parent, in its ranges, and servable."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.problems.vrpspdtw.feasibility import flaw, unservable
from ceps.problems.vrpspdtw.generate import generate
from ceps.problems.vrpspdtw.mutate import Demands, Service, mutate
from tests.problems.vrpspdtw.strategies import instances, small

DATA = os.environ.get("CEPS_DATA")
ROW = ("x", "y", "delivery", "pickup", "ready", "due", "service")


def _mutant(
    parent: VrpspdtwInstance, seed: int = 0, demands: str = "redraw", service: str = "by-demand"
) -> VrpspdtwInstance:
    return mutate(parent, np.random.default_rng(seed), Demands(demands), Service(service))


def _day(seed: int = 1) -> VrpspdtwInstance:
    return generate("city", 400, seed)


@given(parent=instances(), seed=st.integers(0, 2**32), demands=st.sampled_from(Demands))
@settings(derandomize=True, deadline=None, max_examples=80)
def test_mutants_of_anything_can_be_served(parent: VrpspdtwInstance, seed: int, demands: Demands) -> None:
    """A mutant has the parent's depot, fleet, costs and ids, its ranges, and no flaw; else it is said that none is."""
    before = parent.table.tobytes()
    try:
        mutant: VrpspdtwInstance | UserError = _mutant(parent, seed, demands)
    except UserError as error:
        mutant = error
    assert parent.table.tobytes() == before
    if isinstance(mutant, UserError):
        assert "none of 20 mutants is known to be servable" in str(mutant)
        assert parent.vehicles < parent.n  # Only fleets that are small can be too small.
        return
    assert unservable(mutant) is None
    assert mutant.table[0].tolist() == parent.table[0].tolist()
    assert mutant.ids.tolist() == parent.ids.tolist()
    fleet = ("vehicles", "capacity", "dispatching_cost", "unit_cost", "states_dispatching_cost")
    assert [getattr(mutant, name) for name in fleet] == [getattr(parent, name) for name in fleet]
    low, high = parent.table[1:].min(axis=0), parent.table[1:].max(axis=0)
    assert (mutant.table[1:, :4] >= low[:4]).all()
    assert (mutant.table[1:, :4] <= high[:4]).all()
    assert (mutant.ready >= parent.ready[0]).all()
    assert (mutant.due <= parent.due[0]).all()


@given(parent=instances(unit=0.5), seed=st.integers(0, 2**32))
@settings(derandomize=True, deadline=None, max_examples=30)
def test_mutants_use_no_more_decimals(parent: VrpspdtwInstance, seed: int) -> None:
    """Mutants of instances with a decimal have at most one in each number."""
    try:
        table = _mutant(parent, seed).table
    except UserError:
        return
    assert table.tolist() == np.round(table, 1).tolist()


def test_windows_are_no_narrower_than_the_narrowest() -> None:
    """The narrowest window of a day's mutant is no narrower than that of the day, and most change."""
    parent = _day()
    narrowest = (parent.due - parent.ready)[1:].min()
    for seed in range(20):
        mutant = _mutant(parent, seed)
        assert (mutant.due - mutant.ready)[1:].min() >= narrowest
        assert (mutant.due != parent.due)[1:].mean() > 0.9


def test_the_numbers_of_algorithm_3() -> None:
    """Nine of ten places shift by 2.5 % of the range; windows by 2.5 % of the horizon where nothing is in the way."""
    parent = _day()
    mutants = [_mutant(parent, seed) for seed in range(10)]
    steps = np.concatenate([(each.coordinates - parent.coordinates)[1:] for each in mutants])
    box = np.ptp(parent.coordinates[1:], axis=0)
    near = (np.abs(steps) < 0.125 * box).all(axis=1)
    # A redrawn place lands that near by chance in one of sixteen cases.
    assert near.mean() == pytest.approx(0.9 + 0.1 / 16, abs=0.015)
    middle = np.quantile(steps[near] / box, [0.1587, 0.8413], axis=0)
    assert (middle[1] - middle[0]) / 2 == pytest.approx(0.025, rel=0.1)
    free = (parent.ready > 150) & (parent.due < 800)
    for name in ("ready", "due"):
        shift = np.concatenate([(getattr(each, name) - getattr(parent, name))[free] for each in mutants])
        low, high = np.quantile(shift, [0.1587, 0.8413])
        assert (high - low) / 2 == pytest.approx(0.025 * 960, rel=0.12)
        assert np.median(shift) == pytest.approx(0.0, abs=3.0)


def test_redrawn_demands_are_uniform_and_shifted_ones_are_near() -> None:
    """The paper's demands forget their distribution; shifted ones keep it."""
    parent = generate("city", 3000, 1)
    redrawn, shifted = _mutant(parent), _mutant(parent, demands="shift")
    ranks = np.array([0.1, 0.5, 0.9])
    assert np.quantile(redrawn.delivery[1:], ranks) == pytest.approx(15000 * ranks, abs=400)
    assert np.quantile(redrawn.pickup[1:], ranks) == pytest.approx(15000 * ranks, abs=400)
    step = (shifted.delivery - parent.delivery)[parent.delivery > 2000]
    assert step.std() == pytest.approx(0.025 * np.ptp(parent.delivery[1:]), rel=0.05)
    assert np.median(shifted.delivery) == pytest.approx(np.median(parent.delivery), rel=0.1)
    assert shifted.delivery.max() <= parent.delivery.max()


def test_service_follows_the_demands_of_a_day() -> None:
    """On a day, 20 with both demands and 10 with one: so it is for its mutants, unless service times are to stay."""
    parent = _day()
    for demands in Demands:
        mutant = _mutant(parent, demands=demands)
        both = ((mutant.delivery > 0) & (mutant.pickup > 0))[1:]
        assert both.mean() > 0.5
        assert mutant.service[1:].tolist() == np.where(both, 20.0, 10.0).tolist()
        assert _mutant(parent, demands=demands, service="keep").service.tolist() == parent.service.tolist()


def test_service_times_that_follow_no_such_rule_stay() -> None:
    """Where all service takes 90 it does so afterwards."""
    parent = generate("solomon", 100, 1, {"geometry": 1})
    assert set(_mutant(parent).service[1:].tolist()) == {90.0}


def test_customers_do_not_move_out_of_reach() -> None:
    """Where the depot's day is just long enough for the corners of the box, nobody is ever too far out."""
    corners = np.array([[x, y] for x in (0, 100) for y in (0, 100)] * 10, dtype=np.float64)
    rest = np.tile([1.0, 1.0, 0.0, 142.0, 0.0], (40, 1))
    depot = [100.0, 0.0, 0.0, 0.0, 0.0, 283.0, 0.0]
    reach = np.hypot(*(corners - [100, 0]).T) <= 141
    table = np.vstack([depot, np.column_stack([corners, rest])[reach]])
    parent = small(table=table, ids=range(len(table)), vehicles=100)
    for seed in range(50):
        assert flaw(_mutant(parent, seed)) is None


def test_impossible_parents_are_told() -> None:
    """When no mutant can be served, the message says so, with the instance and the reason."""
    table = small().table
    table[1:, 4:6] = [[12, 12], [12, 12], [12, 12]]
    table[1:, :2] = [[10, 0], [-10, 0], [0, 10]]
    parent = small(name="tight", table=table, vehicles=1)
    with pytest.raises(
        UserError, match=r"^tight: none of 20 mutants is known to be servable; of the last one, the best"
    ):
        _mutant(parent)


def test_the_seed_decides() -> None:
    """The same seed gives the same mutant by the same name, another one another."""
    one, same, other = (_mutant(_day(), seed) for seed in (1, 1, 2))
    assert (one, one.name) == (same, same.name)
    assert one != other
    assert one.name != other.name


def test_names_do_not_grow() -> None:
    """Ten generations later the name is the ancestor's and eight digits, and the instance still can be served."""
    instance = generate("solomon", 25, 3)
    for seed in range(10):
        instance = _mutant(instance, seed)
        assert unservable(instance) is None
    ancestor, digits = instance.name.split("~")
    assert (ancestor, len(digits)) == ("solomon-25-3", 8)


def test_mutants_of_generated_instances_can_be_served() -> None:
    """Mutants of days and of benchmark-like instances, the next one often of the last, pass all checks."""
    rng = np.random.default_rng(7)
    for seed in range(10):
        for instance in (generate("city", 100, seed), generate("solomon", 40, seed)):
            for demands in Demands:
                child = instance
                for _ in range(5):
                    child = mutate(child, rng, demands, Service.BY_DEMAND)
                    assert unservable(child) is None


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_a_thousand_mutants_of_published_instances_can_be_served() -> None:
    """Mutants of all published instances, in both variants, pass all checks and survive a file."""
    rng = np.random.default_rng(1)
    count = 0
    for path in sorted((Path(str(DATA)) / "vrpspdtw").glob("*/*.txt")):
        for problem in (Vrpspdtw(), Vrpspdtw(demands="shift")):
            parent = problem.read(path)
            for index in range(17):
                mutant = problem.mutate(parent, rng)
                assert flaw(mutant) is None
                count += 1
                if index == 0:
                    assert problem.decode(problem.encode(mutant), mutant.name) == mutant
    assert count >= 1000
