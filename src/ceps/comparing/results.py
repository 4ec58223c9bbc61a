"""What a comparison comes to: tables from measured rows. No files, no runs, no clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from ceps.comparing.measured import TEST, TRAIN, Measured, Row
from ceps.evaluation.best_known import family as running_number_less

Key = TypeVar("Key")
Member = TypeVar("Member")
_SMALLEST = 1e-6
"""Ratios do not tell scores below apart: a run may take no measurable time."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A method on a split, or on all of them together."""

    timeouts: float
    score: float
    training_score: float
    """On the given training instances, by the same test."""
    best: bool = False
    """Whether no contender has a smaller score."""
    fewest: bool = False
    """Whether no contender has fewer timeouts."""


@dataclass(frozen=True, slots=True)
class Duel:
    """A method against the baseline, over all test instances of all splits."""

    method: str
    better: int
    """Instances on which the baseline has the smaller score."""
    worse: int
    p: float
    corrected: float
    """p by Holm's correction for several methods."""


@dataclass(frozen=True, slots=True)
class FamilyCell:
    family: str
    method: str
    instances: int
    timeouts: int
    score: float
    ratio: float
    """The score as a multiple of the best contender's on the family."""
    best: bool


@dataclass(frozen=True, slots=True)
class Component:
    """A member of a portfolio: what it is good for."""

    split: int
    method: str
    number: int
    member: str
    loss: float | None
    """By how much the training score would rise without it; infinite for an only one, None where none was built."""
    wins: float
    """The share of test runs in which it was the best."""


@dataclass(frozen=True, slots=True)
class Results:
    """All tables."""

    measured: Measured
    baseline: str
    table: Mapping[tuple[int, str], Cell]
    """By split and method."""
    means: Mapping[str, Cell]
    """Over all splits, by method."""
    duels: tuple[Duel, ...]
    families: tuple[FamilyCell, ...]
    components: tuple[Component, ...]

    @property
    def splits(self) -> list[int]:
        return sorted({split for split, _ in self.table})


def family(name: str) -> str:
    """What instances of a kind have in common in their names: the generator, or all but the running number.

    Names that are nothing but a number have that in common.
    """
    kind = name.split("-", maxsplit=1)[0] if "-" in name else running_number_less(name)
    return "numbered" if kind.isdecimal() else kind


def virtual_best(rows: Iterable[Row], method: str, of: Sequence[str]) -> list[Row]:
    """On every instance of every split the best score of several methods."""
    groups = _grouped((row for row in rows if row.method in of), lambda row: (row.split, row.part, row.number))
    best = [min(group, key=lambda row: row.score) for group in groups.values()]
    return [replace(row, method=method, components=()) for row in best]


def results_of(measured: Measured) -> Results:
    """All tables of a comparison."""
    table = _table(measured)
    means = _means(measured, table)
    baseline = measured.baseline or min(measured.contenders, key=lambda method: means[method].score)
    return Results(
        measured=measured,
        baseline=baseline,
        table=table,
        means=means,
        duels=_duels(measured, baseline),
        families=_families(measured),
        components=_components(measured),
    )


def _table(measured: Measured) -> dict[tuple[int, str], Cell]:
    groups = _grouped(measured.rows, lambda row: (row.split, row.method, row.part))
    cells: dict[tuple[int, str], Cell] = {}
    for split in sorted({row.split for row in measured.rows}):
        column = {}
        for method in measured.methods:
            tested = groups[split, method, TEST]
            column[method] = Cell(
                timeouts=sum(row.timeout for row in tested),
                score=_mean_score(tested),
                training_score=_mean_score(groups[split, method, TRAIN]),
            )
        cells |= {(split, method): cell for method, cell in _marked(column, measured.contenders).items()}
    return cells


def _means(measured: Measured, table: Mapping[tuple[int, str], Cell]) -> dict[str, Cell]:
    means = {}
    for method in measured.methods:
        own = [cell for (_, whose), cell in table.items() if whose == method]
        means[method] = Cell(
            timeouts=fmean(cell.timeouts for cell in own),
            score=fmean(cell.score for cell in own),
            training_score=fmean(cell.training_score for cell in own),
        )
    return _marked(means, measured.contenders)


def _marked(cells: Mapping[str, Cell], contenders: Sequence[str]) -> dict[str, Cell]:
    """The same cells of one column; it is told whose score and whose number of timeouts no contender undercuts."""
    score = min(cells[method].score for method in contenders)
    timeouts = min(cells[method].timeouts for method in contenders)
    return {
        method: replace(cell, best=cell.score == score, fewest=cell.timeouts == timeouts)
        if method in contenders
        else cell
        for method, cell in cells.items()
    }


