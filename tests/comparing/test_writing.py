"""Results as files."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from ceps.comparing.figures import draw_families
from ceps.comparing.results import results_of
from ceps.comparing.sheets import printed
from ceps.comparing.writing import latex, sheet_latex, table_latex, write_results
from ceps.errors import UserError
from tests.comparing.made import measured


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.mark.parametrize("metric", ["par10", "panc"])
def test_all_files_are_written_and_agree(tmp_path: Path, metric: str) -> None:
    """CSV and JSON have the same figures, figures come as PNG and SVG, and nothing half-written is left."""
    folder = write_results(results_of(measured(metric)), tmp_path)
    names = {path.name for path in folder.iterdir()}
    tables = {"table", "per_instance", "significance", "families", "contributions", "cpu"}
    pictures = ("boxplot", "training", "families", "contributions")
    figures = {f"{name}.{ending}" for name in pictures for ending in ("png", "svg")}
    sheets = {f"{name}.tex" for name in ("table", "significance", "families", "contributions", "training", "cpu")}
    assert names == {f"{name}.csv" for name in tables} | figures | sheets | {"results.json"}
    content = json.loads((folder / "results.json").read_text())
    table = rows_of(folder / "table.csv")
    assert [float(line["score"]) for line in table if line["split"] != "mean"] == [
        cell["score"] for cell in content["table"]
    ]
    assert len(rows_of(folder / "per_instance.csv")) == 24
    assert [line["charged"] for line in rows_of(folder / "cpu.csv")] == ["59.0", "60.0"]
    assert [each["loss"] for each in content["contributions"]] == [0.5, 0.25, None, None, None]
    assert [line["loss"] for line in rows_of(folder / "contributions.csv")] == ["0.5", "0.25", "inf", "", ""]
    assert content["charge_spread"] == pytest.approx(1.0 / 60.0)
    assert content["work"]["overhead"] == pytest.approx(0.1)
    assert content["warnings"] == ["beware"]
    for name in figures:
        start = (folder / name).read_bytes()[:100]
        assert start.startswith(b"\x89PNG") or b"<?xml" in start


def test_a_table_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The folder is named, and nothing half-written is left in it."""
    (tmp_path / "results" / "table.csv").mkdir(parents=True)
    with pytest.raises(UserError, match="results: cannot be written: Is a directory"):
        write_results(results_of(measured()), tmp_path)
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["table.csv"]


def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    """To the last byte, pictures included."""
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        folder = write_results(results_of(measured()), tmp_path / name)
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]


def test_the_latex_table_marks_the_best_and_escapes_names() -> None:
    """The best score of a split is bold, so are the fewest timeouts, and no underscore in a label stops LaTeX."""
    text = table_latex(results_of(measured()))
    assert r"A\_1 & 1 & 35.33 & \textbf{0} & 3.000 & 0.5 & 19.17 \\" in text
    best = r"\textbf{0} & \textbf{1.000} & \textbf{0} & \textbf{2.000} & \textbf{0} & \textbf{1.500}"
    assert rf"B & {best} \\" in text
    assert r"\multicolumn{2}{c}{split 2}" in text
    assert text.count("&") == (2 + len(("CEPS", "A_1", "B"))) * 6 - 3
    assert latex("50%_a&b{c}\\") == r"50\%\_a\&b\{c\}\textbackslash{}"


def test_latex_has_all_tables() -> None:
    """Paired tests, families, members, training scores and CPU times, with what is marked in bold."""
    made = {sheet.name: sheet_latex(sheet) for sheet in printed(results_of(measured()))}
    assert r"A\_1 & 6 & 0 & 0.031 & 0.062 \\" in made["significance"]
    assert r"city & 2 & \textbf{1.500} & 2.500 & \textbf{1.500} \\" in made["families"]
    assert r"CEPS & 1 & 67\% +0.5 & 33\% +0.25 \\" in made["contributions"]
    assert r"B & 1 & 67\% & 33\% \\" in made["contributions"]
    assert r"A\_1 & 0.5000 & 0.5000 & 0.5000 \\" in made["training"]
    assert r"CEPS & 1 & 59 & 9 & 40 & 7 \\" in made["cpu"]
    for text in made.values():
        columns = text.split(r"\begin{tabular}{")[1].partition("}")[0]
        lines = [line for line in text.splitlines() if line.endswith(r" \\")]
        assert {line.count(" & ") for line in lines} == {len(columns) - 1}


def test_where_nothing_was_built_nothing_is_told_of_building(tmp_path: Path) -> None:
    """Default configurations only: no table of builds, no picture of members."""
    alone = replace(measured(), constructions=(), given=())
    names = {path.name for path in write_results(results_of(alone), tmp_path).iterdir()}
    assert not names & {"cpu.tex", "contributions.tex", "contributions.png"}
    assert {"significance.tex", "families.tex", "training.tex"} <= names


def test_a_figure_of_many_families_stays_a_picture() -> None:
    """Of 2000 families the largest are drawn, on a height that a page has, and the title says so."""
    rows = [replace(row, family=f"f{number}") for number in range(2000) for row in measured().rows]
    figure = Figure(layout="constrained")
    draw_families(results_of(replace(measured(), rows=tuple(rows))), figure)
    assert figure.get_size_inches()[1] < 20.0
    assert figure.axes[0].get_title() == "the 40 largest of 2000 families"
    assert len(figure.axes[0].get_yticks()) == 40
