"""Builds from several solvers: real ones at a tiny scale, and interrupted ones on outcomes that are pure functions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ceps import building
from ceps.evaluation.session import Plan, run_plan
from ceps.execution.local import LocalExecutor
from ceps.metrics import Par10
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.records import Configuration, RunKey
from ceps.rehearsal import assemble
from ceps.settings import Scenario
from ceps.solve import race
from ceps.solvers import SOLVERS
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration
from ceps.solvers.space import JointSpace
from ceps.store import Store
from ceps.tables import read_table
from ceps.testing.pure_executor import PureExecutor
from tests.construction.pure_build import Silent
from tests.solvers.two_opt import TwoOpt

pytest.importorskip("LKHpy")


@pytest.fixture(autouse=True)
def two_opt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scenarios and portfolios may name 2-opt."""
    monkeypatch.setitem(SOLVERS, "two-opt", TwoOpt)


def scenario(cutoff: float, cpu: float, solvers: tuple[str, ...] = ("lkh", "two-opt")) -> Scenario:
    """Small, and with a larger share for the first portfolio, which otherwise decides how small a budget can be."""
    shares = {"initialisation": 30.0, "configuration": 30.0}
    options = {"iterations": 2, "sessions": 2, "candidates": 6, "batch": 3, "shares": shares}
    tables = {
        "seed": 3,
        "problem": {"name": "tsp", "generate": {"generator": "uniform", "size": 11, "count": 2}},
        "portfolio": {"size": 2, "solvers": list(solvers)},
        "metric": {"cutoff": cutoff},
        "method": {"options": options},
        "budget": {"cpu": cpu},
    }
    return read_table(Scenario, tables, "several")


def outcome(out: Path, built: building.Built) -> tuple[Any, ...]:
    """All that a build decided."""
    content = json.loads((out / "portfolio.json").read_text())
    del content["provenance"]["created"]
    with Store.read_only(out) as store:
        journal = sorted(map(str, store.journal()))
    return content, journal, built.cpu_charged, built.initial_score, built.final_score


def executed(out: Path) -> list[RunKey]:
    """The keys of all runs that a build has made, in all its sittings."""
    with Store.read_only(out) as store:
        return [run.key for run in store.runs()]


def test_a_portfolio_is_built_from_two_real_solvers(tmp_path: Path) -> None:
    """Both solvers are run, the portfolio is usable, and built again it is the same without a run."""
    with LocalExecutor(workers=2) as executor:
        settings = scenario(cutoff=0.05, cpu=4.0)
        built = building.build(settings, tmp_path, "several", executor, tmp_path / "run", Silent())
        made = outcome(tmp_path / "run", built)
        again = building.build(settings, tmp_path, "several", executor, tmp_path / "run", Silent())
        assert outcome(tmp_path / "run", again) == made
        assert 0 < again.runs == built.runs
    with closing(sqlite3.connect(tmp_path / "run" / "ceps.sqlite")) as connection:
        run = {solver for (solver,) in connection.execute("SELECT solver FROM configurations")}
    assert {"lkh", "two-opt"} <= run
    portfolio = Portfolio.load(tmp_path / "run" / "portfolio.json")
    assert portfolio.provenance["solvers"].keys() == {"lkh", "two-opt"}
    assert portfolio.members == built.portfolio.members


def test_an_interrupted_build_is_the_build_never_interrupted(tmp_path: Path) -> None:
    """Stopped midway and started anew: the same portfolio, decisions and charges, from runs of the same keys.

    How many there are of a key depends on who of two sessions asks first: a short cap, then a long one, takes two.
    """
    settings = scenario(cutoff=1.0, cpu=60.0)

    class Stopped(Exception):  # noqa: N818
        pass

    def build(out: str, most_runs: float) -> building.Built:
        def count() -> None:
            if executor.runs > most_runs:
                raise Stopped

        executor = PureExecutor(scale=1.0, on_run=count)
        return building.build(settings, tmp_path, "several", executor, tmp_path / out, Silent())

    whole = build("whole", float("inf"))
    with pytest.raises(Stopped):
        build("stopped", whole.runs // 3)
    built = build("stopped", float("inf"))
    assert built.resumed
    assert not whole.resumed
    assert len(executed(tmp_path / "stopped")) == built.runs
    assert len(executed(tmp_path / "whole")) == whole.runs
    assert set(executed(tmp_path / "stopped")) == set(executed(tmp_path / "whole"))
    assert outcome(tmp_path / "stopped", built) == outcome(tmp_path / "whole", whole)


def test_members_of_different_solvers_work_side_by_side(tmp_path: Path) -> None:
    """A mixed portfolio is saved, loaded, described, raced and evaluated."""
    two_opt = Configuration.of("two-opt", {"start": "random", "kick": "swap", "kicks": 5})
    members = (default_configuration(Lkh()), two_opt)
    Portfolio("tsp", members, MetricChoice("par10", 1.0)).save(tmp_path / "mixed.json")
    portfolio = Portfolio.load(tmp_path / "mixed.json")
    assert portfolio.members == members
    _, first, second = portfolio.describe().splitlines()
    assert first.strip() == "1. lkh: default configuration"
    assert second.strip() == "2. two-opt: kicks=5"
    instance = Tsp().generate("uniform", 9, 1)
    answer = race(portfolio, instance, time=0.5)
    costs = [result.cost for result in answer.outcomes]
    assert costs == [answer.cost, answer.cost]
    plan = Plan(portfolio, [instance], Par10(1.0), 1, 1, 2**30, {instance.name: answer.cost})
    with LocalExecutor(workers=2) as executor:
        assert run_plan(plan, executor, None).report.timeouts == 0


def test_the_solvers_and_their_order_are_part_of_a_builds_identity(tmp_path: Path) -> None:
    """A run directory belongs to its solvers: more of them, or in another order, are another build."""

    def identity(*solvers: str) -> dict[str, Any]:
        settings = scenario(1.0, 100.0, solvers)
        return building.identity(settings, assemble(settings, tmp_path, "several"))

    both, turned, alone = identity("lkh", "two-opt"), identity("two-opt", "lkh"), identity("lkh")
    assert both["solvers"] == {"lkh": Lkh().version, "two-opt": "1"}
    assert both != turned
    assert both != alone


def test_a_sample_has_the_defaults_of_all_solvers_first() -> None:
    """What a build tests first is the default of every solver, in their order; then any of them, at random."""
    solvers = [TwoOpt(), Lkh()]
    drawn = JointSpace(tuple(solvers)).sample(20, seed=1)
    assert drawn[:2] == [default_configuration(solver) for solver in solvers]
    assert {configuration.solver for configuration in drawn[2:]} == {"lkh", "two-opt"}
    assert JointSpace(tuple(solvers)).sample(7, seed=1) == drawn[:7]
