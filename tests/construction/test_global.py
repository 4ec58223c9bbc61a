"""All members at once."""

from __future__ import annotations

from typing import Any

from ceps.construction.global_ import build
from tests.construction.fakes import FakeEvaluator, FakeTuner, number_of, task_of, theta


def better_when_smaller(number: int, instance: Any, seed: int) -> float:
    return 1.0 + number


def test_the_best_of_n_whole_portfolios_is_returned() -> None:
    """Every session searches K configurations together, and the best portfolio by validation is the result."""
    found = iter([(theta(5), theta(6)), (theta(7), theta(2)), (theta(4), theta(3))])
    tuner = FakeTuner(lambda search: next(found))
    members = build(task_of(FakeEvaluator(better_when_smaller), tuner, size=2, sessions=3))
    assert list(map(number_of, members)) == [7, 2]
    assert {(search.rest, search.width) for search in tuner.searches} == {((), 2)}
    assert len({search.seed for search in tuner.searches}) == 3


def test_every_session_starts_from_a_portfolio_of_its_own_with_the_default() -> None:
    """The default is in all of them; what stands beside it was drawn at random, once."""
    tuner = FakeTuner(lambda search: (theta(1), theta(2), theta(3)))
    build(task_of(FakeEvaluator(better_when_smaller), tuner, size=3, sessions=2))
    assert [list(map(number_of, search.starts)) for search in tuner.searches] == [[0, 1, 2], [0, 3, 4]]
