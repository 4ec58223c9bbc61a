"""Ready portfolios."""

from __future__ import annotations

from pathlib import Path

import pytest

import ceps
from ceps import box
from ceps.box import boxed_portfolio
from ceps.errors import UserError
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.solvers.eax import Eax
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration


def test_the_box_solves_the_tsp(tmp_path: Path) -> None:
    """Without naming a portfolio a file is solved, and the answer is checked."""
    instance = Tsp().generate("portgen", 60, 1)
    Tsp().write(instance, tmp_path / "city.tsp")
    answer = ceps.boxed("tsp").solve(tmp_path / "city.tsp", time=1.0)
    assert Tsp().check(instance, answer.solution) == answer.cost


def test_the_box_solves_the_vrpspdtw(tmp_path: Path) -> None:
    """The same for vehicle routing."""
    instance = Vrpspdtw().generate("city", 30, 1)
    Vrpspdtw().write(instance, tmp_path / "day.vrpspdtw")
    answer = ceps.boxed("vrpspdtw").solve(tmp_path / "day.vrpspdtw", time=1.0)
    assert Vrpspdtw().check(instance, answer.solution) == answer.cost


@pytest.mark.parametrize(("problem", "instances"), [("tsp", 10), ("vrpspdtw", 8)])
def test_the_boxed_portfolio_was_built_by_this_tool(problem: str, instances: int) -> None:
    """It has four members, and says how it was made: by CEPS, from generated instances."""
    portfolio = boxed_portfolio(problem)
    assert portfolio.provenance["method"] == "ceps"
    assert len(portfolio.provenance["instances"]) == instances
    assert len(portfolio) == 4


def test_members_whose_solver_is_missing_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that cannot run here is dropped with a message that says how to get its solver."""
    members = (default_configuration(Eax()), default_configuration(Lkh()))
    missing = {"lkh": {"binary": str(tmp_path / "LKH")}}
    Portfolio("tsp", members, MetricChoice("par10", 1.0), missing).save(tmp_path / "tsp.json")
    monkeypatch.setattr(box, "_FOLDER", tmp_path)
    told: list[str] = []
    assert boxed_portfolio("tsp", told.append).members == members[:1]
    assert len(told) == 1
    assert "1 of 2 members need lkh" in told[0]
    assert "pip install" in told[0]


def test_a_problem_without_a_portfolio_is_named() -> None:
    """Where the box has nothing the message says so."""
    with pytest.raises(UserError, match="'knapsack'"):
        boxed_portfolio("knapsack")
