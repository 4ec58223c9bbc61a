"""The local executor: its contract, and what is its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from ceps import _native
from ceps.errors import UserError
from ceps.execution.local import LocalExecutor, available_cores
from ceps.testing.executor import ExecutorContract, bits_run
from ceps.testing.misbehaving import Spins

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
    before = ExecutorContract.footprint()[0]
    executor = LocalExecutor(workers=1)
    started: list[float] = []
    future = executor.submit(bits_run(Spins(), cpu=600.0), lambda incumbent: started.append(incumbent.cost))
    while not started:
        pass
    executor.close()
    assert future.done()
    assert ExecutorContract.footprint()[0] == before


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
