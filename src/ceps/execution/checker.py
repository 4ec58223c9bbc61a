"""Solutions are checked in a process of their own, which outlives many runs: a solution may be built to hurt."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import time
from dataclasses import dataclass, replace
from itertools import chain
from math import isfinite
from typing import Any

from ceps import _native
from ceps.commands import outlast_termination
from ceps.errors import UserError
from ceps.execution import wire
from ceps.execution.containment import kill_all
from ceps.problems.problem import Infeasible, Problem, Unverified

LONGEST_CHECK = 60.0
"""CPU seconds after which a check is given up, which is the solution's fault: it may be built to be hard to check."""
LONGEST_WAIT = 300.0
"""Seconds by the clock after which it is given up because something held it up."""
LOOK = 0.1
"""Seconds between two looks at what a check uses."""
MEMORY = 4 * 1024**3
DEEPEST = 100
"""Lists in lists of a solution: far more than any needs."""
LONGEST_SHOWN = 64 * 1024
"""Bytes of a false solution that people are shown."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a run's answer is worth."""

    cost: float | Infeasible | None
    """None where it has none."""
    solution: Any = None
    """The answer, read. A false one only where it is short, for people to look at."""
    says: str = ""
    """As :meth:`~ceps.problems.problem.Problem.says` has it."""


_BROKEN = Checked(Infeasible("the solution could not be checked: it broke the checker"))


class Checker:
    """The keeper's end."""

    def __init__(self) -> None:
        self._process = 0
        self._connection: socket.socket | None = None

    def ready(self) -> int:
        """The id of the process, forked at first and after it was lost."""
        if self._connection is None:
            self._start()
        return self._process

    def check(self, problem: Problem, instance: Any, answer: bytes) -> Checked:
        """What a solution in JSON is worth. Charged to nobody.

        Raises :class:`~ceps.errors.UserError` when nobody can tell, for reasons that are not the solution's.
        """
        try:
            return self._ask(problem, instance, answer)
        except wire.ConnectionLostError:
            # None: it had ended before it was asked, and the run's own end was waited for.
            if self._end() not in (-signal.SIGTERM, None):
                return _BROKEN
        outlast_termination()
        try:
            return self._ask(problem, instance, answer)
        except wire.ConnectionLostError:
            self._end()
            return _BROKEN

    def _ask(self, problem: Problem, instance: Any, answer: bytes) -> Checked:
        self.ready()
        assert self._connection is not None
        begun, patience = _usage().cpu_seconds, time.monotonic() + LONGEST_WAIT
        wire.send(self._connection, (problem, instance, answer))
        while not select.select([self._connection], [], [], LOOK)[0]:
            if _usage().cpu_seconds - begun >= LONGEST_CHECK:
                self._end()
                return Checked(Infeasible(f"the solution could not be checked within {LONGEST_CHECK:g} s"))
            if time.monotonic() > patience:
                self._end()
                raise UserError(f"the check had not computed for {LONGEST_CHECK:g} s when {LONGEST_WAIT:g} s were over")
        verdict: Checked | UserError = wire.receive(self._connection)
        if isinstance(verdict, UserError):
            raise verdict
        return verdict

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        self._process = os.fork()
        if self._process == 0:
            _be_the_checker(theirs)
        theirs.close()
        self._connection = ours

    def _end(self) -> int | None:
        """Kill the process, if it has not ended by itself, and what it has started; how it ended, if that is not told
        already."""
        assert self._connection is not None
        ends = {process: os.waitstatus_to_exitcode(status) for process, status in kill_all(_usage)}
        end = ends.get(self._process)
        self._connection.close()
        self._connection, self._process = None, 0
        return end


def _be_the_checker(connection: socket.socket) -> None:
    """The forked side. Never returns."""
    try:
        _native.die_with_parent()
        os.setsid()
        os.dup2(connection.fileno(), 3, inheritable=False)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        own = socket.socket(fileno=3)
        while True:
            wire.send(own, _verdict(*wire.receive(own)))
    finally:
        os._exit(1)


def _usage() -> _native.TreeUsage:
    """Of the checker and all that it has started: while it checks, nothing else is below the keeper."""
    return _native.usage_below(os.getpid(), 0)


def _verdict(problem: Problem, instance: Any, answer: bytes) -> Checked | UserError:
    shown = None
    try:
        solution = json.loads(answer)
        if _is_deep(solution):  # Others could not send it on.
            return Checked(Infeasible(f"it is nested more than {DEEPEST} deep"))
        shown = solution if len(answer) <= LONGEST_SHOWN else None
        cost = problem.check(instance, solution)
        if not isinstance(cost, Infeasible) and not isfinite(cost):
            return Checked(Infeasible(f"its cost is {cost}"), shown)
    except UserError as error:
        return error
    except Exception as error:
        return Checked(Infeasible(f"the solution could not be checked: {type(error).__name__}: {error}"[:300]), shown)
    # What nobody could verify is worth nothing, but may contradict what others say.
    if isinstance(cost, Infeasible) and not isinstance(cost, Unverified):
        return Checked(cost, shown)
    return _with_words(problem, Checked(cost, solution))


def _is_deep(value: Any) -> bool:
    layer = [value] if isinstance(value, list | dict) else []
    for _ in range(DEEPEST):
        inner = chain.from_iterable(each.values() if isinstance(each, dict) else each for each in layer)
        layer = [each for each in inner if isinstance(each, list | dict)]
    return bool(layer)


def _with_words(problem: Problem, checked: Checked) -> Checked | UserError:
    """What an answer comes to is no fault of the solution's where it cannot be told."""
    try:
        says = problem.says(checked.solution)
    except Exception as error:
        return UserError(f"problem '{problem.name}' cannot tell what an answer says: {type(error).__name__}: {error}")
    if not isinstance(says, str):
        return UserError(f"problem '{problem.name}' tells what an answer says by no text: {says!r}"[:300])
    return replace(checked, says=says)
