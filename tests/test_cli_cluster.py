"""``ceps build`` on a cluster of this machine, from the first run to the portfolio, with a problem without Python."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ceps.store import Store
from ceps.testing.executor import ExecutorContract
from tests import described
from tests.processes import children

CEPS = str(Path(sys.executable).with_name("ceps"))
IMPROVES = """
import sys
size = int(open(sys.argv[1]).read())
for ones in range(size + 1):
    print(f"cost {size - ones}")
    print("bits " + "1" * ones + "0" * (size - ones), flush=True)
"""
SCENARIO = """
seed = 1
[problem]
name = "zeros"
train = ["*.zeros"]
settings = { file = "zeros.toml" }
[portfolio]
size = 2
solvers = ["filler"]
[solvers.filler]
file = "filler.toml"
[metric]
cutoff = 0.3
[method]
name = "ceps"
iterations = 1
sessions = 2
candidates = 4
[budget]
cpu = "16s"
[references]
cpu = "0.2s"
[execution]
backend = "dask"
workers = 2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    described.problem(tmp_path, described.PROBLEM.replace("mutate =", "# mutate ="))
    described.solver(tmp_path, IMPROVES)
    for size in (3, 4):
        (tmp_path / f"{size}.zeros").write_text(str(size))
    (tmp_path / "s.toml").write_text(SCENARIO)
    return tmp_path


def test_a_build_on_a_cluster_that_loses_a_worker(folder: Path) -> None:
    """The build goes on and ends as one on this machine does: no run has failed, the portfolio solves an instance, and
    no process is left. Without a mutate command it says, once and why, that nothing is bred."""
    before = ExecutorContract.footprint()
    with subprocess.Popen([CEPS, "build", "s.toml", "--out", "run"], stderr=subprocess.PIPE, text=True) as build:
        assert build.stderr is not None
        said = [build.stderr.readline() for _ in range(3)]  # The third is of the first phase.
        worker = next(worker for worker in workers(build.pid) if children(worker, "ceps.execution.keeper"))
        os.kill(worker, signal.SIGKILL)
        said += build.stderr.readlines()
    told = " ".join("".join(said).split())
    assert build.returncode == 0, told
    assert told.count("problem 'zeros' has no mutate command: no instances can be bred against the portfolio") == 1
    with Store.read_only(folder / "run") as store:
        assert {run.execution.outcome.ending.value for run in store.runs()} <= {"SOLVED", "FINISHED", "CAPPED"}
        assert [entry.result["admitted"] for entry in store.journal() if "admitted" in entry.result] in ([], [[]])
    race = "solve 4.zeros --portfolio run/portfolio.json --time 2 --trust --json"
    answer = subprocess.run([CEPS, *shlex.split(race)], capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout)["cost"] == 0
    assert ExecutorContract.footprint() == before


def test_a_cluster_that_cannot_be_started_is_told(folder: Path) -> None:
    """Where too few files may be open for its workers: a message with the way out, and code 2."""
    few = ["sh", "-c", 'ulimit -n 24; exec "$@"', "sh", CEPS, "check", "s.toml"]
    checked = subprocess.run(few, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (2, "")
    assert "no cluster can be started on this machine" in checked.stderr
    assert "ulimit -n" in checked.stderr
    assert "Traceback" not in checked.stderr


def workers(process: int) -> list[int]:
    """The worker processes of a cluster that another has made: its nannies start them."""
    below = children(process, "multiprocessing.spawn")
    return [*below, *(worker for nanny in below for worker in children(nanny, "multiprocessing.spawn"))]
