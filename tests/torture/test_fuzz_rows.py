"""Whatever a store's rows hold, by damage or from a stranger, it is read or refused with a message."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.store import Reference, Store, StoredInstance
from tests.torture.mangled import WORDS, bounded
from tests.torture.scale import TRIED, examples

CONFIGURATION = Configuration.of("s", {"a": 1, "b": "x", "c": 0.5})
KEY = RunKey("s", "1", CONFIGURATION.id, "i", seed=1, target=5, memory=2**30)
COLUMNS = [
    ("meta", "value"),
    ("programs", "solver"),
    ("programs", "version"),
    ("configurations", "id"),
    ("configurations", "solver"),
    ("configurations", "parameters"),
    *(("instances", column) for column in ("id", "problem", "name", "parent", "content")),
    *(("runs", column) for column in ("seed", "target", "memory_limit", "cpu_limit", "ending", "cost", "cpu", "wall")),
    *(("runs", column) for column in ("peak_memory", "created", "host", "reason", "trace", "output", "asker")),
    ("best", "cost"),
    ("best", "solution"),
    *(("reference_costs", column) for column in ("cost", "agreement", "source", "cpu")),
    ("journal", "phase"),
    ("journal", "result"),
    ("journal", "charge"),
]
TEXTS = [word.decode("utf-8", "replace") for word in WORDS]
JSONS = ['{"a": 1}', "[1, 2]", "[1]", '[1, "2"]', "1", "null", '"x"', "[[1], [2]]", "NaN", "[NaN, Infinity]"]
VALUES: st.SearchStrategy[Any] = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.sampled_from([*TEXTS, *JSONS])
    | st.binary(max_size=20)
)


def filled() -> Store:
    store = Store.in_memory()
    store._connection.execute("INSERT INTO meta VALUES ('identity', '{\"purpose\": \"build\"}')")
    store.add_configuration(CONFIGURATION)
    store.add_instance(StoredInstance("i", "p", "name", "content"))
    store.put_reference("i", Reference(5, 1.0, "given", 0.0))
    outcome = Outcome(Ending.SOLVED, cpu=1.0, cost=5, solution=[1, 2], trace=(Incumbent(0.5, 7), Incumbent(1.0, 5)))
    store.record(KEY, 10.0, outcome)
    store.journal_put("phase", {"a": 1}, {"b": [1, 2]}, charge=1.5)
    return store


def read_everything(store: Store) -> None:
    """Each thing by itself: one that is refused does not keep others from being read."""
    for question in (
        lambda: store.identity,
        lambda: store.configuration(CONFIGURATION.id),
        lambda: store.instance("i"),
        lambda: store.executions(KEY),
        lambda: list(store.runs()),
        store.totals,
        store.totals_by_asker,
        lambda: store.find(KEY, 0.7, 10.0),
        lambda: store.find(KEY, 10.0, 10.0, exact_limit=True),
        lambda: store.best_solution("i"),
        lambda: store.reference("i"),
        store.journal,
        lambda: store.journal_get("phase", {"a": 1}),
    ):
        with suppress(UserError):
            question()


@given(st.lists(st.tuples(st.sampled_from(COLUMNS), VALUES, st.booleans()), min_size=1, max_size=4))
@examples(300, 30_000)
def test_any_values_are_read_or_refused(changes: list[tuple[tuple[str, str], Any, bool]]) -> None:
    """A value or a message, whatever stands in whichever columns, also texts that are no UTF-8."""
    with filled() as store:
        for (table, column), value, as_text in changes:
            given_as = "CAST(? AS TEXT)" if as_text else "?"
            with suppress(sqlite3.IntegrityError):  # What a column cannot hold, a file cannot either.
                store._connection.execute(f"UPDATE {table} SET {column} = {given_as}", (value,))
        with bounded():
            read_everything(store)
    TRIED["store rows"] += 1
