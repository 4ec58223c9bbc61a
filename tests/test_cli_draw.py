"""``ceps draw`` for either problem, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ceps.cli import app
from ceps.problems.tsp import Tsp
from ceps.problems.vrpspdtw import Vrpspdtw
from tests.problems.vrpspdtw.strategies import small

CITY = Tsp().generate("uniform", 8, 1)
TOUR = [*range(1, 9)]
DAY = small()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with an instance and a solution of either problem, and solutions that are none."""
    monkeypatch.chdir(tmp_path)
    Tsp().write(CITY, Path("city.tsp"))
    Tsp().write_solution(CITY, TOUR, 1.0, Path("city.tour"))
    Vrpspdtw().write(DAY, Path("day.vrpspdtw"))
    Vrpspdtw().write_solution(DAY, [[7, 8], [9]], 1.0, Path("day.sol"))
    Vrpspdtw().write_solution(DAY, [[9, 8, 7]], 1.0, Path("heavy.sol"))
    Tsp().write_solution(CITY, [*TOUR[:-1], 1], 1.0, Path("twice.tour"))
    Path("city.svg").write_text("a solution in a file of this name")


def ceps(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["draw", *arguments], prog_name="ceps")


def texts(svg: str) -> set[str]:
    return set(re.findall(r"<text[^>]*>([^<]*)</text>", Path(svg).read_text()))


def test_an_instance_is_drawn() -> None:
    """Name and size of cities and of customers, without any solution."""
    assert ceps("city.tsp", "--out", "a.svg").stdout == "city drawn in a.svg\n"
    assert {"city", "Cities: 8"} <= texts("a.svg")
    assert ceps("day.vrpspdtw", "--out", "b.svg").exit_code == 0
    assert {"day", "Customers: 3", "Time windows, by the time they open"} <= texts("b.svg")


def test_a_solution_is_drawn_with_its_true_cost() -> None:
    """Name, size and cost, which is reckoned and not taken from the file; as a PNG too."""
    cost = Tsp().check(CITY, TOUR)
    assert ceps("city.tsp", "city.tour", "--out", "a.svg").stdout == f"city, cost {cost}, drawn in a.svg\n"
    assert {f"city: cost {cost}", "Cities: 8"} <= texts("a.svg")
    assert ceps("day.vrpspdtw", "day.sol", "--out", "b.svg").exit_code == 0
    assert "Routes: 2, customers: 3" in texts("b.svg")
    assert ceps("day.vrpspdtw", "day.sol", "--out", "c.png").exit_code == 0
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["city.tsp", "--out", "a.pdf"], "--out a.pdf: the ending says what to draw; use .png or .svg"),
        (["city.tsp", "--out", "none/a.svg"], "--out none/a.svg: there is no folder none; make it first"),
        (["city.tsp", "city.svg", "--out", "city.svg"], "--out city.svg: this file is read; name another one"),
        (["city.tsp", "none.tour", "--out", "a.svg"], "none.tour: there is no such file"),
        (["city.tsp", "twice.tour", "--out", "a.svg"], "node id 1 is already in line"),
        (
            ["day.vrpspdtw", "heavy.sol", "--out", "a.svg"],
            "heavy.sol: no solution of day.vrpspdtw: route 1, customer 8: the load",
        ),
        (["city.txt", "--out", "a.svg"], "city.txt: there is no such file"),
        (["city.csv", "--out", "a.svg"], "no problem has files ending in '.csv'"),
    ],
)
def test_mistakes_are_told(arguments: list[str], message: str) -> None:
    """A picture of nothing, in a file that is read, or of a solution that is none, is refused; nothing is written."""
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    result = ceps(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
