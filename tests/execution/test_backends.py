"""From [execution] to an executor, and to a cluster of jobs on a batch system that is two shell scripts."""

from __future__ import annotations

import os
import select
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from ceps import _native
from ceps.errors import UserError
from ceps.execution.backends import executor_of, job_cluster, local_cluster
from ceps.execution.dask_cluster import DaskExecutor
from ceps.execution.local import LocalExecutor
from ceps.records import Ending
from ceps.settings import BATCH_SYSTEMS, ExecutionSettings, JobSettings
from ceps.testing.bits import BitSolver
from ceps.testing.executor import bits_run

OPTIONS = {"cores": 2, "memory": "1GB", "interface": "lo"}


@dataclass(frozen=True)
class System:
    """What differs between batch systems. All read a job's script when it is submitted, after which it is removed."""

    submit: str
    script: str
    """Where it is read: the file that is named, or (``-``) standard input."""
    start: str
    """PBS and SGE start a job without the environment of who submits it, PBS also in another folder."""
    answer: str
    """What is said when a job is submitted, with its number."""
    cancel: str
    signal: str
    """What ends a job that is cancelled; the SIGINT that LSF sends ten seconds before is left out."""


SYSTEMS = {
    "lsf": System("bsub", "-", "setsid", "Job <%d> is submitted to default queue <normal>.", "bkill", "TERM"),
    "pbs": System("qsub", "$1", "env -i -C / setsid", "%d.head", "qdel", "TERM"),
    "sge": System("qsub", "$1", "env -i setsid", 'Your job %d ("dask-worker") has been submitted', "qdel", "KILL"),
    "slurm": System("sbatch", "$1", "setsid", "Submitted batch job %d", "scancel", "TERM"),
}
SUBMIT = """#!/bin/sh
script=$(cat "{script}")
{start} sh -c "$script" >/dev/null 2>&1 &
echo $! > "$(dirname "$0")/job"
printf '{answer}\\n' $!
"""
CANCEL = """#!/bin/sh
kill -{signal} "-$1" && echo "$1" > "$(dirname "$0")/cancelled"
"""
REFUSING = """#!/bin/sh
echo "no such queue" >&2
exit 1
"""


def jobs_of(system: str) -> ExecutionSettings:
    return ExecutionSettings(backend="dask", jobqueue=JobSettings(system, 1, OPTIONS))


@pytest.fixture(params=BATCH_SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    """Each of those that settings may name."""
    name: str = request.param
    return name


@pytest.fixture
def batch_system(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the PATH with a batch system that starts every job at once, in the background."""
    own = SYSTEMS[system]
    for name, script in ((own.submit, SUBMIT), (own.cancel, CANCEL)):
        (tmp_path / name).write_text(script.format(**asdict(own)))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


@pytest.mark.parametrize(("settings", "option", "slots"), [(3, None, 3), (3, 2, 2)])
def test_this_machine(settings: int, option: int | None, slots: int) -> None:
    """By default runs are made on this machine; an option comes before the settings."""
    with executor_of(ExecutionSettings(workers=settings), option) as executor:
        assert isinstance(executor, LocalExecutor)
        assert executor.slots == slots


def test_a_cluster_of_local_processes() -> None:
    """The Dask backend alone is a cluster of as many processes as there are to be workers."""
    with executor_of(ExecutionSettings(backend="dask", workers=1), None) as executor:
        assert isinstance(executor, DaskExecutor)
        assert executor.slots == 1
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED


def test_a_cluster_of_local_processes_is_not_heard_elsewhere() -> None:
    """Nobody on another machine can reach its scheduler or its workers: whoever can has any code run."""
    with local_cluster(processes=1):
        here = psutil.Process()
        sockets = [each for process in (here, *here.children(recursive=True)) for each in process.net_connections()]
    listening = {each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


def test_a_number_of_workers_for_a_cluster_that_has_its_own_is_refused() -> None:
    """It could not be heeded, and is not ignored."""
    settings = ExecutionSettings(backend="dask", scheduler="tcp://host:8786")
    with pytest.raises(UserError, match="--workers 2: the cluster of"), executor_of(settings, 2):
        pass


@pytest.mark.parametrize(
    ("module", "settings", "extra"),
    [
        ("distributed.utils", ExecutionSettings(backend="dask"), "dask"),
        ("dask_jobqueue", jobs_of("slurm"), "jobqueue"),
    ],
)
def test_what_is_not_installed_is_told_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, module: str, settings: ExecutionSettings, extra: str
) -> None:
    """Both extras are named where they are needed."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=rf"pip install 'ceps\[{extra}\]'"), executor_of(settings, None):
        pass


def test_workers_are_jobs(system: str, batch_system: Path) -> None:
    """A job is submitted, its cores are slots, a run is made in it; it is cancelled in the end, and nothing is left."""
    with executor_of(jobs_of(system), None) as executor:
        assert executor.slots == 2
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED
        job = int((batch_system / "job").read_text())
        endings = [os.pidfd_open(process) for process in (job, *_native.usage_below(job).processes)]
    assert int((batch_system / "cancelled").read_text()) == job
    for ending in endings:
        select.select([ending], [], [])  # Readable when the process has ended.
        os.close(ending)


def test_a_batch_system_that_is_not_there_is_told(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that is missing is named."""
    monkeypatch.setenv("PATH", str(tmp_path))
    message = f"system = '{system}': there is no '{SYSTEMS[system].submit}' on the PATH"
    with pytest.raises(UserError, match=message), executor_of(jobs_of(system), None):
        pass


def test_a_batch_system_that_refuses_is_quoted(system: str, batch_system: Path) -> None:
    """What it says reaches the user."""
    (batch_system / SYSTEMS[system].submit).write_text(REFUSING)
    with pytest.raises(UserError, match="no such queue"), executor_of(jobs_of(system), None):
        pass


# A cluster that dask-jobqueue cannot make, it does not close either.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("options", "message"), [({**OPTIONS, "coers": 2}, "coers"), ({"queue": "long"}, "cores and memory")]
)
@pytest.mark.usefixtures("batch_system")
def test_options_that_no_job_has_are_told(system: str, options: dict[str, Any], message: str) -> None:
    """Keys that are unknown to dask-jobqueue, or missing, are named."""
    settings = JobSettings(system, 1, options)
    with pytest.raises(UserError, match=rf"\[execution.jobqueue\].*{message}"), job_cluster(settings):
        pass
