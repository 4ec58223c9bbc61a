"""The instances: how hard they became, what was bred from what, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ceps.report.charts import Box, Point, Words, boxes
from ceps.report.facts import Facts, InstanceFacts, Origin, Spread
from ceps.report.pieces import MOST_ROWS, Section, details, heading, joined, opener, paragraph, table
from ceps.report.sections.maps import maps
from ceps.report.sections.shared import (
    NOT_KNOWN,
    SHAPE_OF,
    by_origin,
    hardest_first,
    hardness,
    instance_tip,
    of_whom,
    score_axis,
)
from ceps.report.sketches import drawn
from ceps.report.words import NONE, number, origin_text, short_spread
from ceps.texts import counted

_PAIRS = 8


def instances(facts: Facts) -> Section | None:
    """Hardness, parents and children, the map twice, and the hardest by name."""
    if not facts.instances:
        return None
    parts = [_hardness(facts), _pairs(facts), maps(facts), _generations(facts), _list(facts)]
    return Section("instances", "Instances", joined(parts))


def _hardness(facts: Facts) -> Markup:
    rows = []
    for name, group in by_origin(facts).items():
        values = [
            Point(value, 0.0, instance_tip(each), each.id, SHAPE_OF[each.origin])
            for each in group
            if (value := hardness(each)) is not None
        ]
        if values:
            rows.append(Box(name, Spread.of([value.x for value in values]), values=values))
    if not rows:
        return Markup("")
    words = Words(
        "hardness",
        "How hard the instances are.",
        f"The mean score {of_whom(facts)} on each instance, by generation; n instances each. Boxes are quartiles, "
        "whiskers go to the extremes, diamonds are means, dots are instances.",
    )
    return boxes(words, score_axis(facts), rows)


def _pairs(facts: Facts) -> Markup:
    """The hardest bred instances, each beside the one it was bred from."""
    known = {each.id: each for each in facts.instances}
    bred = [
        (each, known[each.parent]) for each in facts.instances if each.origin is Origin.BRED and each.parent in known
    ]
    hardest = sorted(bred, key=lambda pair: hardest_first(pair[0]))
    shown = [_pair(child, parent) for child, parent in hardest if child.sketch and parent.sketch][:_PAIRS]
    if not shown:
        return Markup("")
    tested = any(hardness(child) is not None for child, _ in bred)
    which = "The hardest that were bred, and what they were" if tested else "What was bred, and what it was"
    return joined(
        [
            heading(f"{which} bred from"),
            paragraph(
                f"{counted(len(shown), 'pair')} of {len(bred)}: parent to the left, child to the right, with the best "
                f"solution known; below each, the mean score {of_whom(facts)}, the lowest and the highest."
            ),
            Markup('<ul class="pairs">{}</ul>').format(joined(shown)),
        ]
    )


def _pair(child: InstanceFacts, parent: InstanceFacts) -> Markup:
    return Markup('<li>{}<span class="arrow" role="img" aria-label="became">→</span>{}</li>').format(
        _picture(parent), _picture(child)
    )


def _picture(instance: InstanceFacts) -> Markup:
    assert instance.sketch is not None
    says = Markup('{}<span class="under"><b>{}</b><br>{}</span>').format(
        drawn(instance.sketch, f"drawing of {instance.name}"),
        NOT_KNOWN if instance.hardness is None else short_spread(instance.hardness),
        instance.name,
    )
    return opener(instance.id, says)


def _generations(facts: Facts) -> Markup:
    rows = [
        (build.label, each.name, each.offspring, each.dropped, len(each.admitted))
        for build in facts.builds
        for each in build.generations
    ]
    if not rows:
        return Markup("")
    head = ("build", "phase", "offspring", "of these unusable", "trained on")
    return details("generations", "What was bred, phase by phase", table(head, rows, names=2))


def _list(facts: Facts) -> Markup:
    ordered = sorted(facts.instances, key=lambda each: (hardest_first(each), each.name))
    shown = ordered[:MOST_ROWS]
    head = ("instance", "origin", "best on it", "hardness", "lowest", "highest", "n")
    rows = [(opener(each.id, each.name), origin_text(each), each.winner or "", *_measured(each)) for each in shown]
    title = (
        f"All {counted(len(shown), 'instance')}, the hardest first"
        if len(shown) == len(ordered)
        else f"The {len(shown)} hardest of {len(ordered)} instances"
    )
    return details("instance-list", title, table(head, rows, names=3))


def _measured(instance: InstanceFacts) -> Sequence[object]:
    spread = instance.hardness
    if spread is None:
        return NONE, NONE, NONE, 0
    return *(number(value, 3) for value in (spread.mean, spread.lowest, spread.highest)), spread.count
