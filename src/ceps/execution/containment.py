"""Call a function in a process of its own: limited, measured, and gone afterwards with all it started.

The process that uses this must be single-threaded (it forks) and have called :func:`ceps._native.adopt_orphans`:
then every process that a contained call leaves behind, however it was detached, becomes its child and is found,
killed, waited for and measured. One call at a time, so that everything below this process belongs to that call; but
for one companion process that the caller may keep beside it.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from ceps import _native
from ceps.errors import UserError
from ceps.execution.ends import Ends
from ceps.execution.wire import Report, Reporter, ReportKind, ReportReader
from ceps.files import remove_tree
from ceps.records import Limits

CLOSE_LOOK = 0.02
"""Seconds between two looks at what the call uses when a limit may be near: bounds how far it can be overrun."""
FAR_LOOK = 0.1
"""The same while no limit can be reached before the next look, whatever the call does."""
SHORTEST_LOOK_AWAY = 0.001
FASTEST_GROWTH = 4 * 1024**3
"""Bytes per second that memory may be filled with."""
MOST_PROCESSES = 512
PIPE_READ = 1 << 20
CORES = len(os.sched_getaffinity(0))
LARGEST_FILE = 1024**3
"""Bytes of one file that a call may write."""


class Stop(Enum):
    """Why a call was killed."""

    CPU = "CPU limit"
    WALL = "wall-clock guard"
    MEMORY = "memory limit"
    PROCESSES = f"more than {MOST_PROCESSES} processes"
    GARBAGE = "unreadable report"
    ENOUGH = "a report that ends the call"
    ASKED = "stopped on request"


@dataclass(frozen=True, slots=True)
class Contained:
    """How a contained call went. ``status`` is the exit code of its process, negative for a signal."""

    stop: Stop | None
    status: int
    cpu: float
    wall: float
    memory: int
    output: str


class Containment:
    """Makes contained calls in private, empty working directories below ``scratch``."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._directories = 0
        self._directory: Path | None = None

    def call(
        self,
        function: Callable[[Reporter], None],
        limits: Limits,
        companion: int = 0,
        on_report: Callable[[Report, float], bool] = lambda report, cpu: False,
        on_look: Callable[[], None] = lambda: None,
        interruption: tuple[int, Callable[[], bool]] | None = None,
    ) -> Contained:
        """Run ``function(reporter)`` and return when it and everything it started is gone.

        ``companion`` is a child of this process that does not belong to the call. ``on_report(report, cpu so far)``
        returns True to end the call. ``on_look`` is called with every look at the clock. ``interruption`` is a
        descriptor to watch and what to call when it is readable: True ends the call.
        """
        below = partial(_native.usage_below, os.getpid(), companion)
        directory = self._empty_directory()
        try:
            return _Call(function, limits, directory, below, on_report, on_look, interruption).run()
        finally:
            if _has_content(directory):
                remove_tree(directory)
                self._directory = None

    def _empty_directory(self) -> Path:
        """The last call's directory when it was left empty, else a new one."""
        if self._directory is None:
            self._directories += 1
            self._directory = self._scratch / str(self._directories)
            self._directory.mkdir(mode=0o700)
        return self._directory


