"""Programs as solvers: real ones, in real runs."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.described import FileInstance
from ceps.problems.tsp import Tsp
from ceps.records import Ending, Limits, Outcome
from ceps.solvers.command import Command
from ceps.solvers.solver import default_configuration
from tests import described

FILLS = """
import sys
size = int(open(sys.argv[1]).read())
for ones in range(size + 1):
    print("cost", size - ones)
    print("bits", "1" * ones + "0" * (size - ones), flush=True)
"""
TELLS = """
import json, os, sys
told = {"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(), "files": os.listdir()}
print("bits", json.dumps(told))
print("cost 0")
"""


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    with LocalExecutor(workers=1) as executor:
        yield executor


def run(executor: LocalExecutor, solver: Command, folder: Path, **changes: Any) -> Outcome:
    """A run on the problem of zeros, as a build would make it."""
    made = Run(
        problem=described.problem(folder),
        solver=solver,
        configuration=default_configuration(solver),
        instance=described.instance(),
        seed=7,
        limits=Limits(cpu=20.0),
    )
    return executor.submit(replace(made, **changes)).result()


def told(executor: LocalExecutor, solver: Command, folder: Path, **changes: Any) -> dict[str, Any]:
    """What a program that tells it was given."""
    problem = described.problem(folder, described.PROBLEM.replace("zeros.py", "yes.py"))
    (folder / "yes.py").write_text("print(0)")
    outcome = run(executor, solver, folder, problem=problem, **changes)
    assert outcome.cost == 0, outcome
    found: dict[str, Any] = json.loads(outcome.solution["solution"])
    return found


def test_improvements_are_read_as_they_come(executor: LocalExecutor, tmp_path: Path) -> None:
    """Every cost with its solution is an improvement; the last is the verified answer."""
    outcome = run(executor, described.solver(tmp_path, FILLS), tmp_path)
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0.0)
    assert outcome.solution == described.answer("11111", 0.0)
    assert outcome.trace[-1].cost == 0.0


def test_the_target_ends_the_run(executor: LocalExecutor, tmp_path: Path) -> None:
    """A program that would go on is over when it prints a solution of the target's cost; what was read is told."""
    forever = FILLS + "\nwhile True: pass\n"
    outcome = run(executor, described.solver(tmp_path, forever), tmp_path, target=0.0)
    assert (outcome.ending, outcome.cost) == (Ending.SOLVED, 0.0)
    assert outcome.output.splitlines()[-1] == "read: solved, cost 0, a solution of 5 characters"


def test_a_program_that_is_stopped_keeps_its_last_solution(executor: LocalExecutor, tmp_path: Path) -> None:
    """At the cut-off the last solution that was printed counts."""
    forever = FILLS.replace("size + 1", "3") + "\nwhile True: pass\n"
    outcome = run(executor, described.solver(tmp_path, forever), tmp_path, limits=Limits(cpu=1.0))
    assert (outcome.ending, outcome.cost) == (Ending.TIMEOUT, 3.0)


def test_false_claims_are_found(executor: LocalExecutor, tmp_path: Path) -> None:
    """A solution that is none, and a cost better than the true one, are INVALID, with what the checker says."""
    none = run(executor, described.solver(tmp_path, "print('bits 111'); print('cost 0')"), tmp_path)
    assert (none.ending, none.reason) == (Ending.INVALID, "expected 5 bits")
    better = run(executor, described.solver(tmp_path, "print('bits 11110'); print('cost 0')"), tmp_path)
    assert better.ending is Ending.INVALID
    assert "claimed cost 0" in better.reason


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("import sys; sys.exit(5)", "exit status 5"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 1)", "ended by signal 35"),
        ("print('cost much')", "told 'much' as a cost"),
    ],
)
def test_crashes_are_told(executor: LocalExecutor, tmp_path: Path, script: str, reason: str) -> None:
    """A program that fails is CRASHED, with how it ended; what it said is kept."""
    shown = "import sys; print('last words', file=sys.stderr, flush=True)\n" + script
    outcome = run(executor, described.solver(tmp_path, shown), tmp_path)
    assert outcome.ending is Ending.CRASHED
    assert reason in outcome.reason
    assert "last words" in outcome.output


