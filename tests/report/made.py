"""Facts made up for tests of the page: a build, a comparison, an evaluation, and what may go wrong with them."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np

from ceps.comparing.measured import Construction, Given, Measured, Row, Work
from ceps.comparing.results import family, results_of
from ceps.problems.sketch import Sketch
from ceps.records import Ending
from ceps.report.facts import (
    Anytime,
    BuildFacts,
    Cause,
    EndingCount,
    Facts,
    Generation,
    InstanceFacts,
    Kind,
    MemberFacts,
    Origin,
    Parameter,
    Phase,
    Sessions,
    Sitting,
    Spread,
    Stage,
)

HOSTILE = "<script>alert(1)</script> \"><img src=x onerror=alert(2)> '&\u2028 </title></svg> ${x} {{ 7 * 7 }}"
"""A name that is markup, an attribute, a line end and a template at once."""
MEMBERS = ("member 1 (eax)", "member 2 (lkh)", "member 3 (lkh)")


def tour(seed: int, size: int = 120, squeeze: float = 1.0) -> Sketch:
    """Cities, and a tour around their middle."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(0.0, 1000.0, (size, 2)) * (1.0, squeeze)
    order = np.argsort(np.arctan2(*(places - places.mean(axis=0)).T)).tolist()
    return Sketch(places, ways=((*order, order[0]),))


def routes(seed: int, customers: int = 60, vehicles: int = 6, solved: bool = True) -> Sketch:
    """Customers with windows around a depot, and routes that attend to each in its window."""
    rng = np.random.default_rng(seed)
    places = np.concatenate([[[50.0, 50.0]], rng.uniform(0.0, 100.0, (customers, 2))])
    angles = np.arctan2(*(places[1:] - places[0]).T)
    order = (np.argsort(angles) + 1).tolist()
    share = customers // vehicles
    ways = tuple((0, *order[index * share : (index + 1) * share], 0) for index in range(vehicles))
    visits = np.full((customers + 1, 2), nan)
    windows = np.tile([0.0, 1000.0], (customers + 1, 1))
    for way in ways:
        for place, start in zip(way[1:-1], np.linspace(20.0, 900.0, len(way) - 2), strict=True):
            visits[place] = start, start + 30.0
            windows[place] = max(0.0, start - rng.uniform(10.0, 150.0)), start + rng.uniform(5.0, 120.0)
    return Sketch(places, (0,), ways if solved else (), windows, visits if solved else None)


def instances(routing: bool = False, count: int = 8) -> tuple[InstanceFacts, ...]:
    """Given ones, their children and grandchildren, each generation harder than the one before."""
    rng = np.random.default_rng(7)
    made: list[InstanceFacts] = []
    for generation in range(3):
        for index in range(count):
            parent = made[(generation - 1) * count + index] if generation else None
            scores = [float(score) for score in rng.lognormal(generation * 0.7 - 1.0, 0.4, 5)]
            features = {"spread": float(rng.normal(generation, 1.0)), "clusters": float(index)}
            sketch = routes(index + 100 * generation) if routing else tour(index + 100 * generation)
            made.append(
                InstanceFacts(
                    id=f"{generation:02d}{index:02d}" * 8,
                    name=f"{'uniform' if index % 2 else 'cluster'}-120-{index}{'+' * generation}",
                    origin=Origin.BRED if generation else Origin.GIVEN,
                    generation=generation,
                    parent=parent.id if parent else None,
                    reference=7_000_000.0 + index,
                    best_cost=7_000_000.0 + index - generation,
                    hardness=Spread.of(scores),
                    winner=MEMBERS[(index + generation) % 3],
                    place=(features["spread"], float(rng.normal(0.0, 1.0))),
                    features=features,
                    sketch=sketch,
                )
            )
    return tuple(made)


def members() -> tuple[MemberFacts, ...]:
    def parameters(*changed: str) -> tuple[Parameter, ...]:
        values = {"kicks": (3, 1), "candidates": (7, 5), "strategy": ("walk", "segment"), "restart": (0.25, 0.25)}
        return tuple(
            Parameter(name, value if name in changed else default, default, name in changed)
            for name, (value, default) in values.items()
        ) + ((Parameter("depth", 4, None, True),) if changed else ())

    return (
        MemberFacts(1, "eax", "1.0", parameters(), 0.31, 60, 120),
        MemberFacts(2, "lkh", "3.0.12", parameters("kicks", "strategy"), 0.12, 40, 120),
        MemberFacts(3, "lkh", "3.0.12", parameters("candidates"), 0.02, 20, 120),
    )


