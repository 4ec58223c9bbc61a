"""Cities and a tour as a picture, and as the sketch of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ceps.problems.sketch import Sketch
from ceps.problems.tsp.instance import EdgeWeight, Floats, TspInstance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOUR, CITIES = "#2a6f97", "#d1495b"


def draw(instance: TspInstance, tour: Sequence[int] | None, figure: Figure) -> None:
    """Cities and the tour through them, given by node ids, if there is one."""
    figure.set_size_inches(9.0, 9.0)
    axes = figure.add_subplot(aspect="equal")
    x, y = _places(instance).T
    if tour is not None:
        way = np.array([*tour, tour[0]]) - 1
        axes.plot(x[way], y[way], color=TOUR, linewidth=1.2, solid_joinstyle="round", zorder=1)
    axes.scatter(x, y, s=float(np.clip(6000 / instance.n, 1.0, 30.0)), color=CITIES, linewidths=0, zorder=2)
    axes.set_title(f"Cities: {instance.n}", fontsize="medium", color="0.3")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors="0.4", labelsize="small")
    axes.ticklabel_format(style="plain", useOffset=False)


def sketch(instance: TspInstance, tour: Sequence[int] | None) -> Sketch:
    """Cities and, if it is known, the tour through them, given by node ids."""
    ways = () if tour is None else (tuple(city - 1 for city in (*tour, tour[0])),)
    return Sketch(places=_places(instance), ways=ways)


def _places(instance: TspInstance) -> Floats:
    # On the globe, the first coordinate is the latitude.
    return instance.coordinates[:, ::-1] if instance.metric is EdgeWeight.GEO else instance.coordinates
