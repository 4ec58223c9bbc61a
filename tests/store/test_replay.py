"""Requests answered through the store are answered as if each had been run for itself, and again after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.store import Answer, Store, StoredInstance, answer, normalise

CUTOFF = 10.0
CONFIGURATION = Configuration.of("s", {"a": 1})
KEY = RunKey("s", "1", CONFIGURATION.id, "i", seed=1, target=5, memory=2**30)

caps = st.floats(0.001, CUTOFF) | st.sampled_from([1.0, 2.0, 5.0, CUTOFF])
times = st.floats(0.0, 12.0)
overshoots = st.floats(0.0, 0.5)
endings = st.sampled_from([ending for ending in Ending if not ending.is_stop])
traces = st.lists(st.builds(Incumbent, times, st.integers(0, 100)), max_size=4)


@dataclass(frozen=True)
class TrueRun:
    """What a run would be if nobody stopped it."""

    ending: Ending
    cpu: float
    trace: tuple[Incumbent, ...]

    def executed(self, limit: float, overshoot: float) -> Outcome:
        """What an executor measures that stops a run somewhat after its limit."""
        whole = Outcome(self.ending, cpu=self.cpu, cost=3, trace=self.trace)
        if self.cpu <= limit + overshoot:
            return whole
        seen = tuple(one for one in self.trace if one.cpu <= limit + overshoot)
        return replace(whole, ending=Ending.TIMEOUT, cpu=limit + overshoot, trace=seen)

    def ideal(self, cap: float) -> Answer:
        """What a run stopped exactly at the cap would be."""
        if self.cpu <= cap:
            return Answer(Outcome(self.ending, cpu=self.cpu, cost=3, trace=self.trace), self.cpu)
        ending = Ending.TIMEOUT if cap == CUTOFF else Ending.CAPPED
        return Answer(Outcome(ending, cpu=cap, trace=tuple(one for one in self.trace if one.cpu <= cap)), cap)


true_runs = st.builds(
    lambda ending, cpu, trace: TrueRun(ending, cpu, tuple(one for one in trace if one.cpu <= cpu)),
    endings,
    times,
    traces,
)


@dataclass
class Asker:
    """Answers requests from the store and executes what it cannot answer; no two executions are alike."""

    store: Store
    runs: list[TrueRun]
    overshoots: list[float]
    executions: Iterator[int] = field(default_factory=count)

    def ask(self, cap: float, exact_limit: bool = False) -> Answer:
        found = self.store.find(KEY, cap, CUTOFF, exact_limit)
        if found is None:
            number = next(self.executions)
            run = self.runs[number % len(self.runs)]
            measured = run.executed(cap, self.overshoots[number % len(self.overshoots)])
            row = self.store.record(KEY, cap, normalise(measured, cap, CUTOFF))
            found = answer(row, cap, CUTOFF, exact_limit)
        assert found is not None
        return found


def empty_store() -> Store:
    store = Store.in_memory()
    store.add_configuration(CONFIGURATION)
    store.add_instance(StoredInstance("i", "p", "i", "content"))
    return store


@settings(derandomize=True, deadline=None, max_examples=150)
@given(true_runs, st.lists(overshoots, min_size=1, max_size=4), st.lists(caps, max_size=8))
def test_answers_are_those_of_fresh_runs(run: TrueRun, late: list[float], requests: list[float]) -> None:
    """For a repeatable run, the store's answers and charges are those of one run per request, stopped at its cap."""
    with empty_store() as store:
        asker = Asker(store, [run], late)
        assert [asker.ask(cap) for cap in requests] == [run.ideal(cap) for cap in requests]


@pytest.mark.parametrize("exact_limit", [False, True])
@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    runs=st.lists(true_runs, min_size=1, max_size=5),
    late=st.lists(overshoots, min_size=1, max_size=5),
    requests=st.lists(caps, max_size=8),
    stopped_after=st.integers(0, 8),
)
def test_an_interrupted_sequence_comes_to_the_same(
    exact_limit: bool, runs: list[TrueRun], late: list[float], requests: list[float], stopped_after: int
) -> None:
    """However unrepeatable runs are, starting again after an interruption gives the answers of one go, and its runs."""
    with empty_store() as store:
        one_go = _ask_all(Asker(store, runs, late), requests, exact_limit)
        in_one_go = store.totals()
    with empty_store() as store:
        asker = Asker(store, runs, late)
        _ask_all(asker, requests[:stopped_after], exact_limit)
        assert _ask_all(asker, requests, exact_limit) == one_go
        assert store.totals() == in_one_go


def _ask_all(asker: Asker, requests: list[float], exact_limit: bool) -> list[Answer]:
    return [asker.ask(cap, exact_limit) for cap in requests]
