"""Commands with programs of the user's: some do not do what they should, some cannot do all."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests import described
from tests.described import PORTFOLIO, told

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
name = "panc"
cutoff = 0.2
[budget]
cpu = "60s"
"""
HONEST = "print('cost 0'); print('bits 11111')"

LIAR = "print('cost 0'); print('bits 00000')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "five.zeros").write_text("5")
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    described.problem(tmp_path)
    described.solver(tmp_path, HONEST)
    return tmp_path


def test_what_works_passes_the_check(folder: Path) -> None:
    """Nothing is wrong with these programs."""
    told(0, "check", "scenario.toml")


def test_commands_are_shown_as_they_were_run(folder: Path) -> None:
    """Of every command of the problem the exact line, its limits, what it printed and what was read of it are told."""
    shown = told(0, "check", "scenario.toml")
    script = re.escape(f"$ {shlex.join([sys.executable, str(folder / 'zeros.py')])}")
    limits = "Limits CPU 10 s, wall 50 s, memory 1024 MiB for each process"
    file = r"/\S+/ceps-\w+"
    for command in (
        rf"mutate {file}/instance.zeros {file}/out.zeros 1 {limits} Raw outcome printed nothing "
        rf"Parsed outcome an instance of \d+ bytes",
        rf"features {file}/instance.zeros {limits} Raw outcome size = 5 one = 1 Parsed outcome one 1, size 5",
        rf"check {file}/instance.zeros {file}/solution {limits} Raw outcome checked 0 Parsed outcome cost 0",
    ):
        assert re.search(rf"{command.split()[0]} Call {script} {command}", shown), shown


def test_the_program_that_checks_is_told_without_an_answer_too(folder: Path) -> None:
    """Where there was nothing to check, how answers are checked is shown all the same."""
    described.solver(folder, "print('nothing')")
    shown = told(1, "check", "scenario.toml").replace("'", "")
    assert "zeros.py check {instance} {solution}" in shown
    assert "not tried: no answer to try it on" in shown


def test_the_program_that_checks_is_shown_refusing(folder: Path) -> None:
    """Of an answer that was refused, the call that has refused it is shown as any other: it may be what is wrong."""
    described.solver(folder, LIAR.replace("00000", "1"))
    shown = told(1, "check", "scenario.toml")
    assert "INVALID (expected 5 bits)" in shown
    call = r"zeros.py'? check /\S+/instance.zeros /\S+/solution Limits .{50,70} Raw outcome expected 5 bits Parsed"
    assert re.search(rf"{call} outcome no: expected 5 bits", shown), shown


def test_an_expression_that_matches_nothing_is_told_of_a_solver_that_never_ends(folder: Path) -> None:
    """The typical first mistake: the solver prints what it should, and nothing of it is read until the cut-off."""
    described.solver(folder, HONEST.replace("bits", "Bits") + "\nimport sys; sys.stdout.flush()\nwhile True: pass")
    shown = told(1, "check", "scenario.toml")
    assert "read: no answer so far: no line matches [output] solution = '^bits (.*)$'" in shown
    assert "TIMEOUT" in shown


def test_a_liar_fails_the_check_and_builds_nothing(folder: Path) -> None:
    """A solver whose every claim is false has no valid solution, though a cost of its solutions is known."""
    described.solver(folder, LIAR)
    assert "a solver found no valid solution" in told(1, "check", "scenario.toml")
    assert "no run found a solution of any training instance" in told(2, "build", "scenario.toml", "--out", "run")


def test_a_broken_command_fails_the_check(folder: Path) -> None:
    """A mutation that fails is told at the end as well, where people look."""
    described.problem(folder, described.PROBLEM.replace('"mutate", ', '"broken", '))
    assert "a command of the problem failed" in told(1, "check", "scenario.toml")


UNEVEN = """
def features(instance):
    size = Path(instance).read_text()
    print("size =", size)
    print("five = 1" if size == "5" else "other = 1")
"""
EXPERIMENT = SCENARIO.replace("train = [", "instances = [") + "[splits]\ncount = 4\ntrain = 1\n"


