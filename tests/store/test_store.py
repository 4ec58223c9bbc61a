"""What is put into the store comes out of it, in this process and the next."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.store import (
    Answer,
    BestSolution,
    JournalEntry,
    Reference,
    ReplayError,
    Store,
    StoredInstance,
    Totals,
)
from ceps.store.rows import key_values
from ceps.store.store import _SELECT_BY_KEY

CONFIGURATION = Configuration.of("lkh", {"flag": True, "count": 3, "share": 0.1, "kind": "ä"})
OTHER = Configuration.of("lkh", {"flag": False, "count": 3, "share": 0.1, "kind": "ä"})
PARENT = StoredInstance("p", "tsp", "parent", "NAME: parent\n")
CHILD = StoredInstance("c", "tsp", "child", "NAME: child\n", parent="p")
KEY = RunKey("lkh", "3.0", CONFIGURATION.id, "p", seed=7, target=5, memory=2**31)
SOLVED = Outcome(Ending.SOLVED, cpu=1.5, cost=5)


def fill(store: Store) -> None:
    store.add_configuration(CONFIGURATION)
    store.add_configuration(OTHER)
    store.add_instance(PARENT)
    store.add_instance(CHILD)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as store:
        fill(store)
        yield store


numbers = st.integers(-(2**62), 2**62) | st.floats(allow_nan=False)
outcomes = st.builds(
    Outcome,
    ending=st.sampled_from(Ending),
    cpu=st.floats(0, 1e6),
    wall=st.floats(0, 1e6),
    memory=st.integers(0, 2**50),
    cost=st.none() | numbers,
    trace=st.lists(st.builds(Incumbent, st.floats(0, 1e6), numbers), max_size=5).map(tuple),
    reason=st.text(),
    output=st.text(),
    host=st.text(),
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(outcomes, st.floats(0.001, 1e6))
def test_an_outcome_comes_back_as_it_was(outcome: Outcome, limit: float) -> None:
    """Every field of an outcome survives, whole numbers as whole numbers, and both ways to get the row agree."""
    with Store.in_memory() as store:
        fill(store)
        recorded = store.record(KEY, limit, outcome)
        assert (recorded.limit, recorded.outcome) == (limit, outcome)
        assert repr(recorded.outcome.cost) == repr(outcome.cost)
        assert repr(recorded.outcome.trace) == repr(outcome.trace)
        assert store.executions(KEY) == [recorded]


def test_half_characters_in_the_output_do_no_harm(store: Store) -> None:
    """Output that is no valid Unicode is stored with a mark in the place of what is not."""
    recorded = store.record(KEY, 10.0, replace(SOLVED, output="a\udcffb", reason="\ud800"))
    assert (recorded.outcome.output, recorded.outcome.reason) == ("a?b", "?")


def test_executions_of_a_key_come_in_order(store: Store) -> None:
    """Every execution is its own row, and the earliest that can answer does."""
    first = store.record(KEY, 1.0, Outcome(Ending.CAPPED, cpu=1.01))
    second = store.record(KEY, 10.0, SOLVED)
    third = store.record(KEY, 10.0, replace(SOLVED, cpu=0.5))
    assert store.executions(KEY) == [first, second, third]
    assert first.id < second.id < third.id
    assert store.find(KEY, cap=1.0, cutoff=10.0) == Answer(Outcome(Ending.CAPPED, cpu=1.0), 1.0)
    assert store.find(KEY, cap=3.0, cutoff=10.0) == Answer(SOLVED, 1.5)
    assert store.find(KEY, cap=3.0, cutoff=10.0, exact_limit=True) is None
    assert store.totals() == Totals(runs=3, cpu=1.01 + 1.5 + 0.5)


@pytest.mark.parametrize(
    "other",
    [
        replace(KEY, solver="eax"),
        replace(KEY, version="3.1"),
        replace(KEY, configuration=OTHER.id),
        replace(KEY, instance="c"),
        replace(KEY, seed=8),
        replace(KEY, target=None),
        replace(KEY, target=6),
        replace(KEY, memory=2**30),
        replace(KEY, configuration="unknown"),
        replace(KEY, instance="unknown"),
    ],
)
def test_every_part_of_the_key_tells_runs_apart(store: Store, other: RunKey) -> None:
    """A run answers for no key that differs from its own in any field."""
    store.record(KEY, 10.0, SOLVED)
    assert store.executions(other) == []
    assert store.find(other, 10.0, 10.0) is None


def test_targets_compare_as_numbers_and_none_as_itself(store: Store) -> None:
    """A target of 5 is one of 5.0, large ones differ by 1, a missing target equals a missing target only."""
    run = store.record(KEY, 10.0, SOLVED)
    without = store.record(replace(KEY, target=None), 10.0, Outcome(Ending.FINISHED, cpu=2.0))
    large = store.record(replace(KEY, target=2**53 + 1), 10.0, SOLVED)
    assert store.executions(replace(KEY, target=5.0)) == [run]
    assert store.executions(replace(KEY, target=2**53 + 1)) == [large]
    assert store.executions(replace(KEY, target=2**53)) == []
    assert store.executions(replace(KEY, target=None)) == [without]


def test_a_run_of_something_unknown_is_refused(store: Store) -> None:
    """A run names a configuration and an instance of the store, or nothing of it is recorded."""
    for key in (replace(KEY, configuration="unknown"), replace(KEY, instance="unknown")):
        with pytest.raises(ValueError, match="add the configuration and the instance"):
            store.record(key, 10.0, SOLVED)
    with pytest.raises(ValueError, match="unknown"):
        store.add_instance(StoredInstance("x", "tsp", "x", "", parent="unknown"))
    with pytest.raises(ValueError, match="unknown"):
        store.put_reference("unknown", Reference(1, 1.0, "given", 0.0))
    assert store.totals() == Totals(0, 0.0)
    store.record(KEY, 10.0, SOLVED)


def test_configurations_and_instances_come_back(store: Store) -> None:
    """Content, parentage and parameter values with their types are kept, and adding twice does nothing."""
    fill(store)
    assert store.configuration(CONFIGURATION.id) == CONFIGURATION
    assert repr(store.configuration(CONFIGURATION.id)) == repr(CONFIGURATION)
    assert store.instance("p") == PARENT
    assert store.instance("c") == CHILD
    assert store.configuration("unknown") is None
    assert store.instance("unknown") is None


def test_only_the_best_verified_solution_is_kept(store: Store) -> None:
    """A recorded solution replaces the kept one only when its cost is lower."""
    assert store.best_solution("p") is None
    for cost, solution in [(7, [0, 1, 2]), (6, [0, 2, 1]), (6, [2, 1, 0]), (8, [1, 0, 2]), (None, None)]:
        recorded = store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0, cost=cost, solution=solution))
        assert recorded.outcome.solution is None
    assert store.best_solution("p") == BestSolution(6, [0, 2, 1])
    assert store.best_solution("c") is None


def test_references_are_replaced(store: Store) -> None:
    """The reference of an instance is the one put last."""
    assert store.reference("p") is None
    store.put_reference("p", Reference(5, 0.6, "lkh", 3.5))
    store.put_reference("p", Reference(4, 1.0, "eax", 4.5))
    assert store.reference("p") == Reference(4, 1.0, "eax", 4.5)
    assert store.reference("c") is None


def test_journal_takes_each_phase_once(store: Store) -> None:
    """An entry is found by phase and inputs, may be entered again as it is, and never differently."""
    assert store.journal_get("tune", {"seed": 1}) is None
    result = {"winner": ["a", 1, 0.1], "by": {"x": 1, "y": 2}}
    entered = store.journal_put("tune", {"seed": 1}, result, charge=2.5)
    assert entered == JournalEntry("tune", result, 2.5)
    reordered = {"by": {"y": 2, "x": 1}, "winner": ("a", 1, 0.1)}
    assert store.journal_put("tune", {"seed": 1}, reordered, charge=2.5) == entered
    with pytest.raises(ReplayError, match=r"'tune' was decided differently .*\n  result\.winner: .* -> \[\"b\"\]"):
        store.journal_put("tune", {"seed": 1}, {"winner": ["b"]}, charge=2.5)
    with pytest.raises(ReplayError, match=r"before:\n  charge: 2\.5 -> 2\.75\n"):
        store.journal_put("tune", {"seed": 1}, result, charge=2.75)
    store.journal_put("tune", {"seed": 2}, None, charge=0.0)
    store.journal_put("admit", {"seed": 1}, [], charge=0.0)
    assert store.journal_get("tune", {"seed": 1}) == entered
    assert [entry.phase for entry in store.journal()] == ["tune", "tune", "admit"]


def test_conclusions_are_replaced(store: Store) -> None:
    """The last one of a name is kept, as JSON that every program reads: nothing infinite."""
    assert store.conclusion("build") is None
    store.conclude("build", {"score": 1.5})
    store.conclude("build", {"score": 2, "losses": [None, 0.1]})
    store.conclude("other", [])
    assert store.conclusion("build") == {"score": 2, "losses": [None, 0.1]}
    with pytest.raises(ValueError, match="JSON compliant"):
        store.conclude("build", {"score": float("inf")})


def test_everything_survives_closing(tmp_path: Path) -> None:
    """A store opened again answers as before it was closed, for writers and for readers."""

    def seen(store: Store) -> list[object]:
        return [
            store.identity,
            store.executions(KEY),
            store.find(KEY, 1.0, 10.0),
            store.totals(),
            store.configuration(CONFIGURATION.id),
            store.instance("c"),
            store.best_solution("p"),
            store.reference("p"),
            store.journal(),
            store.sittings(),
            store.conclusion("build"),
        ]

    with Store.open(tmp_path / "runs" / "a", {"seed": 1}) as store:
        fill(store)
        store.record(KEY, 10.0, replace(SOLVED, solution=[0, 1], trace=(Incumbent(0.1, 9),)))
        store.put_reference("p", Reference(5, 0.6, "lkh", 3.5))
        store.journal_put("tune", 1, {"a": 1}, charge=2.5)
        store.begin_sitting(workers=2)
        store.conclude("build", {"b": [1]})
        before = seen(store)
    with Store.open(tmp_path / "runs" / "a", {"seed": 1}) as store:
        assert seen(store) == before
    with Store.read_only(tmp_path / "runs" / "a") as store:
        assert seen(store) == before


def test_identity_is_kept_and_defended(tmp_path: Path) -> None:
    """Opening with other settings is refused with each difference and the way out; the same or none are welcome."""
    mine = {"seed": 1, "metric": {"name": "par10", "cutoff": 10.0}, "train": ["a", "b"], "old": {}}
    Store.open(tmp_path).close()
    Store.open(tmp_path, mine).close()
    Store.open(tmp_path, {**mine, "train": ("a", "b"), "seed": 1.0}).close()
    Store.open(tmp_path).close()
    with pytest.raises(UserError) as caught:
        Store.open(tmp_path, {"seed": 1, "metric": {"name": "par10", "cutoff": 20}, "train": ["a"], "new": None})
    message = str(caught.value)
    assert str(tmp_path) in message
    assert "metric.cutoff: 10.0 -> 20\n" in message
    assert 'train: ["a", "b"] -> ["a"]\n' in message
    assert "old: {} -> (absent)\n" in message
    assert "new: (absent) -> null\n" in message
    assert "seed" not in message
    assert "name" not in message
    assert "--out" in message
    with Store.open(tmp_path) as store:
        assert store.identity == mine


def test_what_may_differ_is_kept_as_it_is_now(tmp_path: Path) -> None:
    """At free keys an identity may have other values than before: the last ones are kept. Nothing else is free."""

    def identity(folder: str) -> dict[str, Any]:
        return {"purpose": "build", "solvers": {"a.b": {"file": f"{folder}/s"}, "c": {"file": f"{folder}/s"}}}

    free = {"solvers.a.b.file", "solvers.c.file"}
    Store.open(tmp_path, identity("/old"), free).close()
    with Store.open(tmp_path, identity("/new"), free) as store:
        assert store.identity == identity("/new")
    with pytest.raises(UserError, match=r"solvers\.c\.file"):
        Store.open(tmp_path, identity("/newer"), {"solvers.a.b.file"})
    with pytest.raises(UserError, match="it is the directory of a build, not of a comparison") as caught:
        Store.open(tmp_path, {"purpose": "comparison", "seed": 2})
    assert "seed" not in str(caught.value)


def test_look_up_goes_through_the_index(store: Store) -> None:
    """Looking up a key searches indexes, scans no table and sorts nothing."""
    plan = [row[-1] for row in store._connection.execute(f"EXPLAIN QUERY PLAN {_SELECT_BY_KEY}", key_values(KEY))]
    assert any(
        step.startswith("SEARCH runs USING INDEX runs_by_key (configuration=? AND instance=? AND seed=?)")
        for step in plan
    )
    assert not [step for step in plan if "SCAN" in step or "TEMP" in step]


def test_threads_may_share_a_store(store: Store) -> None:
    """Rows recorded from several threads at once are all there, each with the answer of its own thread."""

    def work(seed: int) -> None:
        for turn in range(20):
            recorded = store.record(replace(KEY, seed=seed), 10.0, replace(SOLVED, cost=seed, cpu=float(turn)))
            found.append((recorded.outcome.cost, recorded.outcome.cpu) == (seed, turn))

    found: list[bool] = []
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 160
    for seed in range(8):
        assert [row.outcome.cpu for row in store.executions(replace(KEY, seed=seed))] == list(range(20))


def test_all_runs_can_be_read_with_their_keys(store: Store) -> None:
    """In the order of recording, with who asked for them."""
    other = replace(KEY, configuration=OTHER.id, instance="c", target=None)
    store.record(KEY, 10.0, SOLVED, "one")
    store.record(other, 5.0, replace(SOLVED, cpu=2.0))
    first, second = store.runs()
    assert (first.key, first.asker, first.execution.limit, first.execution.outcome) == (KEY, "one", 10.0, SOLVED)
    assert (second.key, second.asker, second.execution.outcome.cpu) == (other, "", 2.0)
    assert store.totals_by_asker() == {"one": Totals(1, 1.5), "": Totals(1, 2.0)}
