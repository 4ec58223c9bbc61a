"""Groups of instances by their features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ceps.construction.clustering import build, scaled, smallest_budget
from ceps.errors import UserError
from ceps.testing.bits import Bits, BitsInstance
from tests.construction.fakes import FakeEvaluator, FakeTuner, number_of, task_of, theta


@dataclass(frozen=True)
class Featureless(Bits):
    def features(self, instance: BitsInstance) -> Mapping[str, float]:
        return {}


def sizes(*numbers: int) -> list[BitsInstance]:
    return [BitsInstance(f"b{number}", number) for number in numbers]


def better_when_smaller(number: int, instance: Any, seed: int) -> float:
    return 1.0 + number


def test_a_member_is_searched_for_every_group() -> None:
    """Like instances are together, every group has n searches, and the best of the n portfolios is returned."""
    found = iter([8, 7, 2, 3])
    tuner = FakeTuner(lambda search: theta(next(found)))
    instances = sizes(10, 1000, 11, 1010, 12)
    members = build(task_of(FakeEvaluator(better_when_smaller), tuner, size=2, instances=instances, sessions=2))
    assert list(map(number_of, members)) == [2, 3]
    groups = [frozenset(each.size for each in search.instances) for search in tuner.searches]
    assert set(groups[:2]) == set(groups[2:]) == {frozenset({10, 11, 12}), frozenset({1000, 1010})}
    assert len({search.seed for search in tuner.searches}) == 4


def test_groups_that_would_be_empty_have_all_instances() -> None:
    """With fewer different instances than members, the members left over are searched for on all of them."""
    tuner = FakeTuner(lambda search: theta(1))
    members = build(
        task_of(FakeEvaluator(better_when_smaller), tuner, size=4, instances=sizes(5, 5, 9), sessions=1, budget=1e5)
    )
    assert len(members) == 4
    assert sorted(len(search.instances) for search in tuner.searches) == [1, 2, 3, 3]


def test_columns_are_scaled_to_one_range() -> None:
    """Every feature counts alike, whatever its unit; one that is the same for all does not count."""
    table = np.array([[0.0, 5.0, 1e6], [1.0, 5.0, 3e6], [4.0, 5.0, 2e6]])
    np.testing.assert_allclose(scaled(table), [[-1, 0, -1], [-0.5, 0, 1], [1, 0, 0]])


def test_a_problem_without_features_is_refused_before_any_run() -> None:
    """The message names the problem and a method that does without."""
    evaluator = FakeEvaluator(better_when_smaller, Featureless())
    task = task_of(evaluator)
    for refused in (lambda: smallest_budget(task.outline), lambda: build(task)):
        with pytest.raises(UserError, match=r"problem 'bits' has none; choose another one, such as name = 'parhydra'"):
            refused()
    assert evaluator.asked == []
