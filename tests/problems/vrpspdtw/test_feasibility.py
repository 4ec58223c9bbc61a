"""What makes an instance unservable, and plans that prove the contrary."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from ceps.problems.problem import Infeasible
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.problems.vrpspdtw.check import check
from ceps.problems.vrpspdtw.feasibility import construct, flaw, unservable
from tests.problems.vrpspdtw.strategies import instances, small

DATA = os.environ.get("CEPS_DATA")


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=80)
def test_enough_vehicles_serve_what_has_no_flaw(instance: VrpspdtwInstance) -> None:
    """Without a flaw, and with a vehicle for each customer, going to each and straight back is a solution."""
    each = [[customer] for customer in instance.ids[1:].tolist()]
    plenty = small(table=instance.table, ids=instance.ids, vehicles=instance.n, capacity=instance.capacity)
    assert (flaw(plenty) is None) == (not isinstance(check(plenty, each), Infeasible))


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=80)
def test_what_is_called_servable_is_served_by_the_plan(instance: VrpspdtwInstance) -> None:
    """The constructed routes serve every customer within load and time, and with the fleet if it is large enough."""
    if flaw(instance) is not None:
        assert unservable(instance) is not None
        return
    routes = [[int(instance.ids[node]) for node in route] for route in construct(instance)]
    verdict = check(instance, routes)
    assert isinstance(verdict, Infeasible) == (len(routes) > instance.vehicles)
    if unservable(instance) is None and instance.vehicles < instance.n:
        assert not isinstance(verdict, Infeasible)


def test_every_flaw_is_told_by_customer() -> None:
    """One number made wrong gives the reason, with the customer's id."""
    reasons = {
        (1, 5, 4.0): "node 7: no vehicle can be there before 5, its window closes at 4",
        (2, 4, 31.0): "node 8: its window closes at 30 before it opens at 31",
        (3, 2, 11.0): "node 9: its delivery 11 is above the capacity 10",
        (3, 3, 11.0): "node 9: its pickup 11 is above the capacity 10",
        (2, 6, 29.0): "node 8: its vehicle is back at 51, the depot closes at 50",
    }
    assert unservable(small()) is None
    for (row, column, value), reason in reasons.items():
        table = small().table
        table[row, column] = value
        assert unservable(small(table=table)) == reason


def test_a_small_fleet_is_told() -> None:
    """Too little room for all demands is certain; too few vehicles for the plans found is said as such."""
    assert unservable(small(vehicles=1, capacity=9.0)) == "there is 10 to deliver, all vehicles together hold 9"
    assert unservable(small(vehicles=1)) is None
    table = small().table
    table[1:, 4:6] = [[9, 9], [12, 12], [12, 12]]
    assert unservable(small(table=table, vehicles=1)) == "the best plan found needs 3 vehicles, there are 1"


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_plans_for_the_published_instances_need_few_vehicles() -> None:
    """All published instances have a plan by construction, also those that have three vehicles for ten customers."""
    problem = Vrpspdtw()
    for path in sorted((Path(str(DATA)) / "vrpspdtw").glob("*/*.txt")):
        instance = problem.read(path)
        routes = [instance.ids[route].tolist() for route in construct(instance)]
        assert np.isfinite(problem.check(instance, routes))
        assert unservable(instance) is None
