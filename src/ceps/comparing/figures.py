"""The results as pictures."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ceps.comparing.measured import TEST
from ceps.comparing.results import Results, by_portfolio, largest_families
from ceps.pictures import ENDINGS, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {"par10": "PAR-10 (CPU s)", "panc": "PANC"}


def draw_all(results: Results, folder: Path) -> None:
    """All figures, each in every format."""
    pictures = {"boxplot": draw_boxplots, "training": draw_training_against_test, "families": draw_families}
    if by_portfolio(results.components):
        pictures["contributions"] = draw_contributions
    for name, draw in pictures.items():
        save_picture(partial(draw, results), *(folder / f"{name}{ending}" for ending in ENDINGS))


def draw_boxplots(results: Results, figure: Figure) -> None:
    """Scores on test instances by method, a picture for every split, with means (as in the paper's boxplots)."""
    measured = results.measured
    figure.set_size_inches(0.6 + max(4.0, 0.5 * len(measured.methods)) * len(results.splits), 4.5)
    axes = figure.subplots(1, len(results.splits), sharey=True, squeeze=False)[0]
    for split, panel in zip(results.splits, axes, strict=True):
        scores = [
            [row.score for row in measured.rows if (row.split, row.method, row.part) == (split, method, TEST)]
            for method in measured.methods
        ]
        panel.boxplot(
            scores,
            showmeans=True,
            meanprops={"marker": "D", "markersize": 5, "markerfacecolor": "tab:red", "markeredgecolor": "tab:red"},
            medianprops={"color": "tab:blue"},
            flierprops={"marker": ".", "markersize": 4},
        )
        panel.set_xticks(range(1, len(scores) + 1), measured.methods, rotation=60, ha="right")
        panel.set_title(f"split {split}")
        _score_axis(panel, results)
    axes[0].set_ylabel(_NAMES[measured.metric])


def draw_training_against_test(results: Results, figure: Figure) -> None:
    """Every method on every split: above the diagonal, it does worse on the test than where it was trained."""
    figure.set_size_inches(6.0, 5.0)
    panel = figure.subplots()
    markers = "osD^v<>pP*Xhd"
    for index, method in enumerate(results.measured.methods):
        cells = [results.table[split, method] for split in results.splits]
        panel.plot(
            [cell.training_score for cell in cells],
            [cell.score for cell in cells],
            markers[index % len(markers)],
            label=method,
        )
    scores = [score for cell in results.table.values() for score in (cell.training_score, cell.score)]
    panel.axline((min(scores), min(scores)), slope=1.0, color="0.6", linewidth=1.0, zorder=0)
    if results.measured.metric == "par10":
        panel.set_xscale("log")
        panel.tick_params(axis="x", which="both", labelrotation=45)
    _score_axis(panel, results)
    name = _NAMES[results.measured.metric]
    panel.set_xlabel(f"{name} on training instances")
    panel.set_ylabel(f"{name} on test instances")
    figure.legend(loc="outside right upper", fontsize="small")


def draw_families(results: Results, figure: Figure) -> None:
    """Mean scores by family of instances, relative to the best method on each."""
    shown = largest_families(results.families)
    families = list(shown.counts)
    methods = results.measured.methods
    ratio_of = {(cell.family, cell.method): cell.ratio for cell in results.families}
    ratios = [[ratio_of[family, method] for method in methods] for family in families]
    figure.set_size_inches(2.0 + 0.7 * len(methods), 1.5 + 0.4 * len(families))
    panel = figure.subplots()
    largest = max(max(row) for row in ratios)
    image = panel.imshow(ratios, norm="log", vmin=1.0, vmax=max(largest, 1.01), cmap="Reds", aspect="auto")
    panel.set_xticks(range(len(methods)), methods, rotation=60, ha="right")
    panel.set_yticks(range(len(families)), families, parse_math=False)  # names of files may hold dollars
    for line, row in enumerate(ratios):
        for column, ratio in enumerate(row):
            dark = ratio > largest**0.6
            panel.text(column, line, f"{ratio:.3g}", ha="center", va="center", color="white" if dark else "black")
    figure.colorbar(image, label="ratio to the best")
    if shown.note:
        panel.set_title(shown.note.strip(" ()"))


def draw_contributions(results: Results, figure: Figure) -> None:
    """Which share of the test runs each member of a portfolio won; what is missing was solved by none."""
    portfolios = by_portfolio(results.components)
    names = [f"{method}, split {split}" for split, method in portfolios]
    figure.set_size_inches(7.0, 1.2 + 0.3 * len(names))
    panel = figure.subplots()
    for line, members in enumerate(portfolios.values()):
        left = 0.0
        for index, member in enumerate(members):
            panel.barh(line, member.wins, left=left, color=f"C{index % 10}", edgecolor="white")
            left += member.wins
    panel.set_yticks(range(len(names)), names)
    panel.invert_yaxis()
    panel.set_xlim(0.0, 1.0)
    panel.set_xlabel("share of test runs won, by member in the order of the portfolio")


def _score_axis(panel: Axes, results: Results) -> None:
    """Runtimes span orders of magnitude."""
    if results.measured.metric == "par10":
        panel.set_yscale("log")
