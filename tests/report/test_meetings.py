"""Who met whom, and who won, by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ceps.metrics import Panc, Par10
from ceps.records import Configuration, Ending, Outcome, RunKey
from ceps.report.meetings import Meeting, read_meetings
from ceps.store import Store, StoredInstance

MEMBERS = [Configuration.of("lkh", {"number": number}) for number in (1, 2)]
IDS = [member.id for member in MEMBERS]
KEY = RunKey("lkh", "3.0", IDS[0], "i", seed=7, target=5, memory=2**31)
METRIC = Par10(10.0)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as store:
        for member in MEMBERS:
            store.add_configuration(member)
        for name in ("i", "j"):
            store.add_instance(StoredInstance(name, "tsp", name, ""))
        yield store


def record(
    store: Store, member: int, ending: Ending, cpu: float, *, limit: float = 10.0, cost: float | None = None, **key: int
) -> None:
    changed = replace(KEY, configuration=IDS[member - 1], **key)
    store.record(changed, limit, Outcome(ending, cpu=cpu, cost=cost))


def meetings(store: Store) -> list[Meeting]:
    return read_meetings(store, IDS, METRIC, {"i", "j"}, lambda instance: 1.0)


def test_the_faster_member_wins(store: Store) -> None:
    """The portfolio's score is the winner's; the first of equals wins."""
    record(store, 1, Ending.SOLVED, 3.0, seed=1)
    record(store, 2, Ending.SOLVED, 2.0, seed=1)
    record(store, 1, Ending.SOLVED, 3.0, seed=2)
    record(store, 2, Ending.SOLVED, 3.0, seed=2)
    assert meetings(store) == [Meeting("i", 2.0, 2), Meeting("i", 3.0, 1)]


def test_a_capped_run_cannot_win(store: Store) -> None:
    """Stopped at the best score or later, it has lost; stopped before, nobody knows, and it is no contest."""
    record(store, 1, Ending.CAPPED, 2.0, limit=2.0, seed=1)
    record(store, 2, Ending.SOLVED, 2.0, seed=1)
    record(store, 1, Ending.CAPPED, 1.0, limit=1.0, seed=2)
    record(store, 2, Ending.SOLVED, 2.0, seed=2)
    assert meetings(store) == [Meeting("i", 2.0, 2)]


def test_where_nobody_has_a_solution_nobody_wins(store: Store) -> None:
    """It counts all the same, with the penalty."""
    record(store, 1, Ending.TIMEOUT, 10.0)
    record(store, 2, Ending.CRASHED, 1.0)
    assert meetings(store) == [Meeting("i", 100.0, None)]


def test_only_runs_of_all_members_by_the_newest_target_are_a_meeting(store: Store) -> None:
    """One member alone, and one that was not run again since the reference was beaten, meet nobody."""
    record(store, 1, Ending.SOLVED, 3.0, seed=1)
    record(store, 1, Ending.SOLVED, 3.0, seed=2)
    record(store, 2, Ending.SOLVED, 2.0, seed=2)
    record(store, 1, Ending.SOLVED, 4.0, seed=2, target=4)
    assert meetings(store) == []
    record(store, 2, Ending.TIMEOUT, 10.0, seed=2, target=4)
    assert meetings(store) == [Meeting("i", 4.0, 1)]


def test_other_instances_are_left_out(store: Store) -> None:
    """Runs on what was bred and not admitted tell nothing of what is trained on."""
    for member in (1, 2):
        store.record(replace(KEY, configuration=IDS[member - 1], instance="j"), 10.0, Outcome(Ending.SOLVED, cpu=1.0))
    assert read_meetings(store, IDS, METRIC, {"i"}, lambda instance: 1.0) == []
    assert len(meetings(store)) == 1


def test_costs_are_scaled(store: Store) -> None:
    """Where quality counts, by the scale of the instance; a run without a solution has the penalty."""
    for member, cost in ((1, 60.0), (2, 50.0)):
        outcome = Outcome(Ending.TIMEOUT, cpu=10.0, cost=cost)
        store.record(replace(KEY, configuration=IDS[member - 1], target=None), 10.0, outcome)
    metric = Panc(10.0, penalty=99.0)
    assert read_meetings(store, IDS, metric, {"i"}, lambda instance: 10.0) == [Meeting("i", 5.0, 2)]


def test_a_member_that_is_there_twice_meets_itself(store: Store) -> None:
    """The same configuration in two places: the first of them wins."""
    record(store, 1, Ending.SOLVED, 3.0)
    assert read_meetings(store, [IDS[0], IDS[0]], METRIC, {"i"}, lambda instance: 1.0) == [Meeting("i", 3.0, 1)]
