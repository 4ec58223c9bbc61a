"""A described solver before anything runs: its line for people, its version, and what it misses."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.records import Configuration
from tests import described
from tests.solvers.test_command import FILLS, TELLS


def test_a_variable_that_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told with the names of the description and of the variable, before anything runs."""
    monkeypatch.delenv("LICENCE", raising=False)
    solver = described.solver(tmp_path, TELLS, 'inherit = ["LICENCE"]\n' + described.SOLVER)
    with pytest.raises(UserError, match=r"filler\.toml: inherit: the variable LICENCE is not set on host"):
        solver.prepare()


def test_description_for_people(tmp_path: Path) -> None:
    """The command line is shown with names for what differs from run to run."""
    shown = described.solver(tmp_path, FILLS).describe({"ones": 3})
    assert shown == f"{sys.executable} {tmp_path / 'filler.py'} INSTANCE SEED CUTOFF --ones=3"


def test_is_a_value_that_keepers_can_get(tmp_path: Path) -> None:
    """Solvers that are described alike are equal, hashable and survive pickling."""
    solver = described.solver(tmp_path, FILLS)
    again = pickle.loads(pickle.dumps(solver))
    assert (again, hash(again), again.version) == (solver, hash(solver), solver.version)


def test_another_program_is_another_version(tmp_path: Path) -> None:
    """The version names the program's content: a script that was changed, or another binary, is another solver."""
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    one = described.solver(tmp_path / "one", FILLS)
    other = described.solver(tmp_path / "other", FILLS + "\n")
    assert one.version != other.version
    assert one.digest == other.digest


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    """A missing program is told with the description's name when it is to run, not when it is read."""
    text = described.SOLVER.replace('"{python}"', '"./missing"')
    solver = described.solver(tmp_path, FILLS, text)
    with pytest.raises(UserError, match=r"filler\.toml: command: there is no program .*missing; check the path"):
        solver.prepare()


def test_a_working_directory_that_is_not_there(tmp_path: Path) -> None:
    """It is told with the description's name before anything runs."""
    solver = described.solver(tmp_path, TELLS, 'working_directory = "data"\n' + described.SOLVER)
    with pytest.raises(UserError, match=r"filler\.toml: working_directory: there is no folder .*data"):
        solver.prepare()


def test_configurations_of_another_solver_are_written_as_they_are(tmp_path: Path) -> None:
    """Values are written in the order of their names, numbers as programs read them."""
    configuration = Configuration.of("filler", {"b": 2.0, "a": 0.25})
    assert described.solver(tmp_path, FILLS).describe(configuration.as_dict()).endswith("--a=0.25 --b=2")
