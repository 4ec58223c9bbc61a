"""A whole build on pure outcomes as a process, and what it has come to."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceps.store import Store

PROGRAM = Path(__file__).parents[1] / "construction" / "pure_build.py"


@dataclass(frozen=True)
class Whole:
    """A build that nobody has disturbed: its run directory, how many runs it has made, and its last line."""

    out: Path
    runs: int
    last: str


def start(out: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), str(out), *options]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Runs made, and the last line."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    *runs, last = output.splitlines()
    return len(runs), last


def refused(process: subprocess.Popen[str]) -> str:
    """What a build says that ends as after a mistake of the user."""
    _, errors = process.communicate()
    assert process.returncode == 2, errors
    assert "Traceback" not in errors
    return errors


def portfolio(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "portfolio.json").read_text())
    del content["provenance"]["created"]
    return content


def journal(out: Path) -> list[str]:
    """Sorted: sessions side by side end in any order."""
    with Store.read_only(out) as store:
        return sorted(map(str, store.journal()))


def runs_made_twice(out: Path) -> int:
    """Runs of the same key with the same limit, but for the first of each."""
    key = "program, configuration, instance, seed, target, memory_limit, cpu_limit"
    with closing(sqlite3.connect(out / "ceps.sqlite")) as connection:
        made = connection.execute(f"SELECT count(*) FROM runs GROUP BY {key}").fetchall()
    return sum(count - 1 for (count,) in made)


def assert_same(out: Path, last: str, whole: Whole) -> None:
    """The same portfolio, scores, charges and decisions, and no run made twice."""
    assert last == whole.last
    assert portfolio(out) == portfolio(whole.out)
    assert journal(out) == journal(whole.out)
    assert runs_made_twice(out) == 0
