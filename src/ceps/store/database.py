"""The SQLite file itself: made whole or not at all, recognised before it is touched, its troubles told to people."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ceps.errors import UserError
from ceps.store import seal, tally
from ceps.store.schema import MIGRATIONS, columns_at, columns_of, migrate, version_of

FILE_NAME = "ceps.sqlite"
APPLICATION_ID = 0x43455053
"""Marks our files: "CEPS" in ASCII."""

_MAGIC = b"SQLite format 3\0"
_HEADER_SIZE = 100
_RESTORE = "restore it from a copy or use another directory; it was left as it is"
_DAMAGED = f"the file is damaged; {_RESTORE}"


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what can go wrong with the file into messages that say what to do about it."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the low byte is the kind, the rest its details
            case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
                fix = "disk full? Free space and start again to resume"
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                fix = _DAMAGED
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                fix = "check that you may read and write it and its directory"
            case sqlite3.SQLITE_BUSY:
                fix = "another program holds the file; close it and start again"
            case 0 if isinstance(error, sqlite3.OperationalError):  # Python's own: a text that is no UTF-8
                fix = _DAMAGED
            case _:
                raise
        raise UserError(f"{path}: {error}: {fix}") from error
    except UnicodeDecodeError as error:  # SQLite repeats what is damaged in its message.
        raise UserError(f"{path}: {error}: {_DAMAGED}") from error


@contextmanager
def legible(path: Path) -> Iterator[None]:
    """Tell rows that hold what nobody has written, which SQLite cannot know, as what they are."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise UserError(f"{path}: a row cannot be read ({str(error)[:200]}): {_DAMAGED}") from error


def open_memory() -> sqlite3.Connection:
    connection = _connect(":memory:")
    migrate(connection)
    return connection