def test_of_a_traceback_only_the_users_is_shown(executor: LocalExecutor, tmp_path: Path) -> None:
    """Where a program in Python fails, its traceback is what is shown; and where it tells nonsense, none is."""
    script = "def theirs():\n    raise KeyError('theirs')\ntheirs()"
    failed = run(executor, described.solver(tmp_path, script), tmp_path)
    assert failed.output.splitlines()[-2] == "KeyError: 'theirs'"
    assert (failed.output.count("Traceback"), failed.output.count("File")) == (1, 2)
    nonsense = run(executor, described.solver(tmp_path, "print('cost much')"), tmp_path)
    assert nonsense.output.splitlines()[1:-1] == ["cost much"]
    assert "told 'much' as a cost" in nonsense.reason


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("print('hello')", "no line matches [output] cost = '^cost (.*)$' or solution = '^bits (.*)$'"),
        ("print('cost 3')", "no line matches [output] solution = '^bits (.*)$'"),
    ],
)
def test_why_no_answer_was_read(executor: LocalExecutor, tmp_path: Path, script: str, why: str) -> None:
    """Of a program that ends without an answer it is told what was looked for in vain."""
    outcome = run(executor, described.solver(tmp_path, script), tmp_path)
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, None)
    assert outcome.output.splitlines()[-1] == f"read: no answer: {why}"


def test_what_was_read_of_a_program_that_is_stopped(executor: LocalExecutor, tmp_path: Path) -> None:
    """At the cut-off it is told which expressions no line has matched so far, with both ends of what was printed."""
    script = "print('cost 3'); print('x' * 99_999); print('Bits 11111', flush=True)\nwhile True: pass"
    outcome = run(executor, described.solver(tmp_path, script), tmp_path, limits=Limits(cpu=1.0))
    assert outcome.ending is Ending.TIMEOUT
    _, first, *_, last, read = outcome.output.splitlines()
    assert (first, last) == ("cost 3", "Bits 11111")
    assert read == "read: no answer so far: no line matches [output] solution = '^bits (.*)$'"


def test_what_was_read_last_of_a_program_that_is_stopped(executor: LocalExecutor, tmp_path: Path) -> None:
    """At the cut-off the last answer is told."""
    forever = FILLS + "\nwhile True: pass\n"
    outcome = run(executor, described.solver(tmp_path, forever), tmp_path, limits=Limits(cpu=1.0))
    assert outcome.ending is Ending.TIMEOUT
    assert outcome.output.splitlines()[-1] == "read: solved, cost 0, a solution of 5 characters"


def test_warnings_do_not_hide_what_was_run(executor: LocalExecutor, tmp_path: Path) -> None:
    """The command line is told whole, however long it is and however much the program prints to standard error."""
    long = "x" * 9000
    text = described.SOLVER.replace('"{{seed}}"', f'"{{{{seed}}}}", "{long}"')
    script = FILLS + "for number in range(2000): print('warning', number, file=sys.stderr)"
    first, *rest = run(executor, described.solver(tmp_path, script, text), tmp_path).output.splitlines()
    words = [sys.executable, str(tmp_path / "filler.py"), "instance.zeros", "7", long, "20", "--ones=2"]
    assert first == "$ " + shlex.join(words)
    assert "warning 0" in rest
    assert "warning 1999" in rest


def test_a_solution_file_that_was_not_written(executor: LocalExecutor, tmp_path: Path) -> None:
    """That there is no such file is told as the reason why there is no answer."""
    without_output, _, _ = described.SOLVER.partition("[output]")
    text = without_output.replace('"{{parameters}}"', '"{{solution_file}}", "{{parameters}}"')
    outcome = run(executor, described.solver(tmp_path, "", text), tmp_path)
    assert outcome.output.splitlines()[-1] == "read: no answer: the program wrote no {solution_file}"


def test_other_exit_codes_are_fine_when_described(executor: LocalExecutor, tmp_path: Path) -> None:
    """Programs that tell their answer by exit code are no failures."""
    text = described.SOLVER + "exit_codes = [0, 10]\n"
    outcome = run(executor, described.solver(tmp_path, FILLS + "sys.exit(10)", text), tmp_path)
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0.0)


def test_a_program_that_cannot_start_is_never_fine(executor: LocalExecutor, tmp_path: Path) -> None:
    """What is executable and no program is a crash, also where the program itself may end with 1."""
    (tmp_path / "bad").write_bytes(b"\x00\x01")
    (tmp_path / "bad").chmod(0o755)
    text = described.SOLVER.replace('"{python}"', '"./bad"') + "exit_codes = [0, 1]\n"
    outcome = run(executor, described.solver(tmp_path, FILLS, text), tmp_path)
    assert outcome.ending is Ending.CRASHED
    assert "Exec format error" in outcome.output


