"""Results as files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ceps.comparing.results import results_of
from ceps.comparing.writing import latex, table_latex, write_results
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
    figures = {f"{name}.{ending}" for name in ("boxplot", "training", "families") for ending in ("png", "svg")}
    assert names == {f"{name}.csv" for name in tables} | figures | {"table.tex", "results.json"}
    content = json.loads((folder / "results.json").read_text())
    table = rows_of(folder / "table.csv")
    assert [float(line["score"]) for line in table if line["split"] != "mean"] == [
        cell["score"] for cell in content["table"]
    ]
    assert len(rows_of(folder / "per_instance.csv")) == 24
    assert [line["charged"] for line in rows_of(folder / "cpu.csv")] == ["59.0", "60.0"]
    assert content["contributions"][-1]["loss"] is None
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
