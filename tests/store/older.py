"""Run directories as an older ceps has left them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ceps.store.database import FILE_NAME
from ceps.store.schema import columns_at, columns_of, version_of
from ceps.store.seal import SEAL_NAME

UNDO = {
    3: ("DROP INDEX runs_that_say", "ALTER TABLE runs DROP COLUMN says"),
    2: ("DROP TABLE sittings", "DROP TABLE conclusions"),
}
"""By version: what takes a file there from the version after it."""


def make_older(directory: Path, version: int) -> None:
    """Take the store of a directory that nobody works in back to what it was before later versions."""
    (directory / SEAL_NAME).unlink(missing_ok=True)
    with closing(sqlite3.connect(directory / FILE_NAME, isolation_level=None)) as connection:
        for statement in (each for later in range(version_of(connection) - 1, version - 1, -1) for each in UNDO[later]):
            connection.execute(statement)
        assert columns_of(connection) == columns_at(version)
        connection.execute(f"PRAGMA user_version = {version}")
