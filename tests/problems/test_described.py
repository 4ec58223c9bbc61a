"""Problems that are described in a file: real programs, called."""

from __future__ import annotations

import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.commands import MARK
from ceps.errors import UserError
from ceps.problems import problem_named
from ceps.problems.described import BELIEVED, VERIFIED, DescribedProblem, FileInstance
from ceps.problems.problem import Infeasible, Unverified
from tests import described
from tests.described import PROBLEM, answer, instance, problem

NO_SOLUTION = {"status": "unsatisfiable", "cost": None, "solution": None}
CERTIFIED = {**NO_SOLUTION, "solution": "a proof"}
DECISION = """
name = "zeros"
suffixes = [".zeros"]
kind = "decision"
check = ["{python}", "{{here}}/zeros.py", "check", "{{instance}}", "{{solution}}"]
"""
JUDGE = 'import sys; sys.exit(0 if "proof" in open(sys.argv[2]).read() else "no proof")'


@pytest.fixture(scope="module")
def zeros(tmp_path_factory: pytest.TempPathFactory) -> DescribedProblem:
    return problem(tmp_path_factory.mktemp("zeros"))


def test_is_a_small_value(zeros: DescribedProblem) -> None:
    """It pickles, compares, and has the name, endings and generators of its description."""
    assert pickle.loads(pickle.dumps(zeros)) == zeros
    assert (zeros.name, zeros.suffixes, list(zeros.generators)) == ("zeros", (".zeros",), ["plain"])
    assert (zeros.target, zeros.mutates) == (None, True)


@given(content=st.binary(max_size=200) | st.text(max_size=50).map(str.encode))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_any_bytes_can_be_kept_as_text(zeros: DescribedProblem, content: bytes) -> None:
    """Whatever a file holds, its text is UTF-8, and gives the same instance back; plain texts stay as they are."""
    kept = FileInstance("x", content, ".zeros")
    text = zeros.encode(kept)
    assert zeros.decode(text.encode().decode(), "x") == kept
    if content.isascii() and b"\0" not in content and not content.startswith(b"data:"):
        assert text.encode() == content


def test_a_text_that_looks_encoded(zeros: DescribedProblem) -> None:
    """A file that begins as encoded ones do is no exception; a broken one is told."""
    odd = FileInstance("odd", b"data:;base64,not so", ".zeros")
    assert zeros.decode(zeros.encode(odd), "odd") == odd
    with pytest.raises(UserError, match="there is no base64"):
        zeros.decode("data:;base64,!", "odd")


def test_files(zeros: DescribedProblem, tmp_path: Path) -> None:
    """Instances are read and written byte by byte; identity is the content, the name is the file's stem."""
    content = b"\xff\x00\r\n"
    (tmp_path / "a.zeros").write_bytes(content)
    read = zeros.read(tmp_path / "a.zeros")
    assert (read.name, read.content) == ("a", content)
    zeros.write(read, tmp_path / "b.zeros")
    assert zeros.read(tmp_path / "b.zeros") == read
    assert zeros.read(tmp_path / "b.zeros").id == read.id
    with pytest.raises(UserError, match="there is no such file"):
        zeros.read(tmp_path / "none.zeros")
    with pytest.raises(UserError, match="this is a directory"):
        zeros.read(tmp_path)
    (tmp_path / "endless.zeros").symlink_to("/dev/zero")
    with pytest.raises(UserError, match="this is no ordinary file"):
        zeros.read(tmp_path / "endless.zeros")


def test_names_of_files_do_not_steer(zeros: DescribedProblem, tmp_path: Path) -> None:
    """Whatever a file is called, its instance has a name that can be printed and kept."""
    for stem in (b"\x1b[31mred", b"latin-1 caf\xe9", b"new\nline"):
        path = tmp_path / os.fsdecode(stem + b".zeros")
        path.write_bytes(b"5")
        assert zeros.read(path).name.isprintable()
        assert zeros.read(path).name.encode()


def test_solutions_are_checked_by_the_program(zeros: DescribedProblem) -> None:
    """The cost is what the program prints last; what it says when it fails is the reason."""
    assert zeros.check(instance(), answer("11010")) == 2.0
    assert zeros.check(instance(), answer("110")) == Infeasible("expected 5 bits")


@pytest.mark.parametrize(
    "solution",
    [None, 3, [], "11111", {}, {"status": "great"}, {"status": ["solved"]}, answer(None), answer("\ud800")],
    ids=repr,
)
def test_nonsense_is_no_solution(zeros: DescribedProblem, solution: Any) -> None:
    """Any value is survived, and none of these is a solution."""
    assert isinstance(zeros.check(instance(), solution), Infeasible)


