"""A day as a picture: the map with the routes, a legend, every customer's window; and the sketch of one."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ceps.problems.sketch import Sketch
from ceps.problems.vrpspdtw.instance import Floats, VrpspdtwInstance
from ceps.problems.vrpspdtw.schedule import Day, days
from ceps.records import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Colour = tuple[float, float, float]

_WIDTHS = (11.0, 7.0)
"""Inches of the map and of the windows."""
_LEGEND_COLUMNS, _LEGEND_LINE = 4, 0.18
_LEGEND_MOST = 90
"""Routes in the legend; where there are more, it would be larger than the map."""
_LABELLED_CUSTOMERS = 110
"""With more customers than this, the lines of the windows are too narrow for their ids."""
_LABEL_HEIGHT = 0.13
"""Inches of a route's number beside the windows."""
_UNSERVED = "#2a6f97"
"""The colour of customers that are on no route."""


def draw(instance: VrpspdtwInstance, solution: Solution | None, figure: Figure) -> None:
    """Routes in colours, numbered as in the solution; without one, the customers and their windows."""
    if solution is None:
        _draw_unserved(instance, figure)
    else:
        _draw_routes(instance, days(instance, solution), figure)


def _draw_unserved(instance: VrpspdtwInstance, figure: Figure) -> None:
    figure.set_size_inches(sum(_WIDTHS), max(_map_height(instance), _windows_height(instance)))
    grid = figure.add_gridspec(1, 2, width_ratios=_WIDTHS)
    places = figure.add_subplot(grid[0, 0], aspect="equal")
    x, y = instance.coordinates[1:].T
    places.scatter(x, y, s=_dot_size(instance), color=_UNSERVED, edgecolors="white", linewidths=0.4, zorder=3)
    _draw_depot(places, instance)
    places.set_title(f"Customers: {instance.n}", loc="left", fontsize="medium", color="0.3")
    _quiet(places)
    _draw_open_windows(figure.add_subplot(grid[0, 1]), instance)


def _draw_open_windows(axes: Axes, instance: VrpspdtwInstance) -> None:
    """A line for every customer, in the order in which their windows open."""
    from matplotlib.collections import PolyCollection  # noqa: PLC0415

    nodes = 1 + np.lexsort((instance.due[1:], instance.ready[1:]))
    windows = _boxes(np.arange(instance.n), instance.ready[nodes], instance.due[nodes])
    # With an edge, also a window of no width is seen.
    axes.add_collection(
        PolyCollection(windows, facecolors=_UNSERVED, edgecolors="face", linewidths=0.5, alpha=0.4, zorder=1)
    )
    if instance.n <= _LABELLED_CUSTOMERS:
        opening = np.maximum(instance.ready[nodes], instance.ready[0])
        for row, (node, opens) in enumerate(zip(nodes, opening, strict=True)):
            _label(axes, str(instance.ids[node]), (opens, row), (3.0, 0.0), va="center", fontsize=6)
    axes.set_xlim(float(instance.ready[0]), _last_window(instance))
    axes.set_ylim(instance.n - 0.5, -0.5)
    _quiet(axes)
    axes.set_yticks([])
    axes.set_xlabel("time", color="0.3")
    axes.grid(axis="x", color="0.9", linewidth=0.6, zorder=0)
    axes.set_title("Time windows, by the time they open", loc="left", fontsize="medium", color="0.3")


