"""The TSP as a Problem."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from ceps.problems.problem import Problem
from ceps.problems.tsp import EdgeWeight, Tsp, TspInstance
from tests.problems.tsp.strategies import instances


def test_the_problem_is_a_small_value() -> None:
    """It pickles, compares, and has a name and a suffix."""
    problem: Problem = Tsp()
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert (problem.name, problem.suffixes) == ("tsp", (".tsp",))


def test_a_day_in_the_life_of_an_instance(tmp_path: Path) -> None:
    """Write, read, mutate, check, and solutions through files, by the contract's methods alone."""
    problem: Problem = Tsp()
    square = TspInstance("square", np.array([[0, 0], [0, 100], [100, 100], [100, 0]]))
    problem.write(square, tmp_path / "square.tsp")
    instance = problem.read(tmp_path / "square.tsp")
    assert (instance, instance.name) == (square, "square")
    assert problem.decode(problem.encode(square), "x") == square
    assert problem.mutate(instance, np.random.default_rng(1)) != instance
    assert problem.check(instance, [1, 2, 3, 4]) == 400
    problem.write_solution(instance, [1, 2, 3, 4], 400, tmp_path / "square.tour")
    assert problem.read_solution(instance, tmp_path / "square.tour") == [1, 2, 3, 4]
    assert problem.features(instance)["cities"] == 4.0


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_the_scale_is_a_usable_divisor(instance: TspInstance) -> None:
    """Whatever the box, the scale is finite and at least 1."""
    assert 1.0 <= Tsp().scale(instance) < math.inf


@pytest.mark.parametrize(
    ("points", "metric", "scale"),
    [
        ([[0, 0], [0, 30], [30, 0], [30, 30], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], "EUC_2D", 90.0),
        ([[0, 0], [0, 30], [30, 0], [30, 30], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], "ATT", 30.0),
        ([[0, 7], [50, 7], [20, 7]], "EUC_2D", 100.0),
        ([[5, 5], [5, 5]], "CEIL_2D", 1.0),
    ],
    ids=["box", "att", "line", "point"],
)
def test_scales_by_hand(points: list[list[float]], metric: EdgeWeight, scale: float) -> None:
    """√(nA) for a box in the metric's unit, twice the length of a line, 1 for a point."""
    assert Tsp().scale(TspInstance("a", np.array(points), EdgeWeight(metric))) == scale


def test_tours_and_scale_share_a_unit_on_the_globe() -> None:
    """The scale of a GEO instance is in kilometres: a third of the globe's girth there and back."""
    instance = TspInstance("a", np.array([[0, 0], [0, 120]]), EdgeWeight.GEO)
    assert Tsp().scale(instance) == pytest.approx(Tsp().check(instance, [1, 2]), rel=0.01)
