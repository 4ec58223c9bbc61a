"""Command lines of other people's programs."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps import commands
from ceps.commands import CallError, call, environment, fill, find_program, located, named_files, variables, words_with
from ceps.errors import UserError

MIB = 1024**2
READ = words_with("instance", "seed", "target", "parameters")


def python(script: str, folder: Path, seconds: float = 20.0, memory: int = 1024 * MIB) -> commands.Called:
    return call([sys.executable, "-c", script], folder, seconds, memory)


@given(value=st.text())
@settings(derandomize=True, deadline=None, max_examples=100)
def test_values_arrive_as_they_are(value: str) -> None:
    """Whatever a value looks like, to a shell or to us, it becomes part of one word, unchanged."""
    assert fill(["a", "--x={seed}y", "{{seed}}"], {"seed": value}) == ["a", f"--x={value}y", "{seed}"]


def test_what_placeholders_become() -> None:
    """A list becomes several words, nothing takes its word with it, and an empty list is no word."""
    words = ["run", "{parameters}", "--target={target}", "{instance}"]
    values: dict[str, str | list[str] | None] = {"parameters": ["-a", "b c"], "target": None, "instance": "x"}
    assert fill(words, values) == ["run", "-a", "b c", "x"]
    assert fill(words, {**values, "parameters": [], "target": "5"}) == ["run", "--target=5", "x"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("clasp {instance}", "must be a list of words"),
        ([], "must be a list of words"),
        (["clasp", 3], "must be a list of words"),
        (["clasp", "{instnace}"], "unknown placeholder {instnace}. Did you mean 'instance'?"),
        (["clasp", "{}"], "unknown placeholder {}"),
        (["{instance}"], "must begin with a program"),
        ([""], "must begin with a program"),
        (["clasp", "a\0b"], "NUL"),
    ],
    ids=str,
)
def test_mistakes_in_command_lines(value: object, message: str) -> None:
    """A command line that is none, or that nobody can fill, is told with the fix."""
    with pytest.raises(ValueError, match=r".") as caught:
        READ(value)
    assert message in str(caught.value)


def test_programs_and_files_are_relative_to_the_description(tmp_path: Path) -> None:
    """A program with a slash, and whatever has {here}, is found in the folder; a bare name is not touched."""
    folder = tmp_path / "a {seed} folder"
    assert fill(located(["./run", "{here}/x", "y"], folder), {}) == [str(folder / "run"), f"{folder}/x", "y"]
    assert fill(located(["{here}/run"], folder), {}) == [f"{folder}/run"]
    assert located(["clasp", "{instance}"], folder) == ("clasp", "{instance}")
    assert located(["/usr/bin/env"], folder) == ("/usr/bin/env",)


def test_scripts_that_a_command_names(tmp_path: Path) -> None:
    """Words that are files are found, as part of what is run, also in the folder where it runs; others are not."""
    inner = tmp_path / "inner"
    inner.mkdir()
    for script in (tmp_path / "s.py", inner / "t.py"):
        script.write_text("")
    words = located(["python3", "{here}/s.py", "{instance}", "s.py", "./t.py"], tmp_path)
    assert named_files(words, None) == [tmp_path / "s.py"]
    assert named_files(words, inner) == [tmp_path / "s.py", inner / "t.py"]


def test_programs_that_are_not_there(tmp_path: Path) -> None:
    """A program that is missing, or is none, is told with the way out."""
    (tmp_path / "plain").write_text("")
    assert find_program("sh").is_file()
    for word, message in {
        "no-such-program-here": "on the PATH; install it",
        str(tmp_path / "missing"): "check the path",
        str(tmp_path / "plain"): "chmod +x",
        str(tmp_path): "there is no program",
    }.items():
        with pytest.raises(UserError, match=r".") as caught:
            find_program(word)
        assert message in str(caught.value)


def test_little_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the environment, a program sees an allow-list, one thread for libraries, and what it is given."""
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    made = environment([("LICENCE", "here")])
    assert made["PATH"] == os.environ["PATH"]
    assert (made["LC_ALL"], made["OMP_NUM_THREADS"], made["LICENCE"]) == ("C.UTF-8", "1", "here")
    assert not {"SECRET_TOKEN", "PYTHONPATH"} & made.keys()


@pytest.mark.parametrize("value", [3, {"A": 1}, {"A=B": "x"}, {"A": "{instance}"}], ids=str)
def test_mistakes_in_environments(value: object) -> None:
    """An environment is a table of texts, in which nothing but {here} is filled in."""
    with pytest.raises(ValueError, match=r"."):
        variables(value)


def test_a_call(tmp_path: Path) -> None:
    """A program runs in its folder, and its output, errors and exit status are told."""
    script = "import os, sys; print(os.getcwd(), os.environ['TMPDIR']); print('oh', file=sys.stderr); sys.exit(3)"
    made = python(script, tmp_path)
    assert made.output.decode().split() == [str(tmp_path), str(tmp_path)]
    assert (made.status, made.last_line) == (3, "oh")