def _draw_routes(instance: VrpspdtwInstance, plan: Sequence[Day], figure: Figure) -> None:
    colours = [_colour(number) for number in range(len(plan))]
    map_height = _map_height(instance)
    legend = _LEGEND_LINE * (-(-min(len(plan), _LEGEND_MOST) // _LEGEND_COLUMNS) + 3)
    below = max(0.01, _windows_height(instance) - map_height - legend)
    heights = [map_height, legend, below]
    figure.set_size_inches(sum(_WIDTHS), sum(heights))
    grid = figure.add_gridspec(3, 2, width_ratios=_WIDTHS, height_ratios=heights)
    _draw_map(figure.add_subplot(grid[0, 0], aspect="equal"), instance, plan, colours)
    _draw_legend(figure.add_subplot(grid[1, 0]), instance, plan, colours)
    _draw_windows(figure.add_subplot(grid[:, 1]), instance, plan, colours, sum(heights))


def sketch(instance: VrpspdtwInstance, solution: Solution | None) -> Sketch:
    """The depot, the customers and their windows and, if there are any, the routes and when they attend to whom."""
    plan = [] if solution is None else days(instance, solution)
    windows = np.column_stack([instance.ready, instance.due])
    visits = None
    if plan:
        visits = np.zeros_like(windows)
        # The depot is attended to from the first departure until the last vehicle is back.
        visits[0] = min(day.departure for day in plan), max(day.back for day in plan)
        for day in plan:
            visits[day.nodes] = np.column_stack([day.starts, day.ends])
    ways = tuple((0, *day.nodes, 0) for day in plan)
    return Sketch(instance.coordinates, marked=(0,), ways=ways, windows=windows, visits=visits)


def _map_height(instance: VrpspdtwInstance) -> float:
    """Inches."""
    width, height = np.ptp(instance.coordinates, axis=0)
    return _WIDTHS[0] * float(np.clip(height / max(width, 1e-9), 0.45, 0.95))


def _windows_height(instance: VrpspdtwInstance) -> float:
    """Inches, at least."""
    return float(np.clip(0.1 * instance.n, 5.0, 13.0))


def _dot_size(instance: VrpspdtwInstance) -> float:
    return float(np.clip(4000 / instance.n, 9.0, 45.0))


def _last_window(instance: VrpspdtwInstance) -> float:
    """When the last window closes."""
    return min(float(instance.due[0]), float(instance.due[1:].max()))


def _colour(number: int) -> Colour:
    """Neighbours in number are far apart in hue, by the golden ratio; those of a like hue differ in darkness."""
    saturation, value = ((0.80, 0.72), (0.62, 0.88), (0.90, 0.52))[number % 3]
    red, green, blue = colorsys.hsv_to_rgb((0.58 + 0.6180339887 * number) % 1.0, saturation, value)
    # Yellow, say, is hard to see on white.
    darker = min(1.0, 0.5 / (0.21 * red + 0.72 * green + 0.07 * blue))
    return red * darker, green * darker, blue * darker


def _draw_map(axes: Axes, instance: VrpspdtwInstance, plan: Sequence[Day], colours: Sequence[Colour]) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415 - not in processes that runs are forked from

    places = instance.coordinates
    # Pale, for the ways from and to the depot would hide the rest.
    ends = [places[[0, node]] for day in plan for node in (day.nodes[0], day.nodes[-1])]
    twice = [colour for colour in colours for _ in range(2)]
    axes.add_collection(LineCollection(ends, colors=twice, linewidths=0.7, alpha=0.35, zorder=1))
    routes = [places[day.nodes] for day in plan]
    axes.add_collection(LineCollection(routes, colors=list(colours), linewidths=1.4, zorder=2))
    x, y = np.concatenate(routes).T
    axes.scatter(
        x, y, s=_dot_size(instance), color=_of_customers(plan, colours), edgecolors="white", linewidths=0.4, zorder=3
    )
    for number, (day, colour) in enumerate(zip(plan, colours, strict=True), start=1):
        farthest = day.nodes[int(np.argmax(instance.from_depot[day.nodes]))]
        _label(axes, str(number), places[farthest], (0.0, 5.0), color=colour, ha="center", fontsize=7, weight="bold")
    _draw_depot(axes, instance)
    axes.set_title(f"Routes: {len(plan)}, customers: {instance.n}", loc="left", fontsize="medium", color="0.3")
    _quiet(axes)


def _draw_depot(axes: Axes, instance: VrpspdtwInstance) -> None:
    x, y = instance.coordinates[0].tolist()
    axes.scatter(x, y, s=130, marker="s", color="black", edgecolors="white", linewidths=1.0, zorder=5)
    _label(axes, "depot", (x, y), (8.0, -12.0), weight="bold")


def _of_customers(plan: Sequence[Day], colours: Sequence[Colour]) -> list[Colour]:
    """The colours of all customers, in the order of visits."""
    return [colour for day, colour in zip(plan, colours, strict=True) for _ in day.nodes]


def _label(axes: Axes, text: str, place: ArrayLike, offset: tuple[float, float], **style: Any) -> None:
    """A text that stays readable on top of lines; ``offset`` is in points."""
    x, y = np.asarray(place).tolist()
    behind = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.7}
    label = axes.annotate(text, (x, y), xytext=offset, textcoords="offset points", bbox=behind, zorder=6, **style)
    label.set_in_layout(False)  # It lies inside anyway, and asking every one takes its time.


def _draw_legend(axes: Axes, instance: VrpspdtwInstance, plan: Sequence[Day], colours: Sequence[Colour]) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    axes.set_axis_off()
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=4, label=f"{number}: {_load(instance, day)}")
        for number, (day, colour) in enumerate(zip(plan, colours, strict=True), start=1)
    ]
    if len(handles) > _LEGEND_MOST:
        more = len(handles) - _LEGEND_MOST + 1
        handles = [*handles[:-more], Line2D([], [], linestyle="", label=f"and {more} more routes")]
    axes.legend(
        handles=handles,
        title="route: customers, largest load (of capacity)",
        title_fontsize=8.5,
        loc="upper center",
        ncols=_LEGEND_COLUMNS,
        fontsize=8,
        handlelength=1.4,
        labelspacing=0.25,
        frameon=False,
    )


