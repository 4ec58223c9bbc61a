"""What people ask of a store."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.store import Reference, Sitting, Store, StoredInstance, history

ONE, TWO = (Configuration.of("lkh", {"number": number}) for number in (1, 2))
KEY = RunKey("lkh", "3.0", ONE.id, "given", seed=7, target=5, memory=2**31)
SOLVED = Outcome(Ending.SOLVED, cpu=1.5, cost=5)


@pytest.fixture
def store() -> Iterator[Store]:
    """Two configurations, and a family of four: a child of the given instance, a grandchild, and another child."""
    with Store.in_memory() as store:
        store.add_configuration(ONE)
        store.add_configuration(TWO)
        parents = {"given": None, "child": "given", "grandchild": "child", "other": "given"}
        for name, parent in parents.items():
            store.add_instance(StoredInstance(name, "tsp", name.upper(), "content", parent))
        yield store


def test_a_sitting_has_the_runs_until_the_next(store: Store) -> None:
    """Its wall time ends with its last run, its CPU is theirs; one without runs has none, nor has what was before."""
    store.record(KEY, 100.0, replace(SOLVED, cpu=1.0))
    for workers, runs in ((1, (2.0, 4.0)), (2, ()), (3, (8.0, 16.0)), (4, (32.0,))):
        store.begin_sitting(workers)
        for cpu in runs:
            store.record(KEY, 100.0, replace(SOLVED, cpu=cpu))
    # Times of our own: two sittings begin within a second, and in the last one the clock is set back.
    for table, column, times in (
        ("runs", "created", (99, 100, 130, 200, 260, 200)),
        ("sittings", "started", (100, 130, 130, 300)),
    ):
        for number, when in enumerate(times, start=1):
            store._connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (when, number))
    host = socket.gethostname()
    assert store.sittings() == [
        Sitting(100, 1, host, 30.0, 6.0),
        Sitting(130, 2, host, 0.0, 0.0),
        Sitting(130, 3, host, 130.0, 24.0),
        Sitting(300, 4, host, 0.0, 32.0),
    ]


def test_runs_are_counted_by_ending_and_by_cause(store: Store) -> None:
    """By solver and ending with their CPU; of the causes the most frequent come first, and no cause is none."""
    store.record(KEY, 10.0, SOLVED)
    for reason in ("killed", "odd", "killed"):
        store.record(KEY, 10.0, Outcome(Ending.CRASHED, cpu=0.5, reason=reason))
    store.record(replace(KEY, solver="eax", version="1"), 10.0, SOLVED)
    assert history.endings(store) == [("eax", "SOLVED", 1, 1.5), ("lkh", "CRASHED", 3, 1.5), ("lkh", "SOLVED", 1, 1.5)]
    assert history.causes(store, most=1) == [("CRASHED", "killed", 2)]
    assert history.causes(store, most=9) == [("CRASHED", "killed", 2), ("CRASHED", "odd", 1)]
    assert history.versions(store) == [("eax", "1"), ("lkh", "3.0")]


def test_what_was_spent_is_told_by_who_asked_and_what_for(store: Store) -> None:
    """Where runs are judged by a target, those without one look for references, and are no trials."""
    store.record(KEY, 10.0, SOLVED)
    for asker in ("", "1/CEPS"):
        store.record(replace(KEY, target=None), 10.0, replace(SOLVED, cpu=4.0), asker)
    alone, other = history.Spent(5.5, 1.5), history.Spent(4.0, 0.0)
    assert history.spent(store, targeted=True) == {"": alone, "1/CEPS": other}
    assert history.spent(store, targeted=False)["1/CEPS"] == history.Spent(4.0, 4.0)


def test_a_family_has_the_given_the_admitted_and_their_ancestors(store: Store) -> None:
    """What was made and not admitted is left out, unless an admitted one descends from it; costs stand beside them."""
    store.put_reference("child", Reference(7, 1.0, "lkh", 1.0))
    store.record(replace(KEY, instance="grandchild"), 10.0, replace(SOLVED, cost=6, solution=[1]))
    assert [each.id for each in history.family(store, [])] == ["given"]
    given, child, grandchild = history.family(store, ["grandchild"])
    assert given == history.Relative("given", "GIVEN", None, None, None)
    assert child == history.Relative("child", "CHILD", "given", 7, None)
    assert grandchild == history.Relative("grandchild", "GRANDCHILD", "child", None, 6)


def test_the_last_run_of_each_seed_is_found(store: Store) -> None:
    """Of the named configurations only, on each instance with each seed the last; references are no such runs."""
    store.record(KEY, 1.0, Outcome(Ending.CAPPED, cpu=1.0))
    store.record(KEY, 10.0, SOLVED)
    store.record(replace(KEY, seed=8, target=None), 10.0, SOLVED)
    store.record(replace(KEY, configuration=TWO.id), 10.0, SOLVED)
    (last,) = history.last_runs(store, [ONE.id], targeted=True)
    assert last == history.LastRun(ONE.id, "given", 7, 5, 10.0, "SOLVED", 5, 1.5, 2)
    assert [run.seed for run in history.last_runs(store, [ONE.id], targeted=False)] == [7, 8]
    assert {run.configuration for run in history.last_runs(store, [ONE.id, TWO.id], targeted=True)} == {ONE.id, TWO.id}


def test_last_runs_are_found_through_the_index(store: Store) -> None:
    """The runs of a few members do not take a look at all runs, nor a sort."""
    plan = [
        row[-1]
        for row in store.select(
            f"EXPLAIN QUERY PLAN {history._SELECT_LAST_RUNS}",
            {"members": f'["{ONE.id}"]', "targeted": True, "false": "[]"},
        )
    ]
    assert any(step.startswith("SEARCH runs USING INDEX runs_by_key (configuration=?") for step in plan)
    assert not [step for step in plan if "SCAN runs" in step]


def test_answers_are_judged_by_those_that_count_for_more(store: Store) -> None:
    """What runs have said of an instance is INVALID in what people see where another's answer counts for more, or as
    much; the rows of the store stay as they were recorded."""
    refusal = Outcome(Ending.SOLVED, cpu=1.0, cost=1, says="no")
    store.record(KEY, 10.0, refusal)
    store.record(replace(KEY, configuration=TWO.id), 10.0, replace(refusal, says="yes"))
    store.record(replace(KEY, instance="other"), 10.0, refusal)
    (found,) = history.contradictions(store)
    assert str(found) == (
        "GIVEN: answers contradict each other: solver 'lkh' says 'no', solver 'lkh' says 'yes'; nobody knows who is "
        "right"
    )
    assert history.endings(store) == [("lkh", "INVALID", 2, 2.0), ("lkh", "SOLVED", 1, 1.0)]
    store.record(replace(KEY, seed=9), 10.0, replace(refusal, cost=0))
    assert [each.truth for each in history.contradictions(store)] == ["no"]
    assert history.endings(store) == [("lkh", "INVALID", 1, 1.0), ("lkh", "SOLVED", 3, 3.0)]
    why = "says 'yes', and others 'no', which counts for more"
    assert history.causes(store, most=9) == [("INVALID", why, 1)]
    (last,) = history.last_runs(store, [TWO.id], targeted=True)
    assert (last.ending, last.cost) == ("INVALID", None)
    recorded, judged = list(store.runs()), history.judged_runs(store)
    assert [run.execution.outcome.ending for run in recorded] == [Ending.SOLVED] * 4
    assert [run.execution.outcome.ending for run in judged] == [
        Ending.SOLVED, Ending.INVALID, Ending.SOLVED, Ending.SOLVED,
    ]  # fmt: skip


def test_contradictions_are_found_through_the_index(store: Store) -> None:
    """Of many runs with answers to decision problems, those of instances that are not torn are not looked at twice."""
    plan = [row[-1] for row in store.select(f"EXPLAIN QUERY PLAN {history._SELECT_SAID}")]
    assert [step for step in plan if "runs" in step and "INDEX runs_that_say" not in step] == []


def test_traces_come_with_the_least_cost_known(store: Store) -> None:
    """Runs that told nothing or were stopped early are left out; the best is the smaller of reference and solution."""
    told = replace(SOLVED, trace=(Incumbent(0.5, 9), Incumbent(1.0, 6)))
    store.record(KEY, 10.0, SOLVED)
    store.record(KEY, 10.0, told)
    store.record(KEY, 10.0, replace(told, ending=Ending.CAPPED))
    store.record(replace(KEY, instance="child"), 10.0, told)
    store.record(replace(KEY, instance="other"), 10.0, replace(told, solution=[1]))
    store.put_reference("given", Reference(4, 1.0, "lkh", 1.0))
    store.put_reference("other", Reference(8, 1.0, "lkh", 1.0))
    runs = history.traced_runs(store, ONE.id, targeted=True)
    assert runs == [2, 4, 5]
    assert history.traced_runs(store, TWO.id, targeted=True) == []
    traces = history.traces(store, runs)
    assert [trace.best for trace in traces] == [4, None, 5]
    assert traces[0] == history.Trace(1.5, 5, [0.5, 9, 1.0, 6], 4)
