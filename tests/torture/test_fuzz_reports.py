"""A run may write any bytes into the pipe to its keeper: they are reports, or they are not."""

from __future__ import annotations

import os
import struct
from math import isnan

from hypothesis import given
from hypothesis import strategies as st

from ceps.execution.keeper import LONGEST_TRACE, Progress
from ceps.execution.wire import LONGEST_REPORT, Report, Reporter, ReportKind, ReportReader
from tests.torture.mangled import bounded, mangled
from tests.torture.scale import TRIED, examples

PIECES = st.lists(st.integers(0, 400), max_size=20)

reports = st.lists(
    st.builds(
        Report,
        kind=st.sampled_from(ReportKind),
        cost=st.none() | st.floats(allow_nan=False) | st.integers(-(2**53), 2**53).map(float),
        payload=st.binary(max_size=100),
    ),
    max_size=8,
)


def sent(all_reports: list[Report]) -> bytes:
    """The bytes that a run writes to send these."""
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as pipe:
        with open(writing, "wb", buffering=0) as end:
            for report in all_reports:
                Reporter(end.fileno()).send(report.kind, report.payload, report.cost)
        return pipe.read(1 << 16) or b""


def received(content: bytes, cuts: list[int]) -> tuple[list[Report], bool]:
    """The reports in bytes that arrive in pieces, and whether all of it were reports or the beginning of one."""
    reader, found, rest = ReportReader(), list[Report](), content
    try:
        for size in [*cuts, len(content)]:
            piece, rest = rest[:size], rest[size:]
            found.extend(reader.feed(piece))
    except ValueError:
        return found, False
    return found, True


@given(reports, PIECES)
@examples(200, 20_000)
def test_reports_arrive_as_they_were_sent(all_reports: list[Report], cuts: list[int]) -> None:
    """However the bytes are cut, the same reports come out."""
    assert received(sent(all_reports), cuts) == (all_reports, True)
    TRIED["reports: good streams"] += 1


BYTES = mangled([sent([Report(ReportKind.INCUMBENT, cost, b"[1,2,3]") for cost in (9.0, 8.0, None, 7.5)])])


@given(BYTES, PIECES)
@examples(300, 50_000)
def test_any_bytes_are_reports_or_garbage(content: bytes, cuts: list[int]) -> None:
    """Reports or a ValueError, the same however the bytes are cut; and any report can be taken note of."""
    with bounded():
        found, good = received(content, cuts)
        assert (found, good) == received(content, [])
        progress = Progress(target=8.0)
        for number, report in enumerate(found):
            assert report.cost is None or not isnan(report.cost)
            progress.take(report, float(number))
        assert len(progress.trace) <= LONGEST_TRACE
        costs = [incumbent.cost for incumbent in progress.trace]
        assert costs == sorted(costs, reverse=True)
    TRIED["reports: mangled streams"] += 1


def test_a_promise_of_gigabytes_is_garbage() -> None:
    """A report that says it is longer than any may be is refused before a byte of it is waited for."""
    for length in (LONGEST_REPORT + 1, 2**63, 2**64 - 1):
        assert received(struct.pack("!BdQ", 1, 0.0, length), []) == ([], False)