def _scores(mean: float) -> Spread:
    return Spread(16, mean, 0.2 * mean, 0.6 * mean, 0.9 * mean, 1.3 * mean, 3.0 * mean)


def build(label: str = "ceps") -> BuildFacts:
    return BuildFacts(
        label=label,
        finished=True,
        members=members(),
        stages=(
            Stage("initial", 2.31, Spread(8, 2.31, 0.1, 0.5, 1.2, 2.0, 20.0), 120.0, None, ()),
            Stage("iteration 1", 1.20, _scores(1.20), 300.0, 2.40, (1.20, 1.9, 2.6, 2.2, 1.4)),
            Stage("iteration 2", 1.31, _scores(1.31), 510.0, 1.65, (1.31, 1.7, 2.0, 1.8, 1.35)),
            Stage("validation", 0.92, None, 700.0, 0.99, (0.92, 1.1, 1.2)),
        ),
        sessions=(
            Sessions("configuration 1", (41, 38, 52, 60, 44), (30.0, 28.0, 33.0, 31.0, 29.0)),
            Sessions("configuration 2", (39, 61, 47, 33, 52), (30.0, 34.0, 30.0, 29.0, 31.0)),
        ),
        generations=(Generation("generation 1", 40, 3, ("x",) * 8), Generation("generation 2", 50, 0, ("x",) * 8)),
        phases=(
            Phase("references", 60.0),
            Phase("initialisation", 60.0),
            Phase("configuration 1", 151.0),
            Phase("validation 1", 60.0),
            Phase("generation 1", 29.0),
            Phase("configuration 2", 154.0),
            Phase("validation 2", 186.0),
        ),
        budget=720.0,
        charged=700.0,
        spent=560.0,
        trials=500.0,
        side_by_side=1410.0,
        saved=0.64,
    )


def anytime() -> tuple[Anytime, ...]:
    times = tuple(np.geomspace(0.02, 2.0, 60).tolist())
    made = []
    for index, member in enumerate(MEMBERS):
        median = [None if time < 0.03 * (index + 1) else 0.2 / (1.0 + (8.0 + 6 * index) * time) ** 2 for time in times]
        made.append(
            Anytime(
                member,
                180 - index,
                1000,
                times,
                lower=tuple(None if gap is None else 0.4 * gap for gap in median),
                median=tuple(median),
                upper=tuple(None if gap is None else 2.0 * gap for gap in median),
            )
        )
    return tuple(made)


def build_facts(routing: bool = False) -> Facts:
    """A build that has ended."""
    return Facts(
        kind=Kind.BUILD,
        name="small-1",
        finished=True,
        problem="vrpspdtw" if routing else "tsp",
        metric="par10",
        cutoff=2.0,
        penalty=20.0,
        settings={"seed": 1, "problem": {"name": "tsp", "instances": ["data/*.tsp"]}, "budget": {"cpu": 720.0}},
        versions={"ceps": "0.1.0", "lkh": "3.0.12"},
        builds=(build(),),
        instances=instances(routing),
        map_axes=("PC1 (41 % of the variance): spread, clusters", "PC2 (22 % of the variance): clusters, spread"),
        anytime=anytime(),
        endings=(
            EndingCount("eax", Ending.SOLVED, 812, 190.0),
            EndingCount("eax", Ending.TIMEOUT, 40, 80.0),
            EndingCount("lkh", Ending.SOLVED, 1504, 210.0),
            EndingCount("lkh", Ending.CAPPED, 700, 60.0),
            EndingCount("lkh", Ending.CRASHED, 3, 1.0),
        ),
        causes=(Cause("CRASHED", "signal 11 <segmentation fault>", 3),),
        contradictions=("easy: answers contradict each other",),
        sittings=(Sitting(1_790_000_000, 240.0, 2, 430.0, "desk"), Sitting(1_790_009_000, 70.0, 2, 130.0, "desk")),
        runs=3059,
        cpu=541.0,
        comparison=None,
        missing=(),
    )


def large_facts() -> Facts:
    """As many places as a page may have, all with windows, visits and routes."""
    day, first = routes(1, customers=1000, vehicles=40), instances()[0]
    many = (replace(first, id=f"{index:032d}", name=f"day-{index}", sketch=day) for index in range(250))
    return replace(build_facts(), instances=tuple(many))


def unfinished_facts() -> Facts:
    """A build that has no portfolio yet."""
    begun = replace(build(), finished=False, members=(), stages=(), sessions=(), generations=(), side_by_side=None)
    given = tuple(replace(each, hardness=None, winner=None, place=None) for each in instances()[:8])
    return replace(
        build_facts(),
        finished=False,
        builds=(replace(begun, phases=begun.phases[:1], charged=60.0),),
        instances=given,
        anytime=(),
        missing=("There is no portfolio yet: the build looks for references.",),
    )


