"""Instances and their solutions as pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceps.drawing import check_picture_file, draw_instance, draw_solution
from ceps.errors import UserError
from ceps.problems import Problem
from ceps.problems.tsp import Tsp, TspInstance
from ceps.problems.tsp.instance import EdgeWeight
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.testing.bits import Bits, BitsInstance
from tests.problems.vrpspdtw.strategies import small

CITY = Tsp().generate("uniform", 12, 1)
DAY = Vrpspdtw().generate("city", 95, 1, {"city_customers": 150})
ALONE = [[customer] for customer in DAY.ids[1:].tolist()]


def texts(svg: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text())


@pytest.mark.parametrize("ending", [".png", ".SVG"])
def test_the_same_solution_is_the_same_file(tmp_path: Path, ending: str) -> None:
    """No date, no random ids: drawn twice, the bytes are the same; drawn otherwise, they are not."""
    problem, instance = Vrpspdtw(), small()
    for name, solution in {"a": [[7, 8], [9]], "b": [[7, 8], [9]], "c": [[9], [7, 8]]}.items():
        draw_solution(problem, instance, solution, 1.0, tmp_path / f"{name}{ending}")
    a, b, c = ((tmp_path / f"{name}{ending}").read_bytes() for name in "abc")
    assert a == b != c
    assert a.startswith(b"\x89PNG" if ending == ".png" else b"<?xml")


def test_routes_are_named_with_their_customers_and_loads(tmp_path: Path) -> None:
    """The picture tells the cost, the routes in its legend, and the customers in their windows."""
    draw_solution(Vrpspdtw(), small(), [[7, 8], [9]], 233.5, tmp_path / "small.svg")
    shown = texts(tmp_path / "small.svg")
    assert {"small: cost 233.5", "Routes: 2, customers: 3", "depot", "1: 2, 9 (90%)", "2: 1, 1 (10%)"} <= set(shown)
    assert {"7", "8", "9"} <= set(shown)


def test_many_routes_have_no_endless_legend(tmp_path: Path) -> None:
    """A vehicle for each of 95 customers: the legend ends, and routes are numbered as far as there is room."""
    draw_solution(Vrpspdtw(), DAY, ALONE, 1.0, tmp_path / "many.svg")
    shown = texts(tmp_path / "many.svg")
    assert "and 6 more routes" in shown
    assert sum(": 1, " in text for text in shown) == 89


def one_place() -> TspInstance:
    return TspInstance("one place", np.full((3, 2), 7.0))


SMALLEST: dict[str, tuple[Problem, Any, Any]] = {
    "one city": (Tsp(), TspInstance("one", np.array([[5.0, 5.0]])), [1]),
    "one place": (Tsp(), one_place(), [2, 1, 3]),
    "the globe": (Tsp(), TspInstance("globe", np.array([[10.0, 170.0], [20.0, -170.0]]), EdgeWeight.GEO), [1, 2]),
    "one customer": (Vrpspdtw(), Vrpspdtw().generate("city", 1, 1), [[1]]),
    "all at the depot": (
        Vrpspdtw(),
        small(table=np.array([[0.0, 0, 0, 0, 0, 50, 0], *[[0.0, 0, 1, 1, 0, 50, 0]] * 3])),
        [[7, 8, 9]],
    ),
}


@pytest.mark.parametrize(("problem", "instance", "solution"), SMALLEST.values(), ids=SMALLEST.keys())
def test_the_smallest_pictures(tmp_path: Path, problem: Problem, instance: Any, solution: Any) -> None:
    """Where there is hardly anything to draw it is drawn, without a warning."""
    assert isinstance(problem.check(instance, solution), int | float)
    draw_solution(problem, instance, solution, 1.0, tmp_path / "picture.svg")
    assert f"{instance.name}: cost 1" in texts(tmp_path / "picture.svg")
    draw_instance(problem, instance, tmp_path / "instance.svg")
    assert instance.name in texts(tmp_path / "instance.svg")


def test_a_tour_visits_the_cities_in_order(tmp_path: Path) -> None:
    """The line of the picture goes through all cities and back to the first."""
    from matplotlib.figure import Figure

    figure, tour = Figure(), [*range(12, 0, -1)]
    Tsp().draw(CITY, tour, figure)
    (line,) = figure.axes[0].lines
    assert np.asarray(line.get_xydata()).tolist() == CITY.coordinates[[*range(11, -1, -1), 11]].tolist()


def test_cities_without_a_tour_are_points(tmp_path: Path) -> None:
    """Without a tour there is no line: the cities where they are, and how many."""
    from matplotlib.figure import Figure

    figure = Figure()
    Tsp().draw(CITY, None, figure)
    (axes,) = figure.axes
    assert not axes.lines
    assert np.asarray(axes.collections[0].get_offsets()).tolist() == CITY.coordinates.tolist()
    assert axes.get_title() == "Cities: 12"


def test_customers_without_routes_show_their_windows(tmp_path: Path) -> None:
    """Without routes there is a line for every customer, from where its window opens, the earliest at the top."""
    from matplotlib.figure import Figure

    instance, figure = small(), Figure()
    Vrpspdtw().draw(instance, None, figure)
    places, windows = figure.axes
    assert places.get_title("left") == "Customers: 3"
    shown = [text.get_text() for text in windows.texts]
    by_opening = sorted(range(1, 4), key=lambda node: (instance.ready[node], instance.due[node]))
    assert shown == [str(instance.ids[node]) for node in by_opening]
    (boxes,) = windows.collections
    spans = [(box.vertices[:, 0].min(), box.vertices[:, 0].max()) for box in boxes.get_paths()]
    assert spans == [(instance.ready[node], instance.due[node]) for node in by_opening]


def test_what_cannot_be_drawn_is_told(tmp_path: Path) -> None:
    """A problem without pictures, and a file that cannot be written, are the user's to mend."""
    with pytest.raises(UserError, match="problem 'bits' cannot be drawn"):
        draw_solution(Bits(), BitsInstance("few", 2), [1, 1], 0.0, tmp_path / "bits.png")
    with pytest.raises(UserError, match="cannot be written: No such file"):
        draw_solution(Tsp(), one_place(), [1, 2, 3], 0.0, tmp_path / "none" / "a.png")


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        ("a.jpg", "--draw .*a.jpg: the ending says what to draw; use .png or .svg"),
        ("none/a.png", "--draw .*: there is no folder"),
        ("read.svg", "this file is read"),
        ("x/../out.png", "--out writes the solution there"),
    ],
)
def test_wrong_files_are_told_before(tmp_path: Path, picture: str, message: str) -> None:
    """What would go wrong after a race is told before it."""
    (tmp_path / "x").mkdir()
    (tmp_path / "read.svg").touch()
    with pytest.raises(UserError, match=message):
        check_picture_file("--draw", tmp_path / picture, tmp_path / "read.svg", None, solution=tmp_path / "out.png")
