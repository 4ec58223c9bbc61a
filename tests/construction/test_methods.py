"""All methods keep the contract of methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ceps import building, planning
from ceps.construction import ceps, clustering, eps, global_, parhydra, pcit, single
from ceps.construction.methods import METHODS, method_named
from ceps.errors import UserError
from ceps.metrics import Par10
from ceps.portfolio import Portfolio
from ceps.problems import problem_named
from ceps.rehearsal import Cast
from ceps.settings import Scenario
from ceps.tables import read_table
from ceps.testing.methods import MethodContract
from ceps.testing.pure_executor import PureExecutor
from ceps.texts import built_text
from tests import described
from tests.construction.pure_build import Silent

BRIEF = {"sessions": 2, "batch": 2}
SMALL = {"iterations": 2, **BRIEF, "candidates": 6, "shares": {"initialisation": 30.0}}

TestCeps = MethodContract.of(method=ceps, options=SMALL)
TestGlobal = MethodContract.of(method=global_, options=BRIEF, spare=1.1)
TestParhydra = MethodContract.of(method=parhydra, options=BRIEF)
TestClustering = MethodContract.of(method=clustering, options=BRIEF)
TestEps = MethodContract.of(method=eps, options={**SMALL, "new_instances": 3})
TestPcit = MethodContract.of(method=pcit, options={**BRIEF, "phases": 3})
TestSingle = MethodContract.of(method=single, options=BRIEF, members=1)


def test_methods_are_found_by_name() -> None:
    """Every method has a name, and a name that is none is refused with the nearest one."""
    assert all(method_named(name) is METHODS[name] for name in METHODS)
    with pytest.raises(UserError, match=r"\[method\] name = 'singel' is unknown. Did you mean 'single'\?"):
        method_named("singel")


SCENARIO = {
    "seed": 3,
    "problem": {"name": "tsp", "generate": {"generator": "uniform", "size": 12, "count": 4}},
    "portfolio": {"size": 2, "solvers": ["eax"]},
    "metric": {"cutoff": 1.0},
}


def scenario(name: str, cpu: float) -> Scenario:
    options: dict[str, Any] = {"sessions": 2, "in_flight": 1}
    if name in ("ceps", "eps"):
        options |= {"iterations": 2, "candidates": 6, "shares": {"initialisation": 30.0}}
    if name == "eps":
        options["new_instances"] = 2
    return read_table(Scenario, {**SCENARIO, "method": {"name": name, "options": options}, "budget": {"cpu": cpu}}, "s")


@pytest.mark.parametrize("name", METHODS)
def test_a_scenario_builds_by_any_method(name: str, tmp_path: Path) -> None:
    """From scenario to portfolio file and summary; again on the same directory, without a run."""
    executor, settings = PureExecutor(scale=0.3), scenario(name, 90.0)
    built = building.build(settings, tmp_path, "s.toml", executor, tmp_path / "run", Silent())
    portfolio = Portfolio.load(tmp_path / "run" / "portfolio.json")
    assert portfolio.members == built.portfolio.members
    assert len(portfolio) == (1 if name == "single" else 2)
    assert portfolio.provenance["method"] == name
    assert (built.initial_score is not None) == (tmp_path / "run" / "portfolio.initial.json").exists()
    assert 50.0 < built.cpu_charged <= 90.0
    assert f"{built.final_score:.4g} at the end" in built_text(built)
    again = building.build(settings, tmp_path, "s.toml", executor, tmp_path / "run", Silent())
    assert (again.runs, executor.runs) == (built.runs, built.runs)
    assert (again.portfolio.members, again.cpu_charged) == (built.portfolio.members, built.cpu_charged)
    assert (again.merged, again.offspring) == (built.merged, built.offspring)


@pytest.mark.parametrize("name", METHODS)
def test_budgets_too_small_are_refused_before_any_run(name: str, tmp_path: Path) -> None:
    """With the method's name and the smallest budget that would work, which the contract tries out."""
    executor = PureExecutor(scale=0.3)
    with pytest.raises(UserError, match=f"s.toml: .* too little for method '{name}'.* give at least [0-9]+ s"):
        building.build(scenario(name, 5.0), tmp_path, "s.toml", executor, tmp_path / "run", Silent())
    assert executor.runs == 0
    assert not (tmp_path / "run").exists()


def test_only_methods_that_breed_instances_are_limited_by_problems_without_mutation(tmp_path: Path) -> None:
    """A problem that cannot be mutated is told to who builds with CEPS; the others lose nothing."""
    described.problem(tmp_path, described.PROBLEM.replace("mutate = ", "# mutate = "))
    problem = problem_named("zeros", {"file": "zeros.toml"}, tmp_path)
    warned = {name for name in METHODS if planning.limitations(name, Cast(problem, [], [], Par10(1.0)))}
    assert warned == {"ceps"}
