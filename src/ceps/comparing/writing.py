"""The results as files: CSV for further reckoning, LaTeX for papers, JSON for programs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterable, Sequence
from math import isinf
from pathlib import Path
from typing import Any

from ceps.comparing import sheets
from ceps.comparing.figures import draw_all
from ceps.comparing.results import Cell, Results
from ceps.comparing.sheets import Marked, Sheet
from ceps.errors import UserError
from ceps.files import write_whole

FOLDER = "results"
"""Where they are, in the run directory."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def write_results(results: Results, out: Path) -> Path:
    """Write all files into ``results/`` of a run directory; the folder."""
    folder = out / FOLDER
    texts = {
        "table.csv": table_csv(results),
        "per_instance.csv": per_instance_csv(results),
        "significance.csv": _csv(results.duels),
        "families.csv": _csv(results.families),
        "contributions.csv": _csv(results.components),
        "cpu.csv": cpu_csv(results),
        "table.tex": table_latex(results),
        **{f"{sheet.name}.tex": sheet_latex(sheet) for sheet in sheets.printed(results)},
        "results.json": json.dumps(as_json(results), indent=1) + "\n",
    }
    try:
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            write_whole(folder / name, text.encode())
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from error
    draw_all(results, folder)
    return folder


def table_csv(results: Results) -> str:
    """A line per split and method, and one with the mean of all splits."""
    cells = [*results.table.items(), *((("mean", method), cell) for method, cell in results.means.items())]
    return _csv_of({"split": split, "method": method, **dataclasses.asdict(cell)} for (split, method), cell in cells)


def per_instance_csv(results: Results) -> str:
    """A line per split, method and instance, training instances included."""
    lines = []
    for row in results.measured.rows:
        components = " ".join("-" if each is None else str(each) for each in row.components)
        lines.append({**dataclasses.asdict(row), "components": components})
    return _csv_of(lines)


def cpu_csv(results: Results) -> str:
    """A line per build: what it was charged and what was really spent."""
    keys = ("split", "method", "charged", "references", "spent", "made_instances", "training_score")
    return _csv_of([{key: getattr(built, key) for key in keys} for built in results.measured.constructions])


def table_latex(results: Results) -> str:
    """The paper's table: timeouts and scores by method and split, the fewest and the best in bold."""
    columns = [*(f"split {split}" for split in results.splits), "mean"]
    heads = " & ".join(rf"\multicolumn{{2}}{{c}}{{{column}}}" for column in columns)
    metric = {"par10": "PAR-10"}.get(results.measured.metric, latex(results.measured.metric.upper()))
    measures = rf" & \#TOs & {metric}"
    cells = {
        method: [*(results.table[split, method] for split in results.splits), results.means[method]]
        for method in results.measured.methods
    }
    return _tabular(
        f"l{'rr' * len(columns)}",
        [rf" & {heads}", f"method{measures * len(columns)}"],
        [f"{latex(method)} & {' & '.join(map(_latex_cell, own))}" for method, own in cells.items()],
    )


def sheet_latex(sheet: Sheet) -> str:
    """A table of words, with what is marked in bold."""

    def line(cells: Iterable[str]) -> str:
        return " & ".join(_bold(latex(cell)) if isinstance(cell, Marked) else latex(cell) for cell in cells)

    columns = "l" * sheet.names + "r" * (len(sheet.head) - sheet.names)
    return f"% {sheet.title}\n" + _tabular(columns, [line(sheet.head)], [line(row) for row in sheet.rows])


def _tabular(columns: str, head: Iterable[str], rows: Iterable[str]) -> str:
    lines = [
        "% needs \\usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *(rf"{line} \\" for line in head),
        r"\midrule",
        *(rf"{line} \\" for line in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*lines, ""])


def latex(text: str) -> str:
    """A text with the signs that LaTeX would take for its own."""
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _latex_cell(cell: Cell) -> str:
    timeouts, score = f"{cell.timeouts:.3g}", f"{cell.score:#.4g}"
    return f"{_bold(timeouts) if cell.fewest else timeouts} & {_bold(score) if cell.best else score}"


def _bold(text: str) -> str:
    return rf"\textbf{{{text}}}"


def as_json(results: Results) -> dict[str, Any]:
    """All tables; rows of instances are in per_instance.csv only."""
    measured = results.measured
    return {
        "metric": measured.metric,
        "cutoff": measured.cutoff,
        "repeats": measured.repeats,
        "budget": measured.budget,
        "baseline": results.baseline,
        "table": [
            {"split": split, "method": method, **dataclasses.asdict(cell)}
            for (split, method), cell in results.table.items()
        ],
        "means": [{"method": method, **dataclasses.asdict(cell)} for method, cell in results.means.items()],
        "significance": [dataclasses.asdict(duel) for duel in results.duels],
        "families": [dataclasses.asdict(cell) for cell in results.families],
        "contributions": [
            {**dataclasses.asdict(each), "loss": None if each.loss is None or isinf(each.loss) else each.loss}
            for each in results.components
        ],
        "cpu": [
            {key: value for key, value in dataclasses.asdict(built).items() if key not in ("members", "losses")}
            for built in measured.constructions
        ],
        "charge_spread": measured.charge_spread,
        "spent_on_tests": measured.spent_on_tests,
        "work": {**dataclasses.asdict(measured.work), "overhead": measured.work.overhead},
        "warnings": list(measured.warnings),
    }


def _csv(records: Sequence[Any]) -> str:
    return _csv_of([dataclasses.asdict(record) for record in records])


def _csv_of(lines: Iterable[dict[str, Any]]) -> str:
    rows = list(lines)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