class _Call:
    def __init__(
        self,
        function: Callable[[Reporter], None],
        limits: Limits,
        directory: Path,
        below: Callable[[], _native.TreeUsage],
        on_report: Callable[[Report, float], bool],
        on_look: Callable[[], None],
        interruption: tuple[int, Callable[[], bool]] | None,
    ) -> None:
        self._limits = limits
        self._below = below
        self._on_report = on_report
        self._on_look = on_look
        self._interruption = interruption
        self._reader = ReportReader()
        self._output = Ends()
        self._stop: Stop | None = None
        self._status: int | None = None
        self._memory = 0
        self._seen_cpu = 0.0
        self._looked_at = -math.inf
        self._cpu_at_look = 0.0
        self._clocks_at_look: dict[int, float] = {}
        self._cpu_of_earlier_calls = _cpu_of_waited_children()
        inherited = _own_memory()
        self._inherited_memory = inherited["RssAnon"] + inherited["RssShmem"]

        self._reports, reports_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._prints, prints_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        data_limit = inherited["VmData"] + limits.memory
        self._start = time.monotonic()
        keeper = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            _be_the_call(function, limits, data_limit, directory, keeper, reports_end, prints_end)
        os.close(reports_end)
        os.close(prints_end)
        self._process = os.pidfd_open(self._child)

    def run(self) -> Contained:
        try:
            try:
                self._watch()
            finally:
                self._kill_everything()
            self._drain()
        finally:
            for descriptor in (self._reports, self._prints, self._process):
                os.close(descriptor)
        assert self._status is not None
        return Contained(
            stop=self._stop,
            status=self._status,
            cpu=max(self._seen_cpu, _cpu_of_waited_children() - self._cpu_of_earlier_calls),
            wall=time.monotonic() - self._start,
            memory=self._memory,
            output=str(self._output),
        )

    def _watch(self) -> None:
        """Until the call's process ends or is to be killed."""
        poller = select.poll()
        poller.register(self._process, select.POLLIN)
        poller.register(self._reports, select.POLLIN)
        poller.register(self._prints, select.POLLIN)
        if self._interruption:
            poller.register(self._interruption[0], select.POLLIN)
        next_look = self._start + self._look_away(1.0, 0.0)
        while self._stop is None and self._status is None:
            pause = max(0.0, next_look - time.monotonic())
            ready = {descriptor for descriptor, _ in poller.poll(1000 * pause)}
            if self._reports in ready and not self._read_reports():
                poller.unregister(self._reports)
            if self._prints in ready and not self._read_prints():
                poller.unregister(self._prints)
            if self._interruption and self._interruption[0] in ready and self._interruption[1]():
                self._stop = self._stop or Stop.ASKED
            if self._process in ready or time.monotonic() >= next_look:
                next_look = time.monotonic() + self._look()

    def _look(self) -> float:
        """Hold usage against the limits; return the seconds until the next look."""
        self._wait_for_ended_processes()
        self._on_look()
        if self._status is not None:
            return 0.0
        usage = self._usage()
        wall = time.monotonic() - self._start
        if self._stop is None:
            if self._seen_cpu >= self._limits.cpu:
                self._stop = Stop.CPU
            elif self._memory > self._limits.memory:
                self._stop = Stop.MEMORY
            elif wall >= self._limits.wall_guard:
                self._stop = Stop.WALL
            elif len(usage.processes) > MOST_PROCESSES:
                self._stop = Stop.PROCESSES
        # A tree of several processes or threads burns CPU faster than the clock runs.
        return self._look_away(max(1.0, self._seen_cpu / wall, float(len(usage.processes))), wall)

    def _look_away(self, pace: float, wall: float) -> float:
        cpu_left, memory_left = self._limits.cpu - self._seen_cpu, self._limits.memory - self._memory
        # It may start a process on every core, and fill memory, as soon as nobody looks.
        no_limit_before = min(cpu_left / CORES, memory_left / FASTEST_GROWTH)
        longest = min(max(no_limit_before, CLOSE_LOOK), FAR_LOOK)
        return min(max(min(cpu_left / pace, self._limits.wall_guard - wall), SHORTEST_LOOK_AWAY), longest)

    def _usage(self) -> _native.TreeUsage:
        self._looked_at = time.monotonic()
        usage = self._below()
        self._cpu_at_look = usage.cpu_seconds + _cpu_of_waited_children() - self._cpu_of_earlier_calls
        self._clocks_at_look = {process: _native.own_cpu_seconds(process) for process in usage.processes}
        self._seen_cpu = max(self._seen_cpu, self._cpu_at_look)
        self._memory = max(self._memory, usage.memory_bytes - self._inherited_memory)
        return usage

    def _see_cpu(self) -> None:
        """CPU time by now. Reports may come by the hundred, and a look at all processes costs as much as a hundred
        readings of a clock: the processes that were there at a look of just now will do."""
        if time.monotonic() > self._looked_at + CLOSE_LOOK:
            self._usage()
            return
        since = (_native.own_cpu_seconds(process) - then for process, then in self._clocks_at_look.items())
        # A process that is gone has a clock of 0; what it has used is seen at the next look.
        self._seen_cpu = max(self._seen_cpu, self._cpu_at_look + sum(max(0.0, cpu) for cpu in since))

    def _wait_for_ended_processes(self) -> None:
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            self._waited(process, status)

    def _kill_everything(self) -> None:
        for process, status in kill_all(self._below):
            self._waited(process, status)

    def _waited(self, process: int, status: int) -> None:
        if process == self._child:
            self._status = os.waitstatus_to_exitcode(status)

    def _drain(self) -> None:
        """Everything is dead: take what is left in the pipes."""
        while self._read_reports():
            pass
        while self._read_prints():
            pass

    def _read_reports(self) -> bool:
        """Take reports; False at the end of the pipe or when there is nothing more to take."""
        data = _read(self._reports)
        if not data or self._stop in (Stop.GARBAGE, Stop.ENOUGH):
            return False
        if self._status is None:
            self._see_cpu()
        try:
            for report in self._reader.feed(data):
                if self._on_report(report, self._seen_cpu):
                    self._stop = Stop.ENOUGH
                    return False
        except ValueError:
            self._stop = Stop.GARBAGE
            return False
        return True

    def _read_prints(self) -> bool:
        data = _read(self._prints)
        self._output.take(data)
        return bool(data)