def test_what_a_program_is_given(executor: LocalExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instance, seed, cut-off and parameters arrive, in a private directory and with little of the environment."""
    given = told(executor, described.solver(tmp_path, TELLS), tmp_path)
    assert given["arguments"] == ["instance.zeros", "7", "20", "--ones=2"]
    assert "instance.zeros" in given["files"]
    assert given["folder"] == given["environment"]["TMPDIR"]
    assert given["environment"]["OMP_NUM_THREADS"] == "1"
    assert not {"PYTHONPATH", "PYTEST_CURRENT_TEST"} & given["environment"].keys()


@pytest.mark.parametrize("name", ["a b", "it's", 'q"', "new\nline", "x; touch evil", "$(touch evil)", "-rf", "ü/../é"])
def test_names_of_instances_do_no_harm(executor: LocalExecutor, tmp_path: Path, name: str) -> None:
    """Whatever an instance is called, the program finds it in a file with a plain name."""
    given = told(executor, described.solver(tmp_path, TELLS), tmp_path, instance=described.instance(name=name))
    assert given["arguments"][0] == "instance.zeros"
    assert "evil" not in given["files"]


def test_values_are_words_whatever_they_look_like(executor: LocalExecutor, tmp_path: Path) -> None:
    """A parameter's value is not seen by any shell."""
    wild = '$(touch evil); `x` "b" it\'s * {seed} \\n\n--ones=5\r\n'
    value = json.dumps(wild).replace("{", "{{").replace("}", "}}")
    parameter = f"wild = {{{{ type = 'categorical', values = [{value}], default = {value} }}}}"
    solver = described.solver(tmp_path, TELLS, described.SOLVER.replace("[space]", f"[space]\n{parameter}"))
    assert f"--wild={wild}" in told(executor, solver, tmp_path)["arguments"]


def test_other_ways_to_write_parameters(executor: LocalExecutor, tmp_path: Path) -> None:
    """Two words for a parameter, switches for its values, or a file of lines, as the description has it."""
    two = described.SOLVER.replace("\n[space]", '\nparameter = ["-{{name}}", "{{value}}"]\n[space]')
    assert told(executor, described.solver(tmp_path, TELLS, two), tmp_path)["arguments"][-2:] == ["-ones", "2"]
    choice = "[space]\nluby = {{ type = 'categorical', values = ['yes', 'no'], default = 'no' }}"
    switched = described.SOLVER.replace("[space]", choice) + "[switches]\nluby = {{ yes = '-luby', no = '' }}\n"
    assert told(executor, described.solver(tmp_path, TELLS, switched), tmp_path)["arguments"][3:] == ["--ones=2"]
    filed = two.replace("{{parameters}}", "{{parameter_file}}").replace('-{{name}}", "', "{{name}} = ")
    reads = "import sys, json; print('bits', json.dumps(open(sys.argv[4]).read())); print('cost 0')"
    assert told(executor, described.solver(tmp_path, reads, filed), tmp_path) == "ones = 2\n"


def test_a_target_is_told_only_where_there_is_one(executor: LocalExecutor, tmp_path: Path) -> None:
    """The word with {target} is left out of a run without one."""
    text = described.SOLVER.replace('"{{parameters}}"', '"--goal={{target}}", "{{memory}}", "{{parameters}}"')
    solver = described.solver(tmp_path, TELLS, text)
    assert told(executor, solver, tmp_path)["arguments"][3:] == ["2048", "--ones=2"]
    assert told(executor, solver, tmp_path, target=3.0)["arguments"][3:] == ["--goal=3", "2048", "--ones=2"]


def test_a_working_directory_of_its_own(executor: LocalExecutor, tmp_path: Path) -> None:
    """A program may run in a folder of the user's; its files are then given by their whole paths."""
    (tmp_path / "data").mkdir()
    solver = described.solver(tmp_path, TELLS, 'working_directory = "data"\n' + described.SOLVER)
    solver.prepare()
    given = told(executor, solver, tmp_path)
    assert given["folder"] == str(tmp_path / "data")
    assert Path(given["arguments"][0]).is_absolute()


def test_variables_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program sees the variables that its description gives, and those of the user's that it names; no other."""
    monkeypatch.setenv("LICENCE", "a=b {{seed}} $HOME")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    text = 'inherit = ["LICENCE"]\n' + described.SOLVER + "[environment]\nDATA = '{{here}}/data'\n"
    with LocalExecutor(workers=1) as started_with_them:
        given = told(started_with_them, described.solver(tmp_path, TELLS, text), tmp_path)["environment"]
    assert (given["LICENCE"], given["DATA"]) == ("a=b {{seed}} $HOME", f"{tmp_path}/data")
    assert "SECRET_TOKEN" not in given


def test_solutions_in_files(executor: LocalExecutor, tmp_path: Path) -> None:
    """A program may write its solution to a file; it is read when the program ends."""
    text = described.SOLVER.replace('"{{parameters}}"', '"{{solution_file}}", "{{parameters}}"')
    script = "import sys; open(sys.argv[4], 'w').write('1101\\n'); print('cost 1')"
    solver = described.solver(tmp_path, script, text.replace("solution = '^bits (.*)$'", ""))
    outcome = run(executor, solver, tmp_path, instance=described.instance(4))
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 1.0)
    assert outcome.solution == described.answer("1101\n", 1.0)


