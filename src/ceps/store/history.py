"""Questions people ask of a store, answered by the database: runs are too many to be looked at one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from ceps.contradictions import Contradiction, is_false, judged, truth_of, why_false
from ceps.findings import Finding, Findings
from ceps.records import FAILURES, Ending
from ceps.store.rows import RecordedRun
from ceps.store.store import Store

# With a target, runs that look for references (they have none) are told from runs that are judged by them.
_IS_TRIAL = "(runs.target IS NOT NULL OR NOT :targeted)"
_OF_MEMBERS = f"""runs.configuration IN (
        SELECT number FROM configurations WHERE id IN (SELECT value FROM json_each(:members))
    ) AND {_IS_TRIAL}"""

# What a run is recorded to have said may since be known to be false.
_JUDGED = """runs LEFT JOIN (
        SELECT number AS instance, json_extract(value, '$[1]') AS says, json_extract(value, '$[2]') AS reason
        FROM json_each(:false) JOIN instances ON instances.id = json_extract(value, '$[0]')
    ) AS wrong ON runs.says <> '' AND wrong.instance = runs.instance AND wrong.says = runs.says"""
_ENDING = f"iif(wrong.says IS NULL, runs.ending, '{Ending.INVALID.value}')"

# Few instances are torn: the others are left aside before anything is joined.
_SELECT_SAID = """WITH torn AS (
        SELECT instance FROM runs WHERE says <> '' GROUP BY instance HAVING min(says) <> max(says)
    ), said AS (
        SELECT instance, says, program, min(cost) AS cost FROM runs
        WHERE says <> '' AND instance IN torn GROUP BY instance, says, program
    )
    SELECT instances.id, instances.name, programs.solver, says, min(cost)
    FROM said JOIN instances ON instances.number = instance JOIN programs ON programs.number = program
    GROUP BY instance, says, programs.solver ORDER BY instance, says, programs.solver"""

_SELECT_FINDINGS = """SELECT instances.id, says, min(cost)
    FROM runs JOIN instances ON instances.number = instance WHERE says <> '' GROUP BY instance, says"""

_SELECT_FAMILY = """WITH RECURSIVE family (number) AS (
        SELECT number FROM instances WHERE parent IS NULL OR id IN (SELECT value FROM json_each(:admitted))
        UNION
        SELECT instances.parent FROM family JOIN instances USING (number) WHERE instances.parent IS NOT NULL
    )
    SELECT own.id, own.name, parents.id, reference_costs.cost, best.cost
    FROM family JOIN instances AS own ON own.number = family.number
    LEFT JOIN instances AS parents ON parents.number = own.parent
    LEFT JOIN reference_costs ON reference_costs.instance = own.number
    LEFT JOIN best ON best.instance = own.number
    ORDER BY own.number"""

# SQLite takes the other columns from the row that has the maximum.
_SELECT_LAST_RUNS = f"""SELECT configurations.id, instances.id, runs.seed, runs.target, runs.cpu_limit, {_ENDING},
        iif(wrong.says IS NULL, runs.cost, NULL), runs.cpu, max(runs.id)
    FROM {_JUDGED} JOIN configurations ON configurations.number = runs.configuration
    JOIN instances ON instances.number = runs.instance
    WHERE {_OF_MEMBERS}
    GROUP BY runs.configuration, runs.instance, runs.seed"""

_SELECT_ASKED = f"""SELECT configurations.id
    FROM runs JOIN configurations ON configurations.number = runs.configuration
    WHERE runs.asker = :asker AND {_IS_TRIAL}
    GROUP BY runs.configuration ORDER BY min(runs.id)"""

# Improvements are what the solver has claimed: of a run that failed, nobody knows whether they were true.
_SELECT_TRACED = f"""SELECT runs.id FROM runs
    WHERE {_OF_MEMBERS} AND runs.trace IS NOT NULL
        AND runs.ending NOT IN ({", ".join(f"'{ending.value}'" for ending in (Ending.CAPPED, *FAILURES))})
    ORDER BY runs.id"""

_SELECT_TRACES = """SELECT runs.cpu, runs.cost, runs.trace,
        min(coalesce(best.cost, reference_costs.cost), coalesce(reference_costs.cost, best.cost))
    FROM runs LEFT JOIN best ON best.instance = runs.instance
    LEFT JOIN reference_costs ON reference_costs.instance = runs.instance
    WHERE runs.id IN (SELECT value FROM json_each(?))
    ORDER BY runs.id"""


@dataclass(frozen=True, slots=True)
class Relative:
    """An instance without its content."""

    id: str
    name: str
    parent: str | None
    """Its id."""
    reference: float | None
    best_cost: float | None


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds of runs that were made for somebody."""

    cpu: float
    trials: float
    """Of that, without runs that look for references."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run of a configuration on an instance with a seed. Earlier ones had other targets or lower limits."""

    configuration: str
    instance: str
    seed: int
    target: float | None
    limit: float
    ending: str
    cost: float | None
    cpu: float
    id: int


