"""Commands with programs of the user's: some do not do what they should, some cannot do all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ceps
from ceps.cli import app
from tests import described

SCENARIO = """
seed = 1
[problem]
name = "zeros"
train = ["*.zeros"]
settings = { file = "zeros.toml" }
[portfolio]
size = 2
solvers = ["filler"]
[solvers.filler]
file = "filler.toml"
[metric]
name = "panc"
cutoff = 0.2
[budget]
cpu = "60s"
"""
PORTFOLIO = {
    "format": 1,
    "problem": "zeros",
    "problem_settings": {"file": "zeros.toml"},
    "metric": {"name": "panc", "cutoff": 0.2},
    "members": [{"solver": "filler", "parameters": {}}],
    "solvers": {"filler": {"file": "filler.toml"}},
}
HONEST = "print('cost 0'); print('bits 11111')"
PATIENT = """
import sys, time
while time.process_time() < int(sys.argv[4].partition("=")[2]) / 10:
    pass
print("cost 0")
print("bits 11111")
"""
LIAR = "print('cost 0'); print('bits 00000')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "five.zeros").write_text("5")
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    described.problem(tmp_path)
    described.solver(tmp_path, HONEST)
    return tmp_path


def told(code: int, *words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_what_works_passes_the_check(folder: Path) -> None:
    """Nothing is wrong with these programs."""
    told(0, "check", "scenario.toml")


def test_a_liar_fails_the_check_and_builds_nothing(folder: Path) -> None:
    """A solver whose every claim is false has no valid solution, though a cost of its solutions is known."""
    described.solver(folder, LIAR)
    assert "a solver found no valid solution" in told(1, "check", "scenario.toml")
    assert "no run found a solution of any training instance" in told(2, "build", "scenario.toml", "--out", "run")


def test_a_broken_command_fails_the_check(folder: Path) -> None:
    """A mutation that fails is told at the end as well, where people look."""
    described.problem(folder, described.PROBLEM.replace('"mutate", ', '"broken", '))
    assert "a command of the problem failed" in told(1, "check", "scenario.toml")


def test_what_has_no_pictures_is_refused_before_the_race(folder: Path) -> None:
    """Without --draw the race is run and its answer written; with it, nothing is run."""
    (folder / "p.json").write_text(json.dumps(PORTFOLIO))
    race = ["solve", "five.zeros", "--portfolio", "p.json", "--trust", "--time", "60"]
    said = told(2, *race, "--draw", "a.svg", "--out", "refused.bits")
    assert said.endswith("ceps: --draw a.svg: instances and solutions of problem 'zeros' cannot be drawn")
    assert "component" not in said
    assert not (folder / "refused.bits").exists()
    assert "cost 0 by component 1" in told(0, *race, "--out", "five.bits")
    assert (folder / "five.bits").read_text() == "11111"


def test_of_equal_answers_the_first_one_wins_the_race(folder: Path) -> None:
    """The second member has the same cost as the first after less CPU time: the answer is its own."""
    described.solver(folder, PATIENT)
    members = [{"solver": "filler", "parameters": {"ones": tenths}} for tenths in (9, 0, 5)]
    (folder / "p.json").write_text(json.dumps(PORTFOLIO | {"members": members}))
    answer = ceps.load("p.json", trust=True).solve("five.zeros", time=600)
    assert [outcome.cost for outcome in answer.outcomes] == [0.0, 0.0, 0.0]
    assert answer.component == 2
