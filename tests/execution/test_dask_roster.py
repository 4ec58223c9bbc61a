"""Where the next run goes: decided without a cluster."""

from __future__ import annotations

from ceps.execution.dask_roster import Job, Worker, place_for
from ceps.execution.local import MOST_LOSSES
from ceps.testing.bits import BitSolver
from ceps.testing.executor import bits_run


def job(losses: int = 0) -> Job:
    return Job(bits_run(BitSolver()), b"", None, losses=losses)


def worker(threads: int, *jobs: Job) -> Worker:
    return Worker(f"tcp://{threads}", threads=threads, jobs=list(jobs))


def test_a_run_goes_to_the_worker_that_has_the_least_to_do() -> None:
    """By runs per thread; not to one that has all it may be given, nor to one that has not answered yet."""
    busy, free, full, new = worker(1, job()), worker(4, job(), job()), worker(1, job(), job()), worker(0)
    assert place_for(job(), [busy, free, full, new]) is free
    assert place_for(job(), [full, new]) is None


def test_a_suspect_is_alone() -> None:
    """A run that would be taken for the cause gets a worker that has nothing else, which gets nothing else."""
    suspect = job(MOST_LOSSES - 1)
    empty = worker(4)
    assert place_for(suspect, [worker(4, job()), worker(0)]) is None
    assert place_for(suspect, [worker(4, job()), empty]) is empty
    assert place_for(job(MOST_LOSSES - 2), [worker(4, suspect)]) is None
