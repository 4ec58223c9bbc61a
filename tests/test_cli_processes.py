"""The command line as people start it: whole processes, real runs, interrupts, terminals and closed pipes."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from ceps import _native
from ceps.problems import problem_named

pytest.importorskip("LKHpy")

CEPS = str(Path(sys.executable).with_name("ceps"))
GUARD = 60
"""Wall-clock seconds after which a command that does not end fails its test."""
TSP = problem_named("tsp")
PORTFOLIO = {
    "format": 1,
    "problem": "tsp",
    "metric": {"name": "par10", "cutoff": 0.2},
    "members": [{"solver": "lkh", "parameters": {}}, {"solver": "lkh", "parameters": {"MOVE_TYPE": 3}}],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two instances and a portfolio."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    for size in (60, 70):
        TSP.write(TSP.generate("uniform", size, 1), Path(f"data/city-{size}.tsp"))
    Path("p.json").write_text(json.dumps(PORTFOLIO))
    return tmp_path


def ceps(*arguments: object) -> subprocess.CompletedProcess[str]:
    result = subprocess.run([CEPS, *map(str, arguments)], capture_output=True, text=True, timeout=GUARD, check=False)
    assert "Traceback" not in result.stderr
    return result


@contextmanager
def started(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A command in a process group of its own, with its first line of progress still to be read."""
    command = [CEPS, *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def first_line(stream: IO[str] | None) -> str:
    assert stream is not None
    assert select.select([stream], [], [], GUARD)[0], "no line of progress"
    return stream.readline()


def interrupted(
    process: subprocess.Popen[str], number: signal.Signals = signal.SIGINT, code: int = 130
) -> tuple[str, str]:
    """Send Ctrl-C's signal, or another; what the command says then. Nothing that it has started may be left."""
    below = [os.pidfd_open(pid) for pid in _native.usage_below(process.pid).processes]
    assert below
    process.send_signal(number)
    said = process.communicate(timeout=GUARD)
    for descriptor in below:
        assert select.select([descriptor], [], [], GUARD)[0], "a process is left"
        os.close(descriptor)
    assert process.returncode == code
    assert "Traceback" not in said[1]
    return said


def length_of(tour: Path, instance: Path) -> object:
    read = TSP.read(instance)
    return TSP.check(read, TSP.read_solution(read, tour))


def test_bad_input() -> None:
    """A mistake ends with code 2 and a message on standard error; the rest is silence."""
    Path("bad.tsp").write_text("NODE_COORD_SECTION\n")
    Path("kept.tour").write_text("precious")
    result = ceps("solve", "bad.tsp", "--out", "kept.tour", "--json")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("ceps: bad.tsp, line 1: DIMENSION is missing")
    assert Path("kept.tour").read_text() == "precious"
    result = ceps("solve", "data/city-60.tsp", "--tmie", 3)
    assert (result.returncode, result.stdout) == (2, "")
    assert "--time" in result.stderr


def test_solve_as_json() -> None:
    """A race ends with one JSON object whose solution is verified, and the same solution in the file."""
    result = ceps("solve", "data/city-70.tsp", "--portfolio", "p.json", "--time", 0.4, "--out", "a.tour", "--json")
    assert result.returncode == 0
    answer = json.loads(result.stdout)
    assert set(answer) == {"cost", "status", "component", "cpu", "wall", "solution"}
    instance = TSP.read(Path("data/city-70.tsp"))
    assert (
        TSP.check(instance, answer["solution"]) == answer["cost"] == length_of(Path("a.tour"), Path("data/city-70.tsp"))
    )
    assert answer["component"] in (1, 2)
    assert answer["status"] == "TIMEOUT"
    assert answer["cpu"] > 0.0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupting_a_race(number: signal.Signals, code: int) -> None:
    """Ctrl-C, or SIGTERM, ends a race with the best answer so far, written and shown, and with nothing left running."""
    TSP.write(TSP.generate("uniform", 200, 1), Path("large.tsp"))
    with started("solve", "large.tsp", "--portfolio", "p.json", "--time", 60, "--out", "large.tour") as process:
        assert " (lkh): " in first_line(process.stderr)
        shown, _ = interrupted(process, number, code)
    assert f"cost {length_of(Path('large.tour'), Path('large.tsp'))} by component " in shown
    assert "CAPPED" in shown
    assert "written to large.tour" in shown


def test_one_evaluation_at_a_time_and_resuming() -> None:
    """A directory in use is refused; after Ctrl-C it is free, and the same command goes on from there."""
    command: list[object] = ["evaluate", "data/city-60.tsp", "--portfolio", "p.json", "--out", "run", "--workers", 1]
    with started(*command, "--repeats", 10_000) as process:
        assert first_line(process.stderr).startswith("References: 1 of 1. city-60: ")
        second = ceps(*command)
        assert second.returncode == 2
        assert f"run is in use by process {process.pid} " in second.stderr
        _, told = interrupted(process)
        assert "finished runs are kept in run: the same command again goes on from there" in told
        assert "nothing is left running" in told
    resumed = ceps(*command, "--repeats", 1)
    assert resumed.returncode == 0
    charged = re.search(r"for references (\S+) s;", resumed.stdout)
    assert charged is not None
    assert float(charged[1]) > 0.0  # as before
    spent = re.search(r"really spent (.*) s in (\d+) runs?$", resumed.stdout)
    assert spent is not None
    assert float(spent[1]) < 0.4  # and not made again: there are at most the two members' runs of one repeat
    assert int(spent[2]) <= 2


def on_terminal(*arguments: object) -> tuple[int, str]:
    """Exit code and screen of a command on a terminal."""
    terminal, other_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    command = [CEPS, *map(str, arguments)]
    with subprocess.Popen(command, stdin=other_end, stdout=other_end, stderr=other_end, env=environment) as process:
        os.close(other_end)
        screen = b""
        try:
            while select.select([terminal], [], [], GUARD)[0]:
                screen += os.read(terminal, 1 << 16)
        except OSError:  # the terminal's way to say that nobody is on its other end any more
            pass
        finally:
            os.close(terminal)
            process.kill()
    return process.returncode, screen.decode()


def test_a_race_on_a_terminal() -> None:
    """On a terminal a race shows a live table of its components, and then the answer."""
    code, screen = on_terminal("solve", "data/city-70.tsp", "--portfolio", "p.json", "--time", 0.4)
    assert code == 0
    assert "Traceback" not in screen
    for part in ("s of 0.4 s", "component", "best cost", "found at CPU s", "│", "by component"):
        assert part in screen


def test_an_evaluation_on_a_terminal() -> None:
    """On a terminal an evaluation shows one bar for each of its stages, and then the scores."""
    code, screen = on_terminal("evaluate", "data/city-60.tsp", "--portfolio", "p.json", "--repeats", 1)
    assert code == 0
    assert "Traceback" not in screen
    for part in ("References", "━", "Evaluating", "par10", "CPU charged", "really spent"):
        assert part in screen


def test_nobody_listens_to_progress() -> None:
    """When the reader of standard error is gone, the race goes on and its answer arrives."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [CEPS, "solve", "data/city-60.tsp", "--time", "0.5", "--json"]
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=writing, timeout=GUARD, check=False)
    finally:
        os.close(writing)
    answer: dict[str, Any] = json.loads(result.stdout)
    assert answer["cost"] > 0


ON_A_CLUSTER = """
seed = 1
[problem]
name = "tsp"
train = ["data/*.tsp"]
[portfolio]
size = 1
solvers = ["lkh"]
[metric]
cutoff = 0.2
[budget]
cpu = "10min"
[execution]
backend = "dask"
workers = 1
"""


def test_a_scenario_is_checked_on_a_cluster() -> None:
    """Runs of a check are made on the cluster that the scenario names, and Dask says nothing of its own."""
    Path("s.toml").write_text(ON_A_CLUSTER)
    result = ceps("check", "s.toml")
    assert (result.returncode, result.stderr) == (0, "")
    assert "cut-off 0.2 s, 1 worker" in result.stdout


def test_interrupting_a_build_on_a_cluster() -> None:
    """Ctrl-C ends the build and the cluster that was made for it, with nothing left running."""
    Path("s.toml").write_text(ON_A_CLUSTER)
    with started("build", "s.toml", "--out", "run") as process:
        assert first_line(process.stderr)
        _, told = interrupted(process)
        assert "finished runs are kept in run: the same command again goes on from there" in told
