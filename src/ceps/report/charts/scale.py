"""From values to places on the paper, with ticks at round numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

SMALLEST = 1e-6
"""Smaller values are not told apart on a logarithmic axis: a run may take no measurable time."""
_MOST_TICKS = 6
_FEWEST_TICKS = 4
_DIGITS = ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7))
"""What ticks of a logarithmic axis begin with; the second where there are too few of the first."""
_DECADES_WITH_STEPS = 2
"""Over more decades than these, only powers of ten are ticks."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis stands for."""

    label: str
    log: bool = False
    percent: bool = False
    from_zero: bool = False


@dataclass(frozen=True, slots=True)
class Scale:
    """The values from ``low`` to ``high`` between two places on the paper. Made by :func:`fitted`."""

    axis: Axis
    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        """Where a value stands. What is beyond the ends stands at the end."""
        if self.axis.log:
            share = log10(max(value, self.low) / self.low) / log10(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.begin + min(max(share, 0.0), 1.0) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Round values from the lowest to the highest."""
        if not self.axis.log:
            step = _round_above((self.high - self.low) / _MOST_TICKS)
            first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
            return [float(f"{index * step:.12g}") for index in range(first, last + 1)]
        decades = range(floor(log10(self.low) + 1e-9), floor(log10(self.high) + 1e-9) + 1)
        if len(decades) > _DECADES_WITH_STEPS + 1:
            every = ceil(len(decades) / (_MOST_TICKS + 1))
            return self._inside([10.0**decade for decade in decades if decade % every == 0])
        ticks: list[float] = []
        for digits in _DIGITS:
            ticks = self._inside([float(f"{digit * 10.0**decade:.12g}") for decade in decades for digit in digits])
            if len(ticks) >= _FEWEST_TICKS:
                break
        return ticks

    def _inside(self, ticks: Iterable[float]) -> list[float]:
        return [tick for tick in ticks if self.low * (1 - 1e-9) <= tick <= self.high * (1 + 1e-9)]

    def text(self, tick: float) -> str:
        """A tick in words."""
        if self.axis.percent:
            return f"{100.0 * tick:.6g} %"
        plain = tick == 0.0 or 1e-4 <= abs(tick) < 1e6
        return f"{tick:,.10g}" if plain else f"{tick:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def fitted(axis: Axis, values: Iterable[float], begin: float, end: float) -> Scale:
    """The scale from and to round numbers that holds all values. Those that are not finite have no place on it."""
    finite = [float(value) for value in values if isfinite(value)]
    if axis.log:
        positive = [max(value, SMALLEST) for value in finite] or [1.0]
        low = _round_below(min(positive))
        high = _round_above(max(positive))
        return Scale(axis, low, high if high > low * 1.001 else 10.0 * low, begin, end)
    lowest, highest = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if axis.from_zero:
        lowest, highest = min(lowest, 0.0), max(highest, 0.0)
    if highest - lowest <= 1e-9 * max(abs(lowest), abs(highest)):
        room = 0.1 * abs(lowest) or 1.0
        lowest, highest = lowest - (0.0 if axis.from_zero else room), highest + room
    step = _round_above((highest - lowest) / _MOST_TICKS)
    return Scale(axis, floor(lowest / step + 1e-9) * step, ceil(highest / step - 1e-9) * step, begin, end)


def _round_above(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20 … that is at least this."""
    power = 10.0 ** floor(log10(least))
    return next(digit * power for digit in (1.0, 2.0, 5.0, 10.0) if digit * power >= least * (1.0 - 1e-9))


def _round_below(value: float) -> float:
    """The largest of 1, 2, 5, 10, 20 … that is not above this."""
    power = 10.0 ** floor(log10(value) + 1e-12)
    return next(digit * power for digit in (5.0, 2.0, 1.0) if digit * power <= value * (1.0 + 1e-9))
