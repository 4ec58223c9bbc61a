"""The keeper: a small, single-threaded process, one per slot, that forks runs and holds them to their limits.

It is started with ``exec``, so it is small; it imports what solvers need once, so a run costs a fork and no start of
Python; it measures nothing but what is below itself. When the driver goes away, its end of the socket closes, and
the keeper kills its run, removes its files and ends. Started as ``python -P -m ceps.execution.keeper DESCRIPTOR``.
"""

from __future__ import annotations

import errno
import gc
import platform
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceps import _native
from ceps.commands import outlast_termination
from ceps.errors import UserError
from ceps.execution import wire
from ceps.execution.checker import Checked, Checker
from ceps.execution.containment import Containment
from ceps.execution.executor import Run
from ceps.execution.orders import Order, Refusal, Start, StopOrder
from ceps.execution.verdict import Claims, at_most, judge
from ceps.execution.wire import Report, Reporter, ReportKind
from ceps.files import remove_tree
from ceps.problems.problem import Infeasible
from ceps.records import FAILURES, Ending, Incumbent, Outcome
from ceps.solvers import notes
from ceps.solvers.notes import Note

LONGEST_TRACE = 1000
LONGEST_NOTE = 128 * 1024
"""Bytes kept of what a run tells of itself; what is longer, no kernel would take as a word of a command."""
LEAST_SPACE = 1024**2
"""Bytes below which a disk counts as full."""


@dataclass
class Progress:
    """What a run has reported so far."""

    target: float | None
    decision: bool = False
    """Whether any answer is the last: the problem is to decide, and the run is to reach a target."""
    answer: bytes | None = None
    claims: Claims = field(default_factory=Claims)
    trace: list[Incumbent] = field(default_factory=list)
    unsent: Incumbent | None = None
    notes: dict[ReportKind, str] = field(default_factory=dict)

    def take(self, report: Report, cpu: float) -> bool:
        """Remember a report; True when it ends the run: it claims the target, or decides."""
        match report.kind:
            case ReportKind.OUT_OF_MEMORY:
                self.claims = Claims(self.claims.best_cost, True, self.claims.error)
            case ReportKind.ERROR:
                self.claims = Claims(self.claims.best_cost, False, report.payload.decode(errors="replace"))
            case ReportKind.RESULT:
                self.answer = report.payload
            case ReportKind.CALLED | ReportKind.READ:
                self.notes[report.kind] = report.payload[:LONGEST_NOTE].decode(errors="replace")
            case ReportKind.INCUMBENT:
                return self._take_incumbent(report, cpu)
        return False

    def output(self, printed: str) -> str:
        """What people are shown of a run that has printed this."""
        called, read = self.notes.get(ReportKind.CALLED), self.notes.get(ReportKind.READ)
        begun = "" if called is None else f"$ {called}\n"
        between = "\n" if printed and not printed.endswith("\n") else ""
        return f"{begun}{printed}" if read is None else f"{begun}{printed}{between}read: {read}\n"

    def _take_incumbent(self, report: Report, cpu: float) -> bool:
        if report.cost is None or self.decision:
            self.answer = report.payload
            return self.decision
        if self.claims.best_cost is not None and report.cost >= self.claims.best_cost:
            return False
        self.answer = report.payload
        self.claims = Claims(report.cost, self.claims.out_of_memory, self.claims.error)
        self.unsent = Incumbent(cpu, report.cost)
        if self.trace and self.trace[-1].cpu == cpu:
            self.trace.pop()  # Reports that arrived together: the best of them.
        self.trace.append(self.unsent)
        if len(self.trace) > LONGEST_TRACE:
            del self.trace[1:-1:2]
        return self.target is not None and at_most(report.cost, self.target)


