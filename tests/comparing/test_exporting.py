"""What is in a run directory, for other tools."""

from __future__ import annotations

import csv
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.exporting import Format, export
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.solvers.coga import CoGa
from ceps.solvers.eax import Eax
from ceps.solvers.lkh import Lkh
from ceps.solvers.pyvrp_ils import PyVrp
from ceps.solvers.solver import default_configuration
from ceps.store import Store
from tests.comparing.pure_contest import Whole


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_every_run_is_a_line_with_its_score(whole: Whole, tmp_path: Path) -> None:
    """Solved runs score their CPU time, timeouts ten times the cut-off; capped ones and references have no score."""
    export(whole[1], Format.CSV, tmp_path)
    runs = rows_of(tmp_path / "runs.csv")
    assert len(runs) == whole[2].runs
    for run in runs:
        expected = {"SOLVED": run["cpu"], "TIMEOUT": "10.0" if run["target"] else "", "CAPPED": ""}
        assert run["score"] == expected[run["ending"]]
    assert {run["for"] for run in runs} >= {"1/CEPS", "2/EPS", "test"}
    assert {run["configuration"] for run in runs} == {
        line["configuration"] for line in rows_of(tmp_path / "configurations.csv")
    }
    assert {run["instance"] for run in runs} == {line["instance"] for line in rows_of(tmp_path / "instances.csv")}


def test_bred_instances_are_files_of_their_build(whole: Whole, tmp_path: Path) -> None:
    """As many as every build has trained on, each readable and new."""
    files = export(whole[1], Format.INSTANCES, tmp_path)
    made = {(built.split, built.method): built.made_instances for built in whole[0].constructions}
    assert len(files) == sum(made.values())
    for (split, method), count in made.items():
        folder = tmp_path / f"split-{split}" / method
        assert len(list(folder.glob("*.tsp"))) == count
    given = {row.instance for row in whole[0].rows}
    assert not given & {Tsp().read(file).name for file in files}


@pytest.mark.parametrize(
    ("problem", "solvers", "native"),
    [
        ("tsp", (Eax(), Lkh()), "LKH portfolio-2-lkh.par "),
        ("vrpspdtw", (CoGa(), PyVrp()), "pyvrp INSTANCE --config_loc portfolio-2-pyvrp.toml --seed 1"),
    ],
    ids=["tsp", "vrpspdtw"],
)
def test_members_are_parameter_files_and_command_lines(
    tmp_path: Path, problem: str, solvers: tuple[Eax | Lkh | CoGa | PyVrp, ...], native: str
) -> None:
    """LKH's and PyVRP's own forms, and for every member a portfolio of its own that `ceps solve` takes."""
    run, out = tmp_path / "run", tmp_path / "out"
    with Store.open(run, {"purpose": "build", "scenario": {}}):
        pass
    members = tuple(default_configuration(solver) for solver in solvers)
    Portfolio(problem, members, MetricChoice("par10", 1.0)).save(run / "portfolio.json")
    export(run, Format.CONFIGURATIONS, out)
    commands = (out / "commands.txt").read_text().splitlines()
    assert "ceps solve INSTANCE --portfolio portfolio-1-" in commands[0]
    assert any(command.startswith(native) for command in commands)
    for number, member in enumerate(members, start=1):
        alone = Portfolio.load(out / f"portfolio-{number}-{member.solver}.json")
        assert alone.members == (member,)
    if problem == "tsp":
        lines = (out / "portfolio-2-lkh.par").read_text().splitlines()
        assert "POPULATION_SIZE = 50" in lines
    else:
        assert "operators" in tomllib.loads((out / "portfolio-2-pyvrp.toml").read_text())


def test_what_is_no_run_directory_is_told(tmp_path: Path) -> None:
    """Nothing there, nothing built yet, and a directory of something else: a message each, exit code 2, no folder."""
    with pytest.raises(UserError, match="not a run directory"):
        export(tmp_path / "none", Format.CSV, tmp_path / "out")
    with Store.open(tmp_path, {"purpose": "other"}):
        pass
    with pytest.raises(UserError, match="not the run directory of a build, a comparison or an evaluation"):
        export(tmp_path, Format.CSV, tmp_path / "out")
    done = subprocess.run(
        [Path(sys.executable).with_name("ceps"), "export", tmp_path, "--format", "configurations"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"ceps: {tmp_path}: there is no portfolio in it. A build has one" in " ".join(done.stderr.split())
    assert not any(path.is_dir() for path in tmp_path.iterdir())
