"""What it is, how far it has come, and what is missing."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup

from ceps.report.facts import BuildFacts, Facts, Kind, Origin, Spread, Stage
from ceps.report.pieces import Section, code, joined, meter, note, paragraph, tiles
from ceps.report.sections.shared import hardness
from ceps.report.words import MEANINGS, METRICS, listed, number, percent, seconds, short_spread
from ceps.texts import counted

Tile = tuple[str, object, object]


def overview(facts: Facts) -> Section:
    """Never left out."""
    kinds = {Kind.BUILD: _build_tiles, Kind.COMPARISON: _comparison_tiles, Kind.EVALUATION: _evaluation_tiles}
    shown = [_state(facts), *kinds[facts.kind](facts), _instances(facts), _runs(facts)]
    body = [paragraph(_lead(facts)), tiles(shown), note([*facts.missing, *_resume(facts)])]
    return Section("overview", "Overview", joined(body))


def _lead(facts: Facts) -> Markup:
    meaning = MEANINGS.get(facts.metric, facts.metric)
    what = {
        Kind.BUILD: f"A portfolio for the problem {facts.problem}, built by {listed(_labels(facts))}.",
        Kind.COMPARISON: f"Methods that build portfolios for the problem {facts.problem}, under equal budgets.",
        Kind.EVALUATION: f"A portfolio for the problem {facts.problem}, tested.",
    }[facts.kind]
    return Markup("{} Scores are {}. Smaller is better. The cut-off is {} of CPU time, the penalty {}.").format(
        what, meaning, seconds(facts.cutoff), number(facts.penalty)
    )


def _labels(facts: Facts) -> list[str]:
    return [build.label for build in facts.builds] or ["a method"]


def _state(facts: Facts) -> Tile:
    if facts.finished:
        return "State", "finished", ""
    return "State", Markup('<span class="unfinished">unfinished</span>'), "what is below is what there is so far"


def _resume(facts: Facts) -> list[object]:
    if facts.finished:
        return []
    command = {Kind.BUILD: "ceps build", Kind.COMPARISON: "ceps compare", Kind.EVALUATION: "ceps evaluate"}[facts.kind]
    again = code(f"{command} … --out {facts.name}")
    return [Markup("Where it was stopped, the command that it was started with goes on from there: {}.").format(again)]


def _build_tiles(facts: Facts) -> list[Tile]:
    made: list[Tile] = []
    for build in facts.builds:
        if build.stages:
            made.append(_training_score(build.stages[0], build.stages[-1]))
        if build.members:
            made.append(("Members", len(build.members), _solvers(build)))
        share = build.charged / build.budget if build.budget > 0.0 else 0.0
        says = f"of {seconds(build.budget)} ({percent(share)})"
        made.append(("CPU charged", seconds(build.charged), joined([says, meter(share, f"charged {says}")])))
    return made


def _training_score(first: Stage, last: Stage) -> Tile:
    if first is last:
        return "Training score", number(first.score, 3), f"of the one portfolio kept so far{_of_how_many(first)}"
    says = "of the first and the last portfolio kept, each on its own seeds and instances"
    value = f"{number(first.score, 3)} → {number(last.score, 3)}"
    return "Training score", value, f"{says}{_of_how_many(first, last)}"


def _of_how_many(*stages: Stage) -> str:
    return "".join(f"; {short_spread(stage.spread)}" for stage in stages if stage.spread is not None)


def _solvers(build: BuildFacts) -> str:
    counts = Counter(member.solver for member in build.members)
    return listed([f"{count} {solver}" for solver, count in counts.items()])


def _comparison_tiles(facts: Facts) -> list[Tile]:
    ended = sum(build.finished for build in facts.builds)
    made: list[Tile] = [("Builds", f"{ended} of {len(facts.builds)}", "finished")] if facts.builds else []
    if facts.comparison is not None:
        measured, means = facts.comparison.measured, facts.comparison.means
        best = [method for method in measured.methods if means[method].best]
        table, splits = facts.comparison.table, facts.comparison.splits
        score = short_spread(Spread.of([table[split, best[0]].score for split in splits]))
        says = f"{METRICS.get(facts.metric, facts.metric)} on test instances, mean over the splits"
        made.append(("Best", listed(best), f"{score} {says}"))
        says = f"on {counted(len(splits), 'split')}, {counted(measured.repeats, 'run')} per instance"
        made.append(("Methods", len(measured.methods), says))
    return made


def _evaluation_tiles(facts: Facts) -> list[Tile]:
    values = [value for each in facts.instances if (value := hardness(each)) is not None]
    if not values:
        return []
    spread = Spread.of(values)
    says = (
        f"mean over {counted(spread.count, 'instance')}, from {number(spread.lowest, 3)} to {number(spread.highest, 3)}"
    )
    return [("Score", number(spread.mean), says)]


def _instances(facts: Facts) -> Tile:
    counts = Counter(each.origin for each in facts.instances)
    words = {Origin.GIVEN: "given", Origin.BRED: "bred", Origin.TEST: "of the test"}
    parts = [f"{counts[origin]} {word}" for origin, word in words.items() if counts[origin]]
    return "Instances", len(facts.instances), listed(parts) if parts else ""


def _runs(facts: Facts) -> Tile:
    return "Runs made", f"{facts.runs:,}", f"{seconds(facts.cpu)} of CPU time"
