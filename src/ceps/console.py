"""What people see while they wait: live on a terminal, plain lines otherwise. On standard error, always."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

from rich.console import Console, ConsoleOptions, RenderableType
from rich.live import Live
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table

from ceps.portfolio import Portfolio
from ceps.records import Incumbent

PLAIN_LINE_EVERY = 5.0
"""Seconds between two lines of progress where there is no terminal."""
_WIDEST = 10_000
"""Columns: more than any table has."""


def number(value: float) -> str:
    """Whole costs as such, others with ten digits."""
    return str(int(value)) if float(value).is_integer() else f"{value:.10g}"


def _harmless(text: str) -> str:
    """A text in which characters that cannot be printed, but for the ends of lines, are written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


class PlainConsole(Console):
    """A console that prints names of files, and what programs and strangers' files say, as they are.

    Characters that would steer a terminal are shown as Python writes them: nothing can be made to look like something
    else.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=_harmless(segment.text))


class Voice(PlainConsole):
    """A console for standard error. When nobody listens any more, the work goes on in silence."""

    def __init__(self) -> None:
        super().__init__(stderr=True)

    def on_broken_pipe(self) -> None:
        self.quiet = True


def print_whole(console: Console, table: Table) -> None:
    """Print a table of which nothing is cut off: where it is wider than the terminal, that breaks its lines."""
    table.width = Measurement.get(console, console.options.update(width=_WIDEST), table).maximum
    console.print(table, soft_wrap=True)


class Steps:
    """Progress through stages, each of a known number of steps, with the time that is left of the present one."""

    def __init__(self, console: Console, stages: Mapping[str, int]) -> None:
        self._console = console
        self._stages = {stage: steps for stage, steps in stages.items() if steps > 0}
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
        self._task = self._bar.add_task("")
        self._begin(next(iter(self._stages)))

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def done(self, stage: str, said: str = "") -> None:
        """One step of a stage is done. ``said`` is shown beside it where there is no terminal."""
        with self._mutex:
            if stage != self._stage:
                self._begin(stage)
            self._done += 1
            # Some work turns out to be more than was known.
            steps = self._stages[stage] = max(self._stages[stage], self._done)
            self._bar.update(self._task, completed=self._done, total=steps)
            self._print_line(steps - self._done, said)
            if self._done == steps:
                self._begin_after(stage)

    def _begin(self, stage: str) -> None:
        self._stage = stage
        self._done = 0
        self._start = self._last_line = time.monotonic()
        self._bar.reset(self._task, description=stage, total=self._stages[stage])

    def _begin_after(self, stage: str) -> None:
        stages = list(self._stages)
        for following in stages[stages.index(stage) + 1 :][:1]:
            self._begin(following)

    def _print_line(self, left: int, said: str) -> None:
        now = time.monotonic()
        if self._console.is_terminal or (left > 0 and now - self._last_line < PLAIN_LINE_EVERY):
            return
        self._last_line = now
        progress = f"{self._stage}: {self._done} of {self._done + left}"
        if left > 0:
            progress += f", about {(now - self._start) / self._done * left:.0f} s left"
        self._console.print(f"{progress}. {said}".rstrip())


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
            self._console.print(f"CPU {incumbent.cpu:6.2f} s  component {component} ({name}): {number(incumbent.cost)}")

    def _table(self) -> Table:
        # The clock of the race starts a little later, when its processes are ready.
        elapsed = min(time.monotonic() - self._start, self._seconds)
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
