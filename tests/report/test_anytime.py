"""How the cost falls, by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ceps.metrics import Panc
from ceps.records import FAILURES, Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.report import anytime
from ceps.report.anytime import read_anytime
from ceps.store import Reference, Store, StoredInstance

MEMBER = Configuration.of("lkh", {})
METRIC = Panc(100.0)


@pytest.fixture
def store() -> Iterator[Store]:
    """One member and an instance whose best cost is 100."""
    with Store.in_memory() as store:
        store.add_configuration(MEMBER)
        store.add_instance(StoredInstance("i", "tsp", "i", ""))
        store.put_reference("i", Reference(100, 1.0, "given", 0.0))
        yield store


def record(store: Store, *steps: tuple[float, float], ending: Ending = Ending.TIMEOUT) -> None:
    key = RunKey("lkh", "3.0", MEMBER.id, "i", seed=1, target=None, memory=2**31)
    trace = tuple(Incumbent(cpu, cost) for cpu, cost in steps)
    store.record(key, 100.0, Outcome(ending, cpu=100.0, trace=trace))


def test_quartiles_at_common_times(store: Store) -> None:
    """Of four runs the first quartile is the best one's, the third that of the third; no solution is worse than any."""
    record(store, (1.0, 110.0), (50.0, 100.0))
    record(store, (1.0, 120.0))
    record(store, (2.0, 130.0))
    record(store, (99.0, 140.0))
    curve = read_anytime(store, MEMBER.id, "member 1 (lkh)", METRIC)
    assert curve is not None
    assert (curve.member, curve.runs, len(curve.times)) == ("member 1 (lkh)", 4, 60)
    assert (curve.times[0], curve.times[-1]) == (pytest.approx(1.0), 100.0)
    at_start, at_end = ([side[position] for side in (curve.lower, curve.median, curve.upper)] for position in (1, -1))
    assert at_start == [pytest.approx(0.1), pytest.approx(0.2), None]
    assert at_end == [pytest.approx(0.0), pytest.approx(0.2), pytest.approx(0.3)]


def test_a_claim_that_is_worse_than_an_earlier_one_does_not_count(store: Store) -> None:
    """The curve of a run never rises."""
    record(store, (1.0, 110.0), (5.0, 150.0))
    curve = read_anytime(store, MEMBER.id, "member", METRIC)
    assert curve is not None
    assert curve.median[-1] == pytest.approx(0.1)


def test_runs_that_were_stopped_early_have_no_say(store: Store) -> None:
    """Nobody knows how they would have gone on; without others there is no curve."""
    record(store, (1.0, 110.0), ending=Ending.CAPPED)
    assert read_anytime(store, MEMBER.id, "member", METRIC) is None


@pytest.mark.parametrize("ending", FAILURES)
def test_runs_that_failed_have_no_say(store: Store, ending: Ending) -> None:
    """What they claimed on the way may be false: better than the best, say."""
    record(store, (1.0, 110.0))
    record(store, (1.0, 1.0), ending=ending)
    curve = read_anytime(store, MEMBER.id, "member", METRIC)
    assert curve is not None
    assert (curve.runs, curve.lower[-1]) == (1, pytest.approx(0.1))


def test_nothing_is_so_many_per_cent_above_nothing(store: Store) -> None:
    """Where the best cost is 0, or nobody knows it, there is no curve."""
    record(store, (1.0, 110.0))
    store.put_reference("i", Reference(0, 1.0, "given", 0.0))
    assert read_anytime(store, MEMBER.id, "member", METRIC) is None


def test_of_many_runs_some_are_taken_evenly(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first, the last and what is evenly in between."""
    monkeypatch.setattr(anytime, "MOST_RUNS", 3)
    for cost in (101.0, 102.0, 103.0, 104.0, 105.0):
        record(store, (1.0, cost))
    curve = read_anytime(store, MEMBER.id, "member", METRIC)
    assert curve is not None
    assert (curve.runs, curve.of) == (3, 5)
    assert [curve.lower[-1], curve.median[-1], curve.upper[-1]] == [pytest.approx(gap) for gap in (0.01, 0.03, 0.05)]
