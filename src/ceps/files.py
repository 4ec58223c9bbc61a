"""Files that are whole or not there, and folders that are gone."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from ceps.errors import UserError

LARGEST = 64 * 2**20
"""Bytes of a file that people write: settings, descriptions, portfolios, costs."""


def content_of(path: Path, largest: int = LARGEST) -> bytes:
    """All of a file that is named by people, or by a stranger's file.

    Raises :class:`~ceps.errors.UserError` when it cannot be had, would never end or is larger than it may be: a device,
    a pipe without a writer.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
            size = status.st_size if S_ISREG(status.st_mode) else -1
            content = file.read(size + 1) if size <= largest else b""
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise UserError(f"{path}: this is a directory. Name a file in it.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: the file cannot be read ({error}). Check its name and its permissions.") from None
    if size < 0 or len(content) > size:  # Files that the kernel makes up as they are read say that they are empty.
        raise UserError(f"{path}: this is no ordinary file. Name one.")
    if size > largest:
        raise UserError(f"{path}: the file is larger than {largest / 2**20:g} MiB. Is it the one you mean?")
    return content


def _open_at_once(path: str, flags: int) -> int:
    """A pipe is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all: an older one stays until the new one can take its place.

    What cannot be written is an :class:`OSError`, for the caller to tell in words; nothing is left of it.
    """
    # A new file, whatever a stranger has put into the folder.
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    file = unfinished.open("xb")
    try:
        with file:
            file.write(content)
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
