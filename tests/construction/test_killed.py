"""A build that is killed, at any moment and however often, comes to what it would have come to."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ceps.store import Store

PROGRAM = Path(__file__).with_name("pure_build.py")
KILLS = 6


def start(out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(PROGRAM), str(out)], stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Runs made, and the last line."""
    output, _ = process.communicate()
    assert process.returncode == 0
    *runs, last = output.splitlines()
    return len(runs), last


def portfolio(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "portfolio.json").read_text())
    del content["provenance"]["created"]
    return content


def journal(out: Path) -> list[Any]:
    with Store.read_only(out) as store:
        return store.journal()


def runs_made_twice(out: Path) -> int:
    """Runs of the same key with the same limit, but for the first of each."""
    key = "program, configuration, instance, seed, target, memory_limit, cpu_limit"
    with closing(sqlite3.connect(out / "ceps.sqlite")) as connection:
        made = connection.execute(f"SELECT count(*) FROM runs GROUP BY {key}").fetchall()
    return sum(count - 1 for (count,) in made)


def test_a_build_killed_at_random_moments_is_the_build_never_killed(tmp_path: Path) -> None:
    """Killed with kill -9 again and again: the same portfolio, scores and charges, and no run made twice."""
    pytest.importorskip("LKHpy")
    runs, last = finish(start(tmp_path / "whole"))
    rng = random.Random(1)
    done = 0
    for kill_after in sorted(rng.sample(range(1, runs), KILLS)):
        process = start(tmp_path / "killed")
        assert process.stdout is not None
        for _ in range(kill_after - done):
            assert process.stdout.readline() == "run\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with Store.read_only(tmp_path / "killed") as store:
            done = store.totals().runs
    _, last_again = finish(start(tmp_path / "killed"))
    assert last_again == last
    assert runs_made_twice(tmp_path / "killed") == 0
    assert portfolio(tmp_path / "killed") == portfolio(tmp_path / "whole")
    assert sorted(map(str, journal(tmp_path / "killed"))) == sorted(map(str, journal(tmp_path / "whole")))


def test_a_finished_build_started_again_makes_no_run_and_decides_the_same(tmp_path: Path) -> None:
    """Replay from the store: nothing is run, and the portfolio is the same."""
    pytest.importorskip("LKHpy")
    _, last = finish(start(tmp_path))
    before, entries = portfolio(tmp_path), journal(tmp_path)
    assert finish(start(tmp_path)) == (0, last)
    assert portfolio(tmp_path) == before
    assert journal(tmp_path) == entries
