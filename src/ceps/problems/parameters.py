"""Numbers that generators may be told: their defaults and ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ceps.errors import UserError
from ceps.tables import as_float, brief


@dataclass(frozen=True, slots=True)
class Parameter:
    """One of them.

    Parameters
    ----------
    default
        Its value when nobody says otherwise; a pair is a range from which every instance draws its own.
    low, high
        The smallest and the largest value it may have.
    whole
        Whether it is a whole number.
    """

    default: float | tuple[float, float]
    low: float
    high: float
    whole: bool = False

    def __str__(self) -> str:
        kind = "a whole number from" if self.whole else "from"
        if isinstance(self.default, tuple):
            default = f"drawn from {self.default[0]:g} to {self.default[1]:g}"
        else:
            default = f"{self.default:g}"
        return f"default {default}; {kind} {self.low:g} to {self.high:g}"

    def fits(self, value: object) -> bool:
        """Whether it may have this value."""
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        number = as_float(value)
        return self.low <= number <= self.high and not (self.whole and number % 1.0)

    def draw(self, rng: np.random.Generator) -> float:
        """Its value when nobody says otherwise."""
        if not isinstance(self.default, tuple):
            return self.default
        low, high = self.default
        return float(rng.integers(int(low), int(high) + 1)) if self.whole else float(rng.uniform(low, high))


def settled(
    owner: str, parameters: Mapping[str, Parameter], given: Mapping[str, float], rng: np.random.Generator
) -> dict[str, float]:
    """The values of all parameters of a generator, called ``owner`` in messages."""
    for key, value in given.items():
        if key not in parameters:
            raise UserError(f"{owner} has no parameter {brief(key)}. {_listed(parameters)}")
        if not parameters[key].fits(value):
            raise UserError(f"{owner} cannot have {key} = {brief(value)}. {_listed(parameters)}")
    # All are drawn, also those that are given: what is given changes no other.
    drawn = {name: parameter.draw(rng) for name, parameter in parameters.items()}
    return {name: float(given.get(name, value)) for name, value in drawn.items()}


def _listed(parameters: Mapping[str, Parameter]) -> str:
    if not parameters:
        return "It has none."
    return "It has: " + ", ".join(f"{name} ({parameter})" for name, parameter in parameters.items()) + "."
