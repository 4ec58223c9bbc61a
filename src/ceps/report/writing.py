"""A page as a file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ceps.errors import UserError


def write_page(text: str, path: Path) -> int:
    """Write a page, whole or not at all; its size in bytes."""
    content = text.encode()
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):  # It may not even be there.
            temporary.unlink()
        raise UserError(f"{path}: cannot be written: {error.strerror}; name another file with --out") from error
    return len(content)
