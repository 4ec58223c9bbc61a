"""Files from strangers: no program that they name is started without trust, and nothing is written where they say."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.exporting import Format, export
from ceps.solve import load
from ceps.store import Store
from ceps.store.seal import SEAL_NAME
from tests import described
from tests.security.stranger import CITY, PORTFOLIO, SCENARIO, TSP, stored
from tests.torture.mangled import bounded
from tests.torture.no_files import NO_FILES, Place

BINARY = json.dumps({**PORTFOLIO, "solvers": {"lkh": {"binary": "./evil"}}}).encode()


def test_a_program_that_a_portfolio_names_is_started_with_trust_only(tmp_path: Path) -> None:
    """A stranger's portfolio may come with a solver of its own: it is named, and runs when the user has said so."""
    TSP.write(CITY, tmp_path / "city.tsp")
    (tmp_path / "p.json").write_bytes(BINARY)
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/stolen\n")
    evil.chmod(0o755)

    def solve(*options: str) -> subprocess.CompletedProcess[str]:
        words = ["solve", "city.tsp", "--portfolio", "p.json", "--time", "1", *options]
        command = [Path(sys.executable).with_name("ceps"), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    refused = solve()
    assert refused.returncode == 2
    assert f"p.json starts programs: {evil}. If you know them" in refused.stderr.replace("\n", " ")
    assert not (tmp_path / "stolen").exists()
    solve("--trust")
    assert (tmp_path / "stolen").exists()


def test_what_would_be_started_is_told_whole(tmp_path: Path) -> None:
    """What programs are given, see, and where they run, for a harmless name may mean harm; and no name can make the
    terminal show something else."""
    described.problem(tmp_path, described.PROBLEM + 'environment = {{ BASH_ENV = "{{here}}/e" }}\n')
    (tmp_path / "p.json").write_text(json.dumps(described.PORTFOLIO))
    padding = f'environment = {{{{ A = "{"x " * 5000}", LD_PRELOAD = "{{{{here}}}}/e.so", Z = "{"x " * 5000}" }}}}\n'
    described.solver(tmp_path, "", padding + described.SOLVER)
    ceps = Path(sys.executable).with_name("ceps")
    (tmp_path / "five.zeros").write_text("5")
    padded = [ceps, "solve", "five.zeros", "--portfolio", "p.json"]
    refused = subprocess.run(padded, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f" LD_PRELOAD={tmp_path}/e.so " in refused.stderr

    more = 'inherit = ["HOME"]\nworking_directory = "."\nenvironment = {{ LD_PRELOAD = "{{here}}/e.so" }}\n'
    described.solver(tmp_path, "", more + described.SOLVER)
    line = f'cd {tmp_path} && HOME="$HOME" LD_PRELOAD={tmp_path}/e.so {sys.executable} {tmp_path}/filler.py'
    with pytest.raises(UserError) as told:
        load(tmp_path / "p.json")
    assert line in str(told.value)
    assert f"BASH_ENV={tmp_path}/e {sys.executable} {tmp_path}/zeros.py check" in str(told.value)

    steering = {**PORTFOLIO, "solvers": {"lkh": {"binary": "./evil\x1b[2K\x1b[1Aharmless"}}}
    (tmp_path / "steering.json").write_text(json.dumps(steering))
    TSP.write(CITY, tmp_path / "city.tsp")
    command = [ceps, "solve", "city.tsp", "--portfolio", "steering.json"]
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert r"evil\x1b[2K\x1b[1Aharmless" in refused.stderr
    assert "\x1b" not in refused.stderr


def test_loading_in_python_needs_trust_too(tmp_path: Path) -> None:
    """The same portfolio is refused by ``ceps.load``, with the way to have it."""
    (tmp_path / "p.json").write_bytes(BINARY)
    with pytest.raises(UserError, match="load it with trust=True"):
        load(tmp_path / "p.json")
    load(tmp_path / "p.json", trust=True)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """The run directory of a build of which nothing is known; what is around it must stay as it is."""
    folder = tmp_path / "deep" / "run"
    yield folder
    assert sorted(os.listdir(tmp_path)) == ["deep"]
    assert set(os.listdir(tmp_path / "deep")) <= {"run", "out"}
    assert not Path("/stolen.tsp").exists()


def test_instances_are_exported_into_the_folder(run: Path) -> None:
    """What the next test has spoilt, unspoilt."""
    stored(run, phase="1/CEPS: breeding")
    (file,) = export(run, Format.INSTANCES, run.parent / "out")
    assert file == run.parent / "out" / "split-1" / "CEPS" / "fine.tsp"
    assert TSP.read(file) == CITY


@pytest.mark.parametrize(
    "name", ["../stolen", "../../stolen", "/stolen", "a/../../../stolen", "x\0y", "new\nline", "a/b", "", ".", ".."]
)
def test_names_of_instances_do_not_lead_out(run: Path, name: str) -> None:
    """A stranger's instance is written into the folder, or not at all."""
    stored(run, name=name)
    try:
        files = export(run, Format.INSTANCES, run.parent / "out")
    except UserError:
        files = []
    assert all(file.resolve().is_relative_to(run.parent / "out") for file in files)


@pytest.mark.parametrize("phase", ["/../../..: x", "../../../..: x", "/x/../../..: x", "\0: x", "a\nb: x", ": x"])
def test_names_of_phases_do_not_lead_out(run: Path, phase: str) -> None:
    """The same for the folders that are named after what the journal says."""
    stored(run, phase=phase)
    try:
        files = export(run, Format.INSTANCES, run.parent / "out")
    except UserError:
        files = []
    assert all(file.resolve().is_relative_to(run.parent / "out") for file in files)


@pytest.mark.parametrize(
    "scenario",
    [
        {},
        {"problem": 3, "metric": []},
        {"problem": {"name": ["tsp"], "settings": {}}, "metric": SCENARIO["metric"]},
        {"problem": {"name": "tsp", "settings": 3}, "metric": SCENARIO["metric"]},
        {"problem": {"name": "tsp", "settings": {"name": "x"}}, "metric": SCENARIO["metric"]},
        {"problem": SCENARIO["problem"], "metric": {"cutoff": "x", "self": 3}},
    ],
)
@pytest.mark.parametrize("kind", [Format.CSV, Format.INSTANCES, Format.ASLIB])
def test_a_made_up_identity_is_told(run: Path, scenario: object, kind: Format) -> None:
    """A directory that says odd things of itself is refused, and is no traceback."""
    stored(run, scenario=scenario)
    with pytest.raises(UserError):
        export(run, kind, run.parent / "out")


@pytest.mark.parametrize("place", NO_FILES)
def test_an_identity_that_names_no_file_is_told(run: Path, place: Place) -> None:
    """A directory may name the description of its problem: what cannot be one is not waited for, nor read for ever."""
    run.mkdir(parents=True)
    problem = {"name": "sat", "settings": {"file": str(place(run / "sat.toml"))}}
    stored(run, scenario={**SCENARIO, "problem": problem})
    with bounded(), pytest.raises(UserError):
        export(run, Format.CSV, run.parent / "out")


@pytest.mark.parametrize("place", NO_FILES)
@pytest.mark.parametrize("key", ["problem_settings", "solvers"])
def test_a_portfolio_that_names_no_file_is_told(tmp_path: Path, key: str, place: Place) -> None:
    """The same for the descriptions that a portfolio names."""
    settings = {"file": str(place(tmp_path / "described.toml"))}
    named = (
        {"problem": "sat", "problem_settings": settings} if key == "problem_settings" else {"solvers": {"x": settings}}
    )
    (tmp_path / "p.json").write_text(json.dumps({**PORTFOLIO, **named}))
    with bounded(), pytest.raises(UserError):
        load(tmp_path / "p.json", trust=True)


def test_a_binary_of_a_long_name_is_told(tmp_path: Path) -> None:
    """A name that no file can have is one of no file."""
    portfolio = {**PORTFOLIO, "solvers": {"lkh": {"binary": "/" + "x" * 5_000}}}
    (tmp_path / "p.json").write_text(json.dumps(portfolio))
    with pytest.raises(UserError, match="there is no such file"):
        load(tmp_path / "p.json", trust=True).solve(CITY, 0.2)


@pytest.mark.parametrize("admitted", [3, "x", {"a": 1}, [3, None, ["x"], {"a": 1}], ["unknown"]])
def test_a_made_up_decision_exports_nothing(run: Path, admitted: object) -> None:
    """What is no list of instances of the store is passed over."""
    stored(run, admitted=admitted)
    assert export(run, Format.INSTANCES, run.parent / "out") == []


def test_the_content_of_an_instance_is_what_it_is_named_after(run: Path) -> None:
    """An instance whose content was changed is not passed off as the one that was trained on."""
    stored(run)
    with closing(sqlite3.connect(run / "ceps.sqlite")) as connection:
        other = TSP.encode(TSP.generate("uniform", 10, 2))
        connection.execute("UPDATE instances SET content = ?", (other,))
        connection.commit()
    (run / SEAL_NAME).unlink()
    for kind in (Format.CSV, Format.INSTANCES):
        with pytest.raises(UserError, match="the content of instance 'fine' is not what was stored"):
            export(run, kind, run.parent / "out")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        "CREATE VIEW evil AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT * FROM r",
    ],
    ids=["trigger", "view"],
)
def test_a_store_that_acts_by_itself_is_refused(run: Path, statement: str) -> None:
    """Triggers and views are programs too; ceps makes none."""
    stored(run)
    with closing(sqlite3.connect(run / "ceps.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()
    (run / SEAL_NAME).unlink()
    for opened in (Store.open, Store.read_only):
        with pytest.raises(UserError, match=r"ceps\.sqlite holds triggers or views"):
            opened(run)


def test_command_lines_are_quoted(run: Path) -> None:
    """A line that is pasted into a shell runs what it shows, whatever the files are called."""
    stored(run)
    (run / "portfolio $(touch stolen);'.json").write_text(json.dumps(PORTFOLIO))
    out = run.parent / "out"
    export(run, Format.CONFIGURATIONS, out)
    commands = (out / "commands.txt").read_text().splitlines()
    assert len(commands) == 2
    for command in commands:
        # On a line of its own: some commands end with a remark.
        said = subprocess.run(["sh", "-c", f'set -- {command}\nprintf "%s\\n" "$@"'], capture_output=True, check=True)
        assert b"portfolio $(touch stolen);'-1-lkh" in said.stdout
    assert not Path("stolen").exists()
