"""The stream of tours that LKH writes."""

from __future__ import annotations

import pytest

from ceps.solvers.lkh import read_tours


class InPieces:
    """A stream that gives its content a few bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        self.pieces = [content[i : i + size] for i in range(0, len(content), size)] + [b""]

    def read(self, _: int) -> bytes:
        return self.pieces.pop(0)


def tour_file(nodes: list[int], length: int) -> bytes:
    lines = [f"NAME : problem.{length}.tour", f"COMMENT : Length = {length}", "COMMENT : Found by LKH", "TYPE : TOUR"]
    lines += [f"DIMENSION : {len(nodes)}", "TOUR_SECTION", *map(str, nodes), "-1", "EOF", ""]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_tours_are_read_in_any_pieces(size):
    """However the stream is cut, the same tours come out; an unfinished last one does not."""
    content = tour_file([1, 3, 2, 4], 12) + tour_file([1, 2, 3, 4], 10) + tour_file([4, 3, 2, 1], 8)[:-2]
    assert list(read_tours(InPieces(content, size), 4)) == [([1, 3, 2, 4], 12), ([1, 2, 3, 4], 10)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tour_file([1, 2, 3], 5), "tour of 3 cities; there are 4"),
        (b"\nEOF\n", "tour of 0 cities; there are 4"),
        (b"TOUR_SECTION\n1\n2\n3\n4\n5\nEOF\n", "tour of 4 cities"),
        (b"TOUR_SECTION\n1\n2\nx\n4\n-1\nEOF\n", "x"),
        (b"*" * 3000, "no tour"),
    ],
)
def test_what_is_no_tour_is_an_error(content, message):
    """A stream with something else than tours of the instance ends in an error, before it fills the memory."""
    with pytest.raises(ValueError, match=message):
        list(read_tours(InPieces(content, 1500), 4))
