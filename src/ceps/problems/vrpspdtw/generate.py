"""VRPSPDTW instances from generators, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ceps import seeds
from ceps.errors import UserError, did_you_mean
from ceps.problems.parameters import Parameter, settled
from ceps.problems.vrpspdtw.city import day
from ceps.problems.vrpspdtw.instance import VrpspdtwInstance
from ceps.problems.vrpspdtw.solomon import benchmark


@dataclass(frozen=True)
class Generator:
    """How a generator makes an instance of a name, a number of customers, a seed and its parameters."""

    make: Callable[..., VrpspdtwInstance]
    parameters: Mapping[str, Parameter]


GENERATORS: Mapping[str, Generator] = {
    "city": Generator(
        day,
        {
            "city_seed": Parameter(1.0, 0, 2**31 - 1, whole=True),
            "city_customers": Parameter(3000.0, 1, 10_000, whole=True),
        },
    ),
    "solomon": Generator(
        benchmark,
        {
            "geometry": Parameter((0.0, 2.0), 0, 2, whole=True),
            "horizon": Parameter((1.0, 2.0), 1, 2, whole=True),
            "windows": Parameter((0.25, 2.5), 0, 2.5),
            "width": Parameter((0.04, 0.3), 0.01, 1),
        },
    ),
}


def generate(generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None) -> VrpspdtwInstance:
    """The instance that a generator makes of a number of customers and a seed.

    Parameters
    ----------
    generator
        ``"city"``: a day in the synthetic city of ``city_seed``, which has ``city_customers``. ``"solomon"``: in the
        style of the classic benchmarks, of a ``geometry`` (0 scattered, 1 clustered, 2 mixed), a ``horizon`` (1 short,
        2 long), a share of customers with ``windows`` (from 1 on, all; two of three instances by default) and their
        mean ``width`` as a share of the horizon.
    size
        The number of customers.
    seed
        Any whole number; equal ones give equal instances.
    parameters
        Values of the generator's parameters; those left out have their defaults.
    """
    if generator not in GENERATORS:
        raise UserError(f"There is no VRPSPDTW generator '{generator}'.{did_you_mean(generator, GENERATORS)}")
    if size < 1:
        raise UserError(f"The size of a VRPSPDTW instance is its number of customers: at least 1, not {size}.")
    given = parameters or {}
    chosen = GENERATORS[generator]
    values = settled(generator, chosen.parameters, given, seeds.generator(seed, "vrpspdtw parameters", generator))
    told = "".join(f"-{key}={value:.12g}" for key, value in values.items() if key in given)
    return chosen.make(f"{generator}{told}-{size}-{seed}", size, seed, **values)
