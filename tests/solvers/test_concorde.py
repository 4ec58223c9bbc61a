"""Concorde, by means of a stand-in that writes what Concorde is documented to write."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.problems.tsp import TspInstance
from ceps.problems.tsp.generate import generate
from ceps.solvers import concorde
from ceps.solvers.concorde import Concorde
from ceps.solvers.program import ProgramError
from tests.solvers.spawned import spawned_process, trace

# Writes the cities in the order of the file, ten to a line, after their number. Notes what it was called with.
STAND_IN = """\
#!{python}
import sys
from pathlib import Path
Path({notes!r}).write_text(" ".join(sys.argv[1:]))
lines = Path(sys.argv[-1]).read_text().splitlines()
n = next(int(line.split()[-1]) for line in lines if line.startswith("DIMENSION"))
rows = [" ".join(map(str, range(start, min(start + 10, n)))) for start in range(0, n, 10)]
Path(sys.argv[sys.argv.index("-o") + 1]).write_text("\\n".join([str(n), *rows, ""]))
"""


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that puts a program of the given text on the PATH, as ``concorde``; it returns the PATH."""

    def put(text: str) -> str:
        program = tmp_path / "concorde"
        program.write_text(text.replace("{python}", sys.executable))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        return str(tmp_path)

    return put


def solve(instance: TspInstance, path: str):
    with spawned_process() as process:
        return process.submit(trace, Concorde(), instance, seed=7, environment={"PATH": path}).result()


def test_solves_with_the_program_on_the_path(on_path, tmp_path):
    """The program is called with the documented options, and the tour in its file is the answer."""
    notes = tmp_path / "notes"
    path = on_path(STAND_IN.replace("{notes!r}", repr(str(notes))))
    assert solve(generate("portgen", 25, 1), path).answer == list(range(1, 26))
    assert notes.read_text() == "-s 7 -x -o solution.sol problem.tsp"


def test_failure_carries_the_program_s_words(on_path):
    """When the program fails, the error has its exit status and the end of what it said."""
    path = on_path("#!{python}\nprint('Could not load the LP solver')\nraise SystemExit(3)\n")
    with pytest.raises(ProgramError, match=r"(?s)concorde ended with exit status 3.*Could not load the LP solver"):
        solve(generate("portgen", 12, 1), path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#!{python}\n", "without writing a solution"),
        ("#!{python}\nopen('solution.sol', 'w').write('4\\n0 1 2 3\\n')\n", "tour of 4 cities; there are 12"),
        ("#!{python}\nopen('solution.sol', 'w')\n", "tour of 0 cities; there are 12"),
    ],
)
def test_a_wrong_solution_file_is_an_error(on_path, text, message):
    """A missing, foreign or empty solution file is an error that says so."""
    with pytest.raises((ProgramError, ValueError), match=message):
        solve(generate("portgen", 12, 1), on_path(text))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_up_to_three_cities_need_no_program(n):
    """One, two and three cities have a single tour."""
    assert trace(Concorde(), generate("portgen", n, 1)).answer == list(range(1, n + 1))


def test_absence_is_told(monkeypatch, tmp_path):
    """Without concorde on the PATH it is not available, and preparing or asking its version says what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not concorde.available()
    with pytest.raises(UserError, match="no concorde on the PATH"):
        Concorde().prepare()
    with pytest.raises(UserError, match="no concorde on the PATH"):
        _ = Concorde().version


def test_identity(on_path):
    """It has no parameters, refuses any, shows its command line, and another binary is another version."""
    on_path("#!{python}\n")
    assert concorde.available()
    assert len(Concorde().space) == 0
    assert Concorde().describe({}) == "concorde -s SEED -x -o solution.sol problem.tsp"
    with pytest.raises(ValueError, match="MOVE_TYPE"):
        Concorde().describe({"MOVE_TYPE": 5})
    assert Concorde().version.startswith("binary ")
