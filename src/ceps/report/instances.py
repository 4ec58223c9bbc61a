"""Instances: where they come from, how hard they are, where they are on the map, and how they are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ceps.comparing.measured import Measured, Row
from ceps.errors import UserError
from ceps.problems.sketch import Sketch
from ceps.report.facts import InstanceFacts, Origin, Spread
from ceps.report.library import Library
from ceps.report.meetings import Meeting
from ceps.report.space import FEWEST, draw_map
from ceps.store.history import Relative

MOST_FEATURES = 400
"""Instances on the map, at most: features of one take up to 150 ms."""
MOST_PLACES = 250_000
"""Places in all sketches together, at most: a page of more is slow to load."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How hard an instance is, and for whom it is not."""

    hardness: Spread
    winner: str | None


@dataclass(frozen=True, slots=True)
class Gallery:
    """All instances of a page."""

    instances: tuple[InstanceFacts, ...]
    axes: tuple[str, str]
    missing: tuple[str, ...]


def verdicts_by_meetings(meetings: Iterable[Meeting], names: Sequence[str]) -> dict[str, Verdict]:
    """By instance, from where the members of these names met."""
    groups: dict[str, list[Meeting]] = {}
    for meeting in meetings:
        groups.setdefault(meeting.instance, []).append(meeting)
    verdicts = {}
    for key, group in groups.items():
        winners = [names[meeting.winner - 1] for meeting in group if meeting.winner is not None]
        verdicts[key] = Verdict(Spread.of([meeting.score for meeting in group]), _most_frequent(winners, names))
    return verdicts


def verdicts_by_rows(measured: Measured, ids: Sequence[str], contenders: Sequence[str]) -> dict[str, Verdict]:
    """By instance, from what contenders scored on it on all splits; ``ids`` are those of the whole set, in order."""
    groups: dict[str, dict[int, list[Row]]] = {}
    for row in measured.rows:
        if row.method in contenders:
            groups.setdefault(ids[row.number], {}).setdefault(row.split, []).append(row)
    verdicts = {}
    for key, splits in groups.items():
        best = [min(rows, key=lambda row: row.score) for rows in splits.values()]
        winners = [row.method for row in best if not row.timeout]
        scores = [row.score for rows in splits.values() for row in rows]
        verdicts[key] = Verdict(Spread.of(scores), _most_frequent(winners, contenders))
    return verdicts


def _most_frequent(winners: Sequence[str], order: Sequence[str]) -> str | None:
    """The first of equals."""
    count = Counter(winners)
    return max(order, key=lambda name: count[name]) if winners else None


def read_gallery(
    library: Library,
    relatives: Sequence[Relative],
    verdicts: Mapping[str, Verdict],
    origin: Callable[[Relative], Origin],
) -> Gallery:
    """Everything about these instances, in their order; parents must come before their children."""
    generations: dict[str, int] = {}
    for each in relatives:
        generations[each.id] = 0 if each.parent is None else generations[each.parent] + 1
    origins = {each.id: origin(each) for each in relatives}
    hardest = sorted(relatives, key=lambda each: -(verdicts[each.id].hardness.mean if each.id in verdicts else -inf))
    missing: list[str] = []
    features, places, axes = _map(library, _evenly([each.id for each in hardest], origins), missing)
    bred_first = sorted(hardest, key=lambda each: origins[each.id] is not Origin.BRED)
    beside_parents = dict.fromkeys(key for each in bred_first for key in (each.id, each.parent) if key is not None)
    sketches = _sketches(library, list(beside_parents), missing)
    instances = tuple(
        InstanceFacts(
            id=each.id,
            name=each.name,
            origin=origins[each.id],
            generation=generations[each.id],
            parent=each.parent,
            reference=each.reference,
            best_cost=each.best_cost,
            hardness=verdicts[each.id].hardness if each.id in verdicts else None,
            winner=verdicts[each.id].winner if each.id in verdicts else None,
            place=places.get(each.id),
            features=features.get(each.id, {}),
            sketch=sketches.get(each.id),
        )
        for each in relatives
    )
    return Gallery(instances, axes, tuple(missing))


def _evenly(hardest: Sequence[str], origins: Mapping[str, Origin]) -> list[str]:
    """The hardest of every origin, then the second hardest of each, and so on."""
    seen: Counter[Origin] = Counter()
    ranks = {}
    for key in hardest:
        ranks[key] = seen[origins[key]]
        seen[origins[key]] += 1
    return sorted(hardest, key=lambda key: ranks[key])


def _map(
    library: Library, order: Sequence[str], missing: list[str]
) -> tuple[dict[str, Mapping[str, float]], dict[str, tuple[float, float]], tuple[str, str]]:
    """Features and places of the first instances, as many as there is time for, and the names of the axes."""
    chosen = order[:MOST_FEATURES]
    try:
        features = {key: library.features(key) for key in chosen}
    except UserError as error:  # They may be told by somebody's program.
        missing.append(f"There is no map of the instances, for their features cannot be told: {error}")
        return {}, {}, ("", "")
    if chosen and not any(features.values()):
        missing.append(f"Problem '{library.problem.name}' has no features, so there is no map of its instances.")
        return {}, {}, ("", "")
    drawn = draw_map(list(features.values()))
    if drawn is None:
        missing.append(f"A map needs at least {FEWEST} instances that differ in their features.")
        return features, {}, ("", "")
    if len(chosen) < len(order):
        missing.append(
            f"The map has {len(chosen)} of {len(order)} instances, the hardest of each origin: features of all would "
            "take too long."
        )
    places = {key: (x, y) for key, (x, y) in zip(chosen, drawn.places.tolist(), strict=True)}
    return features, places, drawn.axes


def _sketches(library: Library, order: Sequence[str], missing: list[str]) -> dict[str, Sketch]:
    """Sketches of the first instances, with their best solutions, as many as a page holds."""
    sketches: dict[str, Sketch] = {}
    places = 0
    for key in order:
        best = library.store.best_solution(key)
        sketch = library.problem.sketch(library.instance(key), None if best is None else best.solution)
        if sketch is None:
            missing.append(f"Instances of problem '{library.problem.name}' cannot be drawn.")
            return {}
        places += len(sketch.places)
        if places > MOST_PLACES:
            missing.append(
                f"{len(sketches)} of {len(order)} instances are drawn, hard ones that were bred first: "
                "with all of them the page would be too large."
            )
            break
        sketches[key] = sketch
    return sketches
