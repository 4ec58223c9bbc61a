"""A comparison while it goes on, and its tables on a terminal."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from rich import box
from rich.console import Console
from rich.table import Table

from ceps.build_view import BuildView
from ceps.building import Numbers
from ceps.comparing import sheets
from ceps.comparing.results import Cell, Results
from ceps.comparing.sheets import Marked, Sheet
from ceps.console import Steps, number, print_whole
from ceps.construction.budget import Account
from ceps.evaluation.protocol import Repeat
from ceps.store import Reference
from ceps.texts import counted

_REFERENCES, _TESTING = "References", "Testing"
_USUAL_WIDTH = 80
"""Columns of a terminal."""
_GAP = 2
"""Between columns of a table."""


class CompareView:
    """Shows a comparison: the builds with their budget, then the test step by step."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._builds = BuildView(console)
        self._steps: Steps | None = None
        self._mutex = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._builds.__exit__(kind, error, trace)
        if self._steps is not None:
            self._steps.__exit__(kind, error, trace)

    def start(self, numbers: Numbers) -> None:
        self._builds.start(numbers)

    def begin(self, phase: str, account: Account) -> None:
        with self._mutex:
            self._builds.begin(phase, account)

    def keep(self, stage: str, score: float) -> None:
        with self._mutex:
            self._builds.keep(stage, score)

    def test(self, references: int, repeats: int) -> None:
        self._builds.__exit__(None, None, None)
        self._steps = Steps(self._console, {_REFERENCES: references, _TESTING: repeats})
        self._steps.__enter__()

    def referenced(self, instance: Any, reference: Reference | None) -> None:
        assert self._steps is not None
        found = "none found" if reference is None else number(reference.cost)
        self._steps.done(_REFERENCES, f"{instance.name}: {found}")

    def tested(self, instance: Any, repeat: Repeat) -> None:
        assert self._steps is not None
        self._steps.done(_TESTING, f"{instance.name}: {repeat.score:.4g}")

    def warn(self, message: str) -> None:
        self._console.print(f"warning: {message}", style="yellow")


def print_results(console: Console, results: Results) -> None:
    """All tables, and what it took."""
    print_whole(console, results_table(results))
    for sheet in sheets.shown(results):
        console.print()
        for table in sheet_tables(sheet):
            print_whole(console, table)
    console.print()
    console.print(work_text(results))


def results_table(results: Results) -> Table:
    """Timeouts and scores by split and method, the fewest and the best marked, and scores where all were trained."""
    measured = results.measured
    splits = [f"split {split}" for split in results.splits]
    table = _slim(
        f"#timeouts, {measured.metric} (median of {measured.repeats}); *: the best",
        ("method", *splits, "mean", "on\ntraining"),
    )
    for method in measured.methods:
        mean = results.means[method]
        cells = [_cell(results.table[split, method]) for split in results.splits]
        table.add_row(method, *cells, _cell(mean), f"{mean.training_score:#.4g}")
    return table


def sheet_tables(sheet: Sheet) -> list[Table]:
    """A table of words; where it is wider than a usual terminal, several of them with some of the columns each."""
    lines = [sheet.head, *([_text(cell) for cell in row] for row in sheet.rows)]
    widths = [max(len(line[column]) for line in lines) + _GAP for column in range(len(sheet.head))]
    names = list(range(sheet.names))
    blocks: list[list[int]] = []
    room = 0  # The first column begins a block.
    for column in range(sheet.names, len(sheet.head)):
        if widths[column] > room:
            blocks.append([])
            room = _USUAL_WIDTH - sum(widths[: sheet.names])
        blocks[-1].append(column)
        room -= widths[column]
    tables: list[Table] = []
    for block in blocks:
        head, *rows = ([line[column] for column in names + block] for line in lines)
        table = _slim("" if tables else sheet.title, head, sheet.names)
        for row in rows:
            table.add_row(*row)
        tables.append(table)
    return tables


def _text(cell: str) -> str:
    return f"{cell}*" if isinstance(cell, Marked) else cell


def _slim(title: str, head: Sequence[str], names: int = 1) -> Table:
    """So slim that the usual two or three splits fit into 80 columns."""
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for column, heading in enumerate(head):
        table.add_column(heading, justify="left" if column < names else "right", no_wrap=True)
    return table


def work_text(results: Results) -> str:
    """What it took."""
    measured, work = results.measured, results.measured.work
    charged: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    for built in measured.constructions:
        charged.setdefault(built.method, []).append(built.charged)
        spent.setdefault(built.method, []).append(built.spent)
    lines = [f"CPU s of each build, of {measured.budget:.0f} granted; charged (really spent):"] if charged else []
    for method, charges in charged.items():
        pairs = zip(charges, spent[method], strict=True)
        lines.append(f"  {method}: {', '.join(f'{charge:.0f} ({made:.0f})' for charge, made in pairs)}")
    if measured.charge_spread is not None:
        lines.append(f"charges of builds differ by {measured.charge_spread:.1%} of the budget at most")
    lines.append(f"CPU s of the test, really spent: {measured.spent_on_tests:.0f}")
    if work.overhead is not None:
        since = " since the last start" if work.spent_before > 0.0 else ""
        lines.append(
            f"{work.wall / 60:.1f} min on {counted(work.workers, 'worker')}{since}; {work.overhead:.1%} of their time "
            "was not solver CPU"
        )
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    return f"{cell.timeouts:.3g}{'*' if cell.fewest else ''}, {cell.score:#.4g}{'*' if cell.best else ' '}"
