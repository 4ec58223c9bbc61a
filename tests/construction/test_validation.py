"""Line 15 of Algorithm 1: candidates compared on the same instances and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.construction.budget import Account
from ceps.construction.method import Members, Scores, Task
from ceps.construction.scoring import member_scores, portfolio_score, raced_score
from ceps.construction.validation import Replacement, Validated, completed, contributions, validate
from ceps.metrics import Panc
from tests.construction.fakes import CUTOFF, FakeEvaluator, instances_of, task_of, theta

PENALTY = 10 * CUTOFF


def capped(score: float) -> float:
    return score if score <= CUTOFF else PENALTY


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.floats(0.1, 20.0), min_size=1, max_size=5))
def test_capping_by_the_best_so_far_leaves_the_portfolios_score(scores: list[float]) -> None:
    """f(s, Θ) is exactly the minimum, though members are stopped when they cannot matter."""
    evaluator = FakeEvaluator(lambda number, instance, seed: scores[number])
    members = [theta(number) for number in range(len(scores))]
    assert portfolio_score(evaluator, members, "s", 1).score == min(map(capped, scores))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.floats(0.1, 20.0), min_size=1, max_size=5), st.floats(0.1, PENALTY))
def test_trying_with_small_caps_first_leaves_the_score(scores: list[float], bound: float) -> None:
    """f(s, Θ) is exactly the minimum, or the bound where nobody is below it."""
    evaluator = FakeEvaluator(lambda number, instance, seed: scores[number])
    members = [theta(number) for number in range(len(scores))]
    assert raced_score(evaluator, members, "s", 1, bound).score == min(bound, *map(capped, scores))


def test_trying_with_small_caps_first_is_cheap_where_one_is_fast() -> None:
    """Three members that never end cost their small caps, not the cut-off; one alone is run as it is."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 0.2 if number == 3 else 99.0)
    raced_score(evaluator, [theta(number) for number in range(4)], "s", 1, PENALTY)
    assert [bound for *_, bound in evaluator.asked] == [CUTOFF / 16] * 4
    evaluator.asked.clear()
    raced_score(evaluator, [theta(3)], "s", 1, PENALTY)
    assert [bound for *_, bound in evaluator.asked] == [PENALTY]


def test_runs_of_full_length_are_made_once() -> None:
    """By a metric of quality at the cut-off there are no small caps."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    evaluator.metric = Panc(CUTOFF)  # type: ignore[assignment]
    raced_score(evaluator, [theta(0), theta(1)], "s", 1, 2000.0)
    assert len(evaluator.asked) == 2


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.floats(0.1, 20.0), min_size=2, max_size=5))
def test_any_member_can_be_taken_out_exactly(scores: list[float]) -> None:
    """Capped by the second best so far, the scores give f(s, Θ less one member) for every member."""
    evaluator = FakeEvaluator(lambda number, instance, seed: scores[number])
    panel = member_scores(evaluator, [theta(number) for number in range(len(scores))], "s", 1)
    for out in range(len(scores)):
        others = [capped(score) for number, score in enumerate(scores) if number != out]
        assert panel.without(out, PENALTY) == min(others)


@dataclass(frozen=True)
class Drawn:
    """A validation of members and candidates whose scores are drawn: some are above the cut-off."""

    task: Task
    evaluator: FakeEvaluator
    members: Members
    candidates: list[Replacement]
    true: Scores
    """What all would score if nobody was stopped: members, then newcomers, by the number of the instance."""
    validated: Validated

    @classmethod
    def of(cls, size: int, count: int, seed: int) -> Drawn:
        rng = np.random.default_rng(seed)
        table = rng.uniform(0.1, 20.0, size=(size + count, 6))
        evaluator = FakeEvaluator(lambda number, instance, _: float(table[number, instance.size - 100]))
        task = task_of(evaluator, size=size, instances=instances_of(6))
        members = tuple(theta(number) for number in range(size))
        candidates = [Replacement(int(rng.integers(size)), theta(size + number)) for number in range(count)]
        validated = validate(task, members, candidates, task.instances, 1, 2, Account(1e6))
        return cls(task, evaluator, members, candidates, np.where(table <= CUTOFF, table, PENALTY), validated)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10**6))
def test_candidates_are_scored_as_if_all_had_run(size: int, count: int, seed: int) -> None:
    """f(s, Θ) and every f(s, Θ') equal the minima over uncapped scores."""
    drawn = Drawn.of(size, count, seed)
    validated, candidates = drawn.validated, drawn.candidates
    for row, instance in enumerate(validated.instances):
        column = drawn.true[:, instance.size - 100]
        assert validated.incumbent[row] == column[:size].min()
        for index, candidate in enumerate(candidates):
            rest = np.delete(column[:size], candidate.slot)
            assert validated.candidates[row, index] == min([*rest, column[size + index]])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10**6))
