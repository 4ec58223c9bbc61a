"""Features of TSP instances."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.problems.tsp import EdgeWeight, Tsp, TspInstance
from ceps.problems.tsp.features import LARGEST_SAMPLE, features
from ceps.problems.tsp.generate import generate
from ceps.problems.tsp.generators import GENERATORS
from tests.problems.tsp.strategies import instances

NAMES = list(features(TspInstance("any", np.array([[0.0, 0.0]]))))


def of(points: list[list[float]]) -> dict[str, float]:
    return features(TspInstance("a", np.array(points, dtype=float)))


@given(instance=instances(max_size=30))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_every_instance_has_the_same_thirty_finite_numbers(instance: TspInstance) -> None:
    """One city, duplicates, lines and all metrics included; the same again each time."""
    found = Tsp().features(instance)
    assert list(found) == NAMES
    assert len(NAMES) == 30
    assert all(isinstance(value, float) and math.isfinite(value) for value in found.values())
    assert found == features(instance)


@given(
    instance=instances(max_size=30, kinds=("small grid", "integers")),
    factor=st.sampled_from([0.5, 3.0, 1000.0, 1 / 7]),
    shift=st.tuples(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6)),
)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_place_and_scale_do_not_matter(instance: TspInstance, factor: float, shift: tuple[int, int]) -> None:
    """A shifted, enlarged or shrunk instance has the same features, whatever ties it has."""
    moved = TspInstance("moved", (instance.coordinates + shift) * factor, EdgeWeight.CEIL_2D)
    assert features(moved) == pytest.approx(features(instance), rel=1e-6, abs=1e-9)


def test_large_instances_move_too() -> None:
    """The sample that stands for a large instance does not depend on its place and scale."""
    instance = generate("explosion", LARGEST_SAMPLE + 500, 1)
    moved = TspInstance("moved", 3.0 * instance.coordinates + 17.0)
    assert features(moved) == pytest.approx(features(instance), rel=1e-6)


def test_a_rectangle_by_hand() -> None:
    """The features of the four corners of a rectangle and its centre, 4 by 2, scaled to 1 by ½."""
    found = of([[0, 0], [4, 0], [4, 2], [0, 2], [2, 1]])
    share = math.sqrt(0.5 / 5)
    expected = {
        "cities": 5.0,
        "box_aspect": 0.5,
        "hull_area": 1.0,
        "hull_vertices": 4 / 5,
        "border": 4 / 5,
        "centroid_mean": 4 / 5 * math.sqrt(5) / 4,
        "centroid_cv": 0.5,
        # Corners have a corner at ½, the centre has corners at √5/4.
        "nearest_mean": (4 * 0.5 + math.sqrt(5) / 4) / 5 / share,
        # A tree: the centre, a corner on each side of it, and from there the corners above them.
        "tree_edge_mean": (2 * 0.5 + 2 * math.sqrt(5) / 4) / 4 / share,
        "tree_edge_max": (math.sqrt(5) / 4) / ((2 * 0.5 + 2 * math.sqrt(5) / 4) / 4),
        "tree_depth_mean": (0 + 1 + 1 + 2 + 2) / 5,
        "tree_depth_max": 2.0,
        "tree_leaves": 2 / 5,
        "tree_degree_squared": (1 + 4 + 4 + 4 + 1) / 5,
        "strong_5": 1 / 5,
        "weak_5": 1 / 5,
        "strong_per_weak_5": 1.0,
        "below_mean": 6 / 10,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-6)


def test_one_place() -> None:
    """A single city has its part of everything that has parts, and no lengths."""
    found = of([[3, 4]])
    assert {name for name, value in found.items() if value != 0.0} == {
        *("cities", "hull_vertices", "border", "strong_3", "weak_3", "largest_strong_3"),
        *("strong_5", "weak_5", "strong_per_weak_5"),
    }


def test_cities_on_a_line() -> None:
    """Evenly spaced cities on a line have unit gaps, a path for a tree, and no area."""
    found = of([[10.0 * place, 7.0] for place in range(101)])
    assert found["nearest_mean"] == pytest.approx(1.0, rel=0.02)
    assert found["nearest_cv"] == pytest.approx(0.0, abs=1e-5)
    assert (found["nearest_skew"], found["tree_edge_skew"]) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (found["hull_area"], found["box_aspect"], found["tree_depth_max"]) == (0.0, 0.0, 50.0)
    assert found["tree_leaves"] == 2 / 101


@pytest.mark.parametrize("generator", ["portgen", "netgen", "gridmutation"])
def test_graphs_agree_with_other_implementations(generator: str) -> None:
    """Tree, components and clusters are those that SciPy and scikit-learn find from the matrix of distances."""
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform
    from sklearn.cluster import DBSCAN

    instance = generate(generator, 150, 2)
    found = features(instance)
    distances = squareform(pdist(instance.coordinates))
    assert found["tree_length"] == pytest.approx(minimum_spanning_tree(distances).sum() / (distances.sum() / 2))
    nearest = np.argsort(distances, axis=1)[:, 1:]
    for count in (3, 5):
        graph = np.zeros_like(distances)
        np.put_along_axis(graph, nearest[:, :count], 1.0, axis=1)
        for kind in ("strong", "weak"):
            components, labels = connected_components(graph, connection=kind)
            assert found[f"{kind}_{count}"] == components / 150
            if (kind, count) == ("strong", 3):
                assert found["largest_strong_3"] == np.bincount(labels).max() / 150
    radius = np.quantile(pdist(instance.coordinates), 0.05)
    labels = DBSCAN(eps=radius, min_samples=5, metric="precomputed").fit(distances).labels_
    assert found["dbscan_clusters"] == (labels.max() + 1) / 150


def test_a_sample_stands_for_many_cities() -> None:
    """Features without a size are about the same for 2,000 uniform cities and for 20,000."""
    few, many = (features(generate("uniform", size, 1)) for size in (LARGEST_SAMPLE, 10 * LARGEST_SAMPLE))
    same = ["nearest_mean", "nearest_cv", "angle_mean", "tree_edge_mean", "tree_leaves", "below_mean", "centroid_mean"]
    assert [many[name] for name in same] == pytest.approx([few[name] for name in same], rel=0.05)
    assert many["cities"] == 20_000


def test_features_tell_the_generators_apart() -> None:
    """A forest grown on eight instances of each generator names that of most new ones; a guess, of a tenth."""
    from sklearn.ensemble import ExtraTreesClassifier

    def table(chosen: range) -> list[list[float]]:
        return [list(features(generate(name, 200, seed)).values()) for name in GENERATORS for seed in chosen]

    classifier = ExtraTreesClassifier(50, random_state=1)
    classifier.fit(table(range(1, 9)), np.repeat(list(GENERATORS), 8))
    assert classifier.score(table(range(11, 15)), np.repeat(list(GENERATORS), 4)) > 0.6


def test_scipy_is_imported_when_needed() -> None:
    """Processes that know problems and fork runs stay small: scipy is not part of them."""
    program = "import sys, ceps.problems; print('scipy' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )
