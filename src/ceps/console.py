"""What people see while they wait: live on a terminal, plain lines otherwise. On standard error, always."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from ceps.portfolio import Portfolio
from ceps.records import Incumbent

PLAIN_LINE_EVERY = 5.0
"""Seconds between two lines of progress where there is no terminal."""


def number(value: float) -> str:
    """Whole costs as such, others with ten digits."""
    return f"{value:.10g}" if value != int(value) else str(int(value))


class Steps:
    """Progress through a known number of steps, with the time that is left."""

    def __init__(self, console: Console, what: str, total: int) -> None:
        self._console = console
        self._what = what
        self._total = total
        self._done = 0
        self._start = self._last_line = time.monotonic()
        self._mutex = threading.Lock()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def grow(self, steps: int) -> None:
        """More is to be done than was known."""
        with self._mutex:
            self._total += steps
            self._bar.update(self._task, total=self._total)

    def done(self, said: str = "") -> None:
        """One step is done. ``said`` is shown beside it where there is no terminal."""
        with self._mutex:
            self._done += 1
            self._bar.advance(self._task)
            now = time.monotonic()
            if self._console.is_terminal or (now - self._last_line < PLAIN_LINE_EVERY and self._done < self._total):
                return
            self._last_line = now
            left = (now - self._start) / self._done * (self._total - self._done)
            self._console.print(
                f"{self._what}: {self._done} of {self._total}, about {left:.0f} s left. {said}".rstrip()
            )


class RaceView:
    """Each component's incumbent, live."""

    def __init__(self, console: Console, portfolio: Portfolio, seconds: float) -> None:
        self._console = console
        self._members = [member.solver for member in portfolio.members]
        self._incumbents: dict[int, Incumbent] = {}
        self._seconds = seconds
        self._start = time.monotonic()
        self._live = Live(get_renderable=self._table, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, component: int, incumbent: Incumbent) -> None:
        self._incumbents[component] = incumbent
        if not self._console.is_terminal:
            name = self._members[component - 1]
            self._console.print(
                f"{time.monotonic() - self._start:7.2f} s  component {component} ({name}): {number(incumbent.cost)}"
            )

    def _table(self) -> Table:
        elapsed = time.monotonic() - self._start
        table = Table(title=f"{elapsed:.1f} s of {self._seconds:g} s", title_justify="left")
        table.add_column("component", justify="right")
        table.add_column("solver")
        table.add_column("best cost", justify="right")
        table.add_column("found at CPU s", justify="right")
        incumbents = dict(self._incumbents)
        best = min((incumbent.cost for incumbent in incumbents.values()), default=None)
        for component, solver in enumerate(self._members, start=1):
            incumbent = incumbents.get(component)
            cells = ["…", ""] if incumbent is None else [number(incumbent.cost), f"{incumbent.cpu:.2f}"]
            leads = incumbent is not None and incumbent.cost == best
            table.add_row(str(component), solver, *cells, style="bold green" if leads else None)
        return table
