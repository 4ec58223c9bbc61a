"""Store and executor together: a run is looked up before it is made, and remembered when it was made."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from ceps.execution.executor import Executor, Run
from ceps.problems.problem import Problem
from ceps.records import FAILURES, Outcome, RunKey
from ceps.store import Answer, Execution, Store, StoredInstance, answer, normalise

LONGEST_OUTPUT = 2000
"""Characters kept of what a failed run printed."""


class Runner:
    """Answers requests for runs by the rules of exact replay.

    Executions of one key never overlap: a request for a key that is being run waits, and is then looked up again.
    """

    def __init__(self, store: Store, executor: Executor) -> None:
        self.store = store
        self.asker = ""
        self._whole: Runner | None = None
        self._executor = executor
        self._mutex = threading.Lock()
        self._waiting: dict[RunKey, list[Callable[[], None]]] = {}
        self._known: set[str] = set()
        self.runs_made = 0
        self.cpu_spent = 0.0

    def part(self, asker: str) -> Runner:
        """A runner for one of several who ask at the same time, with counts of its own; runs are recorded as made for
        ``asker``, and serve all."""
        part = copy.copy(self)
        part.asker, part._whole = asker, self
        part.runs_made, part.cpu_spent = 0, 0.0
        return part

    @property
    def slots(self) -> int:
        return self._executor.slots

    def submit(self, run: Run, cutoff: float, exact_limit: bool = False) -> Future[Answer]:
        """The answer to a run whose CPU limit is its cap. ``cutoff`` tells a TIMEOUT from a CAPPED run."""
        promise: Future[Answer] = Future()
        self._attempt(run, cutoff, exact_limit, promise)
        return promise

    def remember_instance(self, problem: Problem, instance: Any, parent: str | None = None) -> None:
        """Put an instance into the store, with its content and parentage; nothing happens if it is there."""
        if instance.id not in self._known:
            content = problem.encode(instance)
            self.store.add_instance(StoredInstance(instance.id, problem.name, instance.name, content, parent))
            self._known.add(instance.id)

    def _attempt(self, run: Run, cutoff: float, exact_limit: bool, promise: Future[Answer]) -> None:
        """Answer, or have the run made. Whatever is in the way is told by the promise: others wait for the key."""
        key = run.key
        with self._mutex:
            if key in self._waiting:
                self._waiting[key].append(lambda: self._attempt(run, cutoff, exact_limit, promise))
                return
            self._waiting[key] = []
        try:
            found = self.store.find(key, run.limits.cpu, cutoff, exact_limit)
            if found is None:
                made = self._executor.submit(run)
                made.add_done_callback(lambda future: self._finish(run, cutoff, exact_limit, future, promise))
                return
            promise.set_result(found)
        except BaseException as error:
            promise.set_exception(error)
        self._release(key)

    def _finish(
        self, run: Run, cutoff: float, exact_limit: bool, made: Future[Outcome], promise: Future[Answer]
    ) -> None:
        try:
            row = self._record(run, normalise(made.result(), run.limits.cpu, cutoff))
            found = answer(row, run.limits.cpu, cutoff, exact_limit)
            assert found is not None, "a run answers the request it was made for"
            promise.set_result(found)
        except BaseException as error:
            promise.set_exception(error)
        self._release(run.key)

    def _release(self, key: RunKey) -> None:
        """The key is free: those who have waited for it try again."""
        with self._mutex:
            waiting = self._waiting.pop(key)
        for attempt in waiting:
            attempt()

    def _record(self, run: Run, outcome: Outcome) -> Execution:
        self.remember_instance(run.problem, run.instance)
        if run.configuration.id not in self._known:
            self.store.add_configuration(run.configuration)
            self._known.add(run.configuration.id)
        # What a solver printed helps to understand a failure; kept for every run it would outweigh all else.
        output = _shortened(outcome.output) if outcome.ending in FAILURES else ""
        row = self.store.record(run.key, run.limits.cpu, replace(outcome, output=output), self.asker)
        with self._mutex:
            self._count(outcome.cpu)
        return row

    def _count(self, cpu: float) -> None:
        self.runs_made += 1
        self.cpu_spent += cpu
        if self._whole is not None:
            self._whole._count(cpu)


def _shortened(output: str) -> str:
    """Its two ends: the command is at the beginning, and what a program says last tells why it failed."""
    half = LONGEST_OUTPUT // 2
    return output if len(output) <= LONGEST_OUTPUT else f"{output[:half]}\n…\n{output[-half:]}"
