"""What is read in the output of a program."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.solvers import command_output
from ceps.solvers.command_file import Output
from ceps.solvers.command_output import Claim, read_claims, read_lines, why_nothing
from ceps.solvers.program import ProgramError

BOTH = Output(cost=r"^o (\S+)", solution=r"^v (.*)$", join_lines=True, unsatisfiable="^s UNSAT")


def claims(text: str, output: Output = BOTH) -> list[Claim]:
    return list(read_claims(text.splitlines(), output))


def piped(data: bytes) -> Any:
    """A stream that gives its bytes as a pipe would."""
    return io.BytesIO(data)


CASES = {
    "cost first": ("o 9\nv a\no 5\nv b\n", [Claim("solved", 9, "a"), Claim("solved", 5, "b")]),
    "solution first": ("v a\no 9\nv b\no 5\n", [Claim("solved", 9, "a"), Claim("solved", 5, "b")]),
    "costs on the way": ("o 9\no 7\no 5\nv b\n", [Claim("solved", 5, "b")]),
    "several lines": ("o 5\nv a\nv b\ns OK\n", [Claim("solved", 5, "a\nb")]),
    "chatter": ("c hello\no 5\nc x\nv a\nc y\n", [Claim("solved", 5, "a")]),
    "solution without a cost": ("v a\n", [Claim("solved", None, "a")]),
    "printed again": ("o 5\nv a\n\nv a\n", [Claim("solved", 5, "a"), Claim("solved", None, "a")]),
    "a cost alone": ("o 5\n", []),
    "none": ("s UNSAT\n", [Claim("unsatisfiable")]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_costs_and_solutions_in_lines(text: str, expected: list[Claim]) -> None:
    """A cost and a solution that belong together are one claim, in either order; lines in a row are one solution."""
    assert claims(text) == expected


def test_programs_that_tell_less() -> None:
    """Costs without solutions, solutions without costs, and a mere word are claims where nothing more is described."""
    assert claims("o 9\no 5\n", Output(cost=r"^o (.*)$")) == [Claim("solved", 9), Claim("solved", 5)]
    assert claims("v 1 2\n", Output(solution="^v (.*)$")) == [Claim("solved", None, "1 2")]
    assert claims("s SAT\n", Output(solved="^s SAT", unsatisfiable="UNSAT")) == [Claim("solved")]
    assert claims("cost 3 by abc", Output(cost=r"cost (\d+)", solution="by (.*)")) == [Claim("solved", 3, "abc")]


@pytest.mark.parametrize("first", [["o 9", "v a"], ["v a", "o 9"]], ids=["cost first", "solution first"])
def test_a_solution_on_one_line_is_read_at_once(first: list[str]) -> None:
    """Nothing need follow it: a program may be silent for the rest of its time."""

    def printed() -> Iterator[str]:
        yield from first
        raise AssertionError("another line was waited for")

    assert next(read_claims(printed(), replace(BOTH, join_lines=False))) == Claim("solved", 9, "a")


def test_a_cost_that_is_none() -> None:
    """A cost that is no finite number stops the run with a reason that quotes it."""
    for text in ("o none", "o nan", "o 1e999"):
        with pytest.raises(ProgramError, match="cost"):
            claims(text)
    with pytest.raises(ProgramError, match="'True' as a cost"):
        list(read_claims(['{"cost": true}'], Output(json=True)))


def test_a_value_that_a_line_leaves_out() -> None:
    """A line that matches an expression, but not the part of it that has the value, tells none."""
    output = Output(cost="^o(?: ([0-9]+))?$", solution="^v (.*)$")
    assert claims("o 5\no\nv 1", output) == [Claim("solved", 5, "1")]
    # Of these two, no part is the value.
    answers = Output(solved="^(s )?SATISFIABLE", unsatisfiable="^(s )?UNSATISFIABLE")
    assert claims("SATISFIABLE", answers) == [Claim("solved")]
    assert claims("UNSATISFIABLE", answers) == [Claim("unsatisfiable")]


def test_json_lines() -> None:
    """Objects with a status, a cost or a solution are claims; everything else is passed over."""
    lines = ["hello", "{broken", '{"other": 1}', '{"status": "unknown"}', '{"cost": 5, "solution": [1, 2]}']
    lines += ["[1]", "{" * 100_000]
    output = Output(json=True)
    assert list(read_claims(lines, output)) == [Claim("solved", 5, [1, 2])]
    assert list(read_claims(['{"status": "unsatisfiable"}'], output)) == [Claim("unsatisfiable")]
    # Nothing that is said after both counts.
    both = [*lines, '{"status": "unsatisfiable"}', '{"cost": 4, "solution": [1]}']
    assert list(read_claims(both, output)) == [Claim("solved", 5, [1, 2]), Claim("contradictory")]


def test_expressions_that_never_matched() -> None:
    """Why nothing was read names the expressions that no line matches, as they are described, and no other."""
    matched: set[str] = set()
    assert list(read_claims(["o 5", "x 1"], BOTH, matched.add)) == []
    assert matched == {"cost"}
    assert why_nothing(BOTH, matched) == r"no line matches [output] solution = '^v (.*)$' or unsatisfiable = '^s UNSAT'"
    assert why_nothing(Output(), ()) == ""
    assert '{"status": "solved"' in why_nothing(Output(json=True), ())


def test_an_empty_solution_is_one() -> None:
    """Nothing at all may be the answer, on one line or on several."""
    for joined in (False, True):
        assert claims("o 0\nv \nend", replace(BOTH, join_lines=joined)) == [Claim("solved", 0, "")]


PIECES = st.sampled_from(
    [b"o ", b"v ", b"s UNSAT", b"\n", b"}", b"5", b"1e400", b"nan", b"\xff", b'{"cost": ', b'"solution": ', b"["]
)


@given(pieces=st.lists(PIECES | st.binary(max_size=5), max_size=40), output=st.sampled_from([BOTH, Output(json=True)]))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_claims_survive_any_bytes(pieces: list[bytes], output: Output) -> None:
    """Whatever is printed, there are claims with finite costs, or an error of the run that quotes what was told."""
    found, told = [], "the cost"
    try:
        found = list(read_claims(read_lines(piped(b"".join(pieces))), output))
    except ProgramError as error:
        told = str(error)
    assert "cost" in told
    assert all(claim.cost is None or isfinite(claim.cost) for claim in found)
    assert all(json.loads(json.dumps(claim.solution)) == claim.solution for claim in found)


@given(data=st.binary(max_size=300))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_lines_survive_any_bytes(data: bytes) -> None:
    """Lines are those of the stream, less their ends, and their bytes can be had again."""
    lines = [line.encode(errors="surrogateescape") for line in read_lines(piped(data))]
    expected = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    assert lines == (expected[:-1] if data.endswith(b"\n") or not data else expected)


def test_bytes_that_are_no_text_pass_through_json() -> None:
    """A solution with bytes that are no UTF-8 is one in JSON as well, and becomes the same bytes again."""
    (claim,) = read_claims(read_lines(piped(b"v \xff\xfe\n")), Output(solution="^v (.*)$"))
    told = json.loads(json.dumps(claim.solution))
    assert told.encode(errors="surrogateescape") == b"\xff\xfe"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a line without end only the beginning is kept, and a solution without end stops the run."""
    monkeypatch.setattr(command_output, "LONGEST_LINE", 100)
    assert list(read_lines(piped(b"x" * 1000 + b"\nshort\n"))) == ["x" * 100, "short"]
    monkeypatch.setattr(command_output, "LONGEST_SOLUTION", 100)
    with pytest.raises(ProgramError, match="more than 100 characters"):
        claims("v xxxxxxxxxx\n" * 20)
