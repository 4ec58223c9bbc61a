"""The store: every run, what it ran on, and the journal of what was decided from it."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from ceps.errors import UserError
from ceps.records import Configuration, Outcome, RunKey, digest
from ceps.store import database, own_files, rows
from ceps.store.lock import lock
from ceps.store.rows import (
    JSON,
    RUN_COLUMNS,
    BestSolution,
    JournalEntry,
    RecordedRun,
    Reference,
    Sitting,
    StoredInstance,
    Totals,
    canonical,
    compact,
    differences,
    execution,
    journal_entry,
    key_values,
    outcome_values,
    recorded_run,
    storable,
)
from ceps.store.rules import Answer, Execution, first_answer
from ceps.store.tally import Tally

Read = TypeVar("Read")

_PROGRAM = "(SELECT number FROM programs WHERE solver = :solver AND version = :version)"
_CONFIGURATION = "(SELECT number FROM configurations WHERE id = :configuration)"
_INSTANCE = "(SELECT number FROM instances WHERE id = :instance)"

_SELECT_RUNS = f"SELECT {RUN_COLUMNS} FROM runs"
# IS, not =: a target of NULL is a value like any other.
_SELECT_BY_KEY = f"""{_SELECT_RUNS}
    WHERE configuration = {_CONFIGURATION} AND instance = {_INSTANCE} AND seed = :seed
    AND program = {_PROGRAM} AND target IS :target AND memory_limit = :memory
    ORDER BY id"""
_SELECT_ALL = f"""SELECT programs.solver, programs.version, configurations.id, instances.id, seed, target, memory_limit,
        asker, created, {", ".join(f"runs.{column}" for column in RUN_COLUMNS.split(", "))}
    FROM runs JOIN programs ON programs.number = runs.program
    JOIN configurations ON configurations.number = runs.configuration
    JOIN instances ON instances.number = runs.instance
    ORDER BY runs.id"""
_INSERT_RUN = f"""INSERT INTO runs (
        program, configuration, instance, seed, target, memory_limit, cpu_limit,
        ending, cost, says, cpu, wall, peak_memory, created, host, reason, trace, output, asker
    ) VALUES (
        {_PROGRAM}, {_CONFIGURATION}, {_INSTANCE}, :seed, :target, :memory, :limit,
        :ending, :cost, :says, :cpu, :wall, :peak_memory, :created, :host, :reason, :trace, :output, :asker
    )"""
_IMPROVE_BEST = f"""INSERT INTO best (instance, cost, solution) VALUES ({_INSTANCE}, :cost, :solution)
    ON CONFLICT (instance) DO UPDATE SET cost = excluded.cost, solution = excluded.solution
    WHERE excluded.cost < best.cost"""
_SELECT_SITTINGS = f"""WITH spans AS (
        SELECT *, lead(last_run, 1, {2**63 - 1}) OVER (ORDER BY number) AS until FROM sittings
    )
    SELECT spans.started, spans.workers, spans.host,
        coalesce(max(0, max(runs.created) - spans.started), 0), total(runs.cpu)
    FROM spans LEFT JOIN runs ON runs.id > spans.last_run AND runs.id <= spans.until
    GROUP BY spans.number ORDER BY spans.number"""


class ReplayError(UserError):
    """A decision came out differently from the one in the journal: the build is not a function of its inputs."""


@dataclass(frozen=True, slots=True)
class _Writer:
    """What the one process holds that writes."""

    lock: int
    """A descriptor."""
    tally: Tally


class Store:
    """The history of one run directory. Made by :meth:`open`, :meth:`read_only` or :meth:`in_memory`.

    Threads may share it. What a method has written is committed when it returns and outlives a killed process.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, writer: _Writer | None = None) -> None:
        self._connection = connection
        self._path = path
        self._writer = writer
        self._mutex = threading.Lock()

    @classmethod
    def open(cls, directory: Path, identity: Mapping[str, JSON] | None = None, free: Collection[str] = ()) -> Store:
        """The store of a directory, made when there is none, for this process alone until it is closed.

        ``identity`` is what the directory belongs to, a scenario say. The first one given is kept, and opening with
        another one is refused. What it has at ``free`` keys may have changed: ``a.b`` is b in a.
        """
        path = directory / database.FILE_NAME

        def admit(connection: sqlite3.Connection) -> None:
            if identity is not None:
                cls(connection, path)._refuse_others(identity, free)

        own_files.refuse_others(directory)
        descriptor = lock(directory)
        try:
            connection, tally = database.open_for_writing(path, admit)
        except BaseException:
            os.close(descriptor)
            raise
        store = cls(connection, path, _Writer(descriptor, tally))
        try:
            if identity is not None:
                store._claim(identity)
            with database.explained(path):
                database.move_log_to_file(connection)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def read_only(cls, directory: Path) -> Store:
        """The store of a directory for looking only; somebody else may be writing to it."""
        own_files.refuse_others(directory)
        path = directory / database.FILE_NAME
        return cls(database.open_for_reading(path), path)

    @classmethod
    def in_memory(cls) -> Store:
        """A store that is gone when it is closed."""
        return cls(database.open_memory(), Path(":memory:"))

    def close(self) -> None:
        with self._mutex:
            if self._writer is None:
                self._connection.close()
            else:
                database.close_after_writing(self._connection, self._path, self._writer.tally)
                os.close(self._writer.lock)
                self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What the directory belongs to

    @property
    def identity(self) -> JSON | None:
        """What the directory belongs to, as JSON; None if nobody has said so."""
        return self._read_one(rows.identity, "SELECT value FROM meta WHERE key = 'identity'")

    def _refuse_others(self, identity: Mapping[str, JSON], free: Collection[str]) -> None:
        given, stored = json.loads(json.dumps(identity)), self.identity
        if stored is not None and (changed := differences(stored, given, but=free)):
            if stored.get("purpose") != given.get("purpose"):
                changed = [f"it is the directory of a {stored.get('purpose')}, not of a {given.get('purpose')}"]
            raise UserError(
                f"{self._path.parent} was made with other settings:\n  "
                + "\n  ".join(changed)
                + "\nUse another --out, or change them back."
            )

    def _claim(self, identity: Mapping[str, JSON]) -> None:
        text = json.dumps(identity)
        if self.identity != json.loads(text):
            with self._writing() as connection:
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('identity', ?)", (text,))

    # Configurations and instances

    def add_configuration(self, configuration: Configuration) -> None:
        """Add a configuration; nothing happens if it is there."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO configurations (id, solver, parameters) VALUES (?, ?, ?)",
                (configuration.id, configuration.solver, compact(configuration.as_dict())),
            )

    def configuration(self, identifier: str) -> Configuration | None:
        query = "SELECT id, solver, parameters FROM configurations WHERE id = ?"
        return self._read_one(rows.configuration, query, (identifier,))

    def add_instance(self, instance: StoredInstance) -> None:
        """Add an instance, after its parent; nothing happens if one of its id is there."""
        with self._writing() as connection:
            parent = None if instance.parent is None else self._instance_number(instance.parent)
            connection.execute(
                "INSERT OR IGNORE INTO instances (id, problem, name, parent, content) VALUES (?, ?, ?, ?, ?)",
                (instance.id, instance.problem, storable(instance.name), parent, instance.content),
            )

    def instance(self, identifier: str) -> StoredInstance | None:
        return self._read_one(
            rows.stored_instance,
            """SELECT child.id, child.problem, child.name, child.content, parent.id
            FROM instances AS child LEFT JOIN instances AS parent ON parent.number = child.parent
            WHERE child.id = ?""",
            (identifier,),
        )

    # Runs

    def record(self, key: RunKey, limit: float, outcome: Outcome, asker: str = "") -> Execution:
        """Record a run of a configuration and an instance added before; the row that look-ups will find.

        ``asker`` tells whom it was made for, where several share the store.
        """
        made = {"limit": limit, "created": int(time.time()), "asker": asker}
        values = {**key_values(key), **made, **outcome_values(outcome)}
        with self._writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO programs (solver, version) VALUES (?, ?)", (key.solver, key.version)
            )
            try:
                number = connection.execute(_INSERT_RUN, values).lastrowid
            except sqlite3.IntegrityError as error:
                raise ValueError(f"add the configuration and the instance before the run {key}") from error
            if outcome.cost is not None and outcome.solution is not None:
                improved = {
                    "instance": key.instance,
                    "cost": outcome.cost,
                    "solution": compact(outcome.solution),
                }
                connection.execute(_IMPROVE_BEST, improved)
            return execution(connection.execute(f"{_SELECT_RUNS} WHERE id = ?", (number,)).fetchone())

    def executions(self, key: RunKey) -> list[Execution]:
        """All recorded runs of a key, in the order of recording."""
        return self._read(execution, _SELECT_BY_KEY, key_values(key))

    def runs(self) -> Iterator[RecordedRun]:
        """All recorded runs with their keys, in the order of recording."""
        yield from self._read(recorded_run, _SELECT_ALL)

    def find(self, key: RunKey, cap: float, cutoff: float, exact_limit: bool = False) -> Answer | None:
        """The answer of the earliest recorded run that can answer, or None: then it must be run."""
        return first_answer(self.executions(key), cap, cutoff, exact_limit)

    def totals(self) -> Totals:
        """How much was executed. Reads all rows: keep it out of loops."""
        return Totals(*self.select("SELECT count(*), total(cpu) FROM runs")[0])

    def totals_by_asker(self) -> dict[str, Totals]:
        """How much was executed for whom. Reads all rows: keep it out of loops."""
        rows = self.select("SELECT asker, count(*), total(cpu) FROM runs GROUP BY asker")
        return {asker: Totals(count, cpu) for asker, count, cpu in rows}

    def best_solution(self, instance: str) -> BestSolution | None:
        """The best solution any run has found so far. For people: a replayed decision must not depend on it."""
        query = f"SELECT cost, solution FROM best WHERE instance = {_INSTANCE}"
        return self._read_one(rows.best_solution, query, {"instance": instance})

    # References

    def put_reference(self, instance: str, reference: Reference) -> None:
        """Set the reference of an instance; an older one is replaced."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO reference_costs VALUES (?, ?, ?, ?, ?)",
                (
                    self._instance_number(instance),
                    reference.cost,
                    reference.agreement,
                    reference.source,
                    reference.cpu,
                ),
            )

    def reference(self, instance: str) -> Reference | None:
        query = f"SELECT cost, agreement, source, cpu FROM reference_costs WHERE instance = {_INSTANCE}"
        return self._read_one(rows.reference, query, {"instance": instance})

    # Journal

    def journal_put(self, phase: str, inputs: JSON, result: JSON, charge: float) -> JournalEntry:
        """Enter a finished phase; the entry as :meth:`journal_get` will give it.

        Entering it again changes nothing. Another result or charge for the same inputs raises :class:`ReplayError`.
        """
        text, charge = compact(result), float(charge)
        with self._writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO journal (phase, inputs, result, charge) VALUES (?, ?, ?, ?)",
                (phase, digest(inputs), text, charge),
            )
            (recorded,) = connection.execute(
                "SELECT phase, result, charge FROM journal WHERE phase = ? AND inputs = ?", (phase, digest(inputs))
            )
        with database.legible(self._path):
            entry, same = journal_entry(recorded), canonical(recorded[1]) == canonical(text)
        if not same or entry.charge != charge:
            then, now = {"result": entry.result, "charge": entry.charge}, {"result": json.loads(text), "charge": charge}
            raise ReplayError(
                f"{self._path.parent} cannot be resumed: '{phase}' was decided differently before:\n  "
                + "\n  ".join(differences(then, now))
                + "\nIts history was changed, or something that decides differs from call to call, such as a mutation "
                "or a method of your own. Restore the directory from a copy, or begin anew with another --out."
            )
        return entry

    def journal_get(self, phase: str, inputs: JSON) -> JournalEntry | None:
        """The entry of a phase that had exactly these inputs."""
        query = "SELECT phase, result, charge FROM journal WHERE phase = ? AND inputs = ?"
        return self._read_one(journal_entry, query, (phase, digest(inputs)))

    def journal(self) -> list[JournalEntry]:
        """All entries in order."""
        return self._read(journal_entry, "SELECT phase, result, charge FROM journal ORDER BY sequence")

    # What people ask

    def begin_sitting(self, workers: int) -> None:
        """Note that work is taken up, here and now, with so many workers."""
        with self._writing() as connection:
            connection.execute(
                """INSERT INTO sittings (started, workers, host, last_run)
                VALUES (?, ?, ?, (SELECT coalesce(max(id), 0) FROM runs))""",
                (int(time.time()), workers, socket.gethostname()),
            )

    def sittings(self) -> list[Sitting]:
        """All of them in order. Reads all rows: keep it out of loops."""
        return self._read(lambda row: Sitting(*row), _SELECT_SITTINGS)

    def conclude(self, name: str, value: JSON) -> None:
        """Keep what something has come to; an older conclusion of this name is replaced. No decision depends on it."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO conclusions VALUES (?, ?)", (name, text))

    def conclusion(self, name: str) -> JSON | None:
        """What was concluded; None before."""
        return self._read_one(lambda row: json.loads(row[0]), "SELECT value FROM conclusions WHERE name = ?", (name,))

    # The connection

    def select(self, sql: str, parameters: Any = ()) -> list[Any]:
        """The rows of a query; for the modules of this package."""
        with self._mutex, database.explained(self._path):
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def legible(self) -> Iterator[None]:
        """For who makes sense of what was read: what makes none, because nobody has written it, is told as damage."""
        with database.legible(self._path):
            yield

    def _read(self, read: Callable[[Any], Read], sql: str, parameters: Any = ()) -> list[Read]:
        found = self.select(sql, parameters)
        with database.legible(self._path):
            return [read(row) for row in found]

    def _read_one(self, read: Callable[[Any], Read], sql: str, parameters: Any = ()) -> Read | None:
        return next(iter(self._read(read, sql, parameters)), None)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is committed, or nothing."""
        with self._mutex, database.explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
                if self._writer is not None:
                    self._writer.tally.keep(self._connection)
            except BaseException:
                if self._connection.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._connection.execute("ROLLBACK")
                raise

    def _instance_number(self, identifier: str) -> int:
        row = self._connection.execute("SELECT number FROM instances WHERE id = ?", (identifier,)).fetchone()
        if row is None:
            raise ValueError(f"add the instance {identifier} first")
        return int(row[0])
