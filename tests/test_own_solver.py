"""The tutorial of docs/own-solver.md: clasp becomes a portfolio, at a small size."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ceps.problems.problem_file import ProblemFile
from ceps.solvers.command_file import Output, SolverFile
from tests.docs.blocks import blocks_of

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "sat"
GUARD = 300
"""Wall-clock seconds after which a command that does not end fails its test."""
SMALL = {
    "size = 200, count = 6": "size = 150, count = 2",
    "size = 4": "size = 2",
    "cutoff = 2.0": "cutoff = 0.2",
    'cpu = "15min"': 'cpu = "15s"',
    "[metric]": "[method]\niterations = 2\nsessions = 2\nbatch = 2\n\n[metric]",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, made small, in a folder of its own."""
    if shutil.which("clasp") is None:
        reason = "there is no clasp on the PATH: apt install clasp"
        if os.environ.get("CEPS_REQUIRE_CLASP"):
            pytest.fail(reason)
        pytest.skip(reason)
    made = tmp_path_factory.mktemp("own") / "sat"
    shutil.copytree(EXAMPLE, made)
    scenario = (made / "scenario.toml").read_text()
    for old, new in SMALL.items():
        assert old in scenario
        scenario = scenario.replace(old, new, 1)
    (made / "scenario.toml").write_text(scenario)
    return made


@pytest.fixture(scope="module")
def portfolio(folder: Path) -> Path:
    """A portfolio that was built."""
    result = ceps(folder.parent, "build", "sat/scenario.toml", "--out", "run", "--workers", 2)
    assert result.returncode == 0, result.stderr
    return folder.parent / "run" / "portfolio.json"


def ceps(where: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from ceps.cli import main; main()", *map(str, arguments)]
    result = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=GUARD, check=False)
    assert "Traceback" not in result.stderr
    return result