def test_completed_scores_tell_what_would_be_lost_without_each_member(size: int, count: int, seed: int) -> None:
    """Of every candidate, as if all had run; nobody runs again who is known, or known not to be one of the best two."""
    drawn = Drawn.of(size, count, seed)
    validated, members, candidates = drawn.validated, drawn.members, drawn.candidates
    true = drawn.true.T[[each.size - 100 for each in validated.instances]]
    for index, candidate in enumerate(candidates):
        drawn.evaluator.asked.clear()
        rows = [(row, row.candidates[index]) for row in validated.rows]
        scores = completed(drawn.task, candidate.applied_to(members), rows, 2, Account(1e6))
        columns = [size + index if slot == candidate.slot else slot for slot in range(size)]
        assert contributions(scores) == pytest.approx(contributions(true[:, columns]))
        again = {(number, instance.id) for number, instance, *_ in drawn.evaluator.asked}
        for row, panel in rows:
            stopped = [panel.scores[slot] > panel.at_least[slot] for slot in range(size)]
            assert all(stopped[columns.index(number)] for number, each in again if each == row.instance.id)


def test_as_many_rows_are_completed_as_the_account_covers() -> None:
    """One at least."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0 + number)
    task, members = task_of(evaluator, instances=instances_of(9)), (theta(0), theta(1))
    validated = validate(task, members, [Replacement(0, theta(5))], task.instances, 1, 9, Account(1e6))
    rows = [(row, row.candidates[0]) for row in validated.rows]
    for granted, expected in ((0.0, 1), (2 * CUTOFF + 1.0, 2), (1e6, 9)):
        account = Account(granted)
        assert len(completed(task, (theta(5), theta(1)), rows, 1, account)) == expected
        assert account.charged <= max(granted, 2 * CUTOFF)


def test_seeds_are_fresh_in_every_round_and_common_to_all() -> None:
    """One seed per instance and round for old and new portfolios, another one in the next round."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    task = task_of(evaluator)
    used = []
    for round_ in (1, 2):
        evaluator.asked.clear()
        validate(task, (theta(0), theta(1)), [Replacement(0, theta(2))], task.instances, round_, 10, Account(1e6))
        used.append({(instance.id, seed) for _, instance, seed, _ in evaluator.asked})
    assert [len(each) for each in used] == [3, 3]
    assert not used[0] & used[1]


def test_when_money_ends_all_are_compared_on_what_all_have_finished() -> None:
    """Validation ends when one more instance, and the completion of one, could overdraw; the instances taken are a
    fixed random choice."""
    instances = instances_of(20)
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    task = task_of(evaluator, instances=instances)
    account = Account(5 * CUTOFF + 8.0)
    first, again = (
        validate(task, (theta(0), theta(1)), [Replacement(0, theta(2))], instances, 1, 2, each)
        for each in (account, Account(account.granted))
    )
    assert len(first.instances) == 3
    assert first.instances == again.instances
    assert [each.name for each in first.instances] != ["i0", "i1", "i2", "i3"]
    assert account.charged == pytest.approx(9.0)


def test_one_instance_is_compared_on_whatever_there_is() -> None:
    """An account that does not cover it buys one all the same: there must be something to choose by."""
    task = task_of(FakeEvaluator(lambda number, instance, seed: 1.0), instances=instances_of(20))
    validated = validate(task, (theta(0), theta(1)), [Replacement(0, theta(2))], task.instances, 1, 10, Account(0.0))
    assert len(validated.instances) == 1


def test_every_pass_has_seeds_of_its_own() -> None:
    """Instances are taken as often as asked for, in the same order, each time with other seeds."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    task, pair = task_of(evaluator), (theta(0), theta(1))
    validated = validate(task, pair, [Replacement(0, theta(2))], task.instances, 1, 2, Account(1e6), passes=3)
    assert validated.instances == validated.instances[:3] * 3
    assert len({(instance.id, seed) for _, instance, seed, _ in evaluator.asked}) == 9


def test_the_last_validation_goes_on_until_the_money_ends() -> None:
    """There is no end to the passes but that one more row would be too dear at worst."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0)
    task = task_of(evaluator)
    account = Account(5 * CUTOFF + 20.0)
    members, candidates = (theta(0), theta(1)), [Replacement(0, theta(2))]
    validated = validate(task, members, candidates, task.instances, 1, 2, account, passes=inf)
    rows = len(validated.instances)
    assert rows > len(task.instances)
    assert account.granted - 5 * CUTOFF < account.charged <= account.granted
    assert len({(instance.id, seed) for _, instance, seed, _ in evaluator.asked}) == rows
    assert validated.candidates.shape == (rows, 1)


def test_contribution_is_what_would_be_lost() -> None:
    """The rise of the mean without each member."""
    scores = np.array([[1.0, 5.0], [9.0, 2.0]])
    assert contributions(scores).tolist() == [(5 + 2) / 2 - 1.5, (1 + 9) / 2 - 1.5]
