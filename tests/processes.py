"""Who has started whom."""

from __future__ import annotations

from pathlib import Path

from ceps import _native


def children(process: int, module: str = "") -> list[int]:
    """Living processes that another has started and that run a module; without one, any."""
    below = _native.usage_below(process).processes
    return [pid for pid in below if _parent(pid) == process and module.encode() in _command(pid)]


def _parent(process: int) -> int:
    try:
        # The name, in brackets, may hold anything.
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
