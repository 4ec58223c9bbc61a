"""Files that are whole or not there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all: an older one stays until the new one can take its place.

    What cannot be written is an :class:`OSError`, for the caller to tell in words; nothing is left of it.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):  # It may not even be there.
            unfinished.unlink()
        raise
