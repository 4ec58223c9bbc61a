"""The instance space as a map, twice: who is best where, and what is hard where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from ceps.report.charts import Axis, Key, Numbers, Point, Series, Words, plane
from ceps.report.facts import Facts, InstanceFacts, Origin
from ceps.report.pieces import heading, joined, side_by_side
from ceps.report.sections.shared import (
    NOBODY,
    NOT_KNOWN,
    SHAPE_OF,
    group_name,
    hardness,
    instance_tip,
    numbered,
    of_whom,
    tints,
)
from ceps.report.words import METRICS, number
from ceps.texts import counted

_NAMES = {Origin.GIVEN: "given", Origin.BRED: "bred", Origin.TEST: "test"}
_SIZE = (560.0, 400.0)
_SMALLEST, _GROWTH = 3.2, 4.2
"""The size of the easiest instance, and how much larger the hardest is."""
_ALIKE = 4.5
_GREY = 7


def maps(facts: Facts) -> Markup:
    """Nothing for a problem without features."""
    placed = [each for each in facts.instances if each.place is not None]
    if not placed:
        return Markup("")
    both = side_by_side([_winners(facts, placed), _hardness(facts, placed)])
    return joined([heading("The instance space"), both])


def _winners(facts: Facts, placed: Sequence[InstanceFacts]) -> Markup:
    tested = [each for each in placed if each.hardness is not None]
    series = [
        Series(winner, [_point(each) for each in tested if _winner(each) == winner], index)
        for winner, index in numbered(facts).items()
    ]
    series = [each for each in series if each.points]
    keys = [Key(f"{each.label} ({len(each.points)})", "circle", each.number, each.number) for each in series]
    others, other_keys = _not_known(placed)
    who = "contender" if facts.comparison is not None else "member"
    words = Words(
        "map-winners",
        "Who is best where.",
        f"{counted(len(placed), 'instance')} by their features: near means alike. Shapes tell where they come from, "
        f"colours the {who} that is most often the best.",
    )
    numbers = Numbers(
        ("instance", "origin", "best on it", "across", "up"),
        [(each.name, group_name(each), _winner(each), *map(number, each.place or ())) for each in placed],
        names=3,
    )
    shown = [*keys, *other_keys, *_shapes(placed)]
    return plane(words, *_axes(facts), [*others, *series], shown, numbers, _SIZE)


def _hardness(facts: Facts, placed: Sequence[InstanceFacts]) -> Markup:
    tint = tints(facts)
    shaded = [each for each in placed if each.id in tint]
    if not shaded:
        return Markup("")
    values = [value for each in shaded if (value := hardness(each)) is not None]
    ends = [
        Key(f"easiest: {number(min(values), 3)}", tint=0.0, size=_SMALLEST),
        Key(f"hardest: {number(max(values), 3)}", tint=1.0, size=_SMALLEST + _GROWTH),
    ]
    words = Words(
        "map-hardness",
        "What is hard where.",
        f"The same map, with {counted(len(shaded), 'instance')} of a known score: darker and larger is harder, by the "
        f"mean {METRICS.get(facts.metric, facts.metric)} {of_whom(facts)}.",
    )
    series = Series("instances", [_point(each, tint[each.id]) for each in shaded])
    others, other_keys = _not_known(placed)
    shown = [*ends, *other_keys, *_shapes(placed)]
    return plane(words, *_axes(facts), [*others, series], shown, size=_SIZE)


def _winner(instance: InstanceFacts) -> str:
    return NOT_KNOWN if instance.hardness is None else instance.winner or NOBODY


def _not_known(placed: Sequence[InstanceFacts]) -> tuple[list[Series], list[Key]]:
    """Instances that nobody was tested on are on the map too, so that both maps are the same."""
    points = [replace(_point(each), size=_SMALLEST) for each in placed if each.hardness is None]
    if not points:
        return [], []
    return [Series(NOT_KNOWN, points, _GREY)], [Key(f"{NOT_KNOWN} ({len(points)})", colour=_GREY, size=_SMALLEST)]


def _axes(facts: Facts) -> tuple[Axis, Axis]:
    across, up = facts.map_axes
    return Axis(across), Axis(up)


def _shapes(placed: Sequence[InstanceFacts]) -> list[Key]:
    """What shapes stand for, of those that are there."""
    present = {each.origin for each in placed}
    return [Key(_NAMES[origin], shape) for origin, shape in SHAPE_OF.items() if origin in present]


def _point(instance: InstanceFacts, shade: float | None = None) -> Point:
    assert instance.place is not None
    size = _ALIKE if shade is None else _SMALLEST + _GROWTH * shade
    shape = SHAPE_OF[instance.origin]
    return Point(*instance.place, instance_tip(instance), instance.id, shape, size, shade)