def test_a_problem_in_the_box(executor: LocalExecutor, tmp_path: Path) -> None:
    """A described solver may be one for the TSP: it gets a TSPLIB file and writes a TSPLIB tour."""
    text = described.SOLVER.replace('"zeros"', '"tsp"').replace(
        '"{{parameters}}"', '"{{solution_file}}", "{{parameters}}"'
    )
    script = """
import sys
n = sum(line[:1].isdigit() for line in open(sys.argv[1]))
open(sys.argv[4], "w").write("TOUR_SECTION\\n" + "\\n".join(map(str, range(1, n + 1))) + "\\n-1\\nEOF\\n")
"""
    solver = described.solver(tmp_path, script, text)
    instance = Tsp().generate("uniform", 8, 1)
    outcome = run(executor, solver, tmp_path, problem=Tsp(), instance=instance)
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, Tsp().check(instance, list(range(1, 9))))


def test_megabytes_and_odd_bytes_are_survived(executor: LocalExecutor, tmp_path: Path) -> None:
    """A flood of lines, a line without end, and bytes that are no text: the answer counts as ever."""
    script = """
import sys
out = sys.stdout.buffer
out.write(b"x" * 20_000_000 + b"\\n" + b"\\xff\\xfe\\n" * 100_000)
out.write(b"bits 11111\\ncost 0\\n")
"""
    outcome = run(executor, described.solver(tmp_path, script), tmp_path)
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0.0)
    assert len(outcome.output) < 20_000
    assert outcome.memory < 300 * 1024**2


def test_the_exact_command_line_is_in_the_output(executor: LocalExecutor, tmp_path: Path) -> None:
    """What was run, what was printed and what was read of it is there to be looked at."""
    first, *_, last = run(executor, described.solver(tmp_path, FILLS), tmp_path).output.splitlines()
    script = str(tmp_path / "filler.py")
    assert first == "$ " + shlex.join([sys.executable, script, "instance.zeros", "7", "20", "--ones=2"])
    assert last == "read: solved, cost 0, a solution of 5 characters"


def test_instances_of_any_bytes_reach_the_program(executor: LocalExecutor, tmp_path: Path) -> None:
    """The file that the program reads has the instance's bytes, all of them."""
    script = "import sys; print('bits', open(sys.argv[1], 'rb').read().hex()); print('cost 0')"
    content = bytes(range(256))
    problem = described.problem(tmp_path, described.PROBLEM.replace("zeros.py", "yes.py"))
    (tmp_path / "yes.py").write_text("print(0)")
    solver = described.solver(tmp_path, script)
    outcome = run(executor, solver, tmp_path, problem=problem, instance=FileInstance("b", content, ".zeros"))
    assert outcome.solution["solution"] == content.hex()


def test_what_a_run_leaves_behind_is_gone(executor: LocalExecutor, tmp_path: Path) -> None:
    """A process that the program has started does not outlive the run, even in a session of its own."""
    os.mkfifo(tmp_path / "alive")
    reading = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    script = f"""
import subprocess
alive = open({str(tmp_path / "alive")!r}, "wb")
subprocess.Popen(["sh", "-c", "echo x; exec sleep 600"], stdout=alive, start_new_session=True)
print("bits 11111")
print("cost 0")
"""
    assert run(executor, described.solver(tmp_path, script), tmp_path).cost == 0.0
    os.set_blocking(reading, True)
    with os.fdopen(reading, "rb") as alive:
        assert alive.read() in (b"x\n", b"")


def test_who_is_left_behind_does_not_hold_up_the_run(executor: LocalExecutor, tmp_path: Path) -> None:
    """A run is over with its program, also when a process that it has started keeps its output open."""
    script = "import subprocess; print('cost 0'); print('bits 11111', flush=True); subprocess.Popen(['sleep', '600'])"
    limits = Limits(cpu=20.0, wall=60.0)
    outcome = run(executor, described.solver(tmp_path, script), tmp_path, limits=limits)
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0.0)
