"""Files that are whole or not there, and folders that are gone."""

from __future__ import annotations

import os
import secrets
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


def remove_tree(top: Path) -> None:
    """Remove what is there, with all that is in it: however deep folders are and whatever they allow.

    Folders in folders are moved to the top first, one level at a time: neither calls nor names become longer with their
    depth. What cannot be removed all the same stays.
    """
    if top.is_symlink() or not top.is_dir():
        with suppress(OSError):
            top.unlink()
        return
    folders = [top]
    for folder in folders:  # Which grows meanwhile.
        with suppress(OSError):
            folder.chmod(0o700)
            with os.scandir(folder) as entries:
                inner = list(entries)
            for entry in inner:
                with suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                    elif folder == top:
                        folders.append(Path(entry.path))
                    else:
                        os.chmod(entry.path, 0o700)
                        folders.append(Path(entry.path).rename(top / f".{secrets.token_hex(8)}"))
            if folder != top:
                folder.rmdir()
    with suppress(OSError):
        top.rmdir()