@pytest.mark.parametrize("method", ["ceps", "clustering"])
@pytest.mark.parametrize("command", ["check", "build", "compare"])
def test_features_that_instances_do_not_have_in_common_are_refused(folder: Path, command: str, method: str) -> None:
    """As many of them, but of other names: told before anything is run, whoever trains on which of them."""
    script = described.SCRIPT.replace("\ncommand, *arguments", UNEVEN + "\ncommand, *arguments")
    (folder / "zeros.py").write_text(script)
    for size in (6, 7):
        (folder / f"n{size}.zeros").write_text(str(size))
    (folder / "scenario.toml").write_text(f"{SCENARIO}\n[method]\nname = '{method}'\n")
    (folder / "compare.toml").write_text(f"{EXPERIMENT}\n[[methods]]\nname = '{method}'\n")
    file = "compare.toml" if command == "compare" else "scenario.toml"
    said = told(2, command, file, *([] if command == "check" else ["--out", "run"]))
    message = f"{file}: problem 'zeros' has other features for n[67] than for five: only one of them has five, other"
    assert re.search(message, said)
    assert not (folder / "run").exists()


def without_parameters(folder: Path) -> None:
    """The solver, and a second one of its kind with parameters."""
    text = (folder / "filler.toml").read_text()
    own = [line for line in text.splitlines() if not line.startswith("ones = ")]
    (folder / "tuned.toml").write_text(text.replace('"filler"', '"tuned"'))
    (folder / "filler.toml").write_text("\n".join(own))


NOTHING = "'filler' has no parameters, so there is nothing to search"


def test_a_solver_without_parameters_is_refused_where_it_is_to_be_tuned(folder: Path) -> None:
    """There is nothing to search: check and build say so before anything is run."""
    without_parameters(folder)
    for command in (["check", "scenario.toml"], ["build", "scenario.toml", "--out", "run"]):
        assert f"scenario.toml: solver {NOTHING}" in told(2, *command)
    assert not (folder / "run").exists()


TWO = SCENARIO.replace('["filler"]', '["filler", "tuned"]') + '[solvers.tuned]\nfile = "tuned.toml"\n'


def test_of_several_solvers_one_without_parameters_is_refused_only_if_it_is_the_one_to_be_tuned(folder: Path) -> None:
    """A single one of them must have something to search; a portfolio of all of them has."""
    without_parameters(folder)
    (folder / "scenario.toml").write_text(TWO + '[method]\nname = "single"\nsolver = "filler"\n')
    assert f"scenario.toml: [method] solver = {NOTHING}" in told(2, "build", "scenario.toml", "--out", "run")
    assert not (folder / "run").exists()
    for method in ('name = "single"\nsolver = "tuned"', 'name = "ceps"'):
        (folder / "scenario.toml").write_text(f"{TWO}[method]\n{method}\n")
        told(0, "check", "scenario.toml")


def test_a_solver_without_parameters_may_be_compared_as_it_is(folder: Path) -> None:
    """By its defaults, where nobody is to tune it; tuned alone it is refused, with the label of who would."""
    without_parameters(folder)
    for size in (6, 7):
        (folder / f"n{size}.zeros").write_text(str(size))
    default = EXPERIMENT.replace("count = 4", "count = 1") + '[[methods]]\nname = "default"\nsolver = "filler"\n'
    tuned = default + '[solvers.tuned]\nfile = "tuned.toml"\n'
    tuned = tuned.replace('solvers = ["filler"]', 'solvers = ["tuned"]')
    (folder / "compare.toml").write_text(f'{tuned}[[methods]]\nname = "single"\nsolver = "filler"\n')
    assert f"compare.toml: [[methods]] 'FILLER-tuned': solver {NOTHING}" in told(
        2, "compare", "compare.toml", "--out", "run"
    )
    assert not (folder / "run").exists()
    (folder / "compare.toml").write_text(default)
    assert "FILLER-default" in told(0, "compare", "compare.toml", "--out", "run")


def test_what_has_no_pictures_is_refused_before_the_race(folder: Path) -> None:
    """Without --draw the race is run and its answer written; with it, nothing is run."""
    (folder / "p.json").write_text(json.dumps(PORTFOLIO))
    race = ["solve", "five.zeros", "--portfolio", "p.json", "--trust", "--time", "60"]
    said = told(2, *race, "--draw", "a.svg", "--out", "refused.bits")
    assert said.endswith("ceps: --draw a.svg: instances and solutions of problem 'zeros' cannot be drawn")
    assert "component" not in said
    assert not (folder / "refused.bits").exists()
    assert "cost 0 by component 1" in told(0, *race, "--out", "five.bits")
    assert (folder / "five.bits").read_text() == "11111"
