"""Groups of instances, and who moves between them."""

from __future__ import annotations

from collections import Counter
from math import ceil

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.construction.grouping import predicted_costs, split, transfer
from ceps.construction.tuner import TrialScore
from tests.construction.fakes import FakeEvaluator, instances_of, task_of, theta


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 10**6))
def test_groups_are_of_one_size(count: int, groups: int, seed: int) -> None:
    """Sizes of random groups differ by at most 1."""
    labels = split(count, groups, np.random.default_rng(seed))
    sizes = [Counter(labels.tolist())[group] for group in range(groups)]
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 10**6))
def test_transfers_help_and_keep_the_bounds(count: int, groups: int, seed: int) -> None:
    """Nobody gets worse, groups stay within 80 % and 120 % of the mean size, and a second transfer moves nothing."""
    rng = np.random.default_rng(seed)
    before, costs = split(count, groups, rng), rng.random((count, groups))
    after = transfer(before, costs, rng)
    every = np.arange(count)
    assert np.all(costs[every, after] <= costs[every, before])
    for group in range(groups):
        old, new = (int((labels == group).sum()) for labels in (before, after))
        assert min(old, ceil(0.8 * count / groups)) <= new <= max(old, ceil(1.2 * count / groups))
    np.testing.assert_array_equal(transfer(after, costs, rng), after)


def test_what_is_hard_for_its_own_member_moves_to_one_that_does_better() -> None:
    """Two instances move; one that the other member would do better as well stays, for it is not hard for its own."""
    labels = np.array([0] * 10 + [1] * 10)
    costs = np.column_stack([np.arange(20.0), np.full(20, 50.0)])
    costs[10:, 1] = np.arange(10) / 10
    costs[8:10, 1], costs[1, 1] = 0.5, 0.5
    after = transfer(labels, costs, np.random.default_rng(1))
    assert np.flatnonzero(after != labels).tolist() == [8, 9]


def test_costs_are_predicted_from_trials() -> None:
    """A member that was good on small instances is predicted to be so on small instances it has not seen."""
    instances = instances_of(20)
    task = task_of(FakeEvaluator(lambda *_: 1.0))
    history = [
        TrialScore(theta(number), each.id, 1.0 if (each.size < 110) == (number == 1) else 50.0)
        for number in (1, 9)
        for each in instances[::2]
    ]
    costs = predicted_costs(task, history, (theta(1), theta(9)), instances, seed=1)
    assert costs.shape == (20, 2)
    assert (costs[:, 0] < costs[:, 1]).tolist() == [each.size < 110 for each in instances]
