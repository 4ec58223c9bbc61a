"""Thousands of runs of solvers that do what they should not, and nothing is left of any."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from ceps.execution.local import LocalExecutor
from ceps.testing import misbehaving as bad
from ceps.testing.bits import BitSolver
from ceps.testing.executor import MIB, ExecutorContract, bits_run
from tests.torture.scale import SEED, TRIED, scaled

RUNS = scaled(1_000, 10_000)
QUICK: Sequence[BitSolver] = [
    bad.Raises(),
    bad.Segfaults(),
    bad.ExitsNonZero(),
    bad.KillsItsGroup(),
    bad.ReturnsNonsense(),
    bad.ReturnsWhatJsonCannotHold(),
    bad.ClaimsTooMuch(),
    bad.WritesGarbageReports(),
    bad.LeavesADaemon(),
    bad.DetachesTwice(),
    bad.SpinsInThreeProcesses(),
    bad.IgnoresSignals(),
    bad.ClosesItsDescriptors(),
    bad.LittersItsDirectory(),
    bad.WritesManyFiles(),
]
SLOW: Sequence[BitSolver] = [
    bad.ForksWithoutEnd(),
    bad.SpinsInShortLivedChildren(),
    bad.EatsMemorySlowly(),
    bad.EatsMemoryAtOnce(),
    bad.EatsSharedMemory(),
    bad.PrintsMegabytes(),
    bad.DigsDeep(),
    bad.ReportsWithoutEnd(),
    bad.ReturnsDeepNesting(),
    bad.Sleeps(),
    bad.StopsItself(),
]
SLOW_SHARE = 0.04


def make_all(executor: LocalExecutor, solvers: Sequence[BitSolver]) -> None:
    """Make these runs, and leave the executor at rest."""
    runs = [bits_run(solver, cpu=0.05 if solver in SLOW else 0.02, wall=0.3, memory=64 * MIB) for solver in solvers]
    for future in [executor.submit(run) for run in runs]:
        future.result()
    ExecutorContract.bring_to_rest(executor)


def test_misbehaving_runs_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After thousands of bad runs there are as many processes, open files and temporary files as after the first."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rng = random.Random(SEED)
    runs = [rng.choice(SLOW if rng.random() < SLOW_SHARE else QUICK) for _ in range(RUNS)]
    with LocalExecutor(workers=2) as executor:
        make_all(executor, [*QUICK, *SLOW] * 2)
        before = ExecutorContract.footprint(), files_below(tmp_path)
        make_all(executor, runs)
        TRIED["misbehaving runs"] += len(runs)
        assert (ExecutorContract.footprint(), files_below(tmp_path)) == before
    assert list(tmp_path.iterdir()) == []


def files_below(folder: Path) -> int:
    """Files; folders are made anew when a run leaves something in them."""
    return sum(path.is_file() for path in folder.rglob("*"))


def test_the_folders_of_runs_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else may look into the folder of temporary files, nor into a run's working directory."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LocalExecutor(workers=1) as executor:
        outcome = executor.submit(bits_run(bad.LittersItsDirectory())).result()
        where = Path(outcome.output.strip())
        assert where.is_relative_to(tmp_path)
        inside = [folder for folder in tmp_path.rglob("*") if folder.is_dir()]
        assert inside
        assert {folder.stat().st_mode & 0o777 for folder in inside} == {0o700}
