"""The generators."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from ceps.errors import UserError
from ceps.problems.tsp import EdgeWeight, Tsp
from ceps.problems.tsp.generate import GENERATORS, generate, portgen

DATA = os.environ.get("CEPS_DATA")


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


@pytest.mark.parametrize("generator", sorted(GENERATORS))
def test_every_generator_is_a_function_of_its_seed(generator: str) -> None:
    """The same seed gives the same instance, another seed another one; one city is enough."""
    assert generate(generator, 50, 3) == generate(generator, 50, 3)
    assert generate(generator, 50, 3) != generate(generator, 50, 4)
    assert generate(generator, 1, 3).n == 1


def test_uniform_is_portgen() -> None:
    """The alias gives the same cities."""
    assert generate("uniform", 20, 5) == generate("portgen", 20, 5)


@pytest.mark.parametrize("seed", [0, -1, 10**9 - 1, 2**31 - 1])
def test_unusual_seeds_stay_in_range(seed: int) -> None:
    """Seeds that portgen was not made for are taken modulo 10⁹."""
    coordinates = portgen(100, seed)
    assert coordinates.min() >= 0
    assert coordinates.max() < 10**6
    assert np.array_equal(coordinates, portgen(100, seed + 10**9))


def test_a_misspelt_generator_gets_a_suggestion() -> None:
    """An unknown generator is refused with the closest name."""
    with pytest.raises(UserError, match=r"no TSP generator 'portgne'\. Did you mean 'portgen'"):
        generate("portgne", 10, 1)


@pytest.mark.parametrize("size", [0, -3])
def test_an_instance_has_at_least_one_city(size: int) -> None:
    """Sizes below one are refused by value."""
    with pytest.raises(UserError, match=f"at least 1, not {size}"):
        generate("portgen", size, 1)
