"""Where each member wins, and how it gets there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from ceps.comparing.results import family
from ceps.report.charts import Axis, Band, Bar, Key, Numbers, Point, Segment, Series, Words, bars, plane
from ceps.report.facts import Anytime, Facts, InstanceFacts
from ceps.report.pieces import Section, joined, side_by_side
from ceps.report.sections.shared import by_origin, grouped, numbered
from ceps.report.words import NONE, number, percent
from ceps.texts import counted

_MOST_FAMILIES = 20
_CLOSE = 1e-4
"""Costs nearer than this to the best are drawn at this distance: a logarithmic axis has no zero."""
_EVERY = 6
"""One point in so many of a curve can be pointed at."""


def members(facts: Facts) -> Section | None:
    """Wins by generation and by family of instances; curves over time."""
    won = [each for each in facts.instances if each.winner is not None]
    parts: list[Markup] = []
    if won:
        numbers = numbered(facts)
        groups = {name: [each for each in group if each.winner] for name, group in by_origin(facts).items()}
        wins = [_wins("wins", "by generation", groups, numbers)]
        families = grouped(won, lambda each: family(each.name))
        largest = dict(sorted(families.items(), key=lambda item: -len(item[1]))[:_MOST_FAMILIES])
        if len(families) > 1:
            wins.append(_wins("wins-families", "by family of instances", dict(sorted(largest.items())), numbers))
        parts.append(side_by_side(wins))
    if facts.anytime:
        numbers = numbered(facts) if facts.comparison is None else {}
        parts.append(_curves(facts.anytime, numbers))
    title = "Contenders" if facts.comparison is not None else "Members"
    return Section("members", title, joined(parts)) if parts else None


def _wins(name: str, how: str, groups: Mapping[str, Sequence[InstanceFacts]], numbers: Mapping[str, int]) -> Markup:
    groups = {label: group for label, group in groups.items() if group}
    counts = {
        (label, winner): sum(each.winner == winner for each in group)
        for label, group in groups.items()
        for winner in numbers
    }
    winners = [winner for winner in numbers if any(counts[label, winner] for label in groups)]
    rows = [
        Bar(
            f"{label} (n = {len(group)})",
            [
                Segment(
                    counts[label, winner] / len(group),
                    f"{label}\n{winner}: best on {counts[label, winner]} of {counted(len(group), 'instance')} "
                    f"({percent(counts[label, winner] / len(group))})",
                    numbers[winner],
                    winner,
                )
                for winner in winners
            ],
        )
        for label, group in groups.items()
    ]
    words = Words(
        name,
        f"Who wins where, {how}.",
        "The share of instances on which each is most often the best; "
        f"{counted(sum(map(len, groups.values())), 'instance')} with a winner, n in each bar.",
    )
    table = Numbers(("", *winners), [[label, *(counts[label, winner] for winner in winners)] for label in groups])
    keys = [Key(winner, "square", numbers[winner], numbers[winner]) for winner in winners]
    return bars(words, Axis("share of instances", percent=True), rows, keys, table)


def _curves(curves: Sequence[Anytime], numbers: Mapping[str, int]) -> Markup:
    series = [_curve(each, numbers.get(each.member, index)) for index, each in enumerate(curves)]
    runs = ", ".join(f"{each.member}: n = {each.runs:,} of {each.of:,}" for each in curves)
    words = Words(
        "anytime",
        "How costs fall over time.",
        "The median over runs of (cost - best known) / best known, with a band from the lower to the upper quartile; "
        f"{percent(_CLOSE)} stands for that and less. Lines begin when half of the runs have a solution. "
        "Left out are runs that failed and, since nobody knows how they would have gone on, runs that were stopped "
        f"because another member was better. Runs: {runs}.",
    )
    return plane(
        words,
        Axis("CPU s", log=True),
        Axis("above the best cost known", log=True, percent=True),
        [each for each in series if each.line],
        keys=(),
        numbers=_table_of(curves),
        size=(560.0, 340.0),
        named_ends=True,
    )


def _curve(curve: Anytime, index: int) -> Series:
    line = [(time, max(gap, _CLOSE)) for time, gap in zip(curve.times, curve.median, strict=True) if gap is not None]
    band = [
        Band(time, max(low, _CLOSE), max(high, _CLOSE))
        for time, low, high in zip(curve.times, curve.lower, curve.upper, strict=True)
        if low is not None and high is not None
    ]
    quartiles = {time: (low, high) for time, low, high in zip(curve.times, curve.lower, curve.upper, strict=True)}
    points = [
        Point(time, gap, f"{curve.member} after {number(time, 3)} CPU s\n{_gap_text(gap, *quartiles[time])}", size=3.0)
        for time, gap in line[::_EVERY]
    ]
    return Series(curve.member, points, index, line, band)


def _table_of(curves: Sequence[Anytime]) -> Numbers:
    """At the times that can be pointed at; medians, with quartiles."""

    def cell(curve: Anytime, index: int) -> str:
        median, low, high = (values[index] for values in (curve.median, curve.lower, curve.upper))
        return NONE if median is None else f"{percent(median)} ({percent(low)} to {percent(high)})"

    times = curves[0].times
    rows = [
        [number(times[index], 3), *(cell(curve, index) for curve in curves)] for index in range(0, len(times), _EVERY)
    ]
    return Numbers(("CPU s", *(curve.member for curve in curves)), rows, names=0)


def _gap_text(median: float, low: float | None, high: float | None) -> str:
    known = [percent(value) for value in (low, high) if value is not None]
    quartiles = f", quartiles {' and '.join(known)}" if known else ""
    return f"median {percent(median)} above the best{quartiles}"
