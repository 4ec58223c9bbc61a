"""The instance as a value, and its distances."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from ceps.problems.tsp import EdgeWeight, Tsp, TspInstance
from tests.problems.tsp.strategies import distance, instances

SQUARE = np.array([[0, 0], [0, 3], [4, 3], [4, 0]], dtype=np.float64)

BURMA14 = """16.47 96.10  16.47 94.44  20.09 92.54  22.39 93.37  25.23 97.24  22.00 96.05  20.47 97.02
17.20 96.29  16.30 97.38  14.05 98.12  16.53 97.38  21.52 95.59  19.41 97.13  20.09 94.55"""
ULYSSES16 = """38.24 20.42  39.57 26.15  40.56 25.32  36.26 23.12  33.48 10.54  37.56 12.19  38.42 13.11
37.52 20.44  41.23 9.10  41.17 13.05  36.08 -5.21  38.47 15.13  38.15 15.35  37.51 15.17  35.49 14.32  39.36 19.56"""


def test_the_content_makes_the_identity_and_the_name_does_not() -> None:
    """Equality, hash and id follow coordinates and metric, and nothing else."""
    one, same = TspInstance("a", SQUARE), TspInstance("b", SQUARE.astype(int))
    assert one == same
    assert hash(one) == hash(same)
    assert one.id == same.id
    others = [TspInstance("a", SQUARE[::-1]), TspInstance("a", SQUARE, EdgeWeight.CEIL_2D)]
    assert all(one != other and one.id != other.id for other in others)
    assert one != "a"


def test_the_id_is_the_same_on_every_machine() -> None:
    """The id of a known instance is a known constant: stored ids stay valid."""
    assert TspInstance("a", SQUARE).id == "3621ea6da7ae35f94f47ad4879c85c22"


def test_minus_zero_is_zero() -> None:
    """Coordinates that compare equal make equal instances."""
    assert TspInstance("a", np.array([[-0.0, 1.0]])) == TspInstance("a", np.array([[0.0, 1.0]]))


@pytest.mark.parametrize("restored", [False, True])
def test_coordinates_cannot_be_changed(restored: bool) -> None:
    """Neither an instance nor its unpickled copy can be written to, nor made writeable."""
    given = SQUARE.copy()
    instance = TspInstance("a", given)
    instance = pickle.loads(pickle.dumps(instance)) if restored else instance
    given[0, 0] = 99
    assert instance.coordinates[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        instance.coordinates[0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        instance.coordinates.flags.writeable = True
    with pytest.raises(FrozenInstanceError):
        instance.name = "b"  # type: ignore[misc]


def test_pickles_are_small_and_exact() -> None:
    """A pickle holds the coordinates' bytes and little more, and gives back name, metric and id."""
    coordinates = np.random.default_rng(1).random((800, 2))
    instance = TspInstance("a", coordinates, EdgeWeight.ATT)
    pickled = pickle.dumps(instance)
    copy = pickle.loads(pickled)
    assert len(pickled) < coordinates.nbytes + 250
    assert (copy.name, copy.metric, copy.id) == ("a", EdgeWeight.ATT, instance.id)


@pytest.mark.parametrize(
    "bad",
    [np.zeros((0, 2)), np.zeros(4), np.zeros((2, 3)), [[np.nan, 0]], [[0, np.inf]], [[1e16, 0]]],
    ids=["none", "flat", "3-d", "nan", "inf", "large"],
)
def test_arrays_that_are_no_cities_are_refused(bad: np.ndarray) -> None:
    """Shapes other than (n, 2), numbers that are not finite and those too large raise ValueError."""
    with pytest.raises(ValueError, match="coordinates must"):
        TspInstance("a", bad)


@given(instance=instances(max_size=8))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_distances_agree_with_plain_python(instance: TspInstance) -> None:
    """The vectorised distances are those of a second implementation, pair by pair; the diagonal is 0."""
    points = instance.coordinates.tolist()
    expected = [
        [0 if i == j else distance(instance.metric, a, b) for j, b in enumerate(points)] for i, a in enumerate(points)
    ]
    matrix = instance.distance_matrix()
    assert matrix.dtype == np.int64
    assert matrix.tolist() == expected


def test_rounding_of_each_metric() -> None:
    """By hand: halves round up in EUC_2D, CEIL_2D and ATT round up, GEO never goes below 1."""
    half = np.array([[0, 0], [0.5, 0]])
    assert TspInstance("a", half, EdgeWeight.EUC_2D).distances([0], [1]).tolist() == [1]
    assert TspInstance("a", half / 2, EdgeWeight.EUC_2D).distances([0], [1]).tolist() == [0]
    assert TspInstance("a", half / 2, EdgeWeight.CEIL_2D).distances([0], [1]).tolist() == [1]
    assert TspInstance("a", SQUARE * 10, EdgeWeight.ATT).distances([0], [2]).tolist() == [16]  # 15.81
    assert TspInstance("a", half * 0, EdgeWeight.GEO).distances([0], [1]).tolist() == [1]


@pytest.mark.parametrize(
    ("coordinates", "tour", "optimum"),
    [
        (BURMA14, [1, 2, 14, 3, 4, 5, 6, 12, 7, 13, 8, 11, 9, 10], 3323),
        (ULYSSES16, [1, 14, 13, 12, 7, 6, 15, 5, 11, 9, 10, 16, 3, 2, 4, 8], 6859),
    ],
    ids=["burma14", "ulysses16"],
)
def test_published_optima_of_geo_instances(coordinates: str, tour: list[int], optimum: int) -> None:
    """Optimal tours of two TSPLIB instances have the published lengths."""
    points = np.array(coordinates.split(), dtype=np.float64).reshape(-1, 2)
    instance = TspInstance("a", points, EdgeWeight.GEO)
    assert instance.tour_length(np.array(tour) - 1) == optimum


@pytest.mark.parametrize("metric", EdgeWeight)
def test_lkh_counts_the_same_length(metric: EdgeWeight, tmp_path: Path) -> None:
    """LKH reads our file, and the length it claims for its tour is the one we compute."""
    pytest.importorskip("LKHpy")
    points = np.round(np.random.default_rng(5).uniform(-80, 80, size=(60, 2)), 2)
    points[7] = points[8]
    points *= 1 if metric is EdgeWeight.GEO else 1000
    instance, problem = TspInstance("lkh", points, metric), Tsp()
    problem.write(instance, tmp_path / "a.tsp")
    parameters = {"PROBLEM_FILE": "a.tsp", "OUTPUT_TOUR_FILE": "a.tour", "RUNS": 1, "MAX_TRIALS": 20, "SEED": 1}
    text = "".join(f"{key} = {value}\n" for key, value in parameters.items())
    (tmp_path / "a.par").write_text(text)
    program = "import LKHpy; LKHpy.par_file('a.par')"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=60)
    tour = problem.read_solution(instance, tmp_path / "a.tour")
    claimed = (tmp_path / "a.tour").read_text().split("Length = ")[1].split()[0]
    assert problem.check(instance, tour) == int(claimed)