def test_solutions_in_files(zeros: DescribedProblem, tmp_path: Path) -> None:
    """A solution is written as the program printed it, whatever its bytes, and can be read and checked again."""
    path = tmp_path / "s.txt"
    zeros.write_solution(instance(), answer("11010"), 2.0, path)
    assert path.read_text() == "11010"
    assert zeros.check(instance(), zeros.read_solution(instance(), path)) == 2.0
    zeros.write_solution(instance(), answer("\udcff"), 2.0, path)
    assert path.read_bytes() == b"\xff"


def test_a_checker_that_does_not_end(tmp_path: Path) -> None:
    """A check that computes for too long is given up, and the solution does not count."""
    slow = problem(tmp_path, PROBLEM + 'time = "1s"\n')
    (tmp_path / "zeros.py").write_text(described.COMPUTES_WITHOUT_END)
    found = slow.check(instance(), answer("11111"))
    assert isinstance(found, Infeasible)
    assert "took longer than 1 s" in found.reason


def test_a_checker_that_waits_says_nothing_of_the_solution(tmp_path: Path) -> None:
    """A check that was given up without having computed is trouble of the host, for the user to mend."""
    waiting = problem(tmp_path, PROBLEM + 'time = "0.3s"\n')
    (tmp_path / "zeros.py").write_text("import signal; signal.pause()")
    with pytest.raises(
        UserError, match=r"zeros\.toml: check failed: .* had not computed for 0\.3 s when 1\.5 s were over"
    ):
        waiting.check(instance(), answer("11111"))


