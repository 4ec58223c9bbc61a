"""The generators."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ceps.errors import UserError
from ceps.problems.tsp import EdgeWeight, Tsp, generators
from ceps.problems.tsp.generate import generate
from ceps.problems.tsp.generators import (
    ALIASES,
    GENERATORS,
    cluster,
    compression,
    expansion,
    explosion,
    gridmutation,
    implosion,
    linearprojection,
    portgen,
    rotation,
)
from ceps.problems.tsp.instance import Floats

DATA = os.environ.get("CEPS_DATA")


def test_the_ten_of_the_paper() -> None:
    """The generators are those that the paper names, ClusteredNetwork under the name of its package."""
    assert list(Tsp().generators) == [
        *("portgen", "netgen", "explosion", "implosion", "cluster"),
        *("rotation", "linearprojection", "expansion", "compression", "gridmutation"),
    ]


def test_portgen_gives_the_first_cities_of_a_published_file() -> None:
    """The first two cities of portgen's 800-city file with seed 3064950 come out."""
    assert portgen(2, 3064950).tolist() == [[127700, 474271], [863529, 242415]]


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_portgen_reproduces_the_published_files() -> None:
    """Every published portgen file is reproduced to the last city from the seed in its NAME."""
    paths = sorted((Path(str(DATA)) / "tsp").glob("portgen-*.tsp"))
    assert paths
    for path in paths:
        match = re.search(r"NAME : portgen-(\d+)-(\d+)", path.read_text())
        assert match is not None
        assert generate("portgen", int(match[1]), int(match[2])) == Tsp().read(path)


def test_generated_instances_say_where_they_come_from() -> None:
    """The name has generator, size and seed; the metric is EUC_2D; the coordinates are below a million."""
    instance = generate("portgen", 500, 7)
    assert (instance.name, instance.n, instance.metric) == ("portgen-500-7", 500, EdgeWeight.EUC_2D)
    assert instance.coordinates.min() >= 0
    assert instance.coordinates.max() < 10**6
    assert np.array_equal(instance.coordinates, np.rint(instance.coordinates))


@pytest.mark.parametrize("generator", sorted(GENERATORS.keys() - {"portgen"}))
def test_cities_fill_a_square_of_integers(generator: str) -> None:
    """The bounding box starts at the origin, its longer side is a million, and cities are on whole numbers."""
    coordinates = generate(generator, 200, 7).coordinates
    assert (coordinates.min(axis=0).tolist(), coordinates.max()) == ([0.0, 0.0], 1e6)
    assert np.array_equal(coordinates, np.rint(coordinates))


@pytest.mark.parametrize("generator", sorted([*GENERATORS, *ALIASES]))
def test_every_generator_is_a_function_of_its_seed(generator: str) -> None:
    """The same seed gives the same instance, another seed another one."""
    assert generate(generator, 50, 3) == generate(generator, 50, 3)
    assert generate(generator, 50, 3) != generate(generator, 50, 4)


def test_generators_are_unrelated() -> None:
    """Different generators make different instances of the same seed: no two share their uniform points."""
    made = [generate(name, 50, 3).coordinates for name in GENERATORS]
    assert all(not (a[:, None] == b[None]).all(axis=2).any() for a, b in itertools.combinations(made, 2))


@pytest.mark.parametrize("generator", sorted(GENERATORS))
@pytest.mark.parametrize("size", [1, 2, 3, 4, 60])
def test_any_size_and_any_parameters(generator: str, size: int) -> None:
    """Very few cities, and parameters at either end of their ranges, give instances like any other."""
    parameters = GENERATORS[generator].parameters
    for ends in itertools.product(*[(parameter.low, parameter.high) for parameter in parameters.values()]):
        for values in ({}, dict(zip(parameters, ends, strict=True))):
            coordinates = generate(generator, size, 3, values).coordinates
            assert coordinates.shape == (size, 2)
            assert coordinates.min() >= 0
            assert coordinates.max() <= 1e6


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases(alias: str, name: str) -> None:
    """An alias gives the same cities; upper and lower case are the same."""
    assert generate(alias, 20, 5) == generate(name, 20, 5)
    assert generate(alias.lower(), 20, 5).name == generate(alias.upper(), 20, 5).name == f"{alias}-20-5"