def open_for_writing(path: Path, admit: Callable[[sqlite3.Connection], None]) -> tuple[sqlite3.Connection, tally.Tally]:
    """The file, made if there is none and brought up to date if it is old; and the tally of what it acknowledges.

    ``admit`` refuses by raising, before anything is changed: an older ceps may have to go on with an old file.
    """
    if path.exists():
        _inspect(path, admit)
    else:
        _create(path)
    with _damaged(path), explained(path):
        connection = _connect(f"{path.resolve().as_uri()}?mode=rw")
        try:
            seal.unseal(path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -65536")  # 64 MiB: the index of a long history stays in memory
            migrate(connection)
            return connection, tally.Tally(path, connection)
        except BaseException:
            connection.close()
            raise


def open_for_reading(path: Path) -> sqlite3.Connection:
    """The file as its writer has left it so far; the writer may go on writing."""
    if not _exists(path):
        _refuse_lost(path)
        raise UserError(f"{path} does not exist: {path.parent} is not a run directory, or nothing has run in it yet")
    version = _inspect(path)
    with _damaged(path), explained(path):
        connection = _connect(_reading_uri(path))
        return connection if version == len(MIGRATIONS) else _brought_up_to_date(connection)


def _brought_up_to_date(old: sqlite3.Connection) -> sqlite3.Connection:
    """A copy in memory: the ceps that has made the file may go on with it, and readers change nothing."""
    with closing(old):
        copy = _connect(":memory:")
        try:
            old.backup(copy)
            migrate(copy)
        except BaseException:
            copy.close()
            raise
        return copy


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check the permissions of its directory") from error


def close_after_writing(connection: sqlite3.Connection, path: Path, acknowledged: tally.Tally) -> None:
    """Close the file; sealed, when nothing of it is left pending."""
    connection.close()
    acknowledged.close()
    if not _is_pending(path):
        seal.seal(path)
        tally.remove(path)


def move_log_to_file(connection: sqlite3.Connection) -> None:
    """What was committed so far does not depend on the log any more."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _connect(uri: str) -> sqlite3.Connection:
    # No implicit transactions: each is begun and ended in the open.
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")  # A file may come from a stranger.
    return connection


def _reading_uri(path: Path) -> str:
    # Readers of a live file leave marks beside it. Where they may not (an archive, a colleague's directory), and
    # nothing is pending there, the file is at rest and can be read without.
    at_rest = not os.access(path.parent, os.W_OK) and not _pending(path).exists()
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if at_rest else ''}"


def _pending(path: Path) -> Path:
    """Where SQLite keeps what was committed and not yet moved to the file itself."""
    return path.with_name(f"{path.name}-wal")


def _is_pending(path: Path) -> bool:
    try:
        return _pending(path).stat().st_size > 0
    except FileNotFoundError:
        return False


def _create(path: Path) -> None:
    """Make the file under another name and rename it: a file of the final name is always whole."""
    _refuse_lost(path)
    unfinished = path.with_name(f"{path.name}.new")
    with explained(path):
        unfinished.unlink(missing_ok=True)
        with closing(_connect(f"{unfinished.resolve().as_uri()}?mode=rwc")) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            migrate(connection)
        unfinished.rename(path)


def _refuse_lost(path: Path) -> None:
    """Of a file that is not there: refuse a directory in which it was."""
    traces = [path.with_name(seal.SEAL_NAME), path.with_name(tally.TALLY_NAME), _pending(path)]
    if found := [trace.name for trace in traces if os.path.exists(trace)]:
        raise UserError(
            f"{path} is missing, and was there: beside it is {', '.join(found)}. Bring the file back, or use another "
            "directory; to begin anew in this one, remove that too"
        )


def _inspect(path: Path, admit: Callable[[sqlite3.Connection], None] = lambda connection: None) -> int:
    """The schema version of a file that is ours, whole, not newer than this program and admitted; changes nothing."""
    _check_header(path)
    with _damaged(path), explained(path), closing(_connect(_reading_uri(path))) as connection:
        version = version_of(connection)
        if version > len(MIGRATIONS):
            raise UserError(
                f"{path} was made by a newer ceps (schema {version}, this one knows {len(MIGRATIONS)}); upgrade ceps"
            )
        if version < 1 or not columns_at(version) <= columns_of(connection):
            raise UserError(f"{path}: tables are missing: {_DAMAGED}")
        if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
            raise UserError(f"{path} holds triggers or views, which ceps has not made; {_RESTORE}")
        _check_content(path, connection)
        admit(connection)
    return version


@contextmanager
def _damaged(path: Path) -> Iterator[None]:
    """Whatever else SQLite has against a file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path}: {error}: {_DAMAGED}") from error


def _check_content(path: Path, connection: sqlite3.Connection) -> None:
    """Better now than after a night's build upon a damaged history."""
    sealed = None if _is_pending(path) else seal.holds(path)
    if sealed is False:
        raise UserError(
            f"{path} has changed since ceps closed it: the file is damaged, or another program has written to it; "
            f"restore it from a copy, or remove {seal.SEAL_NAME} beside it if the change was meant"
        )
    if sealed is None:
        # Shows damaged pages, not changed values, and takes twice as long with a million runs, longer when many of them
        # have failed.
        (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if finding != "ok":
            raise UserError(f"{path}: {finding}: {_DAMAGED}")
        if gone := tally.gone(connection):
            raise UserError(f"{path}: {gone} runs are gone that were in it: {_DAMAGED}")
        if missing := tally.missing(path, _pending(path), connection):
            raise UserError(
                f"{path}: {missing} runs and decisions that were recorded are missing: its log "
                f"({_pending(path).name}) is damaged or was removed; restore the directory from a copy, or remove "
                f"{tally.TALLY_NAME} beside it to go on with what is left: what is missing is made again"
            )


def _check_header(path: Path) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_SIZE)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if len(header) < _HEADER_SIZE and _MAGIC.startswith(header[: len(_MAGIC)]):
        raise UserError(f"{path} is cut short ({len(header)} bytes); {_RESTORE}")
    if not header.startswith(_MAGIC):
        raise UserError(f"{path} is not an SQLite file; {_RESTORE}")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise UserError(f"{path} is another program's database; use another directory")
    if not {header[18], header[19]} <= {1, 2}:  # SQLite would read such a file, but not write to it.
        raise UserError(f"{path}: unknown file format: {_DAMAGED}")
