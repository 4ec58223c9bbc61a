"""A store that was closed is sealed: a digest of its file lies beside it, and shows whatever happens to the file."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path

from ceps.errors import UserError
from ceps.files import content_of, write_whole

SEAL_NAME = "ceps.seal"
LONGEST = 1000
"""Bytes: what is longer is no seal."""


def seal(path: Path) -> None:
    """Seal a file that nobody writes to any more."""
    # Where it cannot be written (the disk is full), the file stays unsealed, and its pages are looked at instead.
    with suppress(OSError):
        write_whole(_seal_of(path), f"{_digest(path)}\n".encode())


def unseal(path: Path) -> None:
    """Take the seal away, before the file is written to."""
    try:
        _seal_of(path).unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{_seal_of(path)}: cannot be removed ({error.strerror}); check its directory") from error


def holds(path: Path) -> bool | None:
    """Whether the file is as it was sealed; None when it is not sealed: it is in use, or its writer was killed."""
    before = _sealed(path)
    if before is None:
        return None
    try:
        now = _digest(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); restore it from a copy") from error
    if now == before:
        return True
    # Somebody who has begun to write in the meantime has taken the seal away first.
    return False if _sealed(path) == before else None


def _seal_of(path: Path) -> Path:
    return path.with_name(SEAL_NAME)


def _sealed(path: Path) -> str | None:
    try:
        content = content_of(_seal_of(path), LONGEST).decode("ascii", "replace").strip()
    except UserError:
        return None
    return content if re.fullmatch(r"[0-9a-f]{64}", content) else None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        # Most processors have instructions for this one: twice as fast as others, and files grow large.
        return hashlib.file_digest(file, "sha256").hexdigest()
