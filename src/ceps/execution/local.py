"""The cores of this machine: one keeper process per slot."""

from __future__ import annotations

import os
import queue
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from ceps.commands import GRACE, MARK, ONE_THREAD
from ceps.errors import UserError
from ceps.execution import wire
from ceps.execution.executor import Run, unsendable
from ceps.execution.orders import Order, Refusal, Start, StopOrder
from ceps.files import remove_tree
from ceps.records import Ending, Incumbent, Outcome

MOST_LOSSES = 3
"""A run whose keeper is lost this often is taken for the cause."""


def single_threaded_environment() -> dict[str, str]:
    """The environment of processes that must neither start threads nor differ from one start to the next."""
    return {**os.environ, **ONE_THREAD, "PYTHONHASHSEED": "0"}


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(eq=False)
class _Job:
    run: Run
    on_incumbent: Callable[[Incumbent], None] | None
    future: Future[Outcome] = field(default_factory=Future)
    keeper: _Keeper | None = None
    number: int = 0


class LocalExecutor:
    """Makes runs on this machine, ``workers`` at a time (default: one per core). Close it, or use it in ``with``."""

    def __init__(self, workers: int | None = None) -> None:
        count = available_cores() if workers is None else workers
        if count < 1:
            raise UserError(f"[execution] workers = {count}: at least one worker is needed")
        try:
            self._scratch = Path(tempfile.mkdtemp(prefix="ceps-"))
        except OSError as error:
            raise UserError(f"no folder for temporary files: {error}; free space, or set TMPDIR") from error
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._running: dict[Future[Outcome], _Job] = {}
        self._closed = False
        self._delivery = _Delivery()
        self._slots: list[_Slot] = []
        try:
            for index in range(count):
                self._slots.append(_Slot(self._jobs, self._delivery, self._scratch / str(index)))
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        return len(self._slots)

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        if self._closed:
            raise RuntimeError("this executor is closed")
        job = _Job(run, on_incumbent)
        self._running[job.future] = job
        job.future.add_done_callback(lambda future: self._running.pop(future, None))
        self._jobs.put(job)
        return job.future

    def stop(self, future: Future[Outcome]) -> None:
        job = self._running.get(future)
        if job is None or future.cancel():
            return
        if job.keeper is not None:
            job.keeper.stop(job.number)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for future in list(self._running):
            future.cancel()
        for slot in self._slots:
            slot.close()
            self._jobs.put(None)
        for slot in self._slots:
            slot.join()
        self._delivery.close()
        remove_tree(self._scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Delivery(threading.Thread):
    """Tells what has come of runs. Whoever waits for that may take a while, in which no keeper is to be idle."""

    def __init__(self) -> None:
        super().__init__(name="ceps-delivery", daemon=True)
        self._tidings: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.start()

    def run(self) -> None:
        while (tell := self._tidings.get()) is not None:
            tell()

    def result(self, future: Future[Outcome], outcome: Outcome) -> None:
        self._tidings.put(partial(future.set_result, outcome))

    def error(self, future: Future[Outcome], error: Exception) -> None:
        self._tidings.put(partial(future.set_exception, error))

    def close(self) -> None:
        """Return when everything is told."""
        self._tidings.put(None)
        self.join()


class _Slot(threading.Thread):
    """Hands one job after another to its keeper, and replaces a keeper that is lost."""

    def __init__(self, jobs: queue.SimpleQueue[_Job | None], delivery: _Delivery, scratch: Path) -> None:
        super().__init__(name=f"ceps-slot-{scratch.name}", daemon=True)
        self._jobs = jobs
        self._delivery = delivery
        self._scratch = scratch
        self._changing = threading.Lock()
        """Held while the keeper is replaced or closed."""
        self._closing = False
        self._keepers = 0
        self._orders = 0
        self._keeper: _Keeper | None = None
        self._ready_keeper()
        self.start()

    def run(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.future.set_running_or_notify_cancel():
                try:
                    self._make(job)
                except Exception as error:
                    # Whoever waits for the run is told, whatever it is. What the keeper is about is not known any more:
                    # the next run has another one.
                    self._dismiss_keeper()
                    self._delivery.error(job.future, error)

    def close(self) -> None:
        self._closing = True
        self._dismiss_keeper()

    def _make(self, job: _Job) -> None:
        for _ in range(MOST_LOSSES):
            keeper = self._ready_keeper()
            try:
                answer = self._ask(keeper, job)
            except wire.ConnectionLostError:
                reason = self._bury(keeper)
                continue
            if isinstance(answer, Refusal):
                self._delivery.error(job.future, UserError(answer.message))
            else:
                self._delivery.result(job.future, answer)
            return
        lost = f"the process that supervised this run was lost {MOST_LOSSES} times, at last by {reason}"
        self._delivery.result(job.future, Outcome(Ending.CRASHED, cpu=0.0, reason=lost))

    def _ask(self, keeper: _Keeper, job: _Job) -> Outcome | Refusal:
        self._orders += 1
        job.number, job.keeper = self._orders, keeper
        try:
            keeper.send(Order(job.number, job.run, job.on_incumbent is not None))
        except wire.UnsendableError as error:
            raise unsendable(job.run, error) from error
        while True:
            answer = keeper.receive()
            if isinstance(answer, Incumbent):
                if job.on_incumbent is not None:
                    job.on_incumbent(answer)
                continue
            assert isinstance(answer, Outcome | Refusal)
            return answer

    def _ready_keeper(self) -> _Keeper:
        """The keeper; another one after it was lost."""
        with self._changing:
            if self._closing:
                raise RuntimeError("the executor was closed")
            if self._keeper is None:
                self._keepers += 1
                self._keeper = _Keeper(self._scratch.with_name(f"{self._scratch.name}-{self._keepers}"))
            return self._keeper

    def _dismiss_keeper(self) -> None:
        with self._changing:
            if self._keeper is not None:
                self._keeper.close()
                self._keeper = None

    def _bury(self, keeper: _Keeper) -> str:
        """How a keeper ended that was lost; nothing is left of it."""
        with self._changing:
            self._keeper = None
            return keeper.bury()


class _Keeper:
    """The driver's end of one keeper process."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._mark = secrets.token_hex(8)
        self._sending = threading.Lock()
        with ExitStack() as undo:
            try:
                self._connection, other_end = socket.socketpair()
                undo.callback(self._connection.close)
                with other_end:
                    self._process = subprocess.Popen(
                        [sys.executable, "-P", "-m", "ceps.execution.keeper", str(other_end.fileno())],
                        pass_fds=[other_end.fileno()],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        env={**single_threaded_environment(), MARK: self._mark},
                        start_new_session=True,
                    )
            except OSError as error:
                raise UserError(
                    f"no process can be started to make runs in: {error}; close other programs, set fewer [execution] "
                    "workers, or raise the limits on processes and open files (ulimit -u, ulimit -n), and start again "
                    "to resume"
                ) from error
            undo.pop_all()
        with suppress(wire.ConnectionLostError):  # Then the first order will not get through either.
            self.send(Start([str(Path(entry).resolve()) for entry in sys.path], scratch))

    def send(self, message: Start | Order | StopOrder) -> None:
        with self._sending:
            wire.send(self._connection, message)

    def receive(self) -> object:
        return wire.receive(self._connection)

    def stop(self, number: int) -> None:
        try:
            self.send(StopOrder(number))
        except wire.ConnectionLostError:
            return  # It ends anyway.

    def close(self) -> None:
        """Hang up: the keeper kills its run and ends."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._process.wait()
        self._connection.close()

    def bury(self) -> str:
        """A keeper that broke off: make sure that nothing of it is left. Returns how it ended."""
        with suppress(subprocess.TimeoutExpired):  # It is ending already: by what, is worth to be told.
            self._process.wait(GRACE)
        self._process.kill()
        status = self._process.wait()
        self._connection.close()
        kill_marked(f"{MARK}={self._mark}")
        remove_tree(self._scratch)
        return f"signal {-status}" if status < 0 else f"exit code {status}"


def kill_marked(mark: str) -> None:
    """Kill every process that inherited this environment entry, until none is left."""
    pattern = mark.encode()
    while victims := [entry for entry in Path("/proc").glob("[0-9]*") if pattern in _environment(entry)]:
        for victim in victims:
            try:
                os.kill(int(victim.name), signal.SIGKILL)
            except ProcessLookupError:
                continue


def _environment(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
