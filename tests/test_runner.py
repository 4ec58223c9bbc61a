"""Runs are looked up before they are made, and remembered when they were made."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

from ceps.errors import UserError
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.records import Ending, Incumbent, Outcome
from ceps.runner import Runner
from ceps.store import Store
from ceps.testing.bits import BitSolver
from ceps.testing.executor import bits_run
from ceps.testing.misbehaving import CannotBePrepared

CUTOFF = 10.0


class HeldExecutor:
    """Runs that end when the test says so."""

    slots = 1

    def __init__(self) -> None:
        self.submitted: list[tuple[Run, Future[Outcome]]] = []

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        self.submitted.append((run, future))
        return future

    def stop(self, future: Future[Outcome]) -> None:
        future.cancel()

    def close(self) -> None:
        return None


def solved_at(cpu: float) -> Outcome:
    return Outcome(Ending.SOLVED, cpu=cpu, cost=0)


def test_a_run_is_made_once_and_then_remembered() -> None:
    """The second request is answered by the store: same outcome, same charge, nothing spent."""
    with LocalExecutor(workers=1) as executor, Store.in_memory() as store:
        runner = Runner(store, executor)
        run = bits_run(BitSolver(), cpu=CUTOFF, target=0)
        first = runner.submit(run, CUTOFF).result()
        spent = runner.cpu_spent
        second = runner.submit(run, CUTOFF).result()
        assert first == second
        assert first.outcome.ending is Ending.SOLVED
        assert first.charge == spent > 0.0
        assert (runner.runs_made, runner.cpu_spent) == (1, spent)


def test_requests_for_one_key_wait_for_each_other() -> None:
    """While a run is going on, a request for the same key is not run beside it but answered by it."""
    executor = HeldExecutor()
    with Store.in_memory() as store:
        runner = Runner(store, executor)
        run = bits_run(BitSolver(), cpu=CUTOFF)
        answers = [runner.submit(run, CUTOFF) for _ in range(3)]
        assert len(executor.submitted) == 1
        executor.submitted[0][1].set_result(solved_at(2.0))
        assert [answer.result().charge for answer in answers] == [2.0] * 3
        assert len(executor.submitted) == 1


def test_a_longer_request_is_run_again_after_a_shorter_one_was_stopped() -> None:
    """A run stopped at 1 s cannot answer for 5 s; both runs get rows, and the earliest that can answers later."""
    executor = HeldExecutor()
    with Store.in_memory() as store:
        runner = Runner(store, executor)
        short, long = (bits_run(BitSolver(), cpu=cpu) for cpu in (1.0, 5.0))
        first, second = runner.submit(short, CUTOFF), runner.submit(long, CUTOFF)
        executor.submitted[0][1].set_result(Outcome(Ending.TIMEOUT, cpu=1.01))
        assert first.result().outcome.ending is Ending.CAPPED
        executor.submitted[1][1].set_result(solved_at(3.0))
        assert second.result().outcome.ending is Ending.SOLVED
        shorter = replace(short, limits=replace(short.limits, cpu=0.5))
        assert runner.submit(shorter, CUTOFF).result().charge == 0.5
        assert [row.limit for row in store.executions(short.key)] == [1.0, 5.0]
        assert len(executor.submitted) == 2


def test_another_target_is_another_run() -> None:
    """A run judged by an old target does not answer for a new one."""
    executor = HeldExecutor()
    with Store.in_memory() as store:
        runner = Runner(store, executor)
        for target in (3, 2):
            runner.submit(bits_run(BitSolver(), cpu=CUTOFF, target=target), CUTOFF)
        assert len(executor.submitted) == 2


def test_an_answer_at_the_cutoff_is_a_timeout_and_below_it_capped() -> None:
    """Whether a stop is TIMEOUT or CAPPED is decided by the cut-off of the request."""
    executor = HeldExecutor()
    with Store.in_memory() as store:
        runner = Runner(store, executor)
        at_cutoff = runner.submit(bits_run(BitSolver(), cpu=CUTOFF), CUTOFF)
        executor.submitted[0][1].set_result(Outcome(Ending.TIMEOUT, cpu=10.01))
        assert at_cutoff.result().outcome.ending is Ending.TIMEOUT
        below = runner.submit(bits_run(BitSolver(), cpu=2.0), CUTOFF).result()
        assert (below.outcome.ending, below.charge) == (Ending.CAPPED, 2.0)


def test_a_solver_that_cannot_run_is_an_error_for_the_asker() -> None:
    """The user's message arrives, no row is written, and the key is free again."""
    with LocalExecutor(workers=1) as executor, Store.in_memory() as store:
        runner = Runner(store, executor)
        for _ in range(2):
            with pytest.raises(UserError, match="not installed"):
                runner.submit(bits_run(CannotBePrepared(), cpu=CUTOFF), CUTOFF).result()
        assert store.totals().runs == 0


def test_parts_share_runs_and_count_their_own() -> None:
    """A run made for one asker serves another, is counted for the first and for the whole, and recorded as its own."""
    with LocalExecutor(workers=1) as executor, Store.in_memory() as store:
        whole = Runner(store, executor)
        one, other = whole.part("one"), whole.part("other")
        run = bits_run(BitSolver(), cpu=CUTOFF, target=0)
        first = one.submit(run, CUTOFF).result()
        assert other.submit(run, CUTOFF).result() == first
        other.submit(replace(run, seed=run.seed + 1), CUTOFF).result()
        assert (whole.runs_made, one.runs_made, other.runs_made) == (2, 1, 1)
        assert whole.cpu_spent == one.cpu_spent + other.cpu_spent
        totals = store.totals_by_asker()
        assert {asker: each.runs for asker, each in totals.items()} == {"one": 1, "other": 1}
        assert totals["one"].cpu == one.cpu_spent


def test_parts_never_run_one_key_at_the_same_time() -> None:
    """While one asker's run is under way, another's request for it waits, and is then answered by it."""
    executor = HeldExecutor()
    with Store.in_memory() as store:
        whole = Runner(store, executor)
        run = bits_run(BitSolver(), cpu=CUTOFF, target=0)
        first, second = (whole.part(asker).submit(run, CUTOFF) for asker in ("one", "other"))
        assert len(executor.submitted) == 1
        executor.submitted[0][1].set_result(solved_at(1.0))
        assert first.result() == second.result()
        assert len(executor.submitted) == 1


def test_who_waits_for_a_run_that_cannot_be_submitted_is_told() -> None:
    """An executor that takes no more runs leaves nobody waiting: each asker is told, and the key is free again."""
    submitting, told = threading.Event(), threading.Event()

    class ClosedExecutor(HeldExecutor):
        def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
            submitting.set()
            told.wait()
            raise RuntimeError("this executor is closed")

    with Store.in_memory() as store, ThreadPoolExecutor(1) as thread:
        runner = Runner(store, ClosedExecutor())
        run = bits_run(BitSolver(), cpu=CUTOFF, target=0)
        first = thread.submit(runner.submit, run, CUTOFF)
        submitting.wait()
        second = runner.submit(run, CUTOFF)
        told.set()
        for asked in (first.result(), second, runner.submit(run, CUTOFF)):
            with pytest.raises(RuntimeError, match="closed"):
                asked.result(timeout=60)