def test_the_end_of_whoever_watches_a_program_is_not_its_own(tmp_path: Path) -> None:
    """What a program would have said is not known then."""
    with pytest.raises(CallError, match="the process that watches it was ended by SIGKILL"):
        python("import os; os.kill(os.getppid(), 9)", tmp_path)


# What a program may leave behind, with the pipe ``alive`` open; each says so through the pipe ``ready``.
LEAVING = {
    "a child": "sh -c 'echo > ready; exec sleep 600' > alive &",
    "a grandchild": "sh -c '(echo > ready; exec sleep 600) & wait' > alive &",
    "an orphan in a session of its own": "setsid sh -c '(echo > ready; exec sleep 600) & exit' > alive &",
}


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[int]:
    """The end for reading of a pipe in the folder of a call."""
    os.mkfifo(tmp_path / "ready")
    os.mkfifo(tmp_path / "alive")
    reading = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    yield reading
    os.close(reading)


def said_by_the_dead(alive: int) -> bytes:
    """What was written to a pipe that nobody has open for writing any more; raises BlockingIOError if somebody has."""
    return b"".join(iter(lambda: os.read(alive, 1000), b""))


@pytest.mark.parametrize("leaving", LEAVING.values(), ids=LEAVING)
def test_nothing_outlives_a_call(tmp_path: Path, alive: int, leaving: str) -> None:
    """When a call has returned, what its program had started is gone, however it was detached."""
    assert call(["sh", "-c", f"{leaving} read line < ready; echo x > alive"], tmp_path, 20.0, 1024 * MIB).status == 0
    assert said_by_the_dead(alive) == b"x\n"


@pytest.mark.parametrize("leaving", LEAVING.values(), ids=LEAVING)
def test_a_call_that_takes_too_long_is_ended_with_all_it_started(tmp_path: Path, alive: int, leaving: str) -> None:
    """At the limit the program and what it started are gone, however it was detached."""
    with pytest.raises(CallError, match=r"had not computed for 0\.2 s when 1 s were over"):
        call(["sh", "-c", f"{leaving} read line < ready; echo x > alive; exec sleep 600"], tmp_path, 0.2, 1024 * MIB)
    assert said_by_the_dead(alive) == b"x\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda number: number.name)
@pytest.mark.parametrize("leaving", LEAVING.values(), ids=LEAVING)
def test_a_call_ends_with_its_driver(tmp_path: Path, alive: int, leaving: str, number: signal.Signals) -> None:
    """A program and what it started are gone when who called it was killed, and cannot end them, or interrupted."""
    script = f"{leaving} read line < ready; exec > alive; echo x; sleep 600"
    driver = f"""
from pathlib import Path
from ceps.commands import call
call(["sh", "-c", {script!r}], Path({str(tmp_path)!r}), 100.0, 1024**3)
"""
    pipe = select.poll()
    pipe.register(alive, select.POLLIN)
    with subprocess.Popen([sys.executable, "-c", driver], stderr=subprocess.DEVNULL) as started:
        assert pipe.poll(60_000)
        assert os.read(alive, 1000) == b"x\n"
        started.send_signal(number)
    ((_, happened),) = pipe.poll(20_000)
    assert happened == select.POLLHUP
    assert not said_by_the_dead(alive)


def test_what_a_called_program_inherits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees the variables it is to see and no other, and a closed pipe ends it."""
    monkeypatch.setenv("SECRET_TOKEN", "x")
    shown = "tr '\\0' '\\n' < /proc/$$/environ; grep SigIgn /proc/$$/status"
    lines = call(["sh", "-c", shown], tmp_path, 20.0, 1024 * MIB, [("LICENCE", "a=b\nc")]).output.decode().splitlines()
    seen = {line.partition("=")[0] for line in lines if "=" in line}
    assert {"LICENCE", "TMPDIR", "PATH"} <= seen <= environment([("LICENCE", ""), ("TMPDIR", "")]).keys()
    assert "LICENCE=a=b" in lines
    (ignored,) = (int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))
    assert not ignored & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)


def test_a_call_is_held_to_its_memory(tmp_path: Path) -> None:
    """Whoever wants more memory than there is does not get it."""
    made = python("print(len(bytearray(900 * 1024**2)))", tmp_path, memory=256 * MIB)
    assert made.status != 0
    assert "MemoryError" in made.last_line


def test_what_is_printed_is_bounded(tmp_path: Path) -> None:
    """Only the beginning of much output is read."""
    made = python("print('x' * 5_000_000)", tmp_path)
    assert len(made.output) == commands.MOST_OUTPUT


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    """A script whose interpreter is missing is told as such."""
    bad = tmp_path / "bad"
    bad.write_text("#!/no/such/interpreter\n")
    bad.chmod(0o755)
    with pytest.raises(CallError, match="cannot be started: No such file"):
        call([str(bad)], tmp_path, 5.0, 1024 * MIB)