@dataclass(frozen=True, slots=True)
class Trace:
    """How a run came to its end."""

    cpu: float
    cost: float | None
    steps: list[float]
    """CPU seconds, cost, CPU seconds, cost, ... of every improvement."""
    best: float | None
    """The least cost known of its instance."""


def findings(store: Store) -> list[Finding]:
    """What answers to decision problems come to, of all instances."""
    return [Finding(*row) for row in store.select(_SELECT_FINDINGS)]


def contradictions(store: Store) -> list[Contradiction]:
    """The instances of which runs say different things."""
    found = []
    for (identifier, name), rows in groupby(store.select(_SELECT_SAID), key=itemgetter(0, 1)):
        heard, said = Findings(), []
        for _, _, solver, says, cost in rows:
            heard.add([Finding(identifier, says, cost)])
            said.append((f"solver '{solver}'", says))
        truth = truth_of(heard.of(identifier))
        if truth is not None:
            found.append(Contradiction(identifier, name, tuple(said), truth))
    return found


def _false(store: Store) -> str:
    """What was said and is false, and why, for :data:`_JUDGED`."""
    return json.dumps(
        [
            (each.instance, says, why_false(says, each.truth))
            for each in contradictions(store)
            for says in {says for _, says in each.said}
            if is_false(says, each.truth)
        ]
    )


def judged_runs(store: Store) -> list[RecordedRun]:
    """All runs in the order of recording, with the endings that they are known to have by now."""
    truths = {each.instance: each.truth for each in contradictions(store)}

    def as_judged(run: RecordedRun) -> RecordedRun:
        made = run.execution
        return replace(run, execution=replace(made, outcome=judged(made.outcome, truths.get(run.key.instance))))

    return [as_judged(run) for run in store.runs()]


def endings(store: Store) -> list[tuple[str, str, int, float]]:
    """By solver and ending: runs, and their CPU seconds."""
    return store.select(
        f"""SELECT programs.solver, {_ENDING} AS judged, count(*), total(cpu)
        FROM {_JUDGED} CROSS JOIN programs ON programs.number = program -- in this order: of programs there are few
        GROUP BY programs.solver, judged ORDER BY programs.solver, judged""",
        {"false": _false(store)},
    )


def spent(store: Store, targeted: bool) -> dict[str, Spent]:
    """By whom the runs were made for; ``targeted``: trials are runs with a target only."""
    rows = store.select(
        f"SELECT asker, total(cpu), total(cpu) FILTER (WHERE {_IS_TRIAL}) FROM runs GROUP BY asker",
        {"targeted": targeted},
    )
    return {asker: Spent(cpu, trials) for asker, cpu, trials in rows}


def causes(store: Store, most: int) -> list[tuple[str, str, int]]:
    """The most frequent pairs of an ending and the reason that was given for it, and how many runs have it."""
    return store.select(
        f"""SELECT {_ENDING} AS judged, coalesce(wrong.reason, runs.reason) AS why, count(*) AS runs
        FROM {_JUDGED} WHERE why <> ''
        GROUP BY judged, why ORDER BY runs DESC, judged, why LIMIT :most""",
        {"false": _false(store), "most": most},
    )


def versions(store: Store) -> list[tuple[str, str]]:
    """The solvers that have run, each with its version."""
    return store.select("SELECT solver, version FROM programs ORDER BY solver, number")


def family(store: Store, admitted: Iterable[str]) -> list[Relative]:
    """The instances that were given, those of these ids, and all of their ancestors; parents before their children."""
    rows = store.select(_SELECT_FAMILY, {"admitted": json.dumps(list(admitted))})
    return [Relative(*row) for row in rows]


def last_runs(store: Store, members: Iterable[str], targeted: bool) -> list[LastRun]:
    """Of configurations, given by their ids; ``targeted``: runs with a target only."""
    asked = {"members": json.dumps(list(members)), "targeted": targeted, "false": _false(store)}
    rows = store.select(_SELECT_LAST_RUNS, asked)
    return [LastRun(*row) for row in rows]


def asked_configurations(store: Store, asker: str, targeted: bool) -> list[str]:
    """The ids of those that runs were made with for ``asker``, in order; ``targeted``: runs with a target only."""
    return [identifier for (identifier,) in store.select(_SELECT_ASKED, {"asker": asker, "targeted": targeted})]


def traced_runs(store: Store, member: str, targeted: bool) -> list[int]:
    """The runs of a configuration that have told their improvements, went to their end, and have not failed."""
    rows = store.select(_SELECT_TRACED, {"members": json.dumps([member]), "targeted": targeted})
    return [number for (number,) in rows]


def traces(store: Store, runs: Iterable[int]) -> list[Trace]:
    """Of runs with a trace, by their numbers."""
    rows = store.select(_SELECT_TRACES, (json.dumps(list(runs)),))
    return [Trace(cpu, cost, json.loads(trace), best) for cpu, cost, trace, best in rows]
