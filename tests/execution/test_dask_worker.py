"""Workers as people start them, each a process with keepers of its own: they fall silent, or are told to go."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue

import pytest
from distributed import LocalCluster

from ceps import _native
from ceps.execution.backends import NO_DASHBOARD
from ceps.execution.dask_cluster import DaskExecutor
from ceps.records import Ending, Incumbent, Outcome
from ceps.testing.bits import BitSolver
from ceps.testing.executor import bits_run
from tests.execution.cluster_parts import TellsItsProcess
from tests.execution.lines import Line

SILENCE = "10s"
"""After which a worker is given up. No shorter: one that is there must be heard from however busy this machine is."""


@pytest.fixture
def scheduler(request: pytest.FixtureRequest) -> Iterator[str]:
    options = {**NO_DASHBOARD, "worker_ttl": getattr(request, "param", None)}
    with LocalCluster(n_workers=0, dashboard_address=None, scheduler_kwargs=options) as cluster:
        yield cluster.scheduler_address


@contextmanager
def worker(scheduler: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "dask", "worker", scheduler, "--nthreads=1", "--no-dashboard", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()


class Watched:
    """A run that does not end by itself, and the processes in which it was made, one after the other."""

    def __init__(self, executor: DaskExecutor) -> None:
        self._tidings: SimpleQueue[Incumbent | Future[Outcome]] = SimpleQueue()
        self.future = executor.submit(bits_run(TellsItsProcess(), cpu=600.0, wall=None), self._tidings.put)
        self.future.add_done_callback(self._tidings.put)

    def next_process(self) -> int:
        told = self._tidings.get()
        assert isinstance(told, Incumbent), told
        return int(told.cost)


def maker(workers: list[subprocess.Popen[bytes]], run: int) -> subprocess.Popen[bytes]:
    """Who has started the process of a run."""
    (found,) = (each for each in workers if run in _native.usage_below(each.pid).processes)
    return found


@pytest.mark.parametrize("scheduler", [SILENCE], indirect=True)
@pytest.mark.parametrize("is_cut_off", [False, True], ids=["suspended", "cut off"])
def test_a_worker_that_falls_silent_is_replaced_and_not_heard_any_more(scheduler: str, is_cut_off: bool) -> None:
    """The run of a worker that is suspended, or whose line is cut, is made by another one. The first one wakes up, or
    its line is mended, and it has seen its run crash: that is not heard."""
    with (
        Line(scheduler) as line,
        worker(line.address, "--no-nanny") as one,
        Line(scheduler) as other_line,
        worker(other_line.address, "--no-nanny") as other,
    ):
        lines = {one: line, other: other_line}
        with DaskExecutor(scheduler) as executor:
            watched = Watched(executor)
            first = watched.next_process()
            silent = maker([one, other], first)
            if is_cut_off:
                lines[silent].cut()
            else:
                silent.send_signal(signal.SIGSTOP)
            second = watched.next_process()
            assert maker([one, other], second) is not silent
            ending = os.pidfd_open(first)
            os.kill(first, signal.SIGKILL)
            select.select([ending], [], [])  # Readable when the process has ended.
            os.close(ending)
            if is_cut_off:
                lines[silent].mend()
            else:
                silent.send_signal(signal.SIGCONT)
            silent.wait()
            executor.stop(watched.future)
            outcome = watched.future.result()
        assert (outcome.ending, outcome.trace[-1].cost) == (Ending.CAPPED, second)


def test_a_silent_worker_keeps_nobody_waiting(scheduler: str) -> None:
    """A run is to be stopped whose worker is suspended: meanwhile others make theirs. It is stopped in the end."""
    with (
        worker(scheduler, "--no-nanny") as one,
        worker(scheduler, "--no-nanny") as other,
        DaskExecutor(scheduler) as executor,
    ):
        watched = Watched(executor)
        silent = maker([one, other], watched.next_process())
        silent.send_signal(signal.SIGSTOP)
        executor.stop(watched.future)
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED
        silent.send_signal(signal.SIGCONT)
        assert watched.future.result().ending is Ending.CAPPED


@pytest.mark.parametrize("whole", [False, True], ids=["nanny", "all of the job"])
def test_workers_that_are_told_to_go_give_their_runs_back(scheduler: str, whole: bool) -> None:
    """SIGTERM, as from a batch system that wants its nodes back, to the three that have a run one after the other: a
    fourth one makes it, and it is no crash. Also when, as such systems do, all processes of the job are told at once,
    the run among them."""
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(scheduler)) for _ in range(4)]
        with DaskExecutor(scheduler) as executor:
            watched = Watched(executor)
            for _ in range(3):
                job = maker(workers, watched.next_process()).pid
                for process in (job, *_native.usage_below(job).processes) if whole else (job,):
                    os.kill(process, signal.SIGTERM)
            last = watched.next_process()
            executor.stop(watched.future)
            outcome = watched.future.result()
    assert (outcome.ending, outcome.trace[-1].cost) == (Ending.CAPPED, last)
