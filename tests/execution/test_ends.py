"""What is kept of what runs print."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.execution.ends import KEPT, Ends


def kept(*pieces: bytes) -> str:
    ends = Ends()
    for piece in pieces:
        ends.take(piece)
    return str(ends)


def test_the_beginning_and_the_end_are_kept() -> None:
    """Of much output the beginning and the end are kept, with the bytes between them counted."""
    shown = kept(*(f"{index}\n".encode() for index in range(10_000)))
    assert shown.startswith("0\n1\n2\n")
    assert shown.endswith("9998\n9999\n")
    assert f"\n… {48_890 - 2 * KEPT} bytes …\n" in shown
    assert len(shown) < 2 * KEPT + 100


@given(cuts=st.lists(st.integers(0, 2 * KEPT)))
@settings(derandomize=True, deadline=None)
def test_what_fits_is_kept_whole_however_it_comes(cuts: list[int]) -> None:
    """Nothing is left out, doubled or moved where the two ends are all there is, whatever the pieces it comes in."""
    text = bytes(33 + index % 90 for index in range(2 * KEPT))
    at = [0, *sorted(cuts), len(text)]
    assert kept(*(text[start:end] for start, end in pairwise(at))) == text.decode()
