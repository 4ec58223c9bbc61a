"""``ceps generate``, ``ceps reference`` and ``ceps draw`` with a problem that is described in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ceps.cli import app
from tests import described
from tests.described import PORTFOLIO, told

FINDS_ONE = "print('cost 1'); print('bits 11110')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "five.zeros").write_text("5")
    (tmp_path / "p.json").write_text(json.dumps(PORTFOLIO))
    described.problem(tmp_path)
    described.solver(tmp_path, FINDS_ONE)
    return tmp_path


def test_instances_are_generated_as_described(folder: Path) -> None:
    """The description is named instead of the problem; its first generator is used when none is named."""
    assert told(0, "generate", "zeros.toml", "--list") == "plain"
    assert "2 instances in made" in told(0, "generate", "zeros.toml", "--size", "7", "--count", "2", "--out", "made")
    made = {path.name: path.read_text() for path in (folder / "made").iterdir()}
    assert made == {"plain-7-1.zeros": "7", "plain-7-2.zeros": "7"}


def test_without_a_generator_none_is_made(folder: Path) -> None:
    """A description without generators, and the name of a problem that is described, are told with the way out."""
    described.problem(folder, described.PROBLEM.partition("generate =")[0])
    assert "zeros.toml: has no generator; describe a program" in told(2, "generate", "zeros.toml")
    assert "problem 'zeros' is unknown." in (message := told(2, "generate", "zeros"))
    assert "ceps generate zeros.toml" in message


def test_references_of_a_described_problem(folder: Path) -> None:
    """A portfolio names problem and solver; that its programs are started is for the user to say."""
    asked = ["reference", "five.zeros", "--portfolio", "p.json", "--json", "--workers", "1"]
    assert "starts programs: " in told(2, *asked)
    (row,) = json.loads(CliRunner().invoke(app, [*asked, "--trust"]).stdout)
    assert (row["cost"], row["agreement"]) == (1.0, 1.0)


def test_references_that_nobody_can_find(folder: Path) -> None:
    """Files of an unknown ending, of another problem and of a decision problem are told with the way out."""
    assert "of a problem of your own, name its --portfolio" in told(2, "reference", "five.zeros")
    asked = ["reference", "--portfolio", "p.json", "--trust"]
    assert "is for problem 'zeros', with files ending in .zeros" in told(2, *asked, "p.json")
    described.problem(folder, described.PROBLEM.replace("check =", 'kind = "decision"\ncheck ='))
    assert "'zeros' is a decision problem" in told(2, *asked, "five.zeros")


def test_what_is_described_cannot_be_drawn(folder: Path) -> None:
    """It is told as such, and not as a file of an unknown kind alone."""
    message = told(2, "draw", "five.zeros", "--out", "a.svg")
    assert "no problem has files ending in '.zeros'" in message
    assert "what is described in a file of your own cannot be drawn" in message
