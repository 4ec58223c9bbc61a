"""Generators of TSP instances, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from ceps.errors import UserError, did_you_mean
from ceps.problems.tsp.instance import EdgeWeight, Floats, TspInstance

Generator = Callable[[int, int], Floats]
"""From a number of cities and a seed to (n, 2) coordinates."""

_MODULUS = 10**9
_DISCARDED = 165
"""Draws that portgen makes and does not use."""


def portgen(size: int, seed: int) -> Floats:
    """Uniform integers in [0, 10⁶)²: the DIMACS challenge's portgen, bit for bit. Seeds count modulo 10⁹."""
    draws = islice(_subtractive_draws(seed), _DISCARDED, _DISCARDED + 2 * size)
    return np.fromiter((draw // 1000 for draw in draws), dtype=np.float64, count=2 * size).reshape(size, 2)


GENERATORS: dict[str, Generator] = {"portgen": portgen, "uniform": portgen}


def generate(generator: str, size: int, seed: int) -> TspInstance:
    """The instance that a generator makes of a number of cities and a seed."""
    if generator not in GENERATORS:
        raise UserError(f"There is no TSP generator '{generator}'.{did_you_mean(generator, GENERATORS)}")
    if size < 1:
        raise UserError(f"The size of a TSP instance is its number of cities: at least 1, not {size}.")
    return TspInstance(f"{generator}-{size}-{seed}", GENERATORS[generator](size, seed), EdgeWeight.EUC_2D)


def _subtractive_draws(seed: int) -> Iterator[int]:
    """Knuth's subtractive random numbers below 10⁹."""
    state = [0] * 55
    state[0] = last = seed % _MODULUS
    following = 1
    for i in range(1, 55):
        k = 21 * i % 55
        state[k] = following
        following = (last - following) % _MODULUS
        last = state[k]
    a, b = 0, 24
    while True:
        a, b = (a - 1) % 55, (b - 1) % 55
        state[a] = (state[a] - state[b]) % _MODULUS
        yield state[a]
