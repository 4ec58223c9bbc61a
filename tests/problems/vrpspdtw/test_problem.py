"""The VRPSPDTW as a Problem."""

from __future__ import annotations

import math
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ceps.errors import UserError
from ceps.problems import problem_named, problem_of_file
from ceps.problems.collect import read_instances
from ceps.problems.problem import Problem
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.tables import read_table
from tests.problems.vrpspdtw.strategies import instances, small

DATA = os.environ.get("CEPS_DATA")


def test_the_problem_is_a_small_value() -> None:
    """It pickles, compares, and has a name and suffixes."""
    problem: Problem = Vrpspdtw(demands="shift")
    assert pickle.loads(pickle.dumps(problem)) == problem != Vrpspdtw()
    assert (problem.name, problem.suffixes) == ("vrpspdtw", (".vrpspdtw", ".txt"))


def test_a_day_in_the_life_of_an_instance(tmp_path: Path) -> None:
    """Write, read, mutate, generate, check, and solutions through files, by the contract's methods alone."""
    problem: Problem = Vrpspdtw()
    problem.write(small(), tmp_path / "small.vrpspdtw")
    instance = problem.read(tmp_path / "small.vrpspdtw")
    assert (instance, instance.name) == (small(), "small")
    assert problem.decode(problem.encode(instance), "x") == instance
    assert problem.mutate(instance, np.random.default_rng(1)) != instance
    assert problem.generate("city", 20, 1).n == 20
    assert problem.generate("city", 20, 1, {"city_customers": 30}).n == 20
    cost = problem.check(instance, [[7, 8], [9]])
    assert cost == pytest.approx(200 + 5 + math.sqrt(45) + 10 + 12)
    problem.write_solution(instance, [[7, 8], [9]], cost, tmp_path / "small.sol")
    assert problem.read_solution(instance, tmp_path / "small.sol") == [[7, 8], [9]]
    assert len(problem.features(instance)) >= 20


def test_files_are_found_by_their_endings(tmp_path: Path) -> None:
    """A folder's instances are those of both endings, solutions and tables beside them are none; the CLI finds us."""
    problem = problem_named("vrpspdtw")
    problem.write(small(), tmp_path / "a.vrpspdtw")
    problem.write(problem.generate("solomon", 10, 1), tmp_path / "b.txt")
    (tmp_path / "a.sol").write_text("Route #1: 7 8\n")
    (tmp_path / "best.csv").write_text("instance,cost\n")
    found = read_instances(problem, ["."], tmp_path, "--train")
    assert [instance.name for instance in found] == ["a", "b"]
    assert all(problem_of_file(tmp_path / name) == problem for name in ("a.vrpspdtw", "b.txt", "B.TXT"))
    assert set(problem.generators) == {"city", "solomon"}


def test_costs_that_files_do_not_have_are_settings() -> None:
    """The same text gives instances of other costs under other settings."""
    text = Vrpspdtw().encode(small(dispatching_cost=2000.0, states_dispatching_cost=False))
    assert "DispatchingCost" not in text
    assert Vrpspdtw().decode(text, "x").dispatching_cost == 2000.0
    other = Vrpspdtw(dispatching_cost=5.0, unit_cost=3.0).decode(text, "x")
    assert (other.dispatching_cost, other.unit_cost) == (5.0, 3.0)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"demands": "redrew"}, "demands must be one of redraw, shift, not 'redrew'"),
        ({"service": ""}, "service must be one of by-demand, keep"),
        ({"dispatching_cost": -1.0}, "dispatching_cost must be from 0"),
        ({"unit_cost": 1e10}, "unit_cost must be from 0"),
        ({"vehicles": 3}, "unknown key 'vehicles'"),
    ],
)
def test_wrong_settings_are_told(table: dict[str, Any], message: str) -> None:
    """Settings come from a table of a scenario, and mistakes in them are the user's to mend."""
    with pytest.raises(UserError, match=message):
        read_table(Vrpspdtw, table, "scenario.toml [problem]")
    assert read_table(Vrpspdtw, {"demands": "shift"}, "scenario.toml [problem]") == Vrpspdtw(demands="shift")


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=50)
def test_the_scale_is_the_mean_distance(instance: VrpspdtwInstance) -> None:
    """The mean over all pairs of customers, one by one; 1 when there is none, or none above 0."""
    places = instance.coordinates[1:].tolist()
    gaps = [math.dist(a, b) for i, a in enumerate(places) for b in places[:i]]
    expected = sum(gaps) / len(gaps) if sum(gaps) > 0 else 1.0
    assert Vrpspdtw().scale(instance) == pytest.approx(expected)


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_the_scales_of_real_days() -> None:
    """Mean distances of the real days are between 74.6 and 83.9."""
    for path in sorted((Path(str(DATA)) / "vrpspdtw" / "jd").glob("*.txt")):
        assert 74.6 < Vrpspdtw().scale(Vrpspdtw().read(path)) < 83.9
