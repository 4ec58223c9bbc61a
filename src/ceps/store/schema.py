"""The tables, and how files with older tables are brought up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing

Migration = Callable[[sqlite3.Connection], None]


def _version_1(connection: sqlite3.Connection) -> None:
    for statement in _TABLES_1:
        connection.execute(statement)


# Runs are many: they name configurations, instances and programs by number. Columns without a type keep a number as
# it was given, whole or not.
_TABLES_1 = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE programs (
        number INTEGER PRIMARY KEY,
        solver TEXT NOT NULL,
        version TEXT NOT NULL,
        UNIQUE (solver, version)
    )""",
    """CREATE TABLE configurations (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        solver TEXT NOT NULL,
        parameters TEXT NOT NULL -- JSON
    )""",
    """CREATE TABLE instances (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        problem TEXT NOT NULL,
        name TEXT NOT NULL,
        parent INTEGER REFERENCES instances,
        content TEXT NOT NULL
    )""",
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        program INTEGER NOT NULL REFERENCES programs,
        configuration INTEGER NOT NULL REFERENCES configurations,
        instance INTEGER NOT NULL REFERENCES instances,
        seed INTEGER NOT NULL,
        target,
        memory_limit INTEGER NOT NULL, -- bytes
        cpu_limit REAL NOT NULL,
        ending TEXT NOT NULL,
        cost,
        cpu REAL NOT NULL,
        wall REAL NOT NULL,
        peak_memory INTEGER NOT NULL, -- bytes
        created INTEGER NOT NULL, -- seconds since 1970
        host TEXT NOT NULL,
        reason TEXT NOT NULL,
        trace TEXT, -- JSON: cpu, cost, cpu, cost, ...
        output TEXT NOT NULL
    )""",
    # The rest of the key is compared in the rows: few runs share these three.
    "CREATE INDEX runs_by_key ON runs (configuration, instance, seed)",
    """CREATE TABLE best (
        instance INTEGER PRIMARY KEY REFERENCES instances,
        cost NOT NULL,
        solution TEXT NOT NULL -- JSON
    )""",
    """CREATE TABLE reference_costs (
        instance INTEGER PRIMARY KEY REFERENCES instances,
        cost NOT NULL,
        agreement REAL NOT NULL,
        source TEXT NOT NULL,
        cpu REAL NOT NULL
    )""",
    """CREATE TABLE journal (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        phase TEXT NOT NULL,
        inputs TEXT NOT NULL, -- digest
        result TEXT NOT NULL, -- JSON
        charge REAL NOT NULL,
        UNIQUE (phase, inputs)
    )""",
)


def _version_2(connection: sqlite3.Connection) -> None:
    """Whom a run was made for, where several ask: what each has really cost can be told apart."""
    connection.execute("ALTER TABLE runs ADD COLUMN asker TEXT NOT NULL DEFAULT ''")


def _version_3(connection: sqlite3.Connection) -> None:
    """When work was taken up, and what it has come to: for people who look at the directory, no decision reads it."""
    for statement in _TABLES_3:
        connection.execute(statement)


_TABLES_3 = (
    """CREATE TABLE sittings (
        number INTEGER PRIMARY KEY,
        started INTEGER NOT NULL, -- seconds since 1970
        workers INTEGER NOT NULL,
        host TEXT NOT NULL,
        last_run INTEGER NOT NULL -- the last one before it; clocks are set back, and seconds are long
    )""",
    "CREATE TABLE conclusions (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",  # the value is JSON
)


def _version_4(connection: sqlite3.Connection) -> None:
    """What answers to decision problems come to: some contradict each other."""
    connection.execute("ALTER TABLE runs ADD COLUMN says TEXT NOT NULL DEFAULT ''")
    # Few problems are to decide: elsewhere the index is empty.
    connection.execute("CREATE INDEX runs_that_say ON runs (instance, says, program, cost) WHERE says <> ''")


MIGRATIONS: tuple[Migration, ...] = (_version_1, _version_2, _version_3, _version_4)
"""The function at index v takes a file from version v to v + 1. To change the tables, append one; edit none."""


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file up to date, one version after the other, each in a transaction of its own."""
    for version in range(version_of(connection), len(migrations)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            migrations[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def columns_at(version: int) -> set[tuple[str, str]]:
    """The tables, each with its columns, that a file of a version has."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, MIGRATIONS[:version])
        return columns_of(connection)


def columns_of(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """The tables that a file really has, each with its columns."""
    return set(
        connection.execute(
            """SELECT sqlite_master.name, columns.name
            FROM sqlite_master JOIN pragma_table_info(sqlite_master.name) AS columns
            WHERE sqlite_master.type = 'table'"""
        )
    )
