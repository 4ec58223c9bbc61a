"""The instances: how hard they became, what was bred from what, and where they lie."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ceps.report.charts import Axis, Box, Key, Numbers, Point, Series, Words, boxes, plane
from ceps.report.facts import Facts, InstanceFacts, Origin
from ceps.report.pieces import MOST_ROWS, Section, details, heading, joined, opener, paragraph, table
from ceps.report.sections.shared import (
    NOBODY,
    by_origin,
    group_name,
    hardness,
    hardness_text,
    instance_tip,
    numbered,
    score_axis,
    tints,
)
from ceps.report.sketches import drawn
from ceps.report.words import METRICS, number, origin_text, spread_of
from ceps.texts import counted

_PAIRS = 8
_ORIGINS = {Origin.GIVEN: "circle", Origin.BRED: "triangle", Origin.TEST: "square"}
_ORIGIN_NAMES = {Origin.GIVEN: "given", Origin.BRED: "bred", Origin.TEST: "test"}
_SMALLEST, _GROWTH = 3.2, 4.2
"""The size of the easiest instance on a map, and how much larger the hardest is."""


def instances(facts: Facts) -> Section | None:
    """Hardness, parents and children, the map twice, and the hardest by name."""
    if not facts.instances:
        return None
    parts = [_hardness(facts), _pairs(facts), _maps(facts), _generations(facts), _list(facts)]
    return Section("instances", "Instances", joined(parts))


def _hardness(facts: Facts) -> Markup:
    rows = []
    for index, (name, group) in enumerate(by_origin(facts).items()):
        values = [
            Point(value, 0.0, instance_tip(each), each.id, _ORIGINS[each.origin])
            for each in group
            if (value := hardness(each)) is not None
        ]
        if values:
            rows.append(Box(name, spread_of([value.x for value in values]), index, values))
    if not rows:
        return Markup("")
    words = Words(
        "hardness",
        "How hard the instances are.",
        f"The mean score {_of_whom(facts)} on each instance, by generation; n instances each. Boxes are quartiles, "
        "whiskers go to the extremes, diamonds are means, dots are instances.",
    )
    return boxes(words, score_axis(facts), rows)


def _of_whom(facts: Facts) -> str:
    return "of all contenders" if facts.comparison is not None else "of the last portfolio"


def _pairs(facts: Facts) -> Markup:
    """The hardest bred instances, each beside the one it was bred from."""
    known = {each.id: each for each in facts.instances}
    bred = [
        (each, known[each.parent])
        for each in facts.instances
        if each.origin is Origin.BRED and each.parent in known and hardness(each) is not None
    ]
    hardest = sorted(bred, key=lambda pair: -(hardness(pair[0]) or 0.0))
    shown = [_pair(child, parent) for child, parent in hardest if child.sketch and parent.sketch][:_PAIRS]
    if not shown:
        return Markup("")
    return joined(
        [
            heading("The hardest that were bred, and what they were bred from"),
            paragraph(
                f"{counted(len(shown), 'pair')} of {len(bred)}: parent to the left, child to the right, with the best "
                "solution known; below each, its mean score."
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
        drawn(instance.sketch, f"drawing of {instance.name}"), hardness_text(instance), instance.name
    )
    return opener(instance.id, says)


def _maps(facts: Facts) -> Markup:
    placed = [(each, *each.place) for each in facts.instances if each.place is not None]
    if not placed:
        return Markup("")
    x, y = (Axis(label) for label in facts.map_axes)
    numbers, tint = numbered(facts), tints(facts)
    origins = [origin for origin in _ORIGINS if any(each.origin is origin for each, _, _ in placed)]
    shapes = [Key(_ORIGIN_NAMES[origin], _ORIGINS[origin]) for origin in origins]

    def point(each: InstanceFacts, across: float, up: float, shade: float | None) -> Point:
        size = 4.5 if shade is None else _SMALLEST + _GROWTH * shade
        return Point(across, up, instance_tip(each), each.id, _ORIGINS[each.origin], size, shade)

    winners = [
        Series(label, [point(each, *at, None) for each, *at in placed if (each.winner or NOBODY) == label], number_)
        for label, number_ in numbers.items()
    ]
    winners = [each for each in winners if each.points]
    keys = [Key(f"{each.label} ({len(each.points)})", "circle", each.number, each.number) for each in winners]
    who = "contender" if facts.comparison is not None else "member"
    about = f"{counted(len(placed), 'instance')} by their features: near means alike. Shapes tell where they come from."
    by_winner = plane(
        Words("map-winners", "Who is best where.", f"{about} Colours tell the {who} that is most often the best."),
        x,
        y,
        winners,
        [*keys, *shapes],
        Numbers(
            ("instance", "origin", "best on it", "across", "up"),
            [
                (each.name, group_name(each), each.winner or NOBODY, number(across), number(up))
                for each, across, up in placed
            ],
            names=3,
        ),
        size=(640.0, 420.0),
    )
    shaded = [point(each, across, up, tint[each.id]) for each, across, up in placed if each.id in tint]
    if not shaded:
        return by_winner
    metric = METRICS.get(facts.metric, facts.metric)
    by_hardness = plane(
        Words(
            "map-hardness",
            "What is hard where.",
            f"The same map of {counted(len(shaded), 'instance')} with a known score: darker and larger is harder, by "
            f"the mean {metric} {_of_whom(facts)}.",
        ),
        x,
        y,
        [Series("instances", shaded, 0)],
        [*_shades(facts), *shapes],
        size=(640.0, 420.0),
    )
    return joined(
        [heading("The instance space"), Markup('<div class="side">{}{}</div>').format(by_winner, by_hardness)]
    )


def _shades(facts: Facts) -> list[Key]:
    """The easiest and the hardest instance as entries of the legend."""
    values = [value for each in facts.instances if (value := hardness(each)) is not None]
    return [
        Key(f"easiest: {number(min(values), 3)}", tint=0.0, size=_SMALLEST),
        Key(f"hardest: {number(max(values), 3)}", tint=1.0, size=_SMALLEST + _GROWTH),
    ]


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
    ordered = sorted(facts.instances, key=lambda each: (-(hardness(each) or -1.0), each.name))
    shown = ordered[:MOST_ROWS]
    head = ("instance", "origin", "best on it", "hardness", "n")
    rows = [(opener(each.id, each.name), origin_text(each), each.winner or "", *_measured(each)) for each in shown]
    title = (
        f"All {counted(len(shown), 'instance')}, the hardest first"
        if len(shown) == len(ordered)
        else f"The {len(shown)} hardest of {len(ordered)} instances"
    )
    return details("instance-list", title, table(head, rows, names=3))


def _measured(instance: InstanceFacts) -> Sequence[object]:
    return hardness_text(instance), instance.hardness.count if instance.hardness else 0
