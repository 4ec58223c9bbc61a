"""The beginning and the end of what a call prints."""

from __future__ import annotations

KEPT = 4 * 1024
"""Bytes kept of the beginning, and as many of the end."""


class Ends:
    """The two ends of a stream of bytes, however long it becomes."""

    def __init__(self) -> None:
        self._beginning = bytearray()
        self._end = bytearray()
        self._left_out = 0

    def take(self, data: bytes) -> None:
        missing = KEPT - len(self._beginning)
        self._beginning += data[:missing]
        self._end += data[missing:]
        excess = max(0, len(self._end) - KEPT)
        self._left_out += excess
        del self._end[:excess]

    def __str__(self) -> str:
        between = f"\n… {self._left_out} bytes …\n".encode() if self._left_out else b""
        return (self._beginning + between + self._end).decode(errors="replace")
