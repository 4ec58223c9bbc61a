"""A comparison while it goes on, and its tables on a terminal."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from rich import box
from rich.console import Console
from rich.table import Table

from ceps.build_view import BuildView
from ceps.building import Numbers
from ceps.comparing.results import Cell, Results
from ceps.console import Steps, number
from ceps.construction.budget import Account
from ceps.evaluation.protocol import Repeat
from ceps.store import Reference
from ceps.texts import counted

_REFERENCES, _TESTING = "References", "Testing"


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


def results_table(results: Results) -> Table:
    """Timeouts and scores by split and method, the best marked, and how each does against the baseline."""
    measured = results.measured
    table = Table(
        title=f"#timeouts, {measured.metric} (median of {measured.repeats})",
        title_justify="left",
        # Slim, so that the usual two or three splits fit into 80 columns.
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column("method", no_wrap=True)
    for split in results.splits:
        table.add_column(f"split {split}", justify="right", no_wrap=True)
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column("on\ntraining", justify="right", no_wrap=True)
    table.add_column(f"p against\n{results.baseline}", justify="right", no_wrap=True)
    duels = {duel.method: duel for duel in results.duels}
    for method in measured.methods:
        mean = results.means[method]
        duel = duels.get(method)
        p = "" if duel is None else f"{duel.corrected:.2g} ({duel.better}:{duel.worse})"
        cells = [_cell(results.table[split, method]) for split in results.splits]
        table.add_row(method, *cells, _cell(mean), f"{mean.training_score:#.4g}", p)
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
