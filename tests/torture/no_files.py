"""What can be named where a file is expected, and would be read for ever, or until the memory is full."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Place = Callable[[Path], Path]
"""Makes it where a path says, or near."""


def device(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def huge(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(2**40)  # A hole: it takes no space.
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def long_name(path: Path) -> Path:
    return path.with_name("x" * 5_000 + path.suffix)


def made_up(path: Path) -> Path:
    path.symlink_to("/proc/self/pagemap")  # Its size is said to be 0.
    return path


NO_FILES: list[Place] = [device, pipe, huge, folder, long_name, made_up]