def empty_facts() -> Facts:
    """Nothing at all."""
    return replace(
        build_facts(),
        finished=False,
        settings={},
        versions={},
        builds=(),
        instances=(),
        anytime=(),
        endings=(),
        causes=(),
        contradictions=(),
        sittings=(),
        runs=0,
        cpu=0.0,
        missing=("Nothing has been run yet.",),
    )


def hostile_facts() -> Facts:
    """All that comes from outside is hostile."""
    facts = build_facts()
    member = replace(
        members()[0], solver=HOSTILE, version=HOSTILE, parameters=(Parameter(HOSTILE, HOSTILE, "x", True),)
    )
    hardness = Spread(5, 90.0, 80.0, 85.0, 90.0, 95.0, 100.0)
    worst = replace(
        facts.instances[-1], name=HOSTILE, hardness=hardness, winner=HOSTILE, features={HOSTILE: 1.0, "none": nan}
    )
    return replace(
        facts,
        name=HOSTILE,
        settings={HOSTILE: {"inner": HOSTILE}},
        versions={HOSTILE: HOSTILE},
        builds=(replace(build(HOSTILE), members=(member,)),),
        instances=(*facts.instances[:-1], worst),
        map_axes=(HOSTILE, HOSTILE),
        anytime=(replace(facts.anytime[0], member=HOSTILE),),
        endings=(EndingCount(HOSTILE, Ending.CRASHED, 1, 1.0),),
        causes=(Cause("CRASHED", HOSTILE, 1),),
        contradictions=(HOSTILE,),
        sittings=(replace(facts.sittings[0], host=HOSTILE),),
        missing=(HOSTILE,),
    )


def measured() -> Measured:
    """Three splits of twenty test instances in four families, five methods."""
    rng = np.random.default_rng(3)
    methods = {"CEPS": 0.4, "CEPS.initial": 0.9, "GLOBAL": 0.7, "LKH-tuned": 0.8, "EAX-default": 1.6}
    rows = []
    for split in (1, 2, 3):
        for number in range(26):
            name = f"{('uniform', 'cluster', 'grid', 'linear')[number % 4]}-400-{number}"
            for method, level in methods.items():
                score = min(float(rng.lognormal(np.log(level), 0.6)), 2.0)
                timeout = score >= 2.0
                rows.append(
                    Row(
                        split=split,
                        method=method,
                        part="train" if number < 6 else "test",
                        number=number,
                        instance=name,
                        family=family(name),
                        score=20.0 if timeout else score,
                        timeout=timeout,
                        components=(None if timeout else 1 + number % 3,),
                    )
                )
    built = tuple(
        Construction(split, method, ("eax", "lkh: kicks=3", "lkh"), 0.9, (0.3, 0.1, 0.02), 700.0, 60.0, 400.0, 8)
        for split in (1, 2, 3)
        for method in ("CEPS", "GLOBAL")
    )
    given = tuple(Given(split, "CEPS.initial", ("eax", "lkh", "lkh: kicks=2")) for split in (1, 2, 3))
    work = Work(workers=2, wall=4000.0, spent=7000.0, spent_before=0.0)
    return Measured("par10", 2.0, 3, 720.0, tuple(methods), "CEPS", tuple(rows), built, given, 900.0, work, ("beware",))


def comparison_facts() -> Facts:
    """A comparison that has ended."""
    facts = build_facts()
    results = results_of(measured())
    methods = results.measured.methods
    tested = tuple(
        replace(each, origin=Origin.TEST if index >= 5 else each.origin, winner=methods[index % 4])
        for index, each in enumerate(facts.instances[:8])
    )
    builds = tuple(build(f"{split}/{method}") for split in (1, 2, 3) for method in ("CEPS", "GLOBAL"))
    return replace(
        facts,
        kind=Kind.COMPARISON,
        name="desk",
        builds=builds,
        instances=(*tested, *(replace(each, hardness=None, winner=None) for each in facts.instances[8:])),
        anytime=tuple(replace(each, member=f"1/CEPS {each.member}") for each in facts.anytime),
        comparison=results,
    )


def evaluation_facts() -> Facts:
    """An evaluation that has ended: tests only."""
    facts = build_facts(routing=True)
    tested = tuple(replace(each, origin=Origin.TEST, generation=0, parent=None) for each in facts.instances)
    return replace(facts, kind=Kind.EVALUATION, name="evaluation", builds=(), instances=tested)
