"""What clusters of tests are made of: workers with pure outcomes, and a solver that takes its worker with it.

As a program it is a whole cluster, scheduler and worker, in one process to be killed: ``python cluster_parts.py``
prints the scheduler's address. Its worker's outcomes are pure functions.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Scheduler, Worker

from ceps.execution.backends import NO_DASHBOARD
from ceps.execution.dask_cluster import DaskExecutor
from ceps.execution.dask_worker import Keepers
from ceps.execution.executor import Executor
from ceps.records import Solution, digest
from ceps.solvers.solver import OnIncumbent
from ceps.testing.bits import ones
from ceps.testing.executor import bits_run
from ceps.testing.misbehaving import Misbehaving
from ceps.testing.pure_executor import PureExecutor

SCALE = 0.3
"""Typical CPU seconds of a pure run."""


class PureKeepers(Keepers):
    """In place of keepers: outcomes are pure functions."""

    def executor(self, slots: int) -> Executor:
        return PureExecutor(SCALE, self.begin_run, slots)

    def begin_run(self) -> None:
        return None


class MortalKeepers(PureKeepers):
    """A worker is killed in the middle of its run number ``life``, until there are ``deaths`` files in a folder."""

    def __init__(self, folder: Path, deaths: int, life: int) -> None:
        self._folder = folder
        self._deaths = deaths
        self._life = life

    def begin_run(self) -> None:
        self._life -= 1
        if self._life == 0 and len(list(self._folder.iterdir())) < self._deaths:
            (self._folder / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class KillsItsWorker(Misbehaving):
    """Kills the worker above its keeper, the first ``times`` times, counted by the files in a folder."""

    folder: str
    times: int

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        killed = len(os.listdir(self.folder))
        if killed < self.times:
            Path(self.folder, str(killed)).touch()
            after_name = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2]
            os.kill(int(after_name.split()[1]), signal.SIGKILL)
            signal.pause()
        return ones(size, size)


@dataclass(frozen=True)
class WaitsForKills(Misbehaving):
    """Does not end before a worker was killed so many times, as :class:`KillsItsWorker` counts them."""

    folder: str
    times: int

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        while len(os.listdir(self.folder)) < self.times:
            select.select([], [], [], 0.01)
        return ones(size, size)


@dataclass(frozen=True)
class CountedInstance:
    """An instance of the bits problem that leaves a file for every arrival, named after the process and its size."""

    name: str
    size: int
    folder: str

    @property
    def id(self) -> str:
        return digest(["bits", self.size])

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrive, (self.name, self.size, self.folder)


def _arrive(name: str, size: int, folder: str) -> CountedInstance:
    Path(folder, f"{os.getpid()} {size} {uuid.uuid4().hex}").touch()
    return CountedInstance(name, size, folder)


class TellsItsProcess(Misbehaving):
    """Its cost is the number of its process, and it does not end by itself."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        on_incumbent([0] * size, float(os.getpid()))
        while True:
            pass


def drive(address: str) -> None:
    """Be a driver to be killed, whose only run goes on for a minute; prints the run's process."""
    run = bits_run(TellsItsProcess(), cpu=60.0, wall=None)
    with DaskExecutor(address) as executor:
        executor.submit(run, lambda seen: print(int(seen.cost), flush=True)).result()


async def main() -> None:
    async with (
        Scheduler(host="127.0.0.1", port=0, **NO_DASHBOARD) as scheduler,
        Worker(scheduler.address, nthreads=2, plugins=(PureKeepers(),)),
    ):
        print(scheduler.address, flush=True)
        await scheduler.finished()


if __name__ == "__main__":
    asyncio.run(main())
