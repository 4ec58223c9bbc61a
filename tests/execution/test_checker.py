"""Who is to blame when a solution could not be checked: it, or the host."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from ceps import _native
from ceps.errors import UserError
from ceps.execution import checker
from ceps.execution.checker import DEEPEST, LONGEST_SHOWN, Checked, Checker
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.described import DescribedProblem
from ceps.problems.problem import Infeasible
from ceps.records import Configuration, Limits, Solution
from ceps.solvers.command import Command
from ceps.testing.bits import Bits, BitsInstance
from tests import described

SOLVES = "print('cost 0')\nprint('bits 11111')"


class Waits(Bits):
    def check(self, instance: BitsInstance, solution: Solution) -> float | Infeasible:
        signal.pause()
        return 0.0


class Computes(Bits):
    def check(self, instance: BitsInstance, solution: Solution) -> float | Infeasible:
        for _ in range(8):  # so that others on this machine leave it enough
            threading.Thread(target=self._compute).start()
        signal.pause()
        return 0.0

    def _compute(self) -> None:
        while True:
            hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)  # other threads go on meanwhile


class Ends(Bits):
    def check(self, instance: BitsInstance, solution: Solution) -> float | Infeasible:
        raise SystemExit


class Calls(Bits):
    """A check that has a program compute, and waits for it."""

    def check(self, instance: BitsInstance, solution: Solution) -> float | Infeasible:
        subprocess.run([sys.executable, "-S", "-c", "while True: pass"], check=True)
        return 0.0


class IsToldToEnd(Bits):
    """By somebody else, once: not by the solution."""

    def check(self, instance: BitsInstance, solution: Solution) -> float | Infeasible:
        if not Path("told").exists():
            Path("told").touch()
            os.kill(os.getpid(), signal.SIGTERM)
        return 0.0


def as_keeper(function: Callable[[], None]) -> int:
    """The exit status of a process that does this: what is below it is of the checker's, as below a keeper."""
    process = os.fork()
    if process == 0:
        _native.adopt_orphans()
        try:
            function()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_a_check_that_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the solution's fault when the check, or what it calls, has computed for that long, and that of nobody when
    it has waited; it is checked again when somebody else has ended the check, also before it began; nothing is left of
    it, and the next solution is checked as ever."""
    monkeypatch.setattr(checker, "LONGEST_CHECK", 0.5)
    monkeypatch.chdir(tmp_path)
    five = BitsInstance("five", 5)

    def check_all() -> None:
        checks = Checker()
        for computes in (Computes(), Calls()):
            given_up = Infeasible("the solution could not be checked within 0.5 s")
            assert checks.check(computes, five, b"[]") == Checked(given_up)
            assert _native.usage_below(os.getpid(), 0).processes == []
        monkeypatch.setattr(checker, "LONGEST_WAIT", 0.6)
        with pytest.raises(UserError, match=r"0\.5 s when 0\.6 s were over"):
            checks.check(Waits(), five, b"[]")
        assert isinstance(checks.check(Ends(), five, b"[]").cost, Infeasible)
        assert checks.check(IsToldToEnd(), five, b"[]") == Checked(0.0, [])
        os.kill(checks.ready(), signal.SIGKILL)
        os.waitpid(-1, 0)  # As a keeper that waits for the processes of a run.
        assert checks.check(Bits(), five, b"[1, 1, 1, 1, 0]") == Checked(1, [1, 1, 1, 1, 0])

    assert as_keeper(check_all) == 0


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("[1, 1]", [1, 1]),
        (f"[{'1,' * LONGEST_SHOWN}1]", None),
        ("[" * DEEPEST + "]" * DEEPEST, DEEPEST),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), None),
        ("{", None),
        ("3", 3),
    ],
    ids=["false", "long", "deep", "too deep", "broken", "number"],
)
def test_false_solutions_are_shown_if_they_can_be(answer: str, shown: object) -> None:
    """What the check has refuted comes with it where it is short, and others can read it and send it on."""

    def check() -> None:
        checked = Checker().check(Bits(), BitsInstance("five", 5), answer.encode())
        assert isinstance(checked.cost, Infeasible)
        solution = checked.solution
        if shown == DEEPEST:
            assert str(solution) == answer
        else:
            assert solution == shown

    assert as_keeper(check) == 0


def run_of(problem: DescribedProblem, solver: Command) -> Run:
    configuration = Configuration.of(solver.name, {"ones": 2})
    return Run(problem, solver, configuration, described.instance(), 1, Limits(cpu=20.0))


def test_a_solution_that_could_not_be_checked_is_not_scored(tmp_path: Path) -> None:
    """There is no outcome, and the user is told where it was and why."""
    waiting = described.PROBLEM.replace("check = [", 'time = "0.3s"\ncheck = ["sh", "-c", "exec sleep 1000", ')
    run = run_of(described.problem(tmp_path, waiting), described.solver(tmp_path, SOLVES))
    with LocalExecutor(workers=1) as executor, pytest.raises(UserError, match=r"not be checked on host .*zeros\.toml"):
        executor.submit(run).result()