class Keeper:
    def __init__(self, connection: socket.socket, scratch: Path) -> None:
        self._connection = connection
        self._scratch = scratch
        self._containment = Containment(scratch)
        self._checker = Checker()
        self._prepared: set[Any] = set()

    def serve(self) -> None:
        """Make one run after another until the driver goes away."""
        while True:
            try:
                order = wire.receive(self._connection)
            except wire.ConnectionLostError:
                raise
            except Exception as error:  # Whatever a stranger's class does.
                told = f"the solver or problem cannot be imported here: {type(error).__name__}: {error}"
                wire.send(self._connection, Refusal(told))
                continue
            if isinstance(order, Order):
                wire.send(self._connection, self._make_where_there_is_space(order))

    def _make_where_there_is_space(self, order: Order) -> Outcome | Refusal:
        """A full disk is no fault of the run, and must not count as one."""
        try:
            # With its parent: a keeper that has ended may have removed it as empty.
            self._scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
            made = self._make(order)
            # INVALID too, and refusals: a program that checks solutions needs files as well.
            failed = isinstance(made, Refusal) or made.ending in (Ending.CRASHED, Ending.INVALID)
            # What the run itself has written is removed by now.
            if not failed or shutil.disk_usage(self._scratch).free >= LEAST_SPACE:
                return made
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
        return Refusal(
            f"{self._scratch}: the disk is full; free space and start again to resume, or set TMPDIR to another folder"
        )

    def _make(self, order: Order) -> Outcome | Refusal:
        run = order.run
        try:
            self._prepare(run)
        except UserError as error:
            return Refusal(str(error))
        except Exception as error:
            return Refusal(f"solver '{run.solver.name}' cannot be prepared: {type(error).__name__}: {error}")
        decision = run.problem.target is not None
        progress = Progress(run.target, decision and run.target is not None)
        contained = self._containment.call(
            _solving(run),
            run.limits,
            companion=self._checker.ready(),
            on_report=progress.take,
            on_look=self._sender(progress) if order.live else lambda: None,
            interruption=(self._connection.fileno(), lambda: self._told_to_stop(order.number)),
        )
        if contained.stop is None and contained.status == -signal.SIGTERM:
            outlast_termination()
        try:
            checked = self._check(run, progress.answer)
        except UserError as error:
            return Refusal(f"a solution could not be checked on host {platform.node()}: {error}")
        ending, reason = judge(contained, progress.claims, checked.cost, run.target, run.limits.cpu, decision)
        return Outcome(
            ending=ending,
            cpu=contained.cpu,
            wall=contained.wall,
            memory=contained.memory,
            cost=None if isinstance(checked.cost, Infeasible) else checked.cost,
            solution=checked.solution,
            says="" if ending in FAILURES else checked.says,
            trace=tuple(progress.trace),
            reason=reason,
            output=progress.output(contained.output),
            host=platform.node(),
        )

    def _prepare(self, run: Run) -> None:
        if run.solver in self._prepared:
            return
        run.solver.prepare()
        self._prepared.add(run.solver)
        gc.freeze()  # Collections in a forked run would copy the pages of everything imported here.

    def _sender(self, progress: Progress) -> Callable[[], None]:
        def send_newest() -> None:
            if progress.unsent is not None:
                wire.send(self._connection, progress.unsent)
                progress.unsent = None

        return send_newest

    def _told_to_stop(self, number: int) -> bool:
        order = wire.receive(self._connection)
        return isinstance(order, StopOrder) and order.number == number

    def _check(self, run: Run, answer: bytes | None) -> Checked:
        """What the last answer of a run is worth."""
        return Checked(None) if answer is None else self._checker.check(run.problem, run.instance, answer)


_KINDS = {Note.CALLED: ReportKind.CALLED, Note.READ: ReportKind.READ}


def _solving(run: Run) -> Callable[[Reporter], None]:
    def solve(reporter: Reporter) -> None:
        def on_incumbent(solution: Any, cost: float | None = None) -> None:
            reporter.solution(ReportKind.INCUMBENT, solution, cost)

        notes.RECIPIENT.set(lambda note, text: reporter.send(_KINDS[note], text.encode(errors="replace")))
        solution = run.solver.solve(
            run.instance, run.configuration.as_dict(), run.seed, run.limits, run.target, on_incumbent
        )
        if solution is not None:
            reporter.solution(ReportKind.RESULT, solution)

    return solve


def main() -> None:
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)
    _native.adopt_orphans()
    try:
        start: Start = wire.receive(connection)
        sys.path[:] = start.search_path
        _serve(connection, start.scratch)
    except wire.ConnectionLostError:
        return


def _serve(connection: socket.socket, scratch: Path) -> None:
    try:
        Keeper(connection, scratch).serve()
    except FileNotFoundError:
        return  # The driver has removed everything: it is closing.
    finally:
        remove_tree(scratch)
        _remove_if_empty(scratch.parent)


def _remove_if_empty(directory: Path) -> None:
    try:
        directory.rmdir()
    except OSError:
        return


if __name__ == "__main__":
    main()
