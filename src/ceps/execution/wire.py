"""Messages between processes.

Between driver and keeper: pickled values in length-prefixed frames, over a socket pair that only these two hold.
From a run to its keeper: reports in a fixed binary form. A run is not trusted, so the keeper never decodes what is
inside a report.
"""

from __future__ import annotations

import json
import os
import pickle
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import isnan, nan
from typing import Any

LONGEST_REPORT = 64 * 1024**2
_FRAME = struct.Struct("!Q")
_REPORT = struct.Struct("!BdQ")


class ConnectionLostError(Exception):
    """The other side is gone."""


class UnsendableError(Exception):
    """What is in the message, a solver say, cannot be pickled. Nothing was sent."""


def packed(message: Any) -> bytes:
    try:
        return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # Whatever a stranger's class does.
        raise UnsendableError(f"it cannot be pickled: {type(error).__name__}: {error}") from error


def send(connection: socket.socket, message: Any) -> None:
    payload = packed(message)
    try:
        connection.sendall(_FRAME.pack(len(payload)) + payload)
    except OSError as error:
        raise ConnectionLostError from error


def receive(connection: socket.socket) -> Any:
    (length,) = _FRAME.unpack(_receive_exactly(connection, _FRAME.size))
    return pickle.loads(_receive_exactly(connection, length))


def _receive_exactly(connection: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        try:
            part = connection.recv(min(count - len(parts), 1 << 20))
        except OSError as error:
            raise ConnectionLostError from error
        if not part:
            raise ConnectionLostError
        parts += part
    return bytes(parts)


class ReportKind(IntEnum):
    INCUMBENT = 1
    RESULT = 2
    OUT_OF_MEMORY = 3
    ERROR = 4
    CALLED = 5
    READ = 6


@dataclass(frozen=True, slots=True)
class Report:
    """One message of a run: a solution as JSON text (not decoded), or the text of an error or a note."""

    kind: ReportKind
    cost: float | None
    payload: bytes


class Reporter:
    """The run's end of its pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def solution(self, kind: ReportKind, solution: Any, cost: float | None = None) -> None:
        self.send(kind, json.dumps(solution, default=_plain, separators=(",", ":")).encode(), cost)

    def send(self, kind: ReportKind, payload: bytes, cost: float | None = None) -> None:
        frame = memoryview(_REPORT.pack(kind, nan if cost is None else float(cost), len(payload)) + payload)
        while frame:
            frame = frame[os.write(self._descriptor, frame) :]


def _plain(value: Any) -> Any:
    """Numpy scalars and arrays as plain numbers and lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a solution must be made of what JSON can hold, not {type(value).__name__}")


class ReportReader:
    """Cuts the bytes of a run's pipe into reports, whatever the run writes."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Report]:
        """Reports completed by this data. Raises ValueError when the bytes are not reports or too long."""
        self._buffer += data
        while len(self._buffer) >= _REPORT.size:
            kind, cost, length = _REPORT.unpack_from(self._buffer)
            if length > LONGEST_REPORT:
                raise ValueError(f"a report of {length} bytes; the longest allowed has {LONGEST_REPORT}")
            end = _REPORT.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_REPORT.size : end])
            del self._buffer[:end]
            yield Report(ReportKind(kind), None if isnan(cost) else cost, payload)
