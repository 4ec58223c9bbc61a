"""The runs of a directory that algorithm selection can learn from: every algorithm on every instance, to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ceps.building import PORTFOLIO
from ceps.commands import refuse_programs
from ceps.comparing.contest import COMPARISON, TESTS
from ceps.errors import UserError
from ceps.evaluation.session import EVALUATION
from ceps.exporting.origin import Origin, decoded, read_origin, texts_at
from ceps.problems import Problem
from ceps.records import Configuration, Ending
from ceps.store import Store
from ceps.store.history import LastRun, Relative, asked_configurations, family, last_runs

NEVER_MET = "not all algorithms have run on it with the same seed and towards the same cost"
STOPPED = "a run on it was stopped early, because another was faster"
HOW_TO_COMPLETE = (
    "Members of a portfolio are stopped when another has been faster. For a complete scenario, evaluate every member "
    "alone, all in one directory, and export that: ceps export RUN --format configurations, then for each of its files "
    "ceps evaluate INSTANCES --portfolio FILE.json --out DIRECTORY, and ceps export DIRECTORY --format aslib"
)


@dataclass(frozen=True, slots=True)
class Case:
    """An instance with its runs."""

    name: str
    instance: Any
    repetitions: Sequence[Mapping[str, LastRun]]
    """The runs of all algorithms with one seed, by configuration."""
    features: Mapping[str, float] | None
    """None where they could not be computed."""


@dataclass(frozen=True, slots=True)
class Selection:
    """All that is complete in a run directory."""

    origin: Origin
    algorithms: Mapping[str, Configuration]
    """By name."""
    cases: Sequence[Case]
    left_out: Mapping[str, str]
    """Why, by instance."""

    @property
    def features(self) -> list[str]:
        return list(dict.fromkeys(name for case in self.cases for name in case.features or {}))


def select_runs(store: Store) -> Selection:
    """What is complete in the run directory, and what is not."""
    origin = read_origin(store)
    targeted = origin.metric.uses_target
    found = map(store.configuration, dict.fromkeys(_algorithms(store, origin.purpose, targeted)))
    members = [each for each in found if each is not None]
    if not members:
        raise UserError(f"there are no members whose runs could be exported: {_why_nobody(store, origin.purpose)}")
    runs: dict[str, list[LastRun]] = {}
    for run in last_runs(store, [each.id for each in members], targeted):
        runs.setdefault(run.instance, []).append(run)
    complete: dict[str, list[Mapping[str, LastRun]]] = {}
    left_out: dict[str, str] = {}
    candidates = _candidates(store, origin.purpose)
    names = _unique_names(candidates)
    for each in candidates:
        met = _meetings(runs.get(each.id, []), len(members))
        if not met:
            left_out[names[each.id]] = NEVER_MET
        elif any(run.ending == Ending.CAPPED for runs_of_seed in met for run in runs_of_seed.values()):
            # Whole or not at all: the runs that were not stopped are the fast ones.
            left_out[names[each.id]] = STOPPED
        else:
            complete[each.id] = met
    if not complete:
        counts = "; ".join(f"{count}: {why}" for why, count in Counter(left_out.values()).items())
        raise UserError(f"no instance has the full runs of all {len(members)} algorithms ({counts}). {HOW_TO_COMPLETE}")
    # ASlib wants as many repetitions of an algorithm on all instances.
    fewest = min(map(len, complete.values()))
    cases = [
        _case(store, origin.problem, identifier, names[identifier], met[:fewest])
        for identifier, met in complete.items()
    ]
    return Selection(origin, {f"{each.solver}-{each.id}": each for each in members}, cases, left_out)


def _algorithms(store: Store, purpose: str, targeted: bool) -> list[str]:
    """The ids of the last portfolio's members, or of all that were tested."""
    if purpose == "build":
        kept = [texts_at(entry, "members") for entry in store.journal() if entry.phase == PORTFOLIO]
        return kept[-1] if kept else []
    return asked_configurations(store, TESTS if purpose == "comparison" else "", targeted)


def _why_nobody(store: Store, purpose: str) -> str:
    """Why there are no algorithms, and what helps. Where the work has ended, waiting does not."""
    if purpose == "build":
        return "there is no portfolio yet; let the build finish its first phases"
    if store.conclusion(COMPARISON if purpose == "comparison" else EVALUATION) is None:
        return f"the {purpose} has not come to its tests; let it finish first"
    return (
        "no cost that counts as solved was found for any instance, so that there was nothing to run for; "
        "allow a longer cut-off, or give known costs (--optima of ceps evaluate, [references] known of ceps compare)"
    )


def _candidates(store: Store, purpose: str) -> list[Relative]:
    """The instances that were given; of a build, those that were bred and trained on too."""
    bred = {each for entry in store.journal() for each in texts_at(entry, "admitted")} if purpose == "build" else set()
    return [each for each in family(store, bred) if each.parent is None or each.id in bred]


def _unique_names(instances: Sequence[Relative]) -> dict[str, str]:
    """By id. Contents make instances, so different ones may share a name."""
    shared = Counter(each.name for each in instances)
    return {each.id: each.name if shared[each.name] == 1 else f"{each.name}-{each.id}" for each in instances}


def _meetings(runs: Sequence[LastRun], members: int) -> list[Mapping[str, LastRun]]:
    """The runs of all members on an instance with one seed each, towards the cost that was its target in the end."""
    ordered = sorted(runs, key=lambda run: run.id)
    by_seed: dict[int, dict[str, LastRun]] = {}
    for run in ordered:
        if run.target == ordered[-1].target:
            by_seed.setdefault(run.seed, {})[run.configuration] = run
    return [met for met in by_seed.values() if len(met) == members]


def _case(
    store: Store, problem: Problem, identifier: str, name: str, repetitions: Sequence[Mapping[str, LastRun]]
) -> Case:
    stored = store.instance(identifier)
    assert stored is not None, "instances are never removed"
    instance = decoded(problem, stored)
    try:
        # A run directory may be a stranger's: an export starts no program, also none that would tell features.
        refuse_programs("this run directory", [problem], "compute them yourself")
        features = problem.features(instance)
    except UserError:
        features = None
    return Case(name, instance, repetitions, features)
