"""Whatever other people's programs print or write, it is read, or refused in a few words; soon, in little memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.described import DescribedProblem, FileInstance
from ceps.problems.problem import Infeasible
from ceps.solvers.command_file import Output
from ceps.solvers.command_output import Claim, read_claims, read_lines
from ceps.solvers.concorde import read_solution
from ceps.solvers.program import ProgramError
from tests.torture.mangled import bounded, mangled
from tests.torture.scale import TRIED, examples
from tests.torture.test_fuzz_files import LONGEST_MESSAGE

PRINTED = Output(cost=r"^o (\S+)", solution=r"^v (.*)$", join_lines=True, unsatisfiable="^s UNSAT", solved="^s SAT")
TEXTS = [
    b"c starting\no 9\nv 1 -2\nv 3 0\no 7.5\r\nv 1 2\nv -3 0\ns OPTIMUM\n",
    b"o -1e3\nv \xff\xfe\n\nv x\nc done",
    b"s UNSATISFIABLE\n",
    b"c nothing\ns SATISFIABLE\n",
]
OBJECTS = [
    b'{"status": "solved", "cost": 5, "solution": [1, 2, 3]}\nchatter\n{"cost": 4.5, "solution": "1 2"}\n',
    b'{"status": "unsatisfiable", "solution": {"proof": null}}\n{"other": 1}\n',
]


@dataclass
class Pieces:
    """A stream that gives its bytes in pieces of these sizes at first, as a pipe may."""

    content: bytes
    sizes: Iterator[int]

    def read(self, size: int) -> bytes:
        size = next(self.sizes, size)
        piece, self.content = self.content[:size], self.content[size:]
        return piece


def claims_in(content: bytes, output: Output, sizes: list[int]) -> tuple[list[Claim], str]:
    """The claims that a program makes, and why no more of it was read."""
    found: list[Claim] = []
    try:
        for claim in read_claims(read_lines(Pieces(content, iter(sizes))), output):
            found.append(claim)
    except ProgramError as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize(("output", "good"), [(PRINTED, TEXTS), (Output(json=True), OBJECTS)], ids=["text", "JSON"])
@given(data=st.data(), sizes=st.lists(st.integers(1, 50), max_size=20))
@examples(200, 20_000)
def test_claims_or_an_error(output: Output, good: list[bytes], data: st.DataObject, sizes: list[int]) -> None:
    """There are claims of finite costs that can be reported, the same in whatever pieces the output comes."""
    content = data.draw(mangled(good))
    with bounded():
        found, why = claims_in(content, output, sizes)
        assert (found, why) == claims_in(content, output, [])
        assert len(why) < LONGEST_MESSAGE
        assert all(claim.cost is None or isfinite(claim.cost) for claim in found)
        assert all(json.loads(json.dumps(claim.solution)) == claim.solution for claim in found)
    TRIED["output: claims of solvers"] += 1


@given(content=mangled([*TEXTS, *OBJECTS]), sizes=st.lists(st.integers(1, 50), max_size=20))
@examples(100, 10_000)
def test_lines_are_those_of_the_stream(content: bytes, sizes: list[int]) -> None:
    """Lines are those of the stream, less their ends, and their bytes can be had again."""
    lines = [line.encode(errors="surrogateescape") for line in read_lines(Pieces(content, iter(sizes)))]
    expected = [line.removesuffix(b"\r") for line in content.split(b"\n")]
    assert lines == (expected[:-1] if content.endswith(b"\n") or not content else expected)
    TRIED["output: lines"] += 1


@pytest.fixture(scope="module")
def printing(tmp_path_factory: pytest.TempPathFactory) -> DescribedProblem:
    """A problem whose programs print the instance, or the solution."""
    file = tmp_path_factory.mktemp("printing") / "printing.toml"
    file.write_text(
        'name = "printing"\nsuffixes = [".x"]\nfeatures = ["cat", "{instance}"]\ncheck = ["cat", "{solution}"]\n'
    )
    return DescribedProblem.described(file)


def features_of(problem: DescribedProblem, content: bytes) -> str:
    try:
        found = problem.measured(FileInstance("x", content, ".x"))
    except UserError as error:
        return str(error)
    assert all(isinstance(name, str) and isfinite(number) for name, number in found)
    return ""


def cost_of(problem: DescribedProblem, content: bytes) -> str:
    told = content.decode(errors="surrogateescape")
    cost = problem.check(FileInstance("x", b"", ".x"), {"status": "solved", "solution": told})
    if isinstance(cost, Infeasible):
        return cost.reason
    assert isfinite(cost)
    return ""


READERS: dict[str, tuple[Callable[[DescribedProblem, bytes], str], list[bytes]]] = {
    "features": (features_of, [b"size = 5\nratio=0.25\n\nodd = -1e3\n", b'{"size": 5, "ratio": 0.25, "odd": true}']),
    "costs of programs that check": (cost_of, [b"checked 12 routes\n12.5\n", b"7"]),
}


@pytest.mark.parametrize(("name", "good"), [(name, good) for name, (_, goods) in READERS.items() for good in goods])
def test_good_output_is_read(printing: DescribedProblem, name: str, good: bytes) -> None:
    """What is mangled below is good before."""
    assert READERS[name][0](printing, good) == ""


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
@examples(100, 5_000)
def test_output_of_programs_of_a_problem(printing: DescribedProblem, name: str, data: st.DataObject) -> None:
    """Finite numbers are read, or a few words say what is wrong; the programs are real, and so are their calls."""
    read, good = READERS[name]
    content = data.draw(mangled(good))
    with bounded():
        assert len(read(printing, content)) < LONGEST_MESSAGE
    TRIED[f"output: {name}"] += 1


@given(content=mangled([b"5\n0 3 1 4 2\n", b"5 0 1 2 3 4"]))
@examples(150, 10_000)
def test_tours_of_concorde(tmp_path: Path, content: bytes) -> None:
    """A tour of five numbers is read, or the run fails with what is wrong with it."""
    (tmp_path / "problem.sol").write_bytes(content)
    message = ""
    with bounded():
        try:
            tour = read_solution(tmp_path / "problem.sol", 5)
        except ValueError as error:
            tour, message = [0] * 5, str(error)
    assert (len(tour), len(message) < LONGEST_MESSAGE) == (5, True)
    TRIED["output: tours of Concorde"] += 1
