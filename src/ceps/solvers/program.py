"""Child processes in which other people's programs and libraries run, and how such a program is identified."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, Self

from ceps._native import die_with_parent
from ceps.commands import fate, file_digest, outlast_termination
from ceps.errors import UserError

CANNOT_START = 127
"""The exit status of a child that fails before it is what it should be; shells have the same."""
_TAIL = 2000
"""How many bytes of a failed program's output its error message repeats."""


class ProgramError(UserError):
    """A program that failed, or told what nobody can read. The message says what there is to know."""


def fingerprint(program: Path) -> str:
    """What a binary is called as a solver's version: a hash of its content."""
    return f"binary {file_digest(program)}"


class Child:
    """A process that was started with :func:`child`."""

    def __init__(self, process: int, log: Path | None) -> None:
        self.process = process
        self._log = log

    def wait(self, accepted: Collection[int] = (0,)) -> None:
        """Wait for its end. Raises ProgramError with the end of its log when it ended with no accepted exit status."""
        # WNOWAIT: its id stays taken until child() reaps it, so that the kill there cannot hit a stranger.
        end = os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOWAIT)
        if end is None or (end.si_code == os.CLD_EXITED and end.si_status in accepted):
            return
        if end.si_code == os.CLD_KILLED and end.si_status == signal.SIGTERM:
            outlast_termination()
        how = fate(end.si_status if end.si_code == os.CLD_EXITED else -end.si_status)
        if self._log is None:
            raise ProgramError(f"the program {how}")
        output = self._log.read_bytes()[-_TAIL:].decode(errors="replace").strip()
        raise ProgramError(f"{self._log.stem} {how}: {output or 'it said nothing'}")


class Printed:
    """The stream that a child prints to. It ends with the child, whoever else may hold its other end."""

    def __init__(self, descriptor: int, child: Child) -> None:
        self._descriptor = descriptor
        self._process = os.pidfd_open(child.process)
        self._poller = select.poll()
        for watched in (self._descriptor, self._process):
            self._poller.register(watched, select.POLLIN)

    def read(self, size: int) -> bytes:
        """The next bytes; none at the end."""
        ready = {descriptor for descriptor, _ in self._poller.poll()}
        return os.read(self._descriptor, size) if self._descriptor in ready else b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._process)
        os.close(self._descriptor)


@contextmanager
def child(work: Callable[[], object], log: Path | None) -> Iterator[Child]:
    """A forked process that does ``work`` (which may exec), kept for the duration of the context.

    Its output goes to the file ``log``, whose stem names it in messages; without one, to where that of this process
    goes. It never outlives the context, nor the process that started it.
    """
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        _work_and_exit(work, log, parent)
    try:
        yield Child(process, log)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _work_and_exit(work: Callable[[], object], log: Path | None, parent: int) -> NoReturn:
    status = CANNOT_START
    try:
        die_with_parent()
        if os.getppid() == parent:  # else it ended before it was watched
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and exec would pass that on
            _redirect(log)
            work()
            status = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(status)


def _redirect(log: Path | None) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if log is None:
        return
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
