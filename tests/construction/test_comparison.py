"""Whole portfolios compared on the same instances and seeds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.construction.budget import Account
from ceps.construction.comparison import compare
from ceps.construction.method import Members
from tests.construction.fakes import CUTOFF, FakeEvaluator, instances_of, task_of, theta

PENALTY = 10 * CUTOFF


def members(*numbers: int) -> Members:
    return tuple(theta(number) for number in numbers)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 10**6))
def test_candidates_are_scored_as_if_all_had_run(rest: int, size: int, count: int, seed: int) -> None:
    """f(s, Θ) of every candidate, and of every candidate less one member, equal the minima over uncapped scores."""
    table = np.random.default_rng(seed).uniform(0.1, 20.0, size=(rest + size * count, 4))
    instances = instances_of(4)
    evaluator = FakeEvaluator(lambda number, instance, _: float(table[number, instance.size - 100]))
    newcomers = [members(*range(rest + size * each, rest + size * (each + 1))) for each in range(count)]
    task = task_of(evaluator, instances=instances)
    at_worst = (rest + size * count) * CUTOFF
    compared = compare(task, members(*range(rest)), newcomers, instances, "p", 4, Account(4 * at_worst))
    true = np.where(table <= CUTOFF, table, PENALTY)
    order = [instance.size - 100 for instance in dict.fromkeys(asked[1] for asked in evaluator.asked)]
    for index, scores in enumerate(compared.scores):
        rows = [*range(rest), *range(rest + size * index, rest + size * (index + 1))]
        assert compared.candidates[index] == members(*rows)
        expected = true[rows][:, order].T
        np.testing.assert_array_equal(scores[:4].min(axis=1), expected.min(axis=1))
        for out in range(len(rows)):
            less_one = np.delete(scores[:4], out, axis=1), np.delete(expected, out, axis=1)
            np.testing.assert_array_equal(*(each.min(axis=1, initial=PENALTY) for each in less_one))
    best = min(range(count), key=lambda index: compared.means[index])
    assert compared.chosen == compared.candidates[best]


def test_money_left_buys_further_seeds() -> None:
    """All instances come once before any comes again, each time with another seed, until one more could overdraw."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    account = Account(63.0)
    compared = compare(task_of(evaluator), (), [members(0), members(1)], instances_of(3), "p", 2, account)
    asked = [(instance.name, seed) for number, instance, seed, _ in evaluator.asked if number == 0]
    assert len(asked) == len(set(asked)) == len(compared.scores[0])
    assert {name for name, _ in asked[:3]} == {name for name, _ in asked[3:6]} == {"i0", "i1", "i2"}
    assert account.charged == 2.0 * len(asked)
    assert 0.0 <= account.left < 2 * CUTOFF


def test_an_account_too_small_for_anything_buys_one_row() -> None:
    """There is always something to choose by."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0 + number)
    compared = compare(task_of(evaluator), (), [members(1), members(0)], instances_of(3), "p", 2, Account(-1.0))
    assert compared.means == [2.0, 1.0]
    assert compared.best == 1


def test_runs_that_cost_nothing_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free runs never empty an account; after a free pass over all instances the comparison ends."""
    monkeypatch.setattr("tests.construction.fakes.RUN", 0.0)
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    compared = compare(task_of(evaluator), (), [members(0)], instances_of(5), "p", 2, Account(100.0))
    assert 5 <= len(compared.scores[0]) < 10
