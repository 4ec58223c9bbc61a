"""An instance, and a solution of it, as what a page needs to draw them: places, ways and times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sketch:
    """Places in the plane, x to the right and y upwards; everything else names them by their index."""

    places: Floats
    """One row per place."""
    marked: tuple[int, ...] = ()
    """Places of their own kind, such as depots."""
    ways: tuple[tuple[int, ...], ...] = ()
    """The solution, if there is one: every way from its first place to its last (a closed one ends where it began)."""
    windows: Floats | None = None
    """When each place is open, from and until; None where time does not matter."""
    visits: Floats | None = None
    """By the solution, when each place is attended to, from and until; None where there is none, or time does not
    matter."""
