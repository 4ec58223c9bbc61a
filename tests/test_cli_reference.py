"""``ceps reference``, and what its answers are good for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ceps.cli import app
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.solvers.eax import Eax
from ceps.solvers.solver import default_configuration


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two small instances and a portfolio."""
    monkeypatch.chdir(tmp_path)
    for size in (10, 40):
        Tsp().write(Tsp().generate("portgen", size, 1), Path(f"city-{size}.tsp"))
    Portfolio("tsp", (default_configuration(Eax()),), MetricChoice("par10", 0.5)).save(Path("p.json"))
    return tmp_path


def test_references_as_json_are_optima_for_an_evaluation() -> None:
    """One object per file with cost, agreement and CPU seconds; `evaluate --optima` takes the list as it is."""
    result = CliRunner().invoke(app, ["reference", "city-10.tsp", "city-40.tsp", "city-10.tsp", "--json"])
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    assert [row["file"] for row in rows] == ["city-10.tsp", "city-40.tsp", "city-10.tsp"]
    assert all(set(row) == {"file", "cost", "agreement", "cpu"} and row["agreement"] == 1.0 for row in rows)
    assert rows[0] == rows[2]
    Path("optima.json").write_text(result.stdout)
    command = [
        "evaluate",
        "city-40.tsp",
        "--portfolio",
        "p.json",
        "--optima",
        "optima.json",
        "--repeats",
        "1",
        "--json",
    ]
    evaluated = CliRunner().invoke(app, command)
    assert evaluated.exit_code == 0
    assert json.loads(evaluated.stdout)["per_instance"][0]["reference"] == rows[1]["cost"]


def test_a_table_for_people() -> None:
    """Without --json there is a line per file that says who told the cost."""
    result = CliRunner().invoke(app, ["reference", "city-10.tsp"])
    assert result.exit_code == 0
    assert "eax, 3 runs" in result.stdout


def test_a_given_cost_that_is_beaten_is_told() -> None:
    """A cost that is too high would make everything look solved: the evaluation says so."""
    Path("optima.json").write_text('{"city-40.tsp": 99999999}')
    command = ["evaluate", "city-40.tsp", "--portfolio", "p.json", "--optima", "optima.json", "--repeats", "1"]
    result = CliRunner().invoke(app, command)
    assert "the given cost 99999999 was beaten" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["."], "this is a folder; name a file in it"),
        (["none.tsp"], "none.tsp: there is no such file"),
        (["city-10.tsp", "--cpu", "-1"], "--cpu"),
        (["p.json"], "no problem has files ending in '.json'"),
    ],
)
def test_mistakes_are_named(arguments: list[str], message: str) -> None:
    """Every mistake ends with code 2 and says what is wrong."""
    result = CliRunner().invoke(app, ["reference", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
