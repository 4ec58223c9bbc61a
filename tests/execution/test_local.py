"""The local executor: its contract, and what is its own."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ceps import _native
from ceps.errors import UserError
from ceps.execution.local import LocalExecutor, available_cores
from ceps.records import Ending, Incumbent
from ceps.testing.bits import BitSolver
from ceps.testing.executor import ExecutorContract, bits_run
from ceps.testing.misbehaving import KillsItsKeeper, Spins
from tests.processes import children

TestContract = ExecutorContract.of(opened=lambda: LocalExecutor(workers=2))


def test_one_slot_per_core_by_default() -> None:
    """Without a number of workers there is one slot for each core this process may use."""
    with LocalExecutor() as executor:
        assert executor.slots == available_cores()


def test_no_worker_is_refused() -> None:
    """Zero workers is a mistake that is named."""
    with pytest.raises(UserError, match="workers = 0"):
        LocalExecutor(workers=0)


def test_closing_kills_what_is_running() -> None:
    """Close returns with every process gone, though a run was in the middle of its work."""
    before = ExecutorContract.footprint()
    executor = LocalExecutor(workers=1)
    started: list[float] = []
    future = executor.submit(bits_run(Spins(), cpu=600.0), lambda incumbent: started.append(incumbent.cost))
    while not started:
        pass
    executor.close()
    assert future.done()
    assert ExecutorContract.footprint() == before


@contextmanager
def descriptors_left(count: int) -> Iterator[None]:
    """This process can open so many files, and no more: enough to look after keepers, but not to start them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for descriptor in taken[:count]:
            os.close(descriptor)
        del taken[:count]
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_keeper_that_cannot_be_replaced_is_told_and_tried_again(tmp_path: Path) -> None:
    """Who waits for a run whose keeper was lost, when no other can be started, is told; later runs are made."""
    with LocalExecutor(workers=1) as executor:
        with descriptors_left(0):
            lost = executor.submit(bits_run(KillsItsKeeper(str(tmp_path), times=1)))
            with pytest.raises(UserError, match=r"no process can be started to make runs in: .*Too many open files"):
                lost.result()
            with pytest.raises(UserError, match="no process can be started"):
                executor.submit(bits_run(BitSolver())).result()
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED


def test_an_executor_that_cannot_start_all_its_keepers_leaves_none() -> None:
    """It is told that a process cannot be started, and those that could be are gone again."""
    before = ExecutorContract.footprint()
    with descriptors_left(6), pytest.raises(UserError, match="no process can be started"):
        LocalExecutor(workers=8)
    assert ExecutorContract.footprint() == before


def test_a_listener_that_fails_spoils_no_later_run() -> None:
    """What is raised on an incumbent reaches who waits for the run; the next run gets its own answer."""

    def fail(incumbent: Incumbent) -> None:
        raise LookupError("nobody listens")

    with LocalExecutor(workers=1) as executor:
        with pytest.raises(LookupError, match="nobody listens"):
            executor.submit(bits_run(Spins(), cpu=600.0), fail).result()
        assert executor.submit(bits_run(BitSolver())).result().cost == 0


DRIVER = """
    import sys
    from ceps.execution.local import LocalExecutor
    from ceps.testing.misbehaving import SpinsBesideADaemon
    from ceps.testing.executor import bits_run

    executor = LocalExecutor(workers=1)
    executor.submit(bits_run(SpinsBesideADaemon(), cpu=600.0), lambda incumbent: print("running", flush=True))
    sys.stdin.read()
"""


@pytest.mark.parametrize("victims", ["driver", "driver and keeper"])
def test_nothing_survives_a_killed_driver(tmp_path: Path, victims: str) -> None:
    """After kill -9 of the driver, its keeper ends, its run and detached processes are killed, its files removed.

    When the keeper is killed in the same moment, the checker and the run itself still die with it.
    """
    driver = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(DRIVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert driver.stdout is not None
    assert driver.stdin is not None
    with driver.stdout, driver.stdin:
        assert driver.stdout.readline() == b"running\n"
        keeper, checker, run, daemon = _native.usage_below(driver.pid).processes
        watched = [keeper, checker, run, daemon] if victims == "driver" else [keeper, checker, run]
        endings = [os.pidfd_open(process) for process in watched]
        if victims == "driver and keeper":
            os.kill(keeper, signal.SIGSTOP)  # So that it cannot do between the two kills what it does after the first.
        driver.send_signal(signal.SIGKILL)
        if victims == "driver and keeper":
            os.kill(keeper, signal.SIGKILL)
        driver.wait()
    for ending in endings:
        select.select([ending], [], [])  # Readable when the process has ended.
        os.close(ending)
    if victims == "driver":
        assert list(tmp_path.iterdir()) == []
    else:
        os.kill(daemon, signal.SIGKILL)


def test_a_run_of_a_job_that_is_told_to_end_is_made_again() -> None:
    """Batch systems send SIGTERM to all processes of a job, one after the other: a run that was told first has not
    crashed, for its keeper is told too, and another one makes it again."""
    begun: list[Incumbent] = []

    def tell(incumbent: Incumbent) -> None:
        begun.append(incumbent)
        if len(begun) > 1:
            executor.stop(future)
            return
        (keeper,) = children(os.getpid(), "ceps.execution.keeper")
        _, run = _native.usage_below(keeper).processes
        ending = os.pidfd_open(run)
        os.kill(run, signal.SIGTERM)
        select.select([ending], [], [])  # Readable when the process has ended.
        os.close(ending)
        os.kill(keeper, signal.SIGTERM)

    with LocalExecutor(workers=1) as executor:
        future = executor.submit(bits_run(Spins(), cpu=600.0), tell)
        outcome = future.result()
    assert (outcome.ending, outcome.cost) == (Ending.CAPPED, 3)
    assert len(begun) == 2


SHUTS_FOLDERS = """
    import os, sys
    from pathlib import Path
    from ceps import _native
    from ceps.execution.containment import Containment
    from ceps.records import Limits

    def shut(reporter):
        Path("outer/inner").mkdir(parents=True)
        Path("outer/inner/file").touch()
        Path("outer/elsewhere").symlink_to("/")
        Path("outer/inner").chmod(0)
        Path("outer").chmod(0)

    scratch = Path(sys.argv[1])
    if os.getuid() == 0:  # root may go anywhere
        os.chown(scratch, 65534, 65534)
        os.setgid(65534)
        os.setuid(65534)
    os.chdir(scratch)
    _native.adopt_orphans()
    print(Containment(Path()).call(shut, Limits(5.0)).status, os.listdir())
"""


def test_folders_that_a_run_has_shut_are_removed() -> None:
    """What a run leaves is removed also where it allows nobody to enter any more."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(SHUTS_FOLDERS), scratch], capture_output=True, text=True, check=False
        )
    assert (done.stdout, done.stderr) == ("0 []\n", "")
