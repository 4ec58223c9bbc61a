"""Cities and a tour as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ceps.problems.tsp.instance import EdgeWeight, TspInstance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOUR, CITIES = "#2a6f97", "#d1495b"


def draw(instance: TspInstance, tour: Sequence[int] | None, figure: Figure) -> None:
    """Cities and the tour through them, given by node ids, if there is one."""
    figure.set_size_inches(9.0, 9.0)
    axes = figure.add_subplot(aspect="equal")
    # On the globe, the first coordinate is the latitude.
    x, y = instance.coordinates.T[::-1] if instance.metric is EdgeWeight.GEO else instance.coordinates.T
    if tour is not None:
        way = np.array([*tour, tour[0]]) - 1
        axes.plot(x[way], y[way], color=TOUR, linewidth=1.2, solid_joinstyle="round", zorder=1)
    axes.scatter(x, y, s=float(np.clip(6000 / instance.n, 1.0, 30.0)), color=CITIES, linewidths=0, zorder=2)
    axes.set_title(f"Cities: {instance.n}", fontsize="medium", color="0.3")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors="0.4", labelsize="small")
    axes.ticklabel_format(style="plain", useOffset=False)
