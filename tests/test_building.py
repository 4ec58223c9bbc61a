"""A small build with real LKH, from scenario to portfolio, and what may go wrong on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ceps.portfolio import Portfolio
from ceps.store import Store
from ceps.store.seal import SEAL_NAME
from tests.tampering import tamper

pytest.importorskip("LKHpy")

CEPS = str(Path(sys.executable).with_name("ceps"))
SCENARIO = """
seed = 1
[problem]
name = "tsp"
generate = { generator = "uniform", size = 60, count = 3 }
[portfolio]
size = 2
solvers = ["lkh"]
[metric]
cutoff = 0.1
[method]
name = "ceps"
iterations = 2
sessions = 2
candidates = 4
batch = 2
[budget]
cpu = "10s"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO)
    return path


def build(scenario: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CEPS, "build", str(scenario), "--out", str(out)], capture_output=True, text=True, check=False
    )


def test_a_portfolio_is_built_summarised_and_usable(scenario: Path, tmp_path: Path) -> None:
    """Both portfolio files are there and valid, the journal has every phase, and the summary says what it took."""
    done = build(scenario, tmp_path / "run")
    assert done.returncode == 0, done.stderr
    initial, final = (Portfolio.load(tmp_path / "run" / name) for name in ("portfolio.initial.json", "portfolio.json"))
    assert len(initial) == len(final) == 2
    assert final.provenance["stage"] == "iteration 2"
    known = {"method", "stage", "training_score", "seed", "instances", "solvers", "ceps", "created"}
    assert known <= final.provenance.keys()
    with Store.read_only(tmp_path / "run") as store:
        phases = [entry.phase for entry in store.journal()]
    expected = ["references", "initialisation", "portfolio", "session", "session", "validation 1", "portfolio"]
    assert phases == [*expected, "generation 1", "session", "session", "validation 2", "portfolio"]
    for words in ("training score", "CPU charged", "really spent", "CPU saved", "worker utilisation", "without it"):
        assert words in done.stdout
    assert "generation 1" in done.stderr


def test_a_killed_build_reproduces_what_it_had_decided(scenario: Path, tmp_path: Path) -> None:
    """With real runs: every journal entry from before kill -9 is there afterwards, and the build finishes."""
    out = tmp_path / "run"
    process = subprocess.Popen(
        [CEPS, "build", str(scenario), "--out", str(out)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    while "validation 1" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Store.read_only(out) as store:
        before = store.journal()
    assert len(before) >= 4
    done = build(scenario, out)
    assert done.returncode == 0, done.stderr
    with Store.read_only(out) as store:
        assert store.journal()[: len(before)] == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('cpu = "10s"', 'cpu = "2s"', "give at least"),
        ("candidates = 4", "candidates = 1", "candidates = 1 is less than [portfolio] size = 2"),
        ("sessions = 2", "session = 2", "Did you mean 'sessions'"),
        ('name = "ceps"', 'name = "cesp"', "Did you mean 'ceps'"),
        ('[budget]\ncpu = "10s"', "", "[budget] is missing"),
        ("[budget]", '[execution]\nmemory = "1KiB"\n[budget]', "memory must be at least 16MiB"),
    ],
)
def test_mistakes_are_named_with_their_fix(scenario: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    """A budget too small, too few candidates, unknown settings and methods: exit 2 and a message, no traceback."""
    scenario.write_text(SCENARIO.replace(old, new))
    done = build(scenario, tmp_path / "run")
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_refused_budget_leaves_no_directory_behind(scenario: Path, tmp_path: Path) -> None:
    """What is refused before anything is run can be corrected and built into the same directory."""
    scenario.write_text(SCENARIO.replace('cpu = "10s"', 'cpu = "2s"'))
    assert build(scenario, tmp_path / "run").returncode == 2
    assert not (tmp_path / "run").exists()


def test_a_solver_that_never_answers_is_refused_at_the_references(scenario: Path, tmp_path: Path) -> None:
    """A binary that is no LKH: the build ends with a message, though its runs cost nothing."""
    scenario.write_text(f'{SCENARIO}\n[solvers.lkh]\nbinary = "/bin/true"\n')
    done = build(scenario, tmp_path / "run")
    assert done.returncode == 2
    assert "no run found a solution of any training instance" in done.stderr


def test_a_changed_scenario_is_refused_with_the_difference(scenario: Path, tmp_path: Path) -> None:
    """Resuming under other settings is refused, the difference shown, and nothing overwritten."""
    with Store.open(tmp_path / "run", {"purpose": "build", "scenario": {"budget": {"cpu": 2.0}}}):
        pass
    kept = {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.sqlite")}
    done = build(scenario, tmp_path / "run")
    assert done.returncode == 2
    assert "scenario.budget.cpu: 2.0 -> 10.0" in done.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").glob("*.sqlite")} == kept


def test_a_journal_that_was_changed_is_refused(scenario: Path, tmp_path: Path) -> None:
    """A decision that comes out differently: exit 2, the directory, what differs and the way out, no traceback."""
    command = [CEPS, "build", str(scenario), "--out", str(tmp_path / "run")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    while "configuration 1" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    tamper(tmp_path / "run", "initialisation")
    done = build(scenario, tmp_path / "run")
    assert done.returncode == 2
    said = done.stderr.replace("\n", " ")
    assert f"{tmp_path / 'run'} cannot be resumed: 'initialisation' was decided differently before:   charge: " in said
    assert "begin anew with another --out" in said
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_build_stops_cleanly_and_says_how_to_go_on(
    scenario: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """Ctrl-C, or what a batch system sends before it kills: a code of its own, the way to resume, no traceback, and
    the history is closed and sealed."""
    process = subprocess.Popen(
        [CEPS, "build", str(scenario), "--out", str(tmp_path / "run")],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=os.environ,
    )
    assert process.stderr is not None
    while "configuration 1" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == code
    assert "goes on from there" in said
    assert "Traceback" not in said
    assert (tmp_path / "run" / SEAL_NAME).exists()
