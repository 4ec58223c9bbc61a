"""``ceps compare`` with real runs: killed, stopped, gone on with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ceps.store import Store
from tests.tampering import tamper

CEPS = str(Path(sys.executable).with_name("ceps"))
EXPERIMENT = """
seed = 1
[problem]
name = "tsp"
generate = { generator = "uniform", size = 150, count = 4 }
[splits]
count = 1
train = 2
[portfolio]
size = 2
solvers = ["eax"]
[metric]
cutoff = 0.2
[budget]
cpu = "12s"
[test]
repeats = 1
[[methods]]
name = "ceps"
iterations = 1
sessions = 2
candidates = 3
[[methods]]
name = "single"
sessions = 2
[[methods]]
name = "default"
solver = "eax"
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    return [CEPS, "compare", str(tmp_path / "experiment.toml"), "--out", str(tmp_path / "run")]


def start_until(command: list[str], said: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    while said not in process.stderr.readline():
        assert process.poll() is None
    return process


def test_a_killed_comparison_goes_on_and_is_told_in_full(command: list[str], tmp_path: Path) -> None:
    """Every decision from before kill -9 is there afterwards; tables, figures and JSON agree on who took part."""
    process = start_until(command, "1/CEPS: validation 1")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Store.read_only(tmp_path / "run") as store:
        before = store.journal()
    assert len(before) >= 3
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with Store.read_only(tmp_path / "run") as store:
        assert store.journal()[: len(before)] == before
    told = json.loads(done.stdout)
    assert [cell["method"] for cell in told["means"]] == ["CEPS.initial", "CEPS", "EAX-tuned", "EAX-default"]
    assert {built["method"]: built["charged"] for built in told["cpu"]} == pytest.approx(
        {"CEPS": 12.0, "EAX-tuned": 12.0}, rel=0.1
    )
    assert told == json.loads((tmp_path / "run" / "results" / "results.json").read_text())
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    for words in ("CEPS.initial", "EAX-default", "really spent", "tables and figures in"):
        assert words in again.stdout
    tables = json.loads((tmp_path / "run" / "results" / "results.json").read_text())
    assert {**tables, "work": None} == {**told, "work": None}


def test_an_interrupted_comparison_stops_cleanly_and_says_how_to_go_on(command: list[str]) -> None:
    """Ctrl-C while builds go on side by side: exit 130, the way to resume, no traceback."""
    process = start_until(command, "1/CEPS: configuration 1")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "goes on from there" in said
    assert "Traceback" not in said


def test_a_journal_that_was_changed_is_refused(command: list[str], tmp_path: Path) -> None:
    """A decision that comes out differently: exit 2, whose it is, the directory and the way out, no traceback."""
    process = start_until(command, "1/CEPS: configuration 1")
    process.send_signal(signal.SIGINT)
    process.communicate()
    tamper(tmp_path / "run", "1/CEPS: initialisation")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"1/CEPS: {tmp_path / 'run'} cannot be resumed: '1/CEPS: initialisation' was decided" in done.stderr
    assert "begin anew with another --out" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
