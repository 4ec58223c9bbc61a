"""The files of ours in a run directory, which may come from a stranger: each is an ordinary one, or not there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ceps.errors import UserError
from ceps.store.database import FILE_NAME
from ceps.store.lock import LOCK_NAME
from ceps.store.seal import SEAL_NAME
from ceps.store.tally import TALLY_NAME


def refuse_others(directory: Path) -> None:
    """Refuse a directory in which something else has the name of one of them, before it is opened.

    What is written to a link changes a file elsewhere, a pipe is waited for, and a device is read for ever.
    """
    with suppress(OSError), os.scandir(directory) as entries:  # What cannot be looked into, others tell.
        for entry in entries:
            # With what SQLite keeps beside its file.
            is_named_so = entry.name.startswith((FILE_NAME, LOCK_NAME, SEAL_NAME, TALLY_NAME))
            if is_named_so and not entry.is_file(follow_symlinks=False):
                raise UserError(
                    f"{entry.path}: this is no ordinary file, so it is not ceps's; remove it, or use another directory"
                )
