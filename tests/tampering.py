"""A journal that somebody has changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def tamper(out: Path, phase: str) -> None:
    """Make a recorded decision of a run directory, which nobody works in, a second dearer than it was."""
    with closing(sqlite3.connect(out / "ceps.sqlite")) as connection, connection:
        changed = connection.execute("UPDATE journal SET charge = charge + 1 WHERE phase = ?", (phase,)).rowcount
    assert changed == 1
    (out / "ceps.seal").unlink(missing_ok=True)
