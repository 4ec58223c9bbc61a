"""Methods against each other: on every split, by family of instances, and what they took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isinf, log10

from markupsafe import Markup

from ceps.comparing.measured import TEST, Row
from ceps.comparing.results import Cell, FamilyCell, Results, largest_families
from ceps.report.charts import Box, Field, Numbers, Point, Series, Words, boxes, heat_map, plane
from ceps.report.facts import Facts, Spread
from ceps.report.pieces import Section, details, heading, joined, marked, note, paragraph, side_by_side, table
from ceps.report.sections.shared import grouped, numbered, score_axis
from ceps.report.words import METRICS, NONE, change, number, percent, seconds, spread_text
from ceps.texts import counted

_BEST, _FEWEST = "the best in its column", "the fewest timeouts in its column"

Spreads = Mapping[tuple[object, str], Spread]
"""Of scores on test instances, by split or by family, and by method."""


def comparison(facts: Facts) -> Section | None:
    """All tables and figures of a comparison that has come to an end."""
    results = facts.comparison
    if results is None:
        return None
    tested = [row for row in results.measured.rows if row.part == TEST]
    of_splits = _spreads(tested, lambda row: row.split)
    parts = [
        note(results.measured.warnings),
        _table(results, of_splits),
        _duels(results, of_splits),
        side_by_side(_boxes(facts, results, of_splits, split) for split in results.splits),
        _training(facts, results),
        _families(results, _spreads(tested, lambda row: row.family)),
        _components(results),
        _work(results),
    ]
    return Section("comparison", "Comparison", joined(parts))


def _spreads(tested: Iterable[Row], group: Callable[[Row], object]) -> Spreads:
    rows = grouped(tested, lambda row: (group(row), row.method))
    return {key: Spread.of([row.score for row in own]) for key, own in rows.items()}


def _table(results: Results, spreads: Spreads) -> Markup:
    measured = results.measured
    metric = METRICS.get(measured.metric, measured.metric)
    head = ("method", *(f"split {split}" for split in results.splits), "mean", "on training instances")
    rows = []
    for method in measured.methods:
        mean = results.means[method]
        cells = [_cell(results.table[split, method]) for split in results.splits]
        rows.append((method, *cells, _cell(mean), number(mean.training_score)))
    tested = ", ".join(f"split {split}: n = {spreads[split, measured.methods[0]].count}" for split in results.splits)
    says = (
        f"Timeouts, then the mean {metric} on test instances ({tested}); on each instance the median of "
        f"{counted(measured.repeats, 'run')} counts. Smaller is better; in each column the fewest timeouts and the "
        "best score are marked. Virtual bests are nobody's, and are not marked."
    )
    return joined([paragraph(says), table(head, rows)])


def _cell(cell: Cell) -> Markup:
    timeouts, score = number(cell.timeouts, 3), f"{cell.score:#.4g}"
    return Markup('<span class="timeouts">{}</span> {}').format(
        marked(timeouts, _FEWEST) if cell.fewest else timeouts, marked(score, _BEST) if cell.best else score
    )


def _duels(results: Results, spreads: Spreads) -> Markup:
    if not results.duels:
        return Markup("")
    instances = sum(spreads[split, results.baseline].count for split in results.splits)
    rows = [
        (duel.method, duel.better, duel.worse, number(duel.p, 2), number(duel.corrected, 2)) for duel in results.duels
    ]
    head = ("method", f"{results.baseline} better", "worse", "p", "p, corrected")
    return joined(
        [
            heading(f"{results.baseline} against the others"),
            paragraph(
                f"On how many of {counted(instances, 'test instance')} of all splits it has the smaller and the larger "
                "score; p by Wilcoxon's signed-rank test, two-sided, and with Holm's correction for several methods."
            ),
            table(head, rows),
        ]
    )


def _boxes(facts: Facts, results: Results, spreads: Spreads, split: int) -> Markup:
    numbers = numbered(facts)
    rows = [Box(method, spreads[split, method], numbers[method]) for method in results.measured.methods]
    words = Words(
        f"boxes-{split}",
        f"Scores on the test instances of split {split}.",
        f"n test instances, on each the median of {counted(results.measured.repeats, 'run')}. Boxes are quartiles, "
        "whiskers go to the extremes, diamonds are means.",
    )
    return boxes(words, score_axis(facts), rows)


def _training(facts: Facts, results: Results) -> Markup:
    numbers = numbered(facts)
    series = []
    for method in results.measured.methods:
        cells = {split: results.table[split, method] for split in results.splits}
        points = [
            Point(
                cell.training_score,
                cell.score,
                f"{method}, split {split}\ntraining {number(cell.training_score)}, test {number(cell.score)}",
                size=4.5,
            )
            for split, cell in cells.items()
        ]
        series.append(Series(method, points, numbers[method]))
    words = Words(
        "training",
        "Training against test.",
        f"Mean scores of {counted(len(series), 'method')} on {counted(len(results.splits), 'split')}. Above the line, "
        "a method does worse on the test than where it was trained.",
    )
    table_of = Numbers(
        ("method", "split", "training", "test"),
        [
            (method, split, number(cell.training_score), number(cell.score))
            for (split, method), cell in results.table.items()
        ],
    )
    return plane(
        words,
        score_axis(facts, "on training instances"),
        score_axis(facts, "on test instances"),
        series,
        numbers=table_of,
        size=(560.0, 420.0),
        diagonal=True,
    )


def _families(results: Results, spreads: Spreads) -> Markup:
    shown = largest_families(results.families)
    largest = max((cell.ratio for cell in results.families), default=1.0)

    def field(cell: FamilyCell) -> Field:
        tip = (
            f"{cell.method} on {cell.family}\n{spread_text(spreads[cell.family, cell.method])}, "
            f"{counted(cell.timeouts, 'timeout')}; {number(cell.ratio, 3)} times the best"
        )
        # A virtual best may do better than the best.
        tint = log10(max(1.0, cell.ratio)) / log10(largest) if largest > 1.0 else 0.0
        return Field(number(cell.ratio, 3), tint, tip, cell.best)

    counts = sorted(set(shown.counts.values()))
    n = f"n = {counts[0]}" if len(counts) == 1 else f"n from {counts[0]} to {counts[-1]}"
    words = Words(
        "families",
        f"By family of instances{shown.note}.",
        f"The mean score as a multiple of the best method's; test instances of all splits, {n} in each field. The best "
        "are framed.",
    )
    fields = {(cell.family, cell.method): field(cell) for cell in results.families}
    return heat_map(words, list(shown.counts), results.measured.methods, fields)


def _components(results: Results) -> Markup:
    if not results.components:
        return Markup("")
    rows = [
        (
            f"split {each.split}: {each.method}",
            each.number,
            each.member,
            NONE if each.loss is None or isinf(each.loss) else change(each.loss),
            percent(each.wins),
        )
        for each in results.components
    ]
    head = ("portfolio", "member", "is", "training score without it", "wins in the test")
    return details("contributions", "What each member contributes", table(head, rows, names=3))


def _work(results: Results) -> Markup:
    measured = results.measured
    rows = [
        (
            each.method,
            each.split,
            *map(seconds, (each.charged, each.references, each.spent)),
            each.made_instances,
            number(each.training_score),
        )
        for each in measured.constructions
    ]
    head = ("method", "split", "charged", "of that, references", "spent", "instances made", "training score")
    says = f"Each build had {seconds(measured.budget)}. The test took {seconds(measured.spent_on_tests)}"
    overhead = measured.work.overhead
    if overhead is not None:
        since = ", since the last start" if measured.work.spent_before > 0.0 else ""
        says += (
            f"; {percent(overhead)} of the time of {counted(measured.work.workers, 'worker')} was not solver CPU{since}"
        )
    built = table(head, rows) if rows else ""
    return joined([heading("What it took, in CPU time"), paragraph(f"{says}."), built])
