"""Instances and solutions as what a page draws."""

from __future__ import annotations

import numpy as np

from ceps.problems.tsp import EdgeWeight, Tsp, TspInstance
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.problems.vrpspdtw.schedule import days
from ceps.testing.bits import Bits, BitsInstance
from tests.problems.vrpspdtw.strategies import small

TRIANGLE = np.array([[0.0, 1.0], [5.0, 2.0], [3.0, 9.0]])


def test_a_tour_is_one_closed_way() -> None:
    """Cities by their position, the first one again at the end; without a tour there are the cities alone."""
    cities = TspInstance("three", TRIANGLE)
    drawn = Tsp().sketch(cities, [2, 3, 1])
    assert drawn.places.tolist() == TRIANGLE.tolist()
    assert (drawn.ways, drawn.marked, drawn.windows, drawn.visits) == (((1, 2, 0, 1),), (), None, None)
    assert Tsp().sketch(cities, None).ways == ()


def test_on_the_globe_the_longitude_goes_to_the_right() -> None:
    """Files have the latitude first; in a sketch it goes upwards."""
    globe = TspInstance("three", TRIANGLE, EdgeWeight.GEO)
    assert Tsp().sketch(globe, None).places.tolist() == TRIANGLE[:, ::-1].tolist()


def test_routes_leave_the_depot_and_come_back() -> None:
    """The depot is marked and at both ends of every way; windows are the instance's, visits those of the schedule."""
    instance, solution = small(), [[7, 8], [9]]
    drawn = Vrpspdtw().sketch(instance, solution)
    assert (drawn.marked, drawn.ways) == ((0,), ((0, 1, 2, 0), (0, 3, 0)))
    assert drawn.windows is not None
    assert drawn.windows.tolist() == [[0, 50], [0, 20], [12, 30], [0, 50]]
    first, second = days(instance, solution)
    assert drawn.visits is not None
    assert drawn.visits[1:].tolist() == [
        [first.starts[0], first.ends[0]],
        [first.starts[1], first.ends[1]],
        [second.starts[0], second.ends[0]],
    ]
    assert drawn.visits[0].tolist() == [0.0, first.back]


def test_an_instance_without_a_solution_has_no_ways() -> None:
    """The map and the windows are there, no vehicle has left."""
    drawn = Vrpspdtw().sketch(small(), None)
    assert (len(drawn.places), drawn.ways, drawn.visits) == (4, (), None)
    assert drawn.windows is not None


def test_a_problem_need_not_know_how_it_is_drawn() -> None:
    """Where nothing is said, there is no sketch."""
    assert Bits().sketch(BitsInstance("few", 2), [1, 1]) is None