@pytest.mark.parametrize("seed", [0, -1, 10**9 - 1, 2**31 - 1])
def test_unusual_seeds_stay_in_range(seed: int) -> None:
    """Seeds that portgen was not made for are taken modulo 10⁹."""
    coordinates = portgen(100, seed)
    assert coordinates.min() >= 0
    assert coordinates.max() < 10**6
    assert np.array_equal(coordinates, portgen(100, seed + 10**9))


# What the parameters do


POINTS = np.random.default_rng(1).random((400, 2))
LINE = (0.2, 1.5)


def moved_by(mutation: Callable[..., Floats], points: Floats = POINTS, **parameters: float) -> NDArray[np.bool_]:
    """Which points a mutation moves."""
    moved: NDArray[np.bool_] = (mutation(points, np.random.default_rng(6), **parameters) != points).any(axis=1)
    return moved


@pytest.mark.parametrize(
    ("mutation", "others"),
    [(explosion, {"rate": 10.0}), (implosion, {}), (expansion, {"rate": 10.0}), (compression, {})],
)
def test_epsilon_is_a_reach(mutation: Callable[..., Floats], others: dict[str, float]) -> None:
    """With an epsilon of 0 no point is moved, and a larger one moves more points, the same ones among them."""
    none, few, many = (moved_by(mutation, epsilon=epsilon, **others) for epsilon in (0.0, 0.1, 0.3))
    assert 0 == none.sum() < few.sum() < many.sum() < len(POINTS)
    assert not (few & ~many).any()


@pytest.mark.parametrize(
    ("mutation", "others"), [(cluster, {"sigma": 0.1}), (rotation, {"angle": 30.0}), (linearprojection, {})]
)
def test_probability_is_the_share_of_points_moved(mutation: Callable[..., Floats], others: dict[str, float]) -> None:
    """From none to all."""
    none, some, all_of_them = (moved_by(mutation, probability=share, **others).mean() for share in (0.0, 0.4, 1.0))
    assert (none, all_of_them) == (0.0, 1.0)
    assert some == pytest.approx(0.4, abs=0.08)


def test_explosions_leave_a_hole() -> None:
    """No point is within epsilon of the centre, and those that were are on its other side."""
    centre = np.random.default_rng(6).random(2)
    after = explosion(POINTS, np.random.default_rng(6), epsilon=0.3, rate=10.0)
    before, after = POINTS - centre, after - centre
    blown = np.hypot(*before.T) < 0.3
    assert np.hypot(*after.T).min() >= 0.3 - 1e-12
    assert ((before * after).sum(axis=1)[blown] < 0.0).all()


def test_implosions_keep_directions() -> None:
    """Points come nearer to the centre, by at most a share of epsilon, on the line they were on."""
    centre = np.random.default_rng(6).random(2)
    before = POINTS - centre
    after = implosion(POINTS, np.random.default_rng(6), epsilon=0.3) - centre
    shares = np.hypot(*after.T) / np.hypot(*before.T)
    assert after == pytest.approx(before * shares[:, None])
    assert (shares.min(), shares.max()) == pytest.approx((0.7, 1.0))


