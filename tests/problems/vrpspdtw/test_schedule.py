"""A vehicle's day, and the table of all of them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ceps.problems import Infeasible
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.problems.vrpspdtw.schedule import days
from tests.problems.vrpspdtw.strategies import instances, small, solutions


def test_a_day_by_hand() -> None:
    """The vehicle leaves so that it need not wait at its first customer, and waits at the others."""
    (day,) = days(small(), [[8, 7, 9]])
    assert day.nodes == [2, 1, 3]
    assert day.departure == 2.0  # customer 8 is 10 away and opens at 12
    assert day.arrivals[0] == day.starts[0] == 12.0
    assert day.ends[0] == 14.0
    assert day.starts[1] == day.arrivals[1] == pytest.approx(14.0 + 45**0.5)
    assert day.load == 12.0  # 10 leaving the depot, 12 and 9 and 8 after the customers


def test_the_table_has_a_line_per_route() -> None:
    """Customers, distance, load, start and end of each route, and of all."""
    head, first, second, total = Vrpspdtw().describe(small(), [[7, 8], [9]]).splitlines()
    assert head.split() == ["route", "customers", "distance", "load", "start", "end"]
    assert first.split() == ["1", "2", "21.71", "9", "90%", "0.0", "25.7"]
    assert second.split() == ["2", "1", "12.00", "1", "10%", "0.0", "13.0"]
    assert total.split() == ["all", "3", "33.71", "9", "90%", "0.0", "25.7"]


@given(data=st.data())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_days_agree_with_the_judge(data: st.DataObject) -> None:
    """Of feasible solutions: distances make up the cost, and times and loads are within their limits."""
    instance = data.draw(instances())
    solution = data.draw(solutions(instance))
    cost = Vrpspdtw().check(instance, solution)
    assume(not isinstance(cost, Infeasible))
    made = days(instance, solution)
    distance = sum(day.distance for day in made)
    assert cost == pytest.approx(instance.dispatching_cost * len(made) + instance.unit_cost * distance)
    for day in made:
        late = instance.time_tolerance
        assert instance.ready[0] - late <= day.departure
        assert day.back <= instance.due[0] + late
        assert day.load <= instance.capacity + instance.load_tolerance
        times = zip(day.nodes, day.arrivals, day.starts, strict=True)
        assert all(arrival <= start for _, arrival, start in times)
        assert all(instance.ready[node] <= start for node, start in zip(day.nodes, day.starts, strict=True))
        assert all(arrival <= instance.due[node] + late for node, arrival in zip(day.nodes, day.arrivals, strict=True))
