"""Member after member."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceps.construction.comparison import Compared
from ceps.construction.parhydra import build, runner_up
from tests.construction.fakes import FakeEvaluator, FakeJournal, FakeTuner, number_of, task_of, theta

SPECIALISTS = {1: (1.0, 9.0, 9.0), 2: (9.0, 2.0, 2.0), 3: (9.0, 9.0, 1.0), 4: (5.0, 5.0, 5.0)}


def specialists(number: int, instance: Any, seed: int) -> float:
    return SPECIALISTS.get(number, (9.0, 9.0, 9.0))[instance.size - 100]


def test_members_join_one_by_one_for_what_they_add() -> None:
    """The rest of every search is what was chosen before, and the most helpful candidate joins."""
    found = iter([1, 2, 4, 1, 3, 4])
    tuner, journal = FakeTuner(lambda search: theta(next(found))), FakeJournal()
    members = build(task_of(FakeEvaluator(specialists), tuner, journal, size=2, sessions=3))
    assert list(map(number_of, members)) == [2, 1]
    assert [list(map(number_of, search.rest)) for search in tuner.searches] == [[]] * 3 + [[2]] * 3
    assert [len(kept) for _, kept, _, _ in journal.kept] == [1, 2]
    assert len({search.seed for search in tuner.searches}) == 6


def test_the_next_searches_begin_with_the_best_of_those_not_chosen() -> None:
    """The default begins; later it is the candidate that would help the new portfolio most, not the second best."""
    found = iter([1, 2, 4, 1, 3, 4])
    tuner = FakeTuner(lambda search: theta(next(found)))
    build(task_of(FakeEvaluator(specialists), tuner, size=2, sessions=3))
    assert [list(map(number_of, search.starts)) for search in tuner.searches] == [[0]] * 3 + [[1]] * 3


def test_a_single_candidate_leaves_nobody_to_begin_with() -> None:
    """With one session for each member there is no runner-up, and the starting point stays."""
    assert runner_up(Compared(((theta(1),),), (np.ones((2, 1)),))) == ()