def formula(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_check_shows_what_is_run_and_read(folder: Path) -> None:
    """The exact command line, the limits, what clasp printed and what was read of it are all there."""
    result = ceps(folder, "check", "scenario.toml")
    assert result.returncode == 0, result.stderr
    assert re.search(
        r"\$ clasp --outf=1 --seed=\d+ --time-limit=1 .* --heuristic=Vsids .* instance\.cnf", result.stdout
    )
    assert "memory 2048 MiB" in result.stdout
    assert re.search(r"s (UN)?SATISFIABLE", result.stdout)
    assert re.search(r"read: (solved|unsatisfiable), ", result.stdout)
    assert re.search(r"SOLVED, cost [01], CPU", result.stdout)
    assert re.search(r"mutate\nCall\n  \$ python3 \S+ mutate /\S+/instance.cnf /\S+/out.cnf 1\n", result.stdout)


def test_a_portfolio_is_built_and_solves(portfolio: Path, folder: Path) -> None:
    """Two configurations of clasp come out, instances were bred on the way, and a new formula is solved by them."""
    built = json.loads(portfolio.read_text())
    assert [member["solver"] for member in built["members"]] == ["clasp", "clasp"]
    assert built["solvers"] == {"clasp": {"file": str(folder / "clasp.toml")}}
    satisfiable = formula(folder, "yes.cnf", "p cnf 3 2\n1 -2 0\n2 3 0\n")
    result = ceps(folder.parent, "solve", satisfiable, "--portfolio", portfolio, "--trust", "--out", "model.txt")
    assert result.returncode == 0, result.stderr
    assert "there is a solution, verified" in result.stdout
    literals = {int(word) for word in (folder.parent / "model.txt").read_text().split()}
    assert literals & {1, -2}
    assert literals & {2, 3}


def test_a_portfolio_starts_no_program_of_its_own_without_trust(portfolio: Path, folder: Path) -> None:
    """The solver's command and that of the check are told, and nothing is run."""
    instance = formula(folder, "yes.cnf", "p cnf 1 1\n1 0\n")
    result = ceps(folder.parent, "solve", instance, "--portfolio", portfolio)
    assert result.returncode == 2
    told = " ".join(result.stderr.split())
    assert "starts programs: clasp --outf=1" in told
    assert "; python3 " in told
    assert "add --trust" in told


def test_a_formula_without_a_model(portfolio: Path, folder: Path) -> None:
    """That there is no model is an answer as well, on clasp's word."""
    unsatisfiable = formula(folder, "no.cnf", "p cnf 1 2\n1 0\n-1 0\n")
    result = ceps(folder.parent, "solve", unsatisfiable, "--portfolio", portfolio, "--trust")
    assert result.returncode == 0, result.stderr
    assert "there is no solution, by the word of the solver" in result.stdout


def test_evaluation_and_export(portfolio: Path, folder: Path) -> None:
    """A built portfolio can be scored, and its bred instances and command lines taken out."""
    formula(folder, "test.cnf", "p cnf 3 2\n1 -2 0\n2 3 0\n")
    arguments = ("--portfolio", portfolio, "--trust", "--repeats", 1, "--json")
    scored = ceps(folder.parent, "evaluate", folder / "test.cnf", *arguments)
    assert json.loads(scored.stdout)["timeouts"] == 0
    for what in ("csv", "instances", "configurations"):
        assert ceps(folder.parent, "export", "run", "--format", what).returncode == 0
    assert all(path.suffix == ".cnf" for path in (folder.parent / "run" / "export" / "instances").iterdir())


def test_files_can_be_moved_together(portfolio: Path, folder: Path, tmp_path: Path) -> None:
    """A portfolio finds its descriptions beside it, when they are no longer where they were."""
    moved = tmp_path / "moved"
    shutil.copytree(EXAMPLE, moved)
    content = portfolio.read_text().replace(str(folder), "/no/such/folder")
    (moved / "portfolio.json").write_text(content)
    instance = formula(moved, "yes.cnf", "p cnf 1 1\n1 0\n")
    assert ceps(tmp_path, "solve", instance, "--portfolio", moved / "portfolio.json", "--trust").returncode == 0


def test_without_a_mutation_the_user_is_told(folder: Path, tmp_path: Path) -> None:
    """A problem that nothing mutates is built without bred instances, and ``check`` and ``build`` say so and why."""
    shutil.copytree(folder, tmp_path / "sat")
    lines = (tmp_path / "sat" / "sat.toml").read_text().splitlines()
    (tmp_path / "sat" / "sat.toml").write_text("\n".join(line for line in lines if not line.startswith("mutate")))
    checked = ceps(tmp_path, "check", "sat/scenario.toml")
    built = ceps(tmp_path, "build", "sat/scenario.toml", "--out", "run", "--workers", 2)
    for result in (checked, built):
        assert result.returncode == 0, result.stderr
        assert "problem 'sat' has no mutate command: no instances can be bred" in result.stderr
    assert "generation" not in built.stderr.replace("what generation would", "")
    assert "0 instances bred" in built.stdout


def test_the_commands_of_the_tutorial(folder: Path, tmp_path: Path) -> None:
    """What docs/own-solver.md says to type works as it stands there, in its order."""
    shutil.copytree(folder, tmp_path / "examples" / "sat")
    lines = [
        line for block in blocks_of("docs/own-solver.md") if block.language == "sh" for line in block.text.splitlines()
    ]
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        if program == "ceps":
            done = ceps(tmp_path, *words)
        else:
            assert program == "python", line
            done = subprocess.run(
                [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, timeout=GUARD, check=False
            )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert len(lines) > 3


@pytest.mark.parametrize("kind", [SolverFile, Output, ProblemFile], ids=lambda kind: kind.__name__)
def test_the_tutorial_has_every_key(kind: type[Any]) -> None:
    """Whatever a description may say is explained in docs/own-solver.md, outside of the examples."""
    prose = re.sub(r"```.*?```", "", (ROOT / "docs" / "own-solver.md").read_text(), flags=re.DOTALL)
    explained = set(re.findall(r"`\[?(\w+)\]?(?: = [^`]*)?`", prose))
    assert {entry.name for entry in dataclasses.fields(kind)} - explained == set()


def test_the_tutorial_shows_the_example() -> None:
    """The files in docs/own-solver.md are those of the example, and a solver takes at most thirty lines."""
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "own-solver.md").read_text(), re.DOTALL)
    shown = [tomllib.loads(block) for block in blocks]
    for name in ("clasp.toml", "sat.toml", "scenario.toml"):
        text = (EXAMPLE / name).read_text()
        assert tomllib.loads(text) in shown
        assert len(text.splitlines()) <= 30
