"""Whatever a file holds, it is read or refused with a message that names it; soon, and in little memory."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceps.comparing.experiment import read_experiment
from ceps.errors import UserError
from ceps.evaluation.best_known import read_best_known
from ceps.evaluation.session import read_known_costs
from ceps.portfolio import Portfolio
from ceps.problems import Infeasible, Problem
from ceps.problems.described import DescribedProblem
from ceps.problems.tsp import Tsp
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.settings import read_scenario
from ceps.solvers.command import Command
from ceps.solvers.command_space import read_space
from ceps.solvers.pcs import read_pcs
from tests.solvers.test_pcs import NEW, OLD
from tests.torture.mangled import bounded, mangled
from tests.torture.no_files import NO_FILES, Place
from tests.torture.scale import TRIED, examples

LONGEST_MESSAGE = 2000
"""Characters: people are to read it."""
ROOT = Path(__file__).parents[2]
SAT = ROOT / "examples" / "sat"
TSP, VRPSPDTW = Tsp(), Vrpspdtw()
CITY = TSP.generate("uniform", 12, 1)
DAY = VRPSPDTW.generate("solomon", 12, 1)
PORTFOLIO = {
    "format": 1,
    "problem": "tsp",
    "problem_settings": {},
    "metric": {"name": "par10", "cutoff": 0.5},
    "members": [
        {"solver": "eax", "parameters": {}},
        {"solver": "lkh", "parameters": {"MOVE_TYPE": 3, "INITIAL_TOUR_FRACTION": 0.5, "GAIN23": "no"}},
    ],
    "solvers": {"lkh": {"binary": "/opt/LKH"}},
    "provenance": {"seed": 1, "instances": ["a", "b"]},
}
DESCRIBED = {
    **PORTFOLIO,
    "problem": "sat",
    "problem_settings": {"file": str(SAT / "sat.toml")},
    "members": [{"solver": "clasp", "parameters": {}}],
    "solvers": {"clasp": {"file": str(SAT / "clasp.toml")}},
}


def examples_in(folder: str, start: str) -> list[bytes]:
    """TOML files of the repository."""
    found = [file.read_bytes() for file in sorted((ROOT / folder).glob("*.toml"))]
    return [content for content in found if (b"[[methods]]" in content) == (start == "experiment")]


def round_trip(problem: Problem) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        instance = problem.read(path)
        assert problem.decode(problem.encode(instance), instance.name) == instance

    return read


def solution_of(problem: Problem, instance: Any) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        checked = problem.check(instance, problem.read_solution(instance, path))
        assert isinstance(checked, int | float | Infeasible)

    return read


def portfolio(path: Path) -> None:
    read = Portfolio.load(path)
    read.save(path.with_name("again.json"))
    assert Portfolio.load(path.with_name("again.json")) == read
    assert read.describe()


def of_configspace(ending: str) -> list[bytes]:
    """Spaces with conditions and forbidden values, as ConfigSpace writes them."""
    made = []
    for text in (OLD, NEW):
        file = io.StringIO()
        getattr(read_pcs(text), f"to_{ending}")(file)
        made.append(file.getvalue().encode())
    return made


def parameter_space(path: Path) -> None:
    read_space({"file": str(path)}, "solver.toml:", path.parent).as_configspace("solver")


@dataclass(frozen=True)
class Kind:
    """A kind of file: its ending, how it is read, and good ones."""

    ending: str
    read: Callable[[Path], object]
    good: list[bytes]


KINDS = {
    "TSPLIB instances": Kind(
        ".tsp",
        round_trip(TSP),
        [TSP.encode(CITY).encode(), TSP.encode(CITY).replace("EUC_2D", "GEO").replace("\n", "\r\n").encode()],
    ),
    "VRPSPDTW instances": Kind(".vrpspdtw", round_trip(VRPSPDTW), [VRPSPDTW.encode(DAY).encode()]),
    "tours": Kind(
        ".tour",
        solution_of(TSP, CITY),
        [("TYPE : TOUR\nDIMENSION : 12\nTOUR_SECTION\n" + "\n".join(map(str, range(1, 13))) + "\n-1\nEOF\n").encode()],
    ),
    "routes": Kind(
        ".sol",
        solution_of(VRPSPDTW, DAY),
        [b"".join(b"Route #%d: %d %d\n" % (n, 2 * n - 1, 2 * n) for n in range(1, 7)) + b"Cost 12000.5\n"],
    ),
    "scenarios": Kind(".toml", read_scenario, [*examples_in("examples", "scenario")]),
    "experiments": Kind(".toml", read_experiment, [*examples_in("experiments", "experiment")]),
    "solvers": Kind(".toml", lambda path: Command.described(path).space, [(SAT / "clasp.toml").read_bytes()]),
    "problems": Kind(".toml", DescribedProblem.described, [(SAT / "sat.toml").read_bytes()]),
    "parameter spaces": Kind(".pcs", parameter_space, [OLD.encode(), NEW.encode()]),
    "parameter spaces in JSON": Kind(".json", parameter_space, of_configspace("json")),
    "parameter spaces in YAML": Kind(".yaml", parameter_space, of_configspace("yaml")),
    "portfolios": Kind(".json", portfolio, [json.dumps(each, indent=2).encode() for each in (PORTFOLIO, DESCRIBED)]),
    "known costs": Kind(
        ".json",
        read_known_costs,
        [b'{"city.tsp": 20929498, "b": 1.5}', b'[{"file": "city.tsp", "cost": 7, "agreement": 1.0, "cpu": 3.5}]'],
    ),
    "best known": Kind(
        ".csv",
        lambda path: read_best_known(path, [DAY]),
        [f"instance,vehicles,distance\n{DAY.name},7,123.45\nrdp102,8,99\n".encode()],
    ),
}


def read_or_refused(kind: Kind, path: Path) -> str:
    """What is said of a file; nothing when it was read."""
    message = ""
    with bounded():
        try:
            kind.read(path)
        except UserError as error:
            message = str(error)
    assert message == "" or path.name in message
    assert len(message) < LONGEST_MESSAGE
    return message


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_good_files_are_read(kind: Kind, tmp_path: Path) -> None:
    """What is mangled below is good before."""
    assert kind.good
    for content in kind.good:
        path = tmp_path / f"file{kind.ending}"
        path.write_bytes(content)
        assert read_or_refused(kind, path) == ""


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
@examples(150, 10_000)
def test_mangled_files_are_read_or_refused(tmp_path: Path, name: str, data: st.DataObject) -> None:
    """A value or a message with the file's name: no other exception, no hang, no flood of memory."""
    kind = KINDS[name]
    path = tmp_path / f"file{kind.ending}"
    path.write_bytes(data.draw(mangled(kind.good)))
    read_or_refused(kind, path)
    TRIED[f"files: {name}"] += 1