def kill_all(below: Callable[[], _native.TreeUsage]) -> Iterator[tuple[int, int]]:
    """Kill all these processes, and wait for them: their numbers and how they ended. What is stopped cannot fork, so
    stopping first ends the chase."""
    while processes := below().processes:
        stopped: set[int] = set()
        while new := set(processes) - stopped:
            _signal_all(new, signal.SIGSTOP)
            stopped |= new
            processes = below().processes
        _signal_all(stopped, signal.SIGKILL)
        yield os.waitpid(-1, 0)


def _has_content(directory: Path) -> bool:
    try:
        return bool(os.listdir(directory))
    except OSError:
        return True  # Whatever was done to it, it is not the empty directory it should be.


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, PIPE_READ)
    except BlockingIOError:
        return b""


def _cpu_of_waited_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _own_memory() -> dict[str, int]:
    """The sizes, in bytes, that the kernel tells of this process."""
    with open("/proc/self/status", "rb") as status:
        fields = (line.split() for line in status.read().splitlines())
        return {field[0][:-1].decode(): 1024 * int(field[1]) for field in fields if field[-1] == b"kB"}


def _signal_all(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            continue


def _be_the_call(
    function: Callable[[Reporter], None],
    limits: Limits,
    data_limit: int,
    directory: Path,
    keeper: int,
    reports: int,
    prints: int,
) -> None:
    """The forked side. Never returns."""
    status = 1
    try:
        _native.die_with_parent()
        if os.getppid() != keeper:
            os._exit(1)
        os.setsid()
        os.set_blocking(reports, True)
        os.set_blocking(prints, True)
        reports = _keep_only(reports, prints)
        os.chdir(directory)
        os.environ["TMPDIR"] = str(directory)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (data_limit, data_limit))
        # What a run writes must not fill the disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
        # Should the keeper be held up: the kernel's own limit, in whole seconds.
        seconds = int(limits.cpu) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        reporter = Reporter(reports)
        try:
            function(reporter)
            status = 0
        except MemoryError:
            reporter.send(ReportKind.OUT_OF_MEMORY, b"")
        except UserError as error:  # Where it was raised is nothing to whom its message is for.
            reporter.send(ReportKind.ERROR, str(error).encode()[:1000])
        except Exception as error:
            traceback.print_exc()
            reporter.send(ReportKind.ERROR, f"{type(error).__name__}: {error}".encode()[:1000])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _keep_only(reports: int, prints: int) -> int:
    """Standard streams and the pipe for reports; no descriptor of the keeper's. Returns where the pipe now is."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(prints, 1)
    os.dup2(prints, 2)
    os.dup2(reports, 3, inheritable=False)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    return 3
