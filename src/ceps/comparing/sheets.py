"""Results as tables of words, the same ones for a terminal and for a paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from ceps.comparing.results import Component, Results, by_portfolio, largest_families


class Marked(str):
    """The text of a cell that stands out."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of words."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    """So many columns tell what a row is about; the others are numbers."""


def significance(results: Results) -> Sheet:
    """The paired tests."""
    rows = (
        (duel.method, str(duel.better), str(duel.worse), f"{duel.p:.2g}", f"{duel.corrected:.2g}")
        for duel in results.duels
    )
    title = f"where {results.baseline} is better and worse: test instances, and p by Wilcoxon's test"
    return Sheet("significance", title, ("against", "better", "worse", "p", "p, corrected"), tuple(rows))


def families(results: Results) -> Sheet:
    """A line per family of instances."""
    shown = largest_families(results.families)
    scores = {
        (cell.family, cell.method): (Marked if cell.best else str)(f"{cell.score:#.4g}") for cell in results.families
    }
    methods = results.measured.methods
    rows = ((name, str(count), *(scores[name, method] for method in methods)) for name, count in shown.counts.items())
    title = f"{results.measured.metric} by family of n test instances{shown.note}"
    return Sheet("families", title, ("family", "n", *methods), tuple(rows), names=2)


def contributions(results: Results) -> Sheet:
    """A line per portfolio of several members."""
    portfolios = by_portfolio(results.components)
    most = max(map(len, portfolios.values()), default=0)
    rows = (
        (method, str(split), *map(_contribution, members), *[""] * (most - len(members)))
        for (split, method), members in portfolios.items()
    )
    numbers = (str(number) for number in range(1, most + 1))
    title = "members' shares of test runs won; how much the training score rises without it"
    return Sheet("contributions", title, ("portfolio", "split", *numbers), tuple(rows), names=2)


def _contribution(member: Component) -> str:
    return f"{member.wins:.0%}" + ("" if member.loss is None or not isfinite(member.loss) else f" {member.loss:+.2g}")


def training(results: Results) -> Sheet:
    """What the test is to be held against, to see over-tuning."""
    rows = (
        (
            method,
            *(f"{results.table[split, method].training_score:#.4g}" for split in results.splits),
            f"{results.means[method].training_score:#.4g}",
        )
        for method in results.measured.methods
    )
    head = ("method", *(f"split {split}" for split in results.splits), "mean")
    return Sheet("training", f"{results.measured.metric} on training instances, by the same test", head, tuple(rows))


def cpu(results: Results) -> Sheet:
    """A line per build."""
    rows = (
        (
            built.method,
            str(built.split),
            *(f"{seconds:.0f}" for seconds in (built.charged, built.references, built.spent)),
            str(built.made_instances),
        )
        for built in results.measured.constructions
    )
    head = ("method", "split", "charged", "of that, references", "really spent", "instances made")
    return Sheet("cpu", "CPU seconds of each build", head, tuple(rows), names=2)


def printed(results: Results) -> list[Sheet]:
    """What papers have beside the table, as far as there is anything to tell."""
    return _told(make(results) for make in (significance, families, contributions, training, cpu))


def shown(results: Results) -> list[Sheet]:
    """What terminals have beside the table, which has the training scores there, and what it all took."""
    return _told(make(results) for make in (significance, families, contributions))


def _told(sheets: Iterable[Sheet]) -> list[Sheet]:
    return [sheet for sheet in sheets if sheet.rows]
