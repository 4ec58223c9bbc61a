"""What several sections ask of the facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import inf, isfinite, log10
from typing import TypeVar

from ceps.report.charts import Axis
from ceps.report.charts.scale import SMALLEST
from ceps.report.facts import BuildFacts, Facts, InstanceFacts, Origin
from ceps.report.words import METRICS, origin_text, spread_text

Thing = TypeVar("Thing")
Group = TypeVar("Group")

NOBODY, NOT_KNOWN = "nobody", "score not known"
"""Who is best on an instance that nobody has solved, and on one that nobody was tested on."""
SHAPE_OF = {Origin.GIVEN: "circle", Origin.BRED: "triangle", Origin.TEST: "square"}
"""Where an instance comes from, as the shape of its mark."""


def score_axis(facts: Facts, label: str = "") -> Axis:
    """Runtimes span orders of magnitude."""
    name = METRICS.get(facts.metric, facts.metric)
    return Axis(f"{name}{f' {label}' if label else ''}", log=facts.metric == "par10")


def grouped(things: Iterable[Thing], key: Callable[[Thing], Group]) -> dict[Group, list[Thing]]:
    groups: dict[Group, list[Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def numbered(facts: Facts) -> Mapping[str, int]:
    """Members, or contenders, by number: the same colour and shape for each on all of the page."""
    labels = [] if facts.comparison is None else list(facts.comparison.measured.methods)
    others = {each.winner for each in facts.instances if each.winner is not None}
    if facts.comparison is None:
        others |= {each.member for each in facts.anytime}
    labels += sorted(others - set(labels), key=_by_number)
    return {label: index for index, label in enumerate(labels)} | {NOBODY: len(labels)}


def _by_number(label: str) -> list[tuple[int, str]]:
    """So that ``member 10`` comes after ``member 2``."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", label)]


def hardness(instance: InstanceFacts) -> float | None:
    """The mean score on it."""
    return None if instance.hardness is None or not isfinite(instance.hardness.mean) else instance.hardness.mean


def hardest_first(instance: InstanceFacts) -> float:
    """What to sort instances by; those of an unknown score come last."""
    value = hardness(instance)
    return inf if value is None else -value


def tints(facts: Facts) -> Mapping[str, float]:
    """From 0 for the easiest to 1 for the hardest instance, by id."""
    values = {each.id: value for each in facts.instances if (value := hardness(each)) is not None}
    if facts.metric == "par10":
        values = {key: log10(max(value, SMALLEST)) for key, value in values.items()}
    low, high = min(values.values(), default=0.0), max(values.values(), default=1.0)
    return {key: (value - low) / (high - low) if high > low else 0.5 for key, value in values.items()}


def group_name(instance: InstanceFacts) -> str:
    """Instances of like origin."""
    match instance.origin:
        case Origin.GIVEN:
            return "given"
        case Origin.TEST:
            return "test"
    return f"generation {instance.generation}"


def by_origin(facts: Facts) -> dict[str, list[InstanceFacts]]:
    """Given ones first, then generation by generation, then those of the test."""
    order = {Origin.GIVEN: 0, Origin.BRED: 1, Origin.TEST: 2}
    ordered = sorted(facts.instances, key=lambda each: (order[each.origin], each.generation))
    return grouped(ordered, group_name)


def instance_tip(instance: InstanceFacts) -> str:
    """What is said of an instance where it is pointed at."""
    lines = [instance.name, origin_text(instance)]
    if instance.hardness is not None:
        lines.append(f"hardness: {spread_text(instance.hardness)}")
    if instance.winner is not None:
        lines.append(f"best on it: {instance.winner}")
    return "\n".join(lines)


def of_whom(facts: Facts) -> str:
    """Whose scores tell how hard instances are."""
    return "of all contenders" if facts.comparison is not None else "of the last portfolio"


def first_of_interest(builds: Iterable[BuildFacts]) -> BuildFacts | None:
    """The build that is shown unfolded: the first of CEPS, or else the first with a portfolio."""
    shown = [build for build in builds if build.members]
    return next((build for build in shown if "CEPS" in build.label.upper()), shown[0] if shown else None)
