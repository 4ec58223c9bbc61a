"""What it costs a build that somebody watches it: ``python -m benchmarks.watch``.

``watch_slowdown``: during one build, in turns of half a minute, the wall time per CPU second of runs while somebody
asks ``ceps watch`` as a browser does, over that while nobody does; the median over pairs of turns. The start of ``ceps
watch`` and the drawing of a browser are not in it. ``watch_core_share``: CPU time of ``ceps watch`` per second watched.
"""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.capping import Lines
from ceps import _native, building
from ceps.execution.local import LocalExecutor
from ceps.settings import Scenario
from ceps.tables import read_table

SCENARIO = {
    "seed": 1,
    "problem": {"name": "tsp", "generate": {"generator": "all", "size": 300, "count": 1}},
    "portfolio": {"size": 4, "solvers": ["eax", "lkh"]},
    "metric": {"name": "par10", "cutoff": 1.0},
    "method": {"name": "ceps", "options": {"iterations": 2, "sessions": 4}},
    "budget": {"cpu": 900.0},
}
TURN = 30.0
"""Seconds."""
ASKS_EVERY = 2.0
"""Seconds between two questions of a browser whether there is a new page."""


class Progress(Lines):
    """What a build has got done."""

    def __init__(self) -> None:
        self.started = threading.Event()

    def start(self, numbers: building.Numbers) -> None:
        super().start(numbers)
        self.started.set()

    @property
    def cpu(self) -> float:
        return self._numbers.runner.cpu_spent


@contextmanager
def server_of(run: Path) -> Iterator[tuple[str, int]]:
    """``ceps watch``: its URL and its process."""
    command = [str(Path(sys.executable).with_name("ceps")), "watch", str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[0]
        ask(url)
        yield url, server.pid
        server.terminate()


def ask(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        text: str = answer.read().decode()
        return text


def browse(url: str) -> None:
    """For one turn."""
    shown = ""
    for _ in range(round(TURN / ASKS_EVERY)):
        if (version := ask(f"{url}version")) != shown:
            shown = version
            ask(url)
        time.sleep(ASKS_EVERY)


def measure(progress: Progress, run: Path, building_thread: threading.Thread) -> None:
    alone, watched, shares = [], [], []
    with server_of(run) as (url, server):
        for is_watched in itertools.cycle((False, True)):
            began, cpu, served = time.monotonic(), progress.cpu, _native.own_cpu_seconds(server)
            if is_watched:
                browse(url)
            else:
                time.sleep(TURN)
            seconds = time.monotonic() - began
            if not building_thread.is_alive():
                break
            (watched if is_watched else alone).append(seconds / (progress.cpu - cpu))
            if is_watched:
                shares.append((_native.own_cpu_seconds(server) - served) / seconds)
                print(f"# pair {len(watched)}: {watched[-1] / alone[-1]:.3f}", flush=True)
    slowdowns = [one / other for one, other in zip(watched, alone, strict=False)]
    print(f"watch_slowdown {statistics.median(slowdowns):.3f}")
    print(f"watch_core_share {statistics.mean(shares):.4f}")


def main() -> None:
    scenario, progress = read_table(Scenario, SCENARIO, "watch"), Progress()
    with tempfile.TemporaryDirectory() as folder, LocalExecutor() as executor:
        build = threading.Thread(
            target=building.build, args=(scenario, Path(), "watch", executor, Path(folder), progress)
        )
        build.start()
        while not progress.started.wait(1.0):
            if not build.is_alive():
                raise SystemExit("the build did not start")
        measure(progress, Path(folder), build)
        build.join()


if __name__ == "__main__":
    main()
