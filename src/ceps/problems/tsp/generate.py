"""TSP instances from generators, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ceps import seeds
from ceps.errors import UserError, did_you_mean
from ceps.problems.parameters import settled
from ceps.problems.tsp.generators import ALIASES, GENERATORS
from ceps.problems.tsp.instance import EdgeWeight, TspInstance

_NAMES = {name.lower(): name for name in [*GENERATORS, *ALIASES]}
"""As they are written, by their lower case."""


def generate(generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None) -> TspInstance:
    """The instance that a generator makes of a number of cities and a seed.

    Parameters
    ----------
    generator
        One of the ten, or an alias; upper and lower case are the same.
    size
        The number of cities.
    seed
        Any whole number; equal ones give equal instances.
    parameters
        Values of the generator's parameters; those left out have their defaults.
    """
    if size < 1:
        raise UserError(f"The size of a TSP instance is its number of cities: at least 1, not {size}.")
    called = _name(generator)
    name = ALIASES.get(called, called)
    given = parameters or {}
    values = settled(called, GENERATORS[name].parameters, given, seeds.generator(seed, "tsp parameters", name))
    told = "".join(f"-{key}={value:.12g}" for key, value in values.items() if key in given)
    coordinates = GENERATORS[name].make(size, seed, **values)
    return TspInstance(f"{called}{told}-{size}-{seed}", coordinates, EdgeWeight.EUC_2D)


def _name(generator: str) -> str:
    if generator.lower() in _NAMES:
        return _NAMES[generator.lower()]
    suggestion = did_you_mean(generator, _NAMES.values())
    known = f" Known: {', '.join(sorted(_NAMES.values()))}."
    # Without a suggestion, the list is what did_you_mean gives.
    raise UserError(f"There is no TSP generator '{generator}'.{suggestion}{known if suggestion != known else ''}")
