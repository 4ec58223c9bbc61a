"""A page as a file."""

from __future__ import annotations

from pathlib import Path

from ceps.errors import UserError
from ceps.files import write_whole


def write_page(text: str, path: Path) -> int:
    """Write a page, whole or not at all; its size in bytes."""
    content = text.encode()
    try:
        write_whole(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}; name another file with --out") from error
    return len(content)
