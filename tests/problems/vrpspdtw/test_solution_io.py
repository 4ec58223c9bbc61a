"""VRPLIB solution files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.vrpspdtw.io import read_solution, write_solution
from tests.problems.vrpspdtw.strategies import small

GOOD = "Route #1: 7 8\nRoute #2: 9\nCost 233.75\n"


def test_routes_are_written_as_vrplib_has_them(tmp_path: Path) -> None:
    """One numbered line per route, by the instance's ids, and the cost."""
    write_solution([[7, 8], [9]], 233.75, tmp_path / "a.sol")
    assert (tmp_path / "a.sol").read_text() == GOOD
    assert read_solution(small(), tmp_path / "a.sol") == [[7, 8], [9]]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("Cost 233.75\n", ""),
        GOOD.replace("Cost ", "Cost: ") + "Time 12\n",
        "Name small\n\n" + GOOD.replace("\n", "\r\n"),
        GOOD.replace("Route #", "route ").replace(": ", " :"),
        GOOD.replace("7 8", "0 7 8 0").replace("9", "0 9 0"),
        GOOD.replace("Route #2: 9", "Route #2:\nRoute #3: 0 0\nRoute #4: 0\nRoute #5: 9"),
    ],
    ids=["plain", "no cost", "other lines", "CRLF", "spelling", "depot", "idle vehicles"],
)
def test_dialects_are_understood(text: str, tmp_path: Path) -> None:
    """Routes as people and programs write them are read alike, as plain ints in lists."""
    (tmp_path / "a.sol").write_text(text, newline="")
    routes = read_solution(small(), tmp_path / "a.sol")
    assert routes == [[7, 8], [9]]
    assert all(type(customer) is int for route in routes for customer in route)


BAD = {
    "empty": ("", "the file is empty"),
    "binary": ("\0", "binary file"),
    "no routes": ("Cost 12\n", "line 1: the routes have 0 of 3 customers, 7 is missing"),
    "truncated": ("Route #1: 7 8\n", "line 1: the routes have 2 of 3 customers, 9 is missing"),
    "twice": (GOOD.replace("9", "9 7"), "line 2: customer 7 is already in line 1"),
    "unknown": (GOOD.replace("8", "3"), "line 1: the instance has no customer 3"),
    "depot": (GOOD.replace("7 8", "7 0 8"), "line 1: the depot 0 stands inside a route"),
    "word": (GOOD.replace("7", "seven"), "line 1: expected a customer id, found 'seven'"),
    "real": (GOOD.replace("7", "7.0"), "line 1: expected a customer id, found '7.0'"),
    "huge": (GOOD.replace("7", "7" * 9999), "line 1: expected a customer id, found '777"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_solutions_are_named(case: str, tmp_path: Path) -> None:
    """The message has the file, the line and what is wrong."""
    text, problem = BAD[case]
    path = tmp_path / "bad.sol"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_solution(small(), path)
    assert str(caught.value).startswith(str(path))
    assert problem in str(caught.value)


@given(
    st.binary() | st.lists(st.sampled_from([*GOOD.split(), "\n", "0", "x", "٣"])).map(lambda w: " ".join(w).encode())
)
@settings(derandomize=True, deadline=None, max_examples=150)
def test_any_bytes_are_routes_or_a_user_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A file of arbitrary bytes gives routes that visit each customer once, or a UserError."""
    path = tmp_path_factory.getbasetemp() / "fuzz.sol"
    path.write_bytes(content)
    try:
        result: list[list[int]] | UserError = read_solution(small(), path)
    except UserError as error:
        result = error
    if isinstance(result, UserError):
        assert str(result).startswith(str(path))
    else:
        assert sorted(customer for route in result for customer in route) == [7, 8, 9]
