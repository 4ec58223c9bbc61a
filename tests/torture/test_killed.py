"""A build that is killed, at any moment and however often, comes to what it would have come to."""

from __future__ import annotations

import os
import random
import secrets
import select
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

from ceps.store import Store
from tests.processes import children
from tests.torture.builds import Whole, assert_same, finish, journal, portfolio, refused, start
from tests.torture.scale import LONG, SEED, TRIED, scaled

KILLS = scaled(6, 100)
KEEPERS_KILLED = scaled(4, 60)
WORKERS_KILLED = scaled(3, 40)
LONGEST_DELAY = 0.02
"""Seconds from a run that was asked for to the kill, at most: not all of them fall on the same moment."""
LATEST = 1.5
"""Seconds from the start to a kill that waits for no run, at most: while it starts, while history is replayed."""


def marked(mark: str) -> list[Path]:
    """Living processes that were started, over however many others, with a mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"CEPS_TEST_MARK={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process)
        except OSError:
            continue
    return found


def test_a_build_killed_at_random_moments_is_the_build_never_killed(whole: Whole, tmp_path: Path) -> None:
    """Killed with kill -9 again and again: the same portfolio, scores and charges, no run made twice, nothing left."""
    rng = random.Random(SEED)
    mark = secrets.token_hex(8)
    done = 0
    for kills_left in range(KILLS, 0, -1):
        process = start(tmp_path, "--keepers", CEPS_TEST_MARK=mark)
        assert process.stdout is not None
        left = whole.runs - done
        if LONG and kills_left % 3 == 0:
            time.sleep(rng.uniform(0.0, LATEST))
        else:
            for _ in range(min(left, rng.randint(1, max(1, left // kills_left)))):
                assert process.stdout.readline() == "run\n"
            if LONG:
                time.sleep(rng.uniform(0.0, LONGEST_DELAY))
            assert children(process.pid, "ceps.execution.keeper")
        process.send_signal(signal.SIGKILL)
        process.communicate()  # Until the last process has ended that it had started: they share its standard error.
        assert marked(mark) == []
        TRIED["builds killed"] += 1
        if (tmp_path / "ceps.sqlite").exists():
            with Store.read_only(tmp_path) as store:
                done = store.totals().runs
    _, last = finish(start(tmp_path, "--keepers", CEPS_TEST_MARK=mark))
    assert_same(tmp_path, last, whole)
    assert marked(mark) == []


def test_a_finished_build_started_again_makes_no_run_and_decides_the_same(whole: Whole, tmp_path: Path) -> None:
    """Replay from the store: nothing is run, and the portfolio is the same."""
    out = shutil.copytree(whole.out, tmp_path / "again")
    (out / "portfolio.json").unlink()
    assert finish(start(out)) == (0, whole.last)
    assert portfolio(out) == portfolio(whole.out)
    assert journal(out) == journal(whole.out)


def test_a_build_whose_keepers_are_killed_is_the_build_never_disturbed(whole: Whole, tmp_path: Path) -> None:
    """Supervising processes killed at random moments cost another try each: the result is the same, nothing is left."""
    rng = random.Random(SEED)
    mark = secrets.token_hex(8)
    process = start(tmp_path, "--keepers", CEPS_TEST_MARK=mark)
    assert process.stdout is not None
    for distance in _distances(rng, whole.runs, KEEPERS_KILLED):
        for _ in range(distance):
            assert process.stdout.readline() == "run\n"
        # Of those that make runs: one that is still starting may have been given a run that was lost before, and what
        # is lost three times is taken for its own fault.
        keepers = [keeper for keeper in children(process.pid, "ceps.execution.keeper") if children(keeper)]
        if keepers:
            os.kill(rng.choice(keepers), signal.SIGKILL)
            TRIED["keepers killed"] += 1
    _, last = finish(process)
    assert_same(tmp_path, last, whole)
    assert marked(mark) == []


def test_a_build_whose_cluster_workers_are_killed_is_the_build_never_disturbed(whole: Whole, tmp_path: Path) -> None:
    """Worker processes of a Dask cluster die at random moments: every run is made all the same, by those that are left
    or come after, and the result is that of this machine alone."""
    rng = random.Random(SEED)
    process = start(tmp_path, "--dask")
    assert process.stdout is not None
    for distance in _distances(rng, whole.runs, WORKERS_KILLED):
        for _ in range(distance):
            assert process.stdout.readline() == "run\n"
        # Of those that have made a run. Another one makes what is lost now before ten others are asked for.
        workers = [
            worker
            for worker in children(process.pid, "multiprocessing.spawn")
            if any(children(keeper) for keeper in children(worker, "ceps.execution.keeper"))
        ]
        if workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
            TRIED["cluster workers killed"] += 1
    _, last = finish(process)
    assert_same(tmp_path, last, whole)


def _distances(rng: random.Random, runs: int, kills: int) -> list[int]:
    """Runs from one kill to the next."""
    moments = sorted(rng.sample(range(10, runs - 10, 10), kills))
    return [after - before for before, after in zip([0, *moments], moments, strict=False)]


def test_a_build_whose_sessions_are_killed_stops_and_goes_on(whole: Whole, tmp_path: Path) -> None:
    """It says that they were killed and ends with 2; the same command comes to what it would have come to."""
    process = start(tmp_path)
    assert process.stdout is not None
    while process.stdout.readline() == "run\n":
        for host in children(process.pid, "ceps.construction.session"):
            for session in children(host):
                with suppress(ProcessLookupError):
                    os.kill(session, signal.SIGKILL)
    assert "killed by SIGKILL; memory may have run out" in refused(process)
    _, last = finish(start(tmp_path))
    assert_same(tmp_path, last, whole)


def test_a_second_build_on_the_directory_is_refused(whole: Whole, tmp_path: Path) -> None:
    """While one builds, another is told whose directory it is and exits with 2; the first one does not notice."""
    first = start(tmp_path)
    assert first.stdout is not None
    assert select.select([first.stdout], [], [])[0]
    assert f"{tmp_path} is in use by process {first.pid} on host " in refused(start(tmp_path))
    _, last = finish(first)
    assert_same(tmp_path, last, whole)
