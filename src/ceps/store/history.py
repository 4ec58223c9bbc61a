"""Questions people ask of a store, answered by the database: runs are too many to be looked at one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from ceps.records import FAILURES, Ending
from ceps.store.store import Store

# With a target, runs that look for references (they have none) are told from runs that are judged by them.
_IS_TRIAL = "(runs.target IS NOT NULL OR NOT :targeted)"
_OF_MEMBERS = f"""runs.configuration IN (
        SELECT number FROM configurations WHERE id IN (SELECT value FROM json_each(:members))
    ) AND {_IS_TRIAL}"""

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
_SELECT_LAST_RUNS = f"""SELECT configurations.id, instances.id, runs.seed, runs.target, runs.cpu_limit, runs.ending,
        runs.cost, runs.cpu, max(runs.id)
    FROM runs JOIN configurations ON configurations.number = runs.configuration
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


def endings(store: Store) -> list[tuple[str, str, int, float]]:
    """By solver and ending: runs, and their CPU seconds."""
    return store.select(
        """SELECT programs.solver, ending, count(*), total(cpu) FROM runs JOIN programs ON number = program
        GROUP BY programs.solver, ending ORDER BY programs.solver, ending"""
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
        """SELECT ending, reason, count(*) AS runs FROM runs WHERE reason <> ''
        GROUP BY ending, reason ORDER BY runs DESC, ending, reason LIMIT ?""",
        (most,),
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
    rows = store.select(_SELECT_LAST_RUNS, {"members": json.dumps(list(members)), "targeted": targeted})
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
