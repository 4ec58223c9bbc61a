"""The workers of a Dask cluster, and who has which runs: where the next one goes is decided here. Nothing is sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ceps.execution.executor import Run
from ceps.execution.local import MOST_LOSSES
from ceps.records import Incumbent, Outcome

if TYPE_CHECKING:
    import distributed

FULL = 2
"""Runs that a worker is given for each of its threads: the one it makes, and the one it makes next."""
MOST_KEPT = 256 * 1024**2
"""Bytes of instances, pickled, that a worker keeps for runs to come."""


@dataclass(eq=False)
class Job:
    """A run that was asked for."""

    run: Run
    order: bytes
    on_incumbent: Callable[[Incumbent], None] | None
    future: Future[Outcome] = field(default_factory=Future)
    begun: bool | None = None
    """None: not yet. False: it was cancelled before."""
    stopped: bool = False
    losses: int = 0
    execution: str = ""
    worker: Worker | None = None
    task: distributed.Future[None] | None = None

    def begin(self) -> bool:
        """From now on it cannot be cancelled, only stopped; False when it was cancelled before."""
        if self.begun is None:
            self.begun = self.future.set_running_or_notify_cancel()
        return self.begun

    def fail(self, error: BaseException) -> None:
        if self.begin():
            self.future.set_exception(error)

    @property
    def is_suspect(self) -> bool:
        """Lost once more, it is taken for the cause; it may have been another run of the same worker until now."""
        return self.losses == MOST_LOSSES - 1


@dataclass(frozen=True, slots=True)
class Kept:
    """An instance that a worker has got."""

    task: distributed.Future[Any]
    size: int


@dataclass(eq=False)
class Worker:
    address: str
    greeting: distributed.Future[None] | None = None
    threads: int = 0
    """0 until it has answered, and when it is leaving."""
    jobs: list[Job] = field(default_factory=list)
    instances: dict[str, Kept] = field(default_factory=dict)
    """By id; what was not needed for longest comes first."""
    kept: int = 0
    """Bytes of them all."""

    @property
    def load(self) -> float:
        """Runs per thread."""
        return len(self.jobs) / self.threads if self.threads else math.inf

    @property
    def being_made(self) -> list[Job]:
        """A worker takes its runs in the order in which they were sent."""
        return self.jobs[: self.threads]

    @property
    def ahead(self) -> list[Job]:
        return self.jobs[self.threads :]

    def begin(self) -> None:
        for job in self.being_made:
            job.begin()

    def takes(self, job: Job) -> bool:
        """Whether there is room for it; a suspect needs a worker of its own."""
        if job.is_suspect:
            return self.threads > 0 and not self.jobs
        return self.load < FULL and not any(other.is_suspect for other in self.jobs)

    def keep(self, instance: str, kept: Kept) -> None:
        self.instances[instance] = kept
        self.kept += kept.size

    def forget(self) -> list[Kept]:
        """What it is not to keep any longer, because it keeps too much. What its runs need stays."""
        if self.kept <= MOST_KEPT:
            return []
        needed = {job.run.instance.id for job in self.jobs}
        forgotten = []
        for instance in [instance for instance in self.instances if instance not in needed]:
            forgotten.append(self.instances.pop(instance))
            self.kept -= forgotten[-1].size
            if self.kept <= MOST_KEPT:
                break
        return forgotten


def place_for(job: Job, workers: Iterable[Worker]) -> Worker | None:
    """The worker that has the least to do, of those that take this run."""
    return min((worker for worker in workers if worker.takes(job)), key=lambda worker: worker.load, default=None)