def test_a_checker_that_cannot_be_started_says_nothing_of_the_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below a keeper, a program that the system refuses to execute is named."""
    monkeypatch.setenv(MARK, "")
    program = tmp_path / "checks"
    program.write_text("")
    program.chmod(0o700)
    found = problem(tmp_path, PROBLEM.replace('check = ["{python}"', 'check = ["{{here}}/checks"'))
    with pytest.raises(UserError, match=r"zeros\.toml: check failed: .*/checks cannot be started"):
        found.check(instance(), answer("11111"))


def test_a_checker_that_is_ended(tmp_path: Path) -> None:
    """What ended it is told."""
    ended = problem(tmp_path)
    (tmp_path / "zeros.py").write_text("import os; os.abort()")
    found = ended.check(instance(), answer("11111"))
    assert found == Infeasible("the program that checks was ended by SIGABRT: it said nothing")


def test_a_checker_that_tells_no_cost(tmp_path: Path) -> None:
    """Without a number in its output there is no cost."""
    mute = problem(tmp_path)
    for said in ("", "print('fine')", "print('nan')"):
        (tmp_path / "zeros.py").write_text(said)
        assert isinstance(mute.check(instance(), answer("11111")), Infeasible)


def test_mutation(zeros: DescribedProblem) -> None:
    """A mutant is what the program makes of a seed from the generator: the same for the same one, named after its
    ancestor however many generations there are."""
    child = zeros.mutate(instance(), np.random.default_rng(3))
    again = zeros.mutate(instance(), np.random.default_rng(3))
    grandchild = zeros.mutate(child, np.random.default_rng(4))
    assert child == again != instance()
    assert (child.name.partition("~")[0], len(grandchild.name)) == ("five", len(child.name))
    assert int(grandchild.content) > int(child.content) > 5


def test_generation_and_features(zeros: DescribedProblem) -> None:
    """A named generator makes instances of a size and a seed; features are numbers by name."""
    made = zeros.generate("plain", 7, 1)
    assert (made.name, made.content) == ("plain-7-1", b"7")
    assert zeros.features(made) == {"one": 1.0, "size": 7.0}
    with pytest.raises(UserError, match=r"no generator 'plane'. Did you mean 'plain'\?"):
        zeros.generate("plane", 7, 1)
    with pytest.raises(UserError, match="no parameter 'x'"):
        zeros.generate("plain", 7, 1, {"x": 1.0})


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import sys; sys.exit('out of ideas')", "mutate ended with exit status 1: out of ideas"),
        ("print('done')", "mutate wrote nothing to {out}; it said: done"),
        ("import os, sys; os.symlink('/etc/passwd', sys.argv[3])", "mutate wrote nothing to {out}; it said: "),
        ("while True: pass", "mutate failed: "),
    ],
)
def test_programs_that_fail(tmp_path: Path, script: str, message: str) -> None:
    """A mutation that fails is told with the description, the key and what the program said."""
    failing = problem(tmp_path, PROBLEM + 'time = "1s"\n')
    (tmp_path / "zeros.py").write_text(script)
    with pytest.raises(UserError) as caught:
        failing.mutate(instance(), np.random.default_rng(1))
    assert str(caught.value).startswith(f"{tmp_path / 'zeros.toml'}: {message}")


@pytest.mark.parametrize(
    ("script", "expected"),
    [("print('a=1\\n\\nb = 2.5')", {"a": 1.0, "b": 2.5}), ('print(\'{"b": 2, "a": 1}\')', {"a": 1.0, "b": 2.0})],
)
def test_features_as_lines_or_json(tmp_path: Path, script: str, expected: dict[str, float]) -> None:
    """Either form is read, in the order of the names."""
    made = problem(tmp_path)
    (tmp_path / "zeros.py").write_text(script)
    assert list(made.features(instance()).items()) == list(expected.items())


@pytest.mark.parametrize("told", ["size", "size=nan", "size=1e999", '{"size": [1]}', '{"size": 1' + 400 * "0" + "}"])
def test_features_that_are_none(tmp_path: Path, told: str) -> None:
    """A feature that is no number, or no finite one, is named."""
    made = problem(tmp_path)
    (tmp_path / "zeros.py").write_text(f"print({told!r})")
    with pytest.raises(UserError, match="features told no finite number for 'size'"):
        made.features(instance())


@pytest.mark.parametrize("script", ["", "print()"])
def test_a_features_command_that_says_nothing(tmp_path: Path, script: str) -> None:
    """It has failed: without features there is no such command."""
    made = problem(tmp_path)
    (tmp_path / "zeros.py").write_text(script)
    with pytest.raises(UserError, match=r"features told none; print lines such as"):
        made.features(instance())


def test_features_that_are_too_deep(tmp_path: Path) -> None:
    """JSON that nobody could read is told as any other mistake."""
    made = problem(tmp_path)
    (tmp_path / "zeros.py").write_text("print('{\"a\":' * 100_000)")
    with pytest.raises(UserError, match=r"zeros\.toml: features "):
        made.features(instance())


def test_where_programs_run_and_what_they_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run in the folder that the description names and see the variables that it gives or names, no other."""
    monkeypatch.setenv("LICENCE", "token")
    monkeypatch.setenv("SECRET_TOKEN", "x")
    (tmp_path / "data").mkdir()
    tells = "import json, os; print('here = 1' if os.getcwd() == os.environ['DATA'] else os.getcwd())\n"
    tells += "print('licence =', int(os.environ['LICENCE'] == 'token'))\n"
    tells += "print('secret =', int('SECRET_TOKEN' in os.environ))\n"
    text = 'working_directory = "data"\ninherit = ["LICENCE"]\n' + PROBLEM
    made = problem(tmp_path, text + "[environment]\nDATA = '{{here}}/data'\n")
    (tmp_path / "zeros.py").write_text(tells)
    assert made.features(instance()) == {"here": 1.0, "licence": 1.0, "secret": 0.0}


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ('inherit = ["NO_SUCH_VARIABLE"]', "inherit: the variable NO_SUCH_VARIABLE is not set"),
        ('inherit = "LICENCE"', 'inherit must be a list of names of variables, such as ["LICENCE"]'),
        ('inherit = ["A=B"]', "inherit has the name 'A=B'; use letters, digits and _"),
        ('working_directory = "none"', "working_directory: there is no folder"),
    ],
)
def test_what_is_not_there_for_programs(tmp_path: Path, key: str, message: str) -> None:
    """A variable or a folder that a description names and that is not there is told with the description's name."""
    with pytest.raises(UserError, match=r"zeros\.toml") as caught:
        problem(tmp_path, f"{key}\n{PROBLEM}")
    assert message in str(caught.value)


def test_trials_for_people(zeros: DescribedProblem, tmp_path: Path) -> None:
    """Every command is tried once, and a failure is told instead of raised."""
    mutated, measured = zeros.trials(instance())
    made, told = mutated.came_of_it, measured.came_of_it
    assert mutated.line.startswith(f"{sys.executable} ")
    assert made.endswith(" bytes")
    assert told == "one 1, size 5"
    failing = problem(tmp_path)
    (tmp_path / "zeros.py").write_text("import sys; sys.exit('no')")
    assert [trial.came_of_it.startswith("failed: ") for trial in failing.trials(instance())] == [True, True]


# decisions


def test_a_model_is_verified(tmp_path: Path) -> None:
    """In a decision problem a checked solution costs 0, whatever the program prints, which is the target."""
    decision = problem(tmp_path, DECISION)
    assert decision.target == VERIFIED == 0.0
    assert decision.check(instance(), answer("10000")) == VERIFIED
    assert isinstance(decision.check(instance(), answer("1")), Infeasible)
    assert decision.describe(instance(), answer("10000")) == "there is a solution, verified"