def test_tubes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Around a given line, expansion empties the tube, compression fills its axis, and nobody changes sides."""
    monkeypatch.setattr(generators, "_random_line", lambda rng: LINE)

    def heights(points: Floats) -> Floats:
        found: Floats = (points[:, 1] - LINE[0] - LINE[1] * points[:, 0]) / np.hypot(1.0, LINE[1])
        return found

    before = heights(POINTS)
    expanded = heights(expansion(POINTS, np.random.default_rng(6), epsilon=0.3, rate=10.0))
    compressed = heights(compression(POINTS, np.random.default_rng(6), epsilon=0.3))
    assert np.abs(expanded).min() >= 0.3 - 1e-12
    assert (np.abs(compressed) <= np.abs(before) + 1e-12).all()
    assert (np.abs(compressed) < 1e-12).mean() > 0.1
    assert (expanded * before > 0.0).all()
    projected = linearprojection(POINTS, np.random.default_rng(6), probability=1.0)
    assert heights(projected) == pytest.approx(np.zeros(len(POINTS)), abs=1e-12)
    assert np.array_equal(projected[:, 0], POINTS[:, 0])


def test_rotations_keep_distances() -> None:
    """Turned and shifted together, points stay as far from each other, and a right angle turns right into up."""
    turned = rotation(POINTS, np.random.default_rng(6), probability=1.0, angle=90.0)
    steps, turned_steps = np.diff(POINTS, axis=0), np.diff(turned, axis=0)
    assert turned_steps == pytest.approx(np.column_stack([-steps[:, 1], steps[:, 0]]))


def test_a_single_point_is_not_moved() -> None:
    """A mutation that selects fewer than two points leaves all where they are."""
    one = POINTS[:1]
    assert not moved_by(cluster, one, probability=1.0, sigma=0.1).any()
    assert not moved_by(gridmutation, one, width=1.0, height=1.0).any()
    assert moved_by(cluster, POINTS[:2], probability=1.0, sigma=0.1).all()


def test_clusters_are_counted() -> None:
    """Three narrow clusters hold the cities in equal shares, and no more of them than there are cities are made."""
    from scipy.cluster.hierarchy import fcluster, linkage

    coordinates = generate("netgen", 301, 2, {"clusters": 3}).coordinates
    sizes = np.bincount(fcluster(linkage(coordinates, "average"), 3, "maxclust"))[1:]
    assert sorted(sizes) == [100, 100, 101]
    assert generate("netgen", 3, 2, {"clusters": 300}).n == 3


def test_sigma_is_the_width_of_the_cloud() -> None:
    """With sigma 0 all the selected cities are in one place."""
    _, counts = np.unique(generate("cluster", 400, 6, {"sigma": 0.0}).coordinates, axis=0, return_counts=True)
    assert 120 < counts.max() < 200


def test_a_grid_spans_its_box() -> None:
    """Of the cities in the box, as many as form a square stand in rows and columns as wide and high as the box."""
    coordinates = generate("gridmutation", 800, 6, {"width": 0.5, "height": 0.25}).coordinates
    for axis, side in enumerate([5e5, 2.5e5]):
        places, counts = np.unique(coordinates[:, axis], return_counts=True)
        lines = places[counts > 5]
        assert 8 <= len(lines) <= 11
        assert np.ptp(lines) == pytest.approx(side, rel=0.02)
        assert np.diff(lines) == pytest.approx(np.ptp(lines) / (len(lines) - 1), abs=1.5)


def test_what_is_given_is_part_of_the_name() -> None:
    """Values of parameters stand in the name, in one order, and change nothing but what they say."""
    told = generate("explosion", 50, 3, {"rate": 5, "epsilon": 0.2})
    assert told.name == "explosion-epsilon=0.2-rate=5-50-3"
    assert told == generate("explosion", 50, 3, {"epsilon": 0.2, "rate": 5.0})
    assert told != generate("explosion", 50, 3)
    assert generate("explosion", 50, 3, {"epsilon": 0.3}) == generate("explosion", 50, 3)
    assert generate("explosion", 50, 3, {}).name == "explosion-50-3"


# Mistakes


def test_a_misspelt_generator_gets_a_suggestion_and_the_list() -> None:
    """An unknown generator is refused with the closest name and all of them, each once."""
    with pytest.raises(UserError, match=r"no TSP generator 'portgne'\. Did you mean 'portgen'\? Known: ") as caught:
        generate("portgne", 10, 1)
    assert all(name in str(caught.value) for name in [*GENERATORS, *ALIASES])
    with pytest.raises(UserError, match=r"no TSP generator '\?'\. Known: ") as caught:
        generate("?", 10, 1)
    assert str(caught.value).count("gridmutation") == 1


@pytest.mark.parametrize(
    ("generator", "values", "message"),
    [
        (
            "explosion",
            {"eps": 0.2},
            "explosion has no parameter 'eps'. It has: epsilon (default 0.3; from 0 to 1), rate",
        ),
        (
            "cluster",
            {"sigma": 2.0},
            "cluster cannot have sigma = 2.0. It has: probability (default 0.4; from 0 to 1), s",
        ),
        ("netgen", {"clusters": 2.5}, "clusters (default drawn from 4 to 8; a whole number from 1 to 500)"),
        ("ClusteredNetwork", {"clusters": float("nan")}, "ClusteredNetwork cannot have clusters = nan."),
        ("uniform", {"epsilon": 0.2}, "uniform has no parameter 'epsilon'. It has none."),
    ],
)
def test_parameters_that_are_none(generator: str, values: dict[str, float], message: str) -> None:
    """Unknown parameters and impossible values are refused with the possible ones."""
    with pytest.raises(UserError, match=re.escape(message)):
        generate(generator, 10, 1, values)


@pytest.mark.parametrize("size", [0, -3])
def test_an_instance_has_at_least_one_city(size: int) -> None:
    """Sizes below one are refused by value."""
    with pytest.raises(UserError, match=f"at least 1, not {size}"):
        generate("portgen", size, 1)