def _load(instance: VrpspdtwInstance, day: Day) -> str:
    return f"{len(day.nodes)}, {day.load:.6g} ({day.load / instance.capacity:.0%})"


def _draw_windows(
    axes: Axes, instance: VrpspdtwInstance, plan: Sequence[Day], colours: Sequence[Colour], height: float
) -> None:
    """A line for every customer, in the order of visits: its window, the wait, the service, and the way on."""
    from matplotlib.collections import LineCollection, PolyCollection  # noqa: PLC0415

    nodes = [node for day in plan for node in day.nodes]
    arrivals, starts, ends = (
        np.concatenate([getattr(day, name) for day in plan]) for name in ("arrivals", "starts", "ends")
    )
    rows, first = np.arange(len(nodes)), np.cumsum([0, *(len(day.nodes) for day in plan)])
    of_customers = _of_customers(plan, colours)
    windows = _boxes(rows, instance.ready[nodes], instance.due[nodes])
    axes.add_collection(PolyCollection(windows, facecolors=of_customers, linewidths=0, alpha=0.22, zorder=1))
    onward = np.setdiff1d(rows[:-1], first[1:] - 1)
    ways = np.stack([ends[onward], rows[onward], arrivals[onward + 1], rows[onward + 1]], axis=1).reshape(-1, 2, 2)
    axes.add_collection(LineCollection(list(ways), colors="0.6", linewidths=0.5, zorder=2))
    axes.hlines(rows, arrivals, starts, colors=of_customers, linewidth=1.0, zorder=2)
    # With an edge, also a service of no time is seen.
    services = _boxes(rows, starts, ends)
    axes.add_collection(PolyCollection(services, facecolors=of_customers, edgecolors="face", linewidths=0.5, zorder=3))
    if instance.n <= _LABELLED_CUSTOMERS:
        for row, start, node in zip(rows, starts, nodes, strict=True):
            _label(axes, str(instance.ids[node]), (start, row), (-3.0, 0.0), ha="right", va="center", fontsize=6)
    for begin, end in zip(first[1::2], first[2::2], strict=False):
        axes.axhspan(begin - 0.5, end - 0.5, color="0.955", linewidth=0, zorder=0)
    axes.set_xlim(float(instance.ready[0]), max([_last_window(instance), *(day.back for day in plan)]))
    axes.set_ylim(len(nodes) - 0.5, -0.5)
    _quiet(axes)
    middles = ((first[:-1] + first[1:] - 1) / 2).tolist()
    chosen = _apart(middles, _LABEL_HEIGHT * len(nodes) / height)
    axes.set_yticks(
        [middles[index] for index in chosen], [str(index + 1) for index in chosen], fontsize=7, weight="bold"
    )
    for label, index in zip(axes.get_yticklabels(), chosen, strict=True):
        label.set_color(colours[index])
    axes.set_ylabel("route, its customers from top to bottom", color="0.3")
    axes.set_xlabel("time", color="0.3")
    axes.grid(axis="x", color="0.9", linewidth=0.6, zorder=0)
    title = "Time windows (pale), driving (thin), waiting (line), service (full)"
    axes.set_title(title, loc="left", fontsize="medium", color="0.3")


def _apart(places: Sequence[float], least: float) -> list[int]:
    """Indices of places, given in order, that are not too near to each other."""
    chosen = [0]
    for index, place in enumerate(places):
        if place - places[chosen[-1]] >= least:
            chosen.append(index)
    return chosen


def _boxes(rows: NDArray[np.int64], left: Floats, right: Floats) -> list[Floats]:
    """The corners of bars, one in each row."""
    x, y = np.stack([left, left, right, right], axis=1), rows[:, None] + np.array([-0.4, 0.4, 0.4, -0.4])
    return list(np.stack([x, y], axis=2))


def _quiet(axes: Axes) -> None:
    """Frames and ticks that do not ask for attention."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelcolor="0.4", color="0.7", labelsize="small")
