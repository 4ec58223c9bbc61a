"""What every solver of the VRPSPDTW in the box must do."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.problems.vrpspdtw.generate import generate
from ceps.records import Ending, Limits
from ceps.solvers.coga import CoGa
from ceps.solvers.pyvrp_ils import PyVrp
from ceps.solvers.solver import default_configuration, plain_configuration
from tests.problems.vrpspdtw.strategies import instances, small
from tests.solvers.brute_force import cheapest
from tests.solvers.spawned import trace

HEAVIEST = {
    "coga": {"PopSize": 70, "Num_MPCIH": 12, "isolated_lower": 2, "reinsertion_thresh": 5, "swap_thresh": 9},
    "pyvrp": {"Relocate3": "yes", "Swap33": "yes", "num_neighbours": 100, "extra_perturbations": 60},
}
"""Configurations whose steps take longest."""

pytestmark = pytest.mark.parametrize("solver", [CoGa(), PyVrp()], ids=lambda solver: solver.name)


def assert_cheapest(solver: Any, instance: VrpspdtwInstance, seed: int = 1) -> None:
    """What a run comes to by itself is verified and, up to rounding, the best there is: nothing, if that is so."""
    seen = trace(solver, instance, seed=seed)
    assert seen.costs == [Vrpspdtw().check(instance, routes) for routes in seen.tours]
    least = cheapest(instance)
    assert seen.costs[-1:] == ([] if least is None else [pytest.approx(least, rel=1e-5)])


def like(instance: VrpspdtwInstance, **changes: float) -> VrpspdtwInstance:
    """The instance with another fleet or other costs."""
    fleet = {name: getattr(instance, name) for name in ("vehicles", "capacity", "dispatching_cost", "unit_cost")}
    return VrpspdtwInstance.of_table("like", instance.table, instance.ids, **{**fleet, **changes})


def scattered(seed: int, n: int = 5) -> np.ndarray:
    """A table without any grid: places, demands and times are arbitrary doubles, the depot is always open."""
    rng = np.random.default_rng(seed)
    table = np.zeros((n + 1, 7))
    table[:, :2] = rng.uniform(0.0, 10.0, (n + 1, 2))
    table[1:, 2:4] = rng.uniform(0.0, 1.0, (n, 2))
    table[1:, 6] = rng.uniform(0.0, 1.0, n)
    table[:, 5] = 1000.0
    return table


def apart() -> VrpspdtwInstance:
    """One vehicle, and two customers whose windows close before it can have been to both."""
    table = small().table
    table[2:, 4:6] = [[0.0, 12.0], [0.0, 7.0]]
    return small(table=table, vehicles=1, capacity=11.0)


@settings(max_examples=100, deadline=None)
@given(instance=instances(max_size=6), seed=st.integers(0, 2**40))
def test_is_exact_for_few_customers(solver, instance, seed):
    """Up to six customers, the cheapest solution is found, or none where none is; the run ends by itself."""
    assert_cheapest(solver, instance, seed)


@pytest.mark.parametrize("seed", range(5))
def test_demands_that_are_not_whole(solver, seed):
    """Demands that are no multiples of anything neither overload vehicles nor waste them."""
    instance = VrpspdtwInstance.of_table("odd", scattered(seed), range(6), 5, 1.6, dispatching_cost=10.0)
    assert_cheapest(solver, instance)


@pytest.mark.parametrize("seed", range(5))
def test_windows_that_can_just_be_met(solver, seed):
    """Customers that are reached at the very end of their windows, at times that no rounding meets, are served."""
    table = scattered(seed)
    table[1:, 5] = np.hypot(*(table[1:, :2] - table[0, :2]).T)
    table[1:, 4] = table[1:, 5]
    table[0, 5] = (2.0 * table[1:, 5] + table[1:, 6]).max()
    instance = VrpspdtwInstance.of_table("tight", table, range(6), 5, 100.0, dispatching_cost=10.0)
    assert_cheapest(solver, instance)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e5])
@pytest.mark.parametrize("costs", [(0.0, 1.0), (100.0, 0.0), (1e9, 1.0), (1.0, 1e-3)])
def test_any_units(solver, scale, costs):
    """Days of a second or of years, vehicles that cost nothing or everything: the cheapest solution is found."""
    table = scattered(3) * scale
    instance = VrpspdtwInstance.of_table("units", table, range(6), 5, 1.6 * scale, *costs)
    assert_cheapest(solver, instance)


def test_a_day_much_longer_than_the_ways(solver):
    """Windows far apart in a day that is longer than all driving leave distances precise."""
    table = scattered(4)
    table[1:, 4] = 1e6 * np.arange(1, 6)
    table[1:, 5] = table[1:, 4] + 1.0
    table[0, 5] = 1e9
    instance = VrpspdtwInstance.of_table("long", table, range(6), 5, 1.6, dispatching_cost=1.0)
    assert_cheapest(solver, instance)


def test_the_fleet_is_respected(solver):
    """With few vehicles and nothing to pay for them no solution has more, though more would be shorter."""
    instance = generate("city", 60, 1)
    ample, scarce = (
        trace(solver, like(instance, vehicles=vehicles, capacity=20000.0, dispatching_cost=0.0), incumbents=2)
        for vehicles in (60, 10)
    )
    assert min(map(len, ample.tours)) > 10
    assert len(scarce.tours) == 2
    assert max(map(len, scarce.tours)) <= 10


@pytest.mark.parametrize(
    "instance",
    [small(capacity=5.0, vehicles=1), apart(), small(capacity=3.0)],
    ids=["the fleet holds too little", "no route serves all", "a demand above the capacity"],
)
def test_nothing_is_reported_where_nothing_is_feasible(solver, instance):
    """An instance that cannot be served ends without a solution."""
    assert cheapest(instance) is None
    assert_cheapest(solver, instance)


def test_incumbents_are_true_and_improve(solver):
    """Every reported solution is feasible and has the reported cost, and each is better than the one before."""
    instance = generate("city", 150, 1)
    seen = trace(solver, instance, incumbents=12)
    assert seen.costs == [Vrpspdtw().check(instance, routes) for routes in seen.tours]
    assert len(seen.costs) == 12
    assert all(later < earlier for earlier, later in itertools.pairwise(seen.costs))


def test_solutions_speak_of_ids(solver):
    """Customers are called what the instance calls them."""
    assert {customer for route in trace(solver, small()).tours[-1] for customer in route} == {7, 8, 9}


def test_same_seed_same_course(solver):
    """The course of a run depends on the seed and on nothing else."""
    instance = generate("city", 100, 2)
    first, second, other = (trace(solver, instance, seed=seed, incumbents=8) for seed in (7, 7, 8))
    assert first == second
    assert first.costs != other.costs


def test_stops_at_the_target(solver):
    """A run ends by itself with the first solution at or below the target, even one between two solutions' costs."""
    instance = generate("city", 100, 1)
    free = trace(solver, instance, incumbents=8)
    target = (free.costs[4] + free.costs[5]) / 2
    assert trace(solver, instance, target=target).costs == free.costs[:6]
    assert trace(solver, instance, target=free.costs[0]).costs == free.costs[:1]


