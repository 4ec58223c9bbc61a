"""What of ceps is on a worker of a Dask cluster: keepers of its own, and the functions that a driver calls there.

A worker tells how a run ended by a message under :data:`TOPIC`, not by a task's result: messages come to the driver in
the order in which they were sent, and nothing has to be fetched from a worker that may be gone by then.
"""

from __future__ import annotations

import pickle
import platform
import signal
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from ceps import __version__
from ceps.commands import file_digest, find_program
from ceps.errors import UserError
from ceps.execution.executor import Executor, Run
from ceps.execution.local import LocalExecutor
from ceps.execution.speed import measured_here
from ceps.records import Ending, Incumbent, Outcome

TOPIC = "ceps"
"""One for all drivers: a scheduler keeps the last thousand messages of every topic for as long as it lives."""


@dataclass(frozen=True, slots=True)
class Order:
    """A run without its instance, and what its solver and its problem are where it is asked for."""

    run: Run
    solver: str
    problem: str

    @classmethod
    def of(cls, run: Run) -> Order:
        return cls(replace(run, instance=None), run.solver.version, run.problem.version)

    def check_versions(self) -> None:
        """Refuse to make it where other programs are: what came of it would be recorded as of those of the driver."""
        for what, here, asked in (
            (f"solver '{self.run.solver.name}'", self.run.solver.version, self.solver),
            (f"problem '{self.run.problem.name}'", self.run.problem.version, self.problem),
        ):
            if here != asked:
                raise UserError(
                    f"{what} is '{here}' on host {platform.node()}, but '{asked}' where runs are asked for. Have the "
                    "same programs and scripts on all hosts, at the same paths"
                )


class Keepers(WorkerPlugin):  # type: ignore[misc] # its base has no types
    """The keepers of one worker, as many as it has threads. They serve all drivers, and are closed with the worker."""

    name = "ceps-keepers"

    def setup(self, worker: Worker) -> None:
        if worker.nanny is not None:
            _leave_endings_to_the_nanny()
        self._executor = self.executor(worker.state.nthreads)
        self._runs: dict[str, Future[Outcome]] = {}
        self._stopped: set[str] = set()
        self._checked: set[tuple[Any, ...]] = set()
        """Solvers and problems whose versions are those of the driver."""
        self._leaving = False

    def executor(self, slots: int) -> Executor:
        """Who makes the runs."""
        return LocalExecutor(slots)

    def meet(self) -> None:
        """A driver has come: since there was another, files may have changed."""
        self._checked.clear()
        file_digest.cache_clear()
        find_program.cache_clear()

    def check_versions(self, order: Order) -> None:
        """Once for each solver and problem, since it may take reading large files."""
        what = (order.run.solver, order.run.problem.name, order.solver, order.problem)
        if what not in self._checked:
            order.check_versions()
            self._checked.add(what)

    def teardown(self, worker: Worker) -> None:
        """The worker is leaving, and says so: what it gives back is no loss."""
        self._leaving = True
        for execution in list(self._runs):
            worker.log_event(TOPIC, {"execution": execution, "given_back": True})
        self._executor.close()

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Nobody waits for a run whose task is released: it was given up, or its driver is gone."""
        if finish == "released" and start == "executing":
            self.stop(key)
        elif finish == "forgotten":
            self._stopped.discard(key)

    def make(self, execution: str, run: Run, worker: Worker, live: bool) -> Outcome | None:
        """Make a run, and wait for it; with ``live``, tell of its incumbents meanwhile. None: the worker is leaving."""

        def tell(incumbent: Incumbent) -> None:
            worker.log_event(TOPIC, {"execution": execution, "incumbent": [incumbent.cpu, incumbent.cost]})

        try:
            self._runs[execution] = future = self._executor.submit(run, tell if live else None)
            if execution in self._stopped:
                self._executor.stop(future)
            return future.result()
        except CancelledError:
            return None if self._leaving else Outcome(Ending.CAPPED, cpu=0.0, reason="stopped before it began")
        except RuntimeError:
            if not self._leaving:
                raise
            return None
        finally:
            self._runs.pop(execution, None)

    def stop(self, execution: str) -> None:
        """End a run early, also one that is only about to begin."""
        self._stopped.add(execution)
        if (future := self._runs.get(execution)) is not None:
            self._executor.stop(future)


def _leave_endings_to_the_nanny() -> None:
    """A batch system that ends a job tells all of its processes. A worker that heard it too would end at once, before
    the nanny, which has heard it as well, can have it give its runs back."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _pass_over)  # Not SIG_IGN, which all that is started from here would inherit.


def _pass_over(number: int, frame: object) -> None:
    return None


async def greet(driver: str) -> None:
    """A driver has met this worker: have keepers ready, and say who is here and how fast."""
    worker = get_worker()
    if Keepers.name not in worker.plugins:
        await worker.plugin_add(Keepers(), catch_errors=False)
    worker.plugins[Keepers.name].meet()
    who = {"driver": driver, "version": __version__, "threads": worker.state.nthreads}
    worker.log_event(TOPIC, {**who, "speed": measured_here()})


def make(order: bytes, instance: Any, live: bool) -> None:
    """Make the run of a pickled order. The task's key is the execution's name."""
    worker = get_worker()
    execution = str(worker.get_current_task())
    keepers = worker.plugins.get(Keepers.name)
    outcome = None
    if isinstance(keepers, Keepers):  # They are gone when the worker is leaving.
        ordered = pickle.loads(order)
        keepers.check_versions(ordered)
        outcome = keepers.make(execution, replace(ordered.run, instance=instance), worker, live)
    told = {"given_back": True} if outcome is None else {"outcome": pickle.dumps(outcome)}
    worker.log_event(TOPIC, {"execution": execution, **told})


def stop(execution: str, dask_worker: Worker) -> None:
    """End a run early. Dask puts in ``dask_worker``."""
    keepers = dask_worker.plugins.get(Keepers.name)
    if isinstance(keepers, Keepers):
        keepers.stop(execution)