def _duels(measured: Measured, baseline: str) -> tuple[Duel, ...]:
    scores: dict[str, dict[tuple[int, int], float]] = {method: {} for method in measured.methods}
    for row in measured.rows:
        if row.part == TEST:
            scores[row.method][row.split, row.number] = row.score
    others = [method for method in measured.methods if method != baseline]
    differences = {
        method: [scores[method][where] - score for where, score in scores[baseline].items()] for method in others
    }
    ps = [signed_rank_p(differences[method]) for method in others]
    return tuple(
        Duel(
            method=method,
            better=sum(difference > 0.0 for difference in differences[method]),
            worse=sum(difference < 0.0 for difference in differences[method]),
            p=p,
            corrected=corrected,
        )
        for method, p, corrected in zip(others, ps, holm(ps), strict=True)
    )


def signed_rank_p(differences: Sequence[float]) -> float:
    """The two-sided p of Wilcoxon's signed-rank test of paired differences; those of 0 do not count."""
    from scipy.stats import wilcoxon  # noqa: PLC0415 - a second to import

    unequal = [difference for difference in differences if difference != 0.0]
    return float(wilcoxon(unequal).pvalue) if unequal else 1.0


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's correction: the smallest p times their number, the next one times one less, and so on, never falling."""
    corrected = [1.0] * len(ps)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda index: ps[index])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[index]))
        corrected[index] = largest
    return corrected


def _families(measured: Measured) -> tuple[FamilyCell, ...]:
    tested = [row for row in measured.rows if row.part == TEST]
    groups = _grouped(tested, lambda row: (row.family, row.method))
    cells = []
    for name in sorted({row.family for row in tested}):
        best = min(_mean_score(groups[name, method]) for method in measured.contenders)
        for method in measured.methods:
            rows = groups[name, method]
            score = _mean_score(rows)
            cells.append(
                FamilyCell(
                    family=name,
                    method=method,
                    instances=len(rows),
                    timeouts=sum(row.timeout for row in rows),
                    score=score,
                    ratio=max(score, _SMALLEST) / max(best, _SMALLEST),
                    best=score == best and method in measured.contenders,
                )
            )
    return tuple(cells)


def _components(measured: Measured) -> tuple[Component, ...]:
    tested = _grouped((row for row in measured.rows if row.part == TEST), lambda row: (row.split, row.method))
    portfolios: dict[tuple[int, str], list[tuple[str, float | None]]] = {
        **{(each.split, each.method): [(member, None) for member in each.members] for each in measured.given},
        **{
            (built.split, built.method): list(zip(built.members, built.losses, strict=True))
            for built in measured.constructions
        },
    }
    made = []
    for split, method in sorted(portfolios, key=lambda where: (where[0], measured.methods.index(where[1]))):
        winners = [winner for row in tested[split, method] for winner in row.components]
        for number, (member, loss) in enumerate(portfolios[split, method], start=1):
            wins = winners.count(number) / len(winners)
            made.append(Component(split, method, number, member, loss, wins))
    return tuple(made)


def by_portfolio(components: Iterable[Component]) -> dict[tuple[int, str], list[Component]]:
    """The members of each portfolio that has several, by split and method."""
    groups = _grouped(components, lambda each: (each.split, each.method))
    return {where: members for where, members in groups.items() if len(members) > 1}


@dataclass(frozen=True, slots=True)
class ShownFamilies:
    """Families for a table or a picture that people can take in."""

    counts: Mapping[str, int]
    """How many test instances each has, by name."""
    note: str
    """What to add to the title, where some are left out."""


def largest_families(cells: Iterable[FamilyCell], most: int = 40) -> ShownFamilies:
    """So many families with the most instances, in the order of the table."""
    counts = {cell.family: cell.instances for cell in cells}
    largest = set(sorted(counts, key=lambda name: -counts[name])[:most])
    note = f" (the {most} largest of {len(counts)} families)" if len(counts) > most else ""
    return ShownFamilies({name: count for name, count in counts.items() if name in largest}, note)


def _mean_score(rows: Sequence[Row]) -> float:
    return fmean(row.score for row in rows)


def _grouped(members: Iterable[Member], key: Callable[[Member], Key]) -> dict[Key, list[Member]]:
    groups: dict[Key, list[Member]] = {}
    for member in members:
        groups.setdefault(key(member), []).append(member)
    return groups
