"""How the portfolio came about: scores over what was charged, and where the budget went."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from markupsafe import Markup

from ceps.report.charts import Axis, Bar, Key, Numbers, Point, Segment, Series, Words, bars, plane
from ceps.report.facts import BuildFacts, Facts, Kind, Spread, Stage
from ceps.report.pieces import Section, details, joined, table
from ceps.report.sections.shared import first_of_interest, score_axis
from ceps.report.words import NONE, number, percent, seconds, spread_text
from ceps.texts import counted

_BESIDE = 0.012
"""Candidates stand this share of the axis before the portfolio that was kept."""


def progress(facts: Facts) -> Section | None:
    """A chart per build that kept a portfolio on the way, and the budgets of all."""
    several = facts.kind is Kind.COMPARISON
    opened = first_of_interest(facts.builds)
    parts: list[Markup] = []
    for index, build in enumerate(facts.builds):
        if not build.stages:
            continue
        body = joined([_scores(facts, index, build), _sessions(index, build)])
        parts.append(details(f"progress-{index}", build.label, body, build is opened) if several else body)
    spending = [build for build in facts.builds if build.phases]
    if spending:
        parts.append(_budgets(spending))
    return Section("progress", "Progress", joined(parts)) if parts else None


def _scores(facts: Facts, index: int, build: BuildFacts) -> Markup:
    stages = build.stages
    beside = _BESIDE * max(stage.charged for stage in stages)
    kept = [Point(stage.charged, stage.score, _kept_tip(stage), size=5.0, name=stage.name) for stage in stages]
    before = [
        Point(stage.charged, stage.before, f"{stage.name}\nthe one before, on the same seeds: {number(stage.before)}")
        for stage in stages
        if stage.before is not None
    ]
    candidates = [
        Point(
            stage.charged - beside,
            score,
            f"{stage.name}\ncandidate of session {session} of {len(stage.candidates)}: {number(score)}",
            size=3.0,
        )
        for stage in stages
        for session, score in enumerate(stage.candidates, start=1)
    ]
    line = [(stage.charged, stage.score) for stage in stages]
    series = [
        Series("candidates of sessions", candidates, 2),
        Series("the portfolio before, on the same seeds", before, 1),
        Series("portfolio kept", kept, 0, line),
    ]
    words = Words(
        f"scores-{index}",
        "Training scores on the way.",
        f"Mean score of {counted(len(kept), 'portfolio')} kept{_rows(stages)}, against the CPU time charged until "
        f"then, beside the scores of {counted(len(candidates), 'candidate')} of sessions. Each was kept on seeds, and "
        "perhaps instances, of its own: the line may rise when harder instances come in. What is fair is a portfolio "
        "against the one before it and the candidates beside it, all on the same seeds.",
    )
    shown = [each for each in series if each.points]
    return plane(words, Axis("CPU s charged", from_zero=True), score_axis(facts), shown, numbers=_table_of(stages))


def _rows(stages: Sequence[Stage]) -> str:
    """How many scores each is the mean of."""
    counts = [str(stage.spread.count) for stage in stages if stage.spread is not None]
    return f" (n = {', '.join(counts)} pairs of instance and seed)" if counts else ""


def _kept_tip(stage: Stage) -> str:
    scores = "" if stage.spread is None else f"\nscores: {spread_text(stage.spread)}"
    return f"{stage.name}\nkept with {number(stage.score)} after {seconds(stage.charged)} charged{scores}"


def _table_of(stages: Sequence[Stage]) -> Numbers:
    head = (
        *("portfolio", "charged", "score", "n", "lowest", "median", "highest", "the one before"),
        *("candidates", "best", "median", "worst"),
    )
    rows = []
    for stage in stages:
        found = stage.candidates
        spread = (number(min(found)), number(median(found)), number(max(found))) if found else (NONE,) * 3
        rows.append(
            (
                *(stage.name, seconds(stage.charged), number(stage.score), *_spread_cells(stage.spread)),
                *(number(stage.before), len(found), *spread),
            )
        )
    return Numbers(head, rows)


def _spread_cells(spread: Spread | None) -> tuple[object, ...]:
    if spread is None:
        return (NONE,) * 4
    return spread.count, *map(number, (spread.lowest, spread.median, spread.highest))


def _sessions(index: int, build: BuildFacts) -> Markup:
    if not build.sessions:
        return Markup("")
    head = ("phase", "sessions", "trials", "fewest", "most", "CPU charged")
    rows = [
        (
            each.phase,
            len(each.trials),
            f"{sum(each.trials):,}",
            f"{min(each.trials, default=0):,}",
            f"{max(each.trials, default=0):,}",
            seconds(sum(each.charges)),
        )
        for each in build.sessions
    ]
    return details(f"sessions-{index}", "Sessions of configuration", table(head, rows))


def _budgets(builds: Sequence[BuildFacts]) -> Markup:
    kinds = list(dict.fromkeys(_kind(phase.name) for build in builds for phase in build.phases))
    rows = [
        Bar(
            build.label,
            [
                Segment(
                    phase.charge,
                    f"{build.label}: {phase.name}\n{seconds(phase.charge)} charged, "
                    f"{percent(phase.charge / build.budget if build.budget else None)} of the budget",
                    kinds.index(_kind(phase.name)),
                    phase.name,
                )
                for phase in build.phases
            ],
            build.budget,
        )
        for build in builds
    ]
    numbers = Numbers(
        ("build", "phase", "CPU charged", "of the budget"),
        [
            (build.label, phase.name, seconds(phase.charge), percent(phase.charge / build.budget))
            for build in builds
            for phase in build.phases
            if build.budget
        ],
        names=2,
    )
    left = sum(max(build.budget - build.charged, 0.0) for build in builds)
    words = Words(
        "budgets",
        "Where the budget went.",
        f"CPU time charged, phase by phase in their order; {counted(len(builds), 'build')}. "
        f"{seconds(left)} left in all; the track behind a bar is the whole budget.",
    )
    keys = [Key(kind, "square", index, index) for index, kind in enumerate(kinds)]
    return bars(words, Axis("CPU s"), rows, keys, numbers)


def _kind(phase: str) -> str:
    """Phases of a kind have a colour."""
    return re.sub(r"\s*\d+$", "", phase)
