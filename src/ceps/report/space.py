"""The map of the instance space: features of instances, brought down to two axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ceps.problems.sketch import Floats

FEWEST = 3
"""Instances that make a map: two are always on a line."""
_NAMED = 2
"""Features that an axis is named by."""


@dataclass(frozen=True, slots=True)
class Map:
    places: Floats
    """One row per instance."""
    axes: tuple[str, str]


def draw_map(features: Sequence[Mapping[str, float]]) -> Map | None:
    """The first two principal components of standardised features; None where there is nothing to be told apart.

    The sign of a component is chosen so that its largest weight is positive.
    """
    if len(features) < FEWEST:
        return None
    names = [name for name in features[0] if all(name in each for each in features)]
    table = np.array([[each[name] for name in names] for each in features], dtype=float)
    table = np.nan_to_num(table, posinf=0.0, neginf=0.0)
    # Numbers that are the same but for rounding would be blown up to noise.
    varied = np.ptp(table, axis=0) > 1e-9 * np.abs(table).max(axis=0, initial=0.0)
    if not varied.any():
        return None
    names, table = [name for name, kept in zip(names, varied, strict=True) if kept], table[:, varied]
    standardised = (table - table.mean(axis=0)) / table.std(axis=0)
    _, sizes, weights = np.linalg.svd(standardised, full_matrices=False)
    signs = np.sign(weights[np.arange(len(weights)), np.abs(weights).argmax(axis=1)])
    weights *= signs[:, None]
    shares = sizes**2 / (sizes**2).sum()
    places = np.zeros((len(features), 2))
    axes = ["", "PC2 (0 % of the variance)"]
    for number in range(min(2, len(sizes))):
        places[:, number] = standardised @ weights[number]
        heaviest = np.argsort(-np.abs(weights[number]), kind="stable")[:_NAMED]
        said = ", ".join(f"{'' if weights[number, index] > 0.0 else '-'}{names[index]}" for index in heaviest)
        axes[number] = f"PC{number + 1} ({shares[number]:.0%} of the variance): {said}".replace("%", " %", 1)
    return Map(places, (axes[0], axes[1]))
