"""TSPLIB tour files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.tsp import TspInstance
from ceps.problems.tsp.io import read_tour, write_tour

SQUARE = TspInstance("square", np.array([[0, 0], [0, 3], [3, 3], [3, 0]]))

GOOD = """NAME : square
COMMENT : Length = 12
TYPE : TOUR
DIMENSION : 4
TOUR_SECTION
1
3
2
4
-1
EOF
"""


def test_a_tour_is_written_as_tsplib_has_it(tmp_path: Path) -> None:
    """Ids count from 1, the length is a comment, and -1 ends the section."""
    write_tour(SQUARE, [1, 3, 2, 4], 12.0, tmp_path / "a.tour")
    assert (tmp_path / "a.tour").read_text() == GOOD


@given(tour=st.integers(1, 40).flatmap(lambda n: st.permutations(range(1, n + 1))))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, tour: list[int]) -> None:
    """Any tour comes back as it was, plain ints in a list."""
    path = tmp_path_factory.getbasetemp() / "round.tour"
    instance = TspInstance("line\nbreak", np.zeros((len(tour), 2)))
    write_tour(instance, tour, 0, path)
    copy = read_tour(instance, path)
    assert copy == tour
    assert all(type(city) is int for city in copy)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("EOF\n", ""),
        GOOD.replace("-1\nEOF\n", ""),
        GOOD.replace("-1\n", ""),
        GOOD.replace("1\n3\n2\n4\n-1", "1 3\t2\n\n 4 -1"),
        GOOD.replace("1\n3\n2\n4\n-1\nEOF", "1 3 2 4 EOF"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("-1\n", "-1\n4\n3\n2\n1\n-1\n-1\n"),
        "TOUR_SECTION\n" + GOOD.split("SECTION\n")[1],
    ],
    ids=["plain", "no EOF", "no end", "no -1", "one line", "EOF in line", "CRLF", "two tours", "bare"],
)
def test_dialects_are_understood(text: str, tmp_path: Path) -> None:
    """Tours as people and programs write them are read alike."""
    (tmp_path / "a.tour").write_text(text, newline="")
    assert read_tour(SQUARE, tmp_path / "a.tour") == [1, 3, 2, 4]


BAD = {
    "empty": ("", "the file is empty"),
    "binary": ("\0", "binary file"),
    "no section": (GOOD.split("TOUR_SECTION", maxsplit=1)[0], "line 4: the file ends without a TOUR_SECTION"),
    "an instance": (GOOD.replace(": TOUR", ": TSP"), "line 3: TYPE TSP is not supported; supported: TOUR"),
    "other dimension": (GOOD.replace(": 4", ": 5"), "line 4: DIMENSION is 5, the instance has 4 cities"),
    "bad dimension": (GOOD.replace(": 4", ": x"), "line 4: DIMENSION must be a whole number"),
    "truncated": (GOOD.split("4\n-1", maxsplit=1)[0], "line 8: the tour has 3 of 4 cities, node id 4 is missing"),
    "too short": (GOOD.replace("3\n2\n4\n-1", "-1"), "the tour has 1 of 4 cities, node id 2 is missing"),
    "too long": (GOOD.replace("4\n-1", "4\n1\n-1"), "line 10: node id 1 is already in line 6"),
    "twice": (GOOD.replace("3\n2", "3\n3"), "line 8: node id 3 is already in line 7"),
    "zero": (GOOD.replace("1\n3", "0\n3"), "line 6: node id 0 is outside 1 to 4"),
    "beyond": (GOOD.replace("1\n3", "5\n3"), "line 6: node id 5 is outside 1 to 4"),
    "word": (GOOD.replace("1\n3", "one\n3"), "line 6: expected a node id, found 'one'"),
    "real": (GOOD.replace("1\n3", "1.0\n3"), "line 6: expected a node id, found '1.0'"),
    "nan": (GOOD.replace("1\n3", "nan\n3"), "line 6: expected a node id, found 'nan'"),
    "huge": (GOOD.replace("1\n3", "9" * 9999 + "\n3"), "line 6: expected a node id, found '999"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tours_are_named(case: str, tmp_path: Path) -> None:
    """The message has the file, the line and what is wrong."""
    text, problem = BAD[case]
    path = tmp_path / "bad.tour"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_tour(SQUARE, path)
    assert str(caught.value).startswith(str(path))
    assert problem in str(caught.value)


@pytest.mark.parametrize(("name", "problem"), [("none.tour", "no such file"), (".", "a directory")])
def test_paths_that_are_no_files_are_named(name: str, problem: str, tmp_path: Path) -> None:
    """A path that cannot be read is named with the reason."""
    with pytest.raises(UserError, match=problem):
        read_tour(SQUARE, tmp_path / name)


@given(st.binary() | st.lists(st.sampled_from([*GOOD.split(), "\n", "x", "٣"])).map(lambda w: " ".join(w).encode()))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_any_bytes_are_a_tour_or_a_user_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A file of arbitrary bytes gives a permutation or a UserError."""
    path = tmp_path_factory.getbasetemp() / "fuzz.tour"
    path.write_bytes(content)
    try:
        result: list[int] | UserError = read_tour(SQUARE, path)
    except UserError as error:
        result = error
    if isinstance(result, UserError):
        assert str(result).startswith(str(path))
    else:
        assert sorted(result) == [0, 1, 2, 3]
