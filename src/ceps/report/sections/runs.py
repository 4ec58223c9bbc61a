"""What was run, how it ended, and what it cost."""

from __future__ import annotations

from markupsafe import Markup

from ceps.records import Ending
from ceps.report.charts import Axis, Bar, Key, Numbers, Segment, Words, bars
from ceps.report.facts import Facts, Kind
from ceps.report.pieces import Section, heading, joined, note, paragraph, table
from ceps.report.sections.shared import grouped
from ceps.report.words import moment, percent, seconds
from ceps.texts import counted

_COLOURS = {
    Ending.SOLVED: 2,
    Ending.FINISHED: 0,
    Ending.CAPPED: 7,
    Ending.TIMEOUT: 4,
    Ending.MEMOUT: 5,
    Ending.CRASHED: 1,
    Ending.INVALID: 3,
}
_WORDS = {
    Ending.SOLVED: "reached the cost that counts as solved",
    Ending.FINISHED: "ended by itself",
    Ending.CAPPED: "stopped when it could no longer matter",
    Ending.TIMEOUT: "stopped at the cut-off",
    Ending.MEMOUT: "used too much memory",
    Ending.CRASHED: "ended by an error",
    Ending.INVALID: "claimed something false",
}


def runs(facts: Facts) -> Section | None:
    """Endings by solver, causes, CPU time, sittings."""
    made = (_endings(facts), note(facts.contradictions), _causes(facts), _cpu(facts), _sittings(facts))
    parts = [part for part in made if part]
    return Section("runs", "Runs", joined(parts)) if parts else None


def _endings(facts: Facts) -> Markup:
    if not facts.endings:
        return Markup("")
    solvers = grouped(facts.endings, lambda each: each.solver)
    totals = {solver: sum(each.runs for each in own) for solver, own in solvers.items()}
    order = list(_COLOURS)
    rows = [
        Bar(
            solver,
            [
                Segment(
                    each.runs,
                    f"{solver}: {each.ending}\n{each.runs:,} of {counted(totals[solver], 'run')} "
                    f"({percent(each.runs / totals[solver])}), {seconds(each.cpu)} of CPU time",
                    _COLOURS[each.ending],
                    each.ending,
                )
                for each in sorted(own, key=lambda each: order.index(each.ending))
            ],
        )
        for solver, own in solvers.items()
    ]
    seen = [ending for ending in _COLOURS if any(each.ending == ending for each in facts.endings)]
    words = Words("endings", "How runs ended.", f"{sum(totals.values()):,} runs that were made, by solver and ending.")
    keys = [Key(f"{ending}: {_WORDS[ending]}", "square", _COLOURS[ending], _COLOURS[ending]) for ending in seen]
    numbers = Numbers(
        ("solver", "ending", "runs", "CPU time"),
        [(each.solver, each.ending, f"{each.runs:,}", seconds(each.cpu)) for each in facts.endings],
        names=2,
    )
    return bars(words, Axis("runs"), rows, keys, numbers)


def _causes(facts: Facts) -> Markup:
    if not facts.causes:
        return Markup("")
    rows = [(each.ending, each.reason, f"{each.runs:,}") for each in facts.causes]
    return joined([heading("Why, in the words of who ended them"), table(("ending", "reason", "runs"), rows, names=2)])


def _cpu(facts: Facts) -> Markup:
    if not facts.builds:
        return Markup("")
    rows = [
        (
            build.label,
            *map(seconds, (build.budget, build.charged, build.spent, build.trials, build.side_by_side)),
            percent(build.saved),
        )
        for build in facts.builds
    ]
    says = (
        "Charged is every run that was asked for, whoever made it; spent is what was really run for it, and trials are "
        "that without the runs that look for references. Side by side is what the same trials would have cost with all "
        "members of a portfolio running; saved is the share of it that trials did not take."
    )
    shared = " Runs that had been made for another build took nothing." if facts.kind is Kind.COMPARISON else ""
    head = ("build", "budget", "charged", "spent", "of that, trials", "side by side", "saved")
    return joined([heading("CPU time"), paragraph(says + shared), table(head, rows)])


def _sittings(facts: Facts) -> Markup:
    if not facts.sittings:
        return Markup("")
    rows = [
        (
            moment(each.started),
            each.host,
            seconds(each.wall),
            each.workers,
            seconds(each.cpu),
            percent(each.utilisation),
        )
        for each in facts.sittings
    ]
    return joined(
        [
            heading("Sittings"),
            paragraph(
                "From every start or resumption to its last run. Utilisation is the share of the workers' time that "
                "was solver CPU."
            ),
            table(("started", "machine", "time", "workers", "CPU time of runs", "utilisation"), rows, names=2),
        ]
    )
