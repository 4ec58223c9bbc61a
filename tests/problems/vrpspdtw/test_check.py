"""The checker: right about costs, and unimpressed by anything."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.problems.problem import Infeasible
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.problems.vrpspdtw.check import check
from tests.problems.vrpspdtw.strategies import instances, simulate, small, solutions

REASONS = {
    "visits": ("not visited", "is empty", "visited twice", "not in the instance", "holds the depot"),
    "fleet": ("routes for",),
    "load": ("above the capacity",),
    "window": ("its window closes",),
    "closing": ("back at the depot",),
}


@given(data=st.data(), instance=instances())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_verdicts_agree_with_plain_python(data: st.DataObject, instance: VrpspdtwInstance) -> None:
    """Costs, and what is infeasible, are those of a second implementation that drives each vehicle step by step."""
    routes = data.draw(solutions(instance))
    verdict, expected = check(instance, routes), simulate(instance, routes)
    if isinstance(verdict, Infeasible):
        failed = [kind for kind, words in REASONS.items() if any(word in verdict.reason for word in words)]
        assert len(failed) == 1
        # A route may fail in load and in time: which is told first is no matter.
        assert failed[0] == expected or {failed[0], str(expected)} <= {"load", "window", "closing"}
    else:
        assert verdict == pytest.approx(expected, rel=1e-12)


@given(instance=instances(max_size=4))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_all_solutions_of_tiny_instances(instance: VrpspdtwInstance) -> None:
    """Of all ways to serve up to four customers exactly those are accepted that the second implementation accepts."""
    customers = instance.ids[1:].tolist()
    for order in permutations(customers):
        for cuts in range(2 ** (len(order) - 1)):
            routes = [[order[0]]]
            for position, customer in enumerate(order[1:]):
                if cuts >> position & 1:
                    routes.append([])
                routes[-1].append(customer)
            assert isinstance(check(instance, routes), Infeasible) == isinstance(simulate(instance, routes), str)


def test_a_cost_by_hand() -> None:
    """Two vehicles at 100 and 5 + √45 + 10 + 12 units of distance at 2."""
    assert check(small(unit_cost=2.0), [[7, 8], [9]]) == pytest.approx(200 + 2 * (5 + np.sqrt(45) + 10 + 12))


def test_the_order_of_routes_does_not_matter() -> None:
    """The cost of the same routes in another order is the same to the last bit."""
    rng = np.random.default_rng(1)
    n = 200
    table = np.column_stack([rng.random((n + 1, 2)), np.zeros((n + 1, 3)), np.full(n + 1, 100.0), np.zeros(n + 1)])
    instance = VrpspdtwInstance.of_table("many", table, range(n + 1), n, 1.0, 0.1)
    routes = [[customer] for customer in range(1, n + 1)]
    assert check(instance, routes) == check(instance, routes[::-1])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from([7, 8, 9]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=8,
)


@given(solution=json_values | st.lists(st.lists(json_values, max_size=3), max_size=3))
@settings(derandomize=True, deadline=None, max_examples=120)
def test_any_json_value_is_survived(solution: object) -> None:
    """No JSON value raises, and none but routes that visit 7, 8 and 9 once is accepted."""
    verdict = check(small(), solution)
    if not isinstance(verdict, Infeasible):
        assert isinstance(solution, list)
        assert sorted(customer for route in solution for customer in route) == [7, 8, 9]


def _nest(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        (None, "a list of routes, not null"),
        ("789", "not a value of type str"),
        ({"7": 8}, "not a value of type dict"),
        ([], "customer 7 and 2 more are not visited"),
        ([7, 8, 9], "route 1 is not a list of customer ids, but 7"),
        ([[7, 8], [], [9]], "route 2 is empty"),
        ([[7, 8], [9], "x"], "route 3 is not a list of customer ids, but a value of type str"),
        ([[7, 8, 9.0]], "route 1 holds a value of type float"),
        ([[7, True]], "route 1 holds a value of type bool"),
        ([[7, None]], "route 1 holds null"),
        ([_nest(100_000)], "route 1 holds a value of type list"),
        ([[7, 1]], "route 1: customer 1 is not in the instance"),
        ([[7], [10**5000]], "route 2: customer a number of 16610 bits is not in the instance"),
        ([[0, 7, 0]], "route 1 holds the depot 0"),
        ([[7, 8], [9, 7]], "route 2: customer 7 is visited twice, by routes 1 and 2"),
        ([[7, 7]], "customer 7 is visited twice, by routes 1 and 1"),
        ([[9, 7]], "customer 8 is not visited"),
        ([[8, 7, 9]], "route 1, customer 7: arrival at 20.7082"),
        ([[9], [8, 7]], "route 2, customer 7: arrival at 20.7082"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_reason_names_the_first_offence(solution: object, reason: str) -> None:
    """A refusal says what is wrong and where."""
    verdict = check(small(capacity=12.0), solution)
    assert isinstance(verdict, Infeasible)
    assert reason in verdict.reason


def test_more_routes_than_vehicles() -> None:
    """The fleet is counted."""
    verdict = check(small(vehicles=2), [[7], [8], [9]])
    assert verdict == Infeasible("there are 3 routes for 2 vehicles")


def test_the_load_is_watched_on_every_leg() -> None:
    """Deliveries count from the depot on and pickups until the depot: the leg with too much is named."""
    heavy = small(capacity=9.0)
    assert check(heavy, [[7, 8], [9]]) != Infeasible("")
    assert check(heavy, [[7, 8, 9]]) == Infeasible("route 1: the load leaving the depot is 10, above the capacity 9")
    tight = replace(small(capacity=10.0), pickup=np.array([0.0, 9.0, 6.0, 0.0]))
    expected = "route 1, customer 7: the load leaving it is 13, above the capacity 10"
    assert check(tight, [[7, 8], [9]]) == Infeasible(expected)


def test_vehicles_wait_and_must_be_back() -> None:
    """Waiting for a window and service count: the return is at max(10, 12) + 2 + 10, and the depot may close before."""
    table = small().table
    table[0, 5] = 24.0
    table[:, 5] = np.minimum(table[:, 5], 24.0)
    assert not isinstance(check(small(table=table), [[7], [8], [9]]), Infeasible)
    table[0, 5] = 23.99
    verdict = check(small(table=table), [[7], [8], [9]])
    assert verdict == Infeasible("route 2: back at the depot at 24, it closes at 23.99")


@pytest.mark.parametrize(("late", "feasible"), [(0.0, True), (4e-9, True), (1e-6, False)])
def test_rounding_is_no_lateness(late: float, feasible: bool) -> None:
    """A billionth of the depot's closing time is forgiven, for sums differ with their order; more is not."""
    table = small().table
    table[1, 5] = 5.0 - late
    assert isinstance(check(small(table=table), [[7], [8], [9]]), float) == feasible


def test_four_hundred_customers_in_one_list() -> None:
    """A long route is checked to its end: the last customer is the one that is late."""
    n = 400
    table = np.zeros((n + 1, 7))
    table[:, 0] = np.arange(n + 1)
    table[:, 5] = 2 * n
    table[n, 5] = n - 1
    instance = VrpspdtwInstance.of_table("line", table, range(n + 1), 1, 1.0, 0.0)
    verdict = check(instance, [list(range(1, n + 1))])
    assert verdict == Infeasible(f"route 1, customer {n}: arrival at {n}, its window closes at {n - 1}")
