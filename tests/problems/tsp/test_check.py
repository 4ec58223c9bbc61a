"""The checker: right about costs, and unimpressed by anything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.problems.problem import Infeasible
from ceps.problems.tsp import TspInstance
from ceps.problems.tsp.check import check
from tests.problems.tsp.strategies import instances, tour_cost

TRIANGLE = TspInstance("triangle", np.array([[0, 0], [0, 3], [4, 0]]))


@given(data=st.data(), instance=instances(max_size=8))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_costs_agree_with_plain_python(data: st.DataObject, instance: TspInstance) -> None:
    """Every permutation is a tour, and its cost is an int: the sum over its edges by a second implementation."""
    tour = data.draw(st.permutations(range(1, instance.n + 1)))
    cost = check(instance, tour)
    assert type(cost) is int
    assert cost == tour_cost(instance, [node - 1 for node in tour])


def test_exactly_the_permutations_are_tours() -> None:
    """Of all lists of up to four numbers from -1 to 3, the six permutations of three cities are accepted."""
    candidates = [list(c) for length in range(5) for c in product(range(5), repeat=length)]
    accepted = [c for c in candidates if not isinstance(check(TRIANGLE, c), Infeasible)]
    assert len(accepted) == 6
    assert all(sorted(c) == [1, 2, 3] and check(TRIANGLE, c) == 12 for c in accepted)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(solution=json_values | st.lists(json_values, min_size=3, max_size=3))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_any_json_value_is_survived(solution: object) -> None:
    """No JSON value raises, and none but a permutation is accepted."""
    verdict = check(TRIANGLE, solution)
    if not isinstance(verdict, Infeasible):
        assert isinstance(solution, list)
        assert all(type(city) is int for city in solution)
        assert sorted(solution) == [1, 2, 3]


def _nest(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        (None, "not null"),
        ("012", "type str"),
        ({"0": 1}, "type dict"),
        (7, "not 7"),
        (_nest(100_000), "1 cities"),
        ([], "0 cities, the instance has 3"),
        ([1, 2], "2 cities, the instance has 3"),
        ([1, 2, 3, 1], "4 cities, the instance has 3"),
        ([1, None, 2.0], "position 1 holds null"),
        ([1, 2.0, 3], "position 1 holds a value of type float"),
        ([2, True, 3], "position 1 holds a value of type bool"),
        ([1, "2", 3], "position 1 holds a value of type str"),
        ([1, 2, _nest(100_000)], "position 2 holds a value of type list"),
        ([1, 4, 0], "position 1 holds city 4, outside 1 to 3"),
        ([1, 2, 0], "position 2 holds city 0, outside 1 to 3"),
        ([1, 2**63, 2], "position 1 holds city 9223372036854775808, outside"),
        ([1, 10**5000, 2], "position 1 holds city a number of 16610 bits, outside"),
        ([2, 1, 2], "city 2 is visited twice, at positions 0 and 2"),
        ([1, 1, 1], "city 1 is visited twice, at positions 0 and 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_reason_names_the_first_offence(solution: object, reason: str) -> None:
    """A refusal says what is wrong and where."""
    verdict = check(TRIANGLE, solution)
    assert isinstance(verdict, Infeasible)
    assert reason in verdict.reason


def test_a_hundred_thousand_cities() -> None:
    """Large tours are checked: a line whose length is known, and one with a wrong city."""
    n = 100_000
    line = TspInstance("line", np.column_stack([np.arange(n), np.zeros(n)]))
    tour = list(range(1, n + 1))
    assert check(line, tour) == 2 * (n - 1)
    tour[-1] = 5
    assert check(line, tour) == Infeasible(f"city 5 is visited twice, at positions 4 and {n - 1}")
