"""Lines 2-7 of Algorithm 1."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.construction import ceps, eps
from ceps.construction.budget import Account
from ceps.construction.initialisation import choose_greedily, initialise
from ceps.errors import UserError
from tests.construction.fakes import CUTOFF, FakeEvaluator, number_of, task_of


def test_members_complement_each_other() -> None:
    """The second member is the one that helps where the first is weak, not the second best alone."""
    scores = np.array([[1.0, 1.0, 9.0], [2.0, 2.0, 8.0], [9.0, 9.0, 1.0]])
    assert choose_greedily(scores, 2) == [0, 2]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 5), st.integers(1, 4), st.randoms(use_true_random=False))
def test_every_choice_is_the_best_next_one(candidates: int, instances: int, random: object) -> None:
    """Each member, given those before it, has the smallest mean of minima of all that are left."""
    scores = np.array([[random.random() for _ in range(instances)] for _ in range(candidates)])  # type: ignore[attr-defined]
    chosen = choose_greedily(scores, candidates)
    for step in range(candidates):
        before = [scores[index] for index in chosen[:step]]
        means = {
            other: np.min([*before, scores[other]], axis=0).mean()
            for other in range(candidates)
            if other not in chosen[:step]
        }
        assert means[chosen[step]] == min(means.values())


def test_the_sample_contains_the_default_and_is_as_large_as_the_account_allows() -> None:
    """Waves of K are tested while the account covers one at worst; the default is in the first."""
    evaluator = FakeEvaluator(lambda theta, instance, seed: 1.0 + theta)
    worst = 2 * 3 * CUTOFF
    account = Account(worst + 11.0)
    initial = initialise(task_of(evaluator), 100, account)
    tested = sorted({number for number, *_ in evaluator.asked})
    assert tested == [0, 1, 2, 3]
    assert account.charged == 12.0
    assert [number_of(member) for member in initial.members] == [0, 1]
    assert initial.score == 1.0


def test_all_candidates_run_on_the_same_seeds_without_a_cap() -> None:
    """Scores of candidates are comparable: one seed per instance, nobody stopped early."""
    evaluator = FakeEvaluator(lambda theta, instance, seed: 1.0)
    initialise(task_of(evaluator), 4, Account(1e6))
    for instance, asked in itertools.groupby(sorted(evaluator.asked, key=lambda a: a[1].id), key=lambda a: a[1]):
        made = list(asked)
        assert len({seed for _, _, seed, _ in made}) == 1, instance
        assert all(bound == np.inf for *_, bound in made)


@pytest.mark.parametrize(("method", "options"), [(ceps, {}), (eps, {"new_instances": 1})])
def test_fewer_candidates_than_members_are_refused(method: ModuleType, options: dict[str, Any]) -> None:
    """K above the size of the candidate sample is named with both settings, before anything is run."""
    outline = task_of(FakeEvaluator(lambda *_: 1.0), candidates=1).outline
    with pytest.raises(UserError, match=r"candidates = 1 is less than \[portfolio\] size = 2"):
        method.smallest_budget(replace(outline, options={**outline.options, **options}))
