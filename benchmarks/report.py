"""The page of a large store: ``python -m benchmarks.report [--runs N]``.

Makes the store of a build on 30 instances of 400 cities, repeats its runs with other seeds until there are enough, and
writes the page. ``read_cpu_s``: reading the store. ``write_cpu_s``: making the page. ``page_mb``: its size.
``first_paint_ms``: in Chromium, if it is there, from asking for the file to the first text or picture, worst of five.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ceps import building
from ceps.execution.executor import Run
from ceps.records import Incumbent, Outcome, RunKey
from ceps.report.page import page
from ceps.report.reading import read_facts
from ceps.report.writing import write_page
from ceps.settings import Scenario
from ceps.store import Store
from ceps.tables import read_table
from tests.construction.pure_build import Silent
from tests.report.browser import CHROMIUM, Browser
from tests.report.pure import SCALE, Telling

SCENARIO = {
    "seed": 1,
    "problem": {"name": "tsp", "generate": {"generator": "all", "size": 400, "count": 3}},
    "portfolio": {"size": 4, "solvers": ["eax", "lkh"]},
    "metric": {"name": "par10", "cutoff": 1.0},
    "method": {"name": "ceps", "options": {"iterations": 4, "sessions": 4}},
    "budget": {"cpu": 3000.0},
}
PAINTS = 5
Made = TypeVar("Made")


class Remembering(Telling):
    """Knows what it was asked for, and what it has answered."""

    def __init__(self) -> None:
        super().__init__(SCALE)
        self.made: list[tuple[RunKey, float, Outcome]] = []

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        made = super().submit(run, on_incumbent)
        self.made.append((run.key, run.limits.cpu, made.result()))
        return made


def fill(folder: Path, runs: int) -> None:
    executor = Remembering()
    building.build(read_table(Scenario, SCENARIO, "report"), Path(), "report", executor, folder, Silent())
    print(f"# {len(executor.made)} runs of a build, and others like them", flush=True)
    again = itertools.islice(itertools.cycle(executor.made), max(0, runs - len(executor.made)))
    with Store.open(folder) as store:
        for number, (key, limit, outcome) in enumerate(again):
            store.record(replace(key, seed=2**31 + number), limit, outcome)


def cpu_seconds(work: Callable[[], Made]) -> tuple[float, Made]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder, file = Path(name), Path(name) / "report.html"
        fill(folder, runs)
        read, facts = cpu_seconds(lambda: read_facts(folder))
        print(f"read_cpu_s {read:.2f}", flush=True)
        write, size = cpu_seconds(lambda: write_page(page(facts), file))
        print(f"write_cpu_s {write:.2f}")
        print(f"page_mb {size / 1e6:.2f}", flush=True)
        if CHROMIUM.exists():
            with Browser() as browser:
                print(f"first_paint_ms {max(first_paint(browser, file) for _ in range(PAINTS)):.0f}")


def first_paint(browser: Browser, file: Path) -> float:
    browser.open(file)
    return browser.first_paint()


if __name__ == "__main__":
    main()
