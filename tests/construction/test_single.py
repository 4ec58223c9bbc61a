"""One configuration of one solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ceps.construction.single import build, smallest_budget
from ceps.errors import UserError
from ceps.records import Configuration
from tests.construction.fakes import FakeEvaluator, FakeTuner, number_of, task_of, theta

OTHER = Configuration.of("other", {"number": 0})


def better_when_smaller(number: int, instance: Any, seed: int) -> float:
    return 1.0 + number


def test_the_best_of_n_searches_is_the_portfolio() -> None:
    """Every session begins with the default and has a seed of its own; the best by validation is the only member."""
    tuner = FakeTuner(lambda search: theta(3 + len(tuner.searches) - tuner.searches.index(search)))
    members = build(task_of(FakeEvaluator(better_when_smaller), tuner, size=4, sessions=5))
    assert [number_of(member) for member in members] == [4]
    assert len({search.seed for search in tuner.searches}) == 5
    assert {(search.rest, search.starts, search.solver) for search in tuner.searches} == {((), (theta(0),), "bits")}


def test_the_named_solver_is_tuned() -> None:
    """Of several solvers, only the one the setting names is searched."""
    tuner = FakeTuner(lambda search: theta(1))
    task = task_of(FakeEvaluator(better_when_smaller), tuner, solver="bits", sessions=1)
    build(replace(task, defaults=[OTHER, theta(0)]))
    (search,) = tuner.searches
    assert (search.solver, search.starts) == ("bits", (theta(0),))


@pytest.mark.parametrize(
    ("solver", "said"),
    [(None, "solver is missing: say which of other, bits is tuned"), ("bit", "Did you mean 'bits'?")],
)
def test_a_solver_must_be_chosen_among_those_there_are(solver: str | None, said: str) -> None:
    """Before any run: which solver is meant, where there are several, and that it is one of them."""
    options = {} if solver is None else {"solver": solver}
    task = replace(task_of(FakeEvaluator(better_when_smaller), **options), defaults=[OTHER, theta(0)])
    with pytest.raises(UserError) as refused:
        smallest_budget(task.outline)
    assert said in str(refused.value)