def test_a_claim_that_there_is_none_needs_trust(tmp_path: Path) -> None:
    """That there is no solution is believed where the description says so, and nothing otherwise; less than a proof."""
    assert isinstance(problem(tmp_path, DECISION).check(instance(), NO_SOLUTION), Unverified)
    trusting = problem(tmp_path, DECISION + "trust = true\n")
    assert trusting.target == trusting.check(instance(), NO_SOLUTION) == BELIEVED > VERIFIED
    assert trusting.check(instance(), answer(None)) == BELIEVED
    assert trusting.describe(instance(), NO_SOLUTION) == "there is no solution, by the word of the solver"


def test_certificates_are_checked(tmp_path: Path) -> None:
    """A checker that is told the status is given certificates; a good one verifies, a bad one is a false claim."""
    check = 'check = ["{python}", "{{here}}/judge.py", "{{status}}", "{{solution}}"]\n'
    text = 'name = "zeros"\nsuffixes = [".zeros"]\nkind = "decision"\n'
    judged = problem(tmp_path, text + check)
    (tmp_path / "judge.py").write_text(JUDGE)
    assert judged.check(instance(), CERTIFIED) == VERIFIED
    wrong = judged.check(instance(), {**CERTIFIED, "solution": "because"})
    assert isinstance(wrong, Infeasible)
    assert not isinstance(wrong, Unverified)
    assert isinstance(judged.check(instance(), NO_SOLUTION), Unverified)


def test_costs_are_believed_where_there_is_no_checker(tmp_path: Path) -> None:
    """Without a check the solver's cost counts, if the description trusts it."""
    text = 'name = "zeros"\nsuffixes = [".zeros"]\ntrust = true\n'
    trusting = problem(tmp_path, text)
    assert trusting.check(instance(), answer(None, 4.5)) == 4.5
    assert isinstance(trusting.check(instance(), answer("11")), Infeasible)
    assert not trusting.mutates


# descriptions


MISTAKES = {
    "key": (PROBLEM.replace("suffixes", "suffix"), "unknown key 'suffix'. Did you mean 'suffixes'?"),
    "suffix": (PROBLEM.replace('".zeros"', '"zeros"'), "suffixes must be endings with one dot"),
    "kind": ('kind = "decide"\n' + PROBLEM, "kind must be 'decision' or 'optimisation', not 'decide'"),
    "no check": ('name = "zeros"\nsuffixes = [".a"]\n', "needs check = "),
    "placeholder": (PROBLEM.replace("{{out}}", "{{ouput}}"), "mutate has the unknown placeholder {ouput}"),
    "no solution": (PROBLEM.replace("{{solution}}", "x"), "check must have the placeholder {solution}"),
    "time": (PROBLEM + 'time = "5min"\n', "time must be at most 50 s"),
    "program": (PROBLEM.replace('check = ["{python}"', 'check = ["no-such-program"'), "check: there is no program"),
    "generator": (PROBLEM.replace("plain =", "all ="), "generate has a generator called all"),
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_in_descriptions(tmp_path: Path, text: str, message: str) -> None:
    """Every mistake is told with its file, its key and the fix."""
    with pytest.raises(UserError) as caught:
        problem(tmp_path, text)
    assert "zeros.toml: " in str(caught.value)
    assert message in str(caught.value)


def test_described_problems_are_found_by_name(tmp_path: Path) -> None:
    """The settings of a problem that is not in the box name its file, which must be of that name."""
    made = problem(tmp_path)
    assert problem_named("zeros", {"file": "zeros.toml"}, tmp_path) == made
    with pytest.raises(UserError, match="name = 'zeros', but the problem is called 'ones'"):
        problem_named("ones", {"file": "zeros.toml"}, tmp_path)
    with pytest.raises(UserError, match=r'file = "zeros.toml"'):
        problem_named("zeros")


def test_what_is_asked_is_part_of_the_version(tmp_path: Path) -> None:
    """A script that was changed makes another version of the problem."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = problem(tmp_path / "a")
    (tmp_path / "b" / "zeros.py").write_text("changed")
    (tmp_path / "b" / "zeros.toml").write_text((tmp_path / "a" / "zeros.toml").read_text())
    assert DescribedProblem.described(tmp_path / "b" / "zeros.toml").version != first.version


def test_answers_are_json(zeros: DescribedProblem) -> None:
    """What travels between processes is what JSON can hold, and means the same afterwards."""
    told = json.loads(json.dumps(described.answer("11010", 2.0)))
    assert zeros.check(instance(), told) == 2.0