@pytest.mark.parametrize("heaviest", [False, True], ids=["default", "heaviest"])
@pytest.mark.parametrize("limit", [0.1, 0.4, 1.0])
def test_holds_the_cpu_limit_itself(solver, limit, heaviest):
    """Without anybody's help a run on 400 customers ends within 50 ms of its limit, with any configuration."""
    configuration = HEAVIEST[solver.name] if heaviest else {}
    instance = generate("city", 400, 1)
    solver.prepare()
    start = time.process_time()
    solver.solve(instance, configuration, 1, Limits(limit), None, lambda routes, cost=None: None)
    used = time.process_time() - start
    assert limit <= used <= limit + 0.05


def test_the_supervisor_sees_a_timeout(solver):
    """A run that ends at its limit counts as stopped by it: with more time it would have gone on."""
    instance = generate("city", 100, 1)
    run = Run(Vrpspdtw(), solver, default_configuration(solver), instance, seed=1, limits=Limits(0.3), target=1)
    with LocalExecutor(workers=1) as executor:
        outcome = executor.submit(run).result()
    assert outcome.ending is Ending.TIMEOUT
    assert outcome.cost == Vrpspdtw().check(instance, outcome.solution)
    assert outcome.output == ""


def test_an_error_in_the_report_ends_the_run(solver):
    """What on_incumbent raises comes out of solve."""

    def on_incumbent(routes, cost=None):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solver.solve(generate("city", 50, 1), {}, 1, Limits(10.0), None, on_incumbent)


def test_every_sampled_configuration_runs(solver):
    """Whatever the space allows gives solutions."""
    space, instance = solver.space, generate("city", 40, 1)
    space.seed(1)
    for point in space.sample_configuration(40):
        configuration = plain_configuration(solver.name, point).as_dict()
        assert trace(solver, instance, configuration, incumbents=2).tours