CITIES = "".join(f"{number} {number} 0\n" for number in range(1, 4))


def tsplib(dimension: str, cities: str = CITIES) -> str:
    return f"TYPE : TSP\nDIMENSION : {dimension}\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n{cities}EOF\n"


HEAD = "x\nCUSTOMER VEHICLE\nNUMBER NUMBER CAPACITY\n{} {} 100\nCUSTOMER\n{}\n0 0 0 0 0 0 1000 0\n1 1 1 1 1 0 900 0\n"
COLUMNS = "CUST NO. XCOORD. YCOORD. DDEMAND PDEMAND READY TIME DUE TIME SERVICE TIME"
SCENARIO = 'seed = 1\n[problem]\nname = "tsp"\ntrain = ["x"]\n[portfolio]\nsolvers = ["lkh"]\n[metric]\ncutoff = "{}"\n'
SOLVER = 'name = "a"\nproblems = ["b"]\ncommand = ["a", "{{instance}}"]\noutput = {{ solution = "{}" }}\n'
LARGE = 300_000
"""Characters of a long word: what takes a time that grows with the square of it takes hours."""


def bomb(levels: int, width: int) -> str:
    """Lists of lists of lists, which are short as long as nobody writes out what their aliases stand for."""
    lines = [f"a0: &a0 [{', '.join(['x'] * width)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join([*lines, f"hyperparameters: [{{name: *a{levels - 1}, type: constant, value: 1}}]"])


COSTLY = {
    "a promise of cities": ("TSPLIB instances", tsplib("1000000000000")),
    "a promise of all cities": ("TSPLIB instances", tsplib("9" * 18)),
    "a long number": ("TSPLIB instances", tsplib("3", f"1 {'1' * LARGE} 0\n")),
    "a long number that is none": ("TSPLIB instances", tsplib("3", f"1 {'1' * LARGE}x 0\n")),
    "a long fraction that is none": ("TSPLIB instances", tsplib("3", f"1 {'1' * LARGE}.{'1' * LARGE}x 0\n")),
    "a long exponent": ("TSPLIB instances", tsplib("3", f"1 1e{'9' * LARGE} 0\n")),
    "a long keyword": ("TSPLIB instances", "A" * LARGE + " " * LARGE + ":" * LARGE),
    "a long line of blanks": ("TSPLIB instances", "A" + " " * LARGE + "x"),
    "a promise of customers": ("VRPSPDTW instances", HEAD.format("1000000000", "1000000000", COLUMNS)),
    "a long column": ("VRPSPDTW instances", HEAD.format("1", "1", COLUMNS + " " + "x" * LARGE)),
    "a tour of long numbers": ("tours", f"DIMENSION : 12\nTOUR_SECTION\n{'9' * LARGE}\n"),
    "a promise of a tour": ("tours", "DIMENSION : 1000000000000\nTOUR_SECTION\n1\n"),
    "a route of blanks": ("routes", "Route" + " " * LARGE + "x"),
    "a route without its colon": ("routes", "Route #" + " " * LARGE + "1" * LARGE + " " * LARGE + "x"),
    "many brackets": ("scenarios", "a = " + "[" * LARGE),
    "a deep key": ("scenarios", "a." * 1000 + "a = 1"),
    "a long key": ("scenarios", "a" * LARGE + " = 1"),
    "a duration of digits": ("scenarios", SCENARIO.format("1" * LARGE)),
    "a duration of blanks": ("scenarios", SCENARIO.format(" " * LARGE + "1" + " " * LARGE)),
    "a deep expression": ("solvers", SOLVER.format("(" * 3000 + ")" * 3000)),
    "a repeated expression": ("solvers", SOLVER.format("(a{99999999999999})")),
    "a parameter of blanks": ("parameter spaces", "a" + " " * LARGE + "x"),
    "a choice of blanks": ("parameter spaces", "a" + " " * LARGE + "categorical" + " " * LARGE + "{x}" + " " * LARGE),
    "a condition of blanks": ("parameter spaces", "a {x} [x]\na | a" + " " * LARGE + "x"),
    "a range without end": ("parameter spaces", "a [0, 1e999] [1]"),
    "aliases of aliases": ("parameter spaces in YAML", bomb(5, 9)),
    "aliases of many aliases": ("parameter spaces in YAML", bomb(7, 9)),
    "a long list with many aliases": (
        "parameter spaces in YAML",
        f"a: &a [{'1,' * 30_000}]\nhyperparameters:\n" + "- {name: x, type: categorical, choices: *a}\n" * 3_000,
    ),
    "a list in itself": ("parameter spaces in YAML", "hyperparameters: &a [x, *a]"),
    "a choice of lists": (
        "parameter spaces in YAML",
        "hyperparameters: [{name: x, type: categorical, choices: [[1, 2], [3]], weights: null}]",
    ),
    "a deep list in YAML": ("parameter spaces in YAML", "[" * LARGE),
    "a deep space in JSON": ("parameter spaces in JSON", '{"hyperparameters":' + "[" * LARGE),
    "a number of digits in JSON": ("parameter spaces in JSON", '{"hyperparameters": ' + "9" * LARGE + "}"),
    "a deep object": ("portfolios", '{"a":' * LARGE),
    "a long list": ("portfolios", json.dumps({**PORTFOLIO, "members": [0] * LARGE})),
    "a cost of digits": ("known costs", '{"a": ' + "9" * 4000 + "}"),
    "a cost of too many digits": ("known costs", '{"a": ' + "9" * LARGE + "}"),
    "many columns": ("best known", "instance,vehicles,distance" + ",x" * LARGE + "\n" + "," * LARGE),
    "a long field": ("best known", 'instance,vehicles,distance\n"' + "x" * LARGE + '",1,1\n'),
}


@pytest.mark.parametrize(("name", "content"), COSTLY.values(), ids=COSTLY.keys())
def test_costly_files_are_refused_soon(tmp_path: Path, name: str, content: str) -> None:
    """Files built to make a reader work for hours, or to take all memory, are refused like any other."""
    path = tmp_path / f"file{KINDS[name].ending}"
    path.write_text(content)
    assert read_or_refused(KINDS[name], path) != ""
    TRIED["costly files"] += 1


@pytest.mark.parametrize("depth", [100, 300, 500, 700, 900, 950, 5_000])
def test_deep_portfolios_are_read_or_refused(tmp_path: Path, depth: int) -> None:
    """However deeply a stranger has nested what nobody looks at, it can be read and written again, or is refused."""
    nested = '{"a":' * depth + "1" + "}" * depth
    path = tmp_path / "deep.json"
    path.write_text(json.dumps({**PORTFOLIO, "provenance": "HERE"}).replace('"HERE"', nested))
    with bounded(), suppress(UserError):
        Portfolio.load(path).save(tmp_path / "again.json")


@pytest.mark.parametrize("place", NO_FILES)
@pytest.mark.parametrize("name", KINDS)
def test_what_is_no_file_is_refused_soon(tmp_path: Path, name: str, place: Place) -> None:
    """Devices, pipes that nobody writes to and files larger than any memory are not read."""
    path = place(tmp_path / f"file{KINDS[name].ending}")
    with bounded(), pytest.raises(UserError) as caught:
        KINDS[name].read(path)
    assert str(path)[:200] in str(caught.value)  # No name is longer than people read.
    TRIED["costly files"] += 1
