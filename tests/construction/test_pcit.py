"""Members for groups of instances that are exchanged on the way."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ceps.construction.pcit import PcitSettings, build, smallest_budget
from ceps.construction.tuner import Search, TrialScore
from ceps.errors import UserError
from tests.construction.fakes import FakeEvaluator, FakeTuner, instances_of, number_of, task_of, theta
from tests.construction.test_clustering import Featureless


def small_or_large(number: int, instance: Any, seed: int = 0) -> float:
    """Configuration 1 is for small instances, 2 for large ones; others are for none."""
    return 1.0 if number == (1 if instance.size < 105 else 2) else 9.0


def found_on(search: Search) -> int:
    """What suits most instances of the group."""
    small = sum(instance.size < 105 for instance in search.instances)
    return 1 if 2 * small > len(search.instances) else 2


def told(search: Search) -> tuple[TrialScore, ...]:
    return tuple(
        TrialScore(theta(number), each.id, small_or_large(number, each))
        for number in (1, 2)
        for each in search.instances
    )


def test_groups_become_what_their_members_are_good_at() -> None:
    """Small and large instances are mixed at first, and part from phase to phase."""
    tuner = FakeTuner(lambda search: theta(found_on(search)), told)
    members = build(task_of(FakeEvaluator(small_or_large), tuner, size=2, instances=instances_of(10), sessions=3))
    assert set(map(number_of, members)) == {1, 2}
    phases = [tuner.searches[first : first + 6] for first in range(0, 24, 6)]
    assert len(tuner.searches) == 24

    def misplaced(searches: list[Search]) -> int:
        return sum((each.size < 105) != (found_on(search) == 1) for search in searches for each in search.instances)

    assert misplaced(phases[-1]) < misplaced(phases[0])
    for searches in phases:
        for portfolio in range(3):
            own = searches[2 * portfolio : 2 * portfolio + 2]
            assert Counter(each.id for search in own for each in search.instances) == dict.fromkeys(
                (each.id for each in instances_of(10)), 1
            )


def test_phases_go_on_from_what_was_found() -> None:
    """The default begins, then each member's own configuration; the last phase has half of the configuration."""
    tuner = FakeTuner(lambda search: theta(found_on(search)), told)
    build(task_of(FakeEvaluator(small_or_large), tuner, size=2, instances=instances_of(10), sessions=1, phases=2))
    first, second = tuner.searches[:2], tuner.searches[2:]
    assert [search.starts for search in first] == [(theta(0),)] * 2
    assert [search.starts for search in second] == [(theta(found_on(search)),) for search in first]
    assert [search.grant for search in second] == pytest.approx([search.grant for search in first])


@pytest.mark.parametrize(("phases", "shares"), [(1, [7.5]), (4, [1.25, 1.25, 1.25, 3.75])])
def test_the_shares_of_phases(phases: int, shares: list[float]) -> None:
    """The last phase gets half of the configuration, the others the other half; one alone gets it all."""
    assert PcitSettings(phases=phases).weights() == pytest.approx(shares)


def test_a_problem_without_features_is_refused_before_any_run() -> None:
    """The message names the problem and a method that does without."""
    evaluator = FakeEvaluator(small_or_large, Featureless())
    with pytest.raises(UserError, match="problem 'bits' has none; choose another one"):
        smallest_budget(task_of(evaluator).outline)
    with pytest.raises(UserError, match="problem 'bits' has none; choose another one"):
        build(task_of(evaluator))
    assert evaluator.asked == []
