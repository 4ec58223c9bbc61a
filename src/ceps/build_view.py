"""A build while it goes on: phase, budget, best training score, runs per second, time left."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from ceps.building import Numbers
from ceps.construction.budget import Account

PLAIN_LINE_EVERY = 15.0
"""Seconds between two lines of progress where there is no terminal."""


class BuildView:
    """Shows a build: live on a terminal, plain lines otherwise."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._numbers: Numbers | None = None
        self._phase = "starting"
        self._score: float | None = None
        self._ended = threading.Event()
        self._live = Live(get_renderable=self._table, console=console, refresh_per_second=2, transient=True)
        self._lines = threading.Thread(target=self._print_lines, daemon=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._live.stop()

    def start(self, numbers: Numbers) -> None:
        self._numbers = numbers
        if self._console.is_terminal:
            self._live.start()
        else:
            self._lines.start()

    def begin(self, phase: str, account: Account) -> None:
        self._phase = phase
        self._console.print(f"{self._clock()}  {phase}, {account.granted:.0f} CPU s")

    def keep(self, stage: str, score: float) -> None:
        self._score = score
        self._console.print(f"{self._clock()}  portfolio of {stage}: training score {score:.4g}")

    def warn(self, message: str) -> None:
        self._console.print(message, style="yellow")

    def _clock(self) -> str:
        return "0:00:00" if self._numbers is None else _duration(self._numbers.wall)

    def _print_lines(self) -> None:
        while not self._ended.wait(PLAIN_LINE_EVERY):
            self._console.print(f"{self._clock()}  {', '.join(f'{key} {value}' for key, value in self._facts())}")

    def _facts(self) -> list[tuple[str, str]]:
        numbers = self._numbers
        if numbers is None:
            return []
        left = numbers.seconds_left
        return [
            ("phase", self._phase),
            ("budget", f"{numbers.charged:.0f} of {numbers.budget:.0f} CPU s"),
            ("training score", "-" if self._score is None else f"{self._score:.4g}"),
            ("runs", f"{numbers.runner.runs_made} ({numbers.runner.runs_made / max(numbers.wall, 1e-9):.1f}/s)"),
            ("left", "?" if left is None else _duration(left)),
        ]

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for key, value in self._facts():
            table.add_row(key, value)
        if self._numbers is not None:
            bar = ProgressBar(total=self._numbers.budget, completed=self._numbers.charged, width=40)
            table.add_row(self._clock(), bar)
        return table


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
