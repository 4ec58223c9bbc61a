"""How much a store has acknowledged, kept beside it while it is written to: what its log has lost is missed.

What was committed is in a log (``-wal``) until SQLite moves it to the file. A damaged log, or none, is for SQLite one
that a power failure has cut short: it goes back without a word. The tally is written after every commit, so it never
says more than what the store held; only a power failure may take away what is not yet on the disk.
"""

from __future__ import annotations

import os
import re
import sqlite3
import struct
from contextlib import suppress
from pathlib import Path

from ceps.errors import UserError
from ceps.files import content_of

TALLY_NAME = "ceps.tally"
LONGEST = 1000
"""Bytes: what is longer is no tally."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Another one after every start of the machine."""
_LOG_HEADER = 32


class Tally:
    """The writer's side."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path.with_name(TALLY_NAME)
        try:
            self._boot = _BOOT_ID.read_text().strip()
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise self._cannot_write(error) from error
        self.keep(connection)

    def keep(self, connection: sqlite3.Connection) -> None:
        """Note how much is committed by now."""
        try:  # In place, in one piece and always as long: it needs no more space, and no kill cuts it.
            os.pwrite(self._descriptor, f"{self._boot} {count(connection):020d}\n".encode(), 0)
        except OSError as error:
            raise self._cannot_write(error) from error

    def close(self) -> None:
        os.close(self._descriptor)

    def _cannot_write(self, error: OSError) -> UserError:
        return UserError(f"{self._path}: cannot be written ({error.strerror}); free space, and check its directory")


def count(connection: sqlite3.Connection) -> int:
    """Runs and entries of the journal that were ever committed. Nothing is ever lost but with all that came after."""
    return int(connection.execute("SELECT coalesce(sum(seq), 0) FROM sqlite_sequence").fetchone()[0])


def gone(connection: sqlite3.Connection) -> int:
    """Runs that were ever committed to this file and are no more: nobody of ours has removed them."""
    made = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs'"
    return int(connection.execute(f"SELECT ({made}) - (SELECT count(*) FROM runs)").fetchone()[0])


def remove(path: Path) -> None:
    """Everything is in the file itself."""
    with suppress(OSError):
        path.with_name(TALLY_NAME).unlink()


def missing(path: Path, log: Path, connection: sqlite3.Connection) -> int:
    """Of what was acknowledged, how much is not there and was not lost by a power failure."""
    try:
        kept = content_of(path.with_name(TALLY_NAME), LONGEST).decode("ascii", "replace")
        boot = _BOOT_ID.read_text().strip()
    except (OSError, UserError):
        return 0
    tally = re.fullmatch(r"([0-9a-f-]{36}) (\d{20})\n", kept)
    if tally is None:
        return 0
    lost = int(tally[2]) - count(connection)  # Counted after the tally was read: a writer goes on.
    # Before the first commit to a log its header is on the disk; a power failure takes away what comes after.
    power_may_have_failed = tally[1] != boot and _is_log(log)
    return 0 if power_may_have_failed else max(0, lost)


def _is_log(log: Path) -> bool:
    """Whether a file begins as a write-ahead log does (https://sqlite.org/fileformat2.html#the_write_ahead_log)."""
    try:
        with log.open("rb") as file:
            header = file.read(_LOG_HEADER)
    except OSError:
        return False
    if len(header) < _LOG_HEADER:
        return False
    order = ">" if header[3] & 1 else "<"  # The magic number tells the order of bytes in which sums are made.
    first = second = 0
    for one, other in struct.iter_unpack(f"{order}II", header[:24]):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return header[:3] == b"\x37\x7f\x06" and struct.unpack(">II", header[24:]) == (first, second)
