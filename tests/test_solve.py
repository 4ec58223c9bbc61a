"""Races: LKH for real, on small instances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ceps
from ceps.errors import UserError
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp, TspInstance
from ceps.records import Configuration, Ending, Incumbent
from ceps.solve import race
from ceps.solvers.eax import Eax
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration
from tests import described

pytest.importorskip("LKHpy")

INSTANCE = Tsp().generate("portgen", 60, 1)


def lkh(**parameters: int | str) -> Configuration:
    return Configuration.of("lkh", {**default_configuration(Lkh()).as_dict(), **parameters})


def portfolio_of(*members: Configuration) -> Portfolio:
    return Portfolio("tsp", members, MetricChoice("par10", 10.0))


def best_known() -> float:
    cost = race(portfolio_of(lkh()), INSTANCE, time=1.0).cost
    assert cost is not None
    return cost


def test_the_best_verified_answer_of_all_components_counts() -> None:
    """Every component's outcome is there, and the answer is the best of them, checked."""
    answer = race(portfolio_of(lkh(), lkh(MOVE_TYPE=2, POPULATION_SIZE=2)), INSTANCE, time=0.6)
    costs = [outcome.cost for outcome in answer.outcomes]
    assert answer.cost == min(cost for cost in costs if cost is not None)
    assert Tsp().check(INSTANCE, answer.solution) == answer.cost
    assert answer.outcomes[answer.component - 1].cost == answer.cost
    assert answer.status is Ending.TIMEOUT


def test_reaching_the_target_ends_the_race() -> None:
    """With the target reached by one, the others are stopped long before the time is over."""
    answer = race(portfolio_of(lkh(), lkh(), lkh()), INSTANCE, time=600.0, target=best_known())
    assert answer.status is Ending.SOLVED
    assert answer.wall < 300.0


WAITS_FOR_ZEROS = """
name = "zeros"
suffixes = [".zeros"]
check = ["sh", "-c", 'grep -q 0 "$1" && exec sleep 1000; echo 0', "sh", "{{solution}}"]
time = "0.1s"
"""
FILLS = """
import sys
ones = int(sys.argv[-1].split("=")[-1])
print("cost", 5 - ones)
print("bits", ("1" * ones).ljust(5, "0"))
"""


def test_an_answer_outlives_a_check_that_could_not_be_made(tmp_path: Path) -> None:
    """A component whose solution could not be checked has failed, and the others' answers count; without any, why is
    told."""
    described.problem(tmp_path, WAITS_FOR_ZEROS)
    described.solver(tmp_path, FILLS)
    files = {"problem_settings": {"file": str(tmp_path / "zeros.toml")}}
    solvers = {"filler": {"file": str(tmp_path / "filler.toml")}}

    def portfolio(*ones: int) -> Portfolio:
        members = tuple(Configuration.of("filler", {"ones": each}) for each in ones)
        return Portfolio("zeros", members, MetricChoice("panc", 10.0), solvers, **files)

    answer = race(portfolio(2, 5), described.instance(), time=20.0)
    assert (answer.component, answer.outcomes[0].ending) == (2, Ending.CRASHED)
    with pytest.raises(UserError, match="check failed"):
        race(portfolio(2, 2), described.instance(), time=20.0)


def test_more_components_than_cores_still_race() -> None:
    """Eight components on fewer cores all get their turn."""
    answer = race(portfolio_of(*[lkh()] * 8), INSTANCE, time=1.0)
    assert len(answer.outcomes) == 8
    assert answer.cost is not None


def test_incumbents_are_shown_by_component() -> None:
    """Improvements arrive with the number of the component that made them."""
    seen: list[tuple[int, Incumbent]] = []
    race(portfolio_of(lkh(), lkh()), INSTANCE, time=0.6, on_incumbent=lambda *made: seen.append(made))
    assert {component for component, _ in seen} == {1, 2}


@pytest.mark.parametrize(
    "points",
    [
        [[5, 5]],
        [[0, 0], [3, 4]],
        [[0, 0], [3, 4], [6, 0]],
        [[1, 1]] * 4,
        [[1, 1]] * 9,
        [[0, 0], [0, 0], [9, 9], [9, 9]],
    ],
    ids=["one", "two", "three", "four equal", "nine equal", "two places"],
)
def test_the_smallest_instances_are_solved(points: list[list[int]]) -> None:
    """One, two and three cities and duplicate points have their tours found."""
    instance = TspInstance("small", np.array(points))
    answer = race(portfolio_of(lkh(), default_configuration(Eax())), instance, time=1.0)
    assert answer.cost == Tsp().check(instance, answer.solution)
    distinct = np.unique(np.array(points), axis=0)
    if len(distinct) <= 2:
        assert answer.cost == (0 if len(distinct) == 1 else 2 * round(float(np.linalg.norm(distinct[0] - distinct[1]))))


def test_a_saved_portfolio_solves_from_python(tmp_path: Path) -> None:
    """Save, load, solve a file: the same few calls as in the README."""
    Tsp().write(INSTANCE, tmp_path / "city.tsp")
    portfolio_of(lkh()).save(tmp_path / "portfolio.json")
    answer = ceps.load(tmp_path / "portfolio.json").solve(tmp_path / "city.tsp", time=0.5)
    assert Tsp().check(INSTANCE, answer.solution) == answer.cost


def test_no_time_is_refused() -> None:
    """A race of no seconds is a mistake that is named."""
    with pytest.raises(UserError, match="--time 0"):
        race(portfolio_of(lkh()), INSTANCE, time=0.0)
