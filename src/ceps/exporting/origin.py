"""What a run directory belongs to, as far as exports ask, and the instances in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ceps.errors import UserError
from ceps.metrics import Metric, metric_named
from ceps.problems import Problem, problem_named
from ceps.settings import MetricSettings
from ceps.store import JournalEntry, Store, StoredInstance
from ceps.tables import brief, read_table


@dataclass(frozen=True, slots=True)
class Origin:
    """What is asked of the scenario, the experiment or the evaluation that a run directory belongs to."""

    purpose: str
    """``build``, ``comparison`` or ``evaluation``."""
    problem: Problem
    metric: Metric
    memory: int | None
    """Bytes that a run may use; None where it is not told."""


@dataclass(frozen=True, slots=True)
class _Table:
    problem: str
    settings: Mapping[str, Any]
    metric: MetricSettings
    memory: int | None = None


def read_origin(store: Store) -> Origin:
    identity = store.identity or {}
    purpose = identity.get("purpose")
    match purpose:
        case "build":
            settings = identity.get("scenario")
        case "comparison":
            settings = identity.get("experiment")
        case "evaluation":
            settings = _settings_of_evaluation(identity)
        case _:
            settings = None
    if not isinstance(settings, Mapping):
        raise UserError("this is not the run directory of a build, a comparison or an evaluation; give one that is")
    # The directory may come from a stranger: nothing is taken for what it should be.
    problem, metric, execution = (
        each if isinstance(each := settings.get(key), Mapping) else {} for key in ("problem", "metric", "execution")
    )
    memory = execution.get("memory")
    table = read_table(
        _Table,
        {
            "problem": problem.get("name"),
            "settings": problem.get("settings"),
            "metric": {key: value for key, value in metric.items() if value is not None},
            **({} if memory is None else {"memory": memory}),
        },
        "what it belongs to:",
    )
    return Origin(
        str(purpose),
        problem_named(table.problem, table.settings),
        metric_named(table.metric.name, table.metric.cutoff, table.metric.penalty),
        table.memory,
    )


def _settings_of_evaluation(identity: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was chosen on the command line, as a scenario has it."""
    name = identity.get("metric")
    # An evaluation notes the penalty of every metric; that of PAR-10 cannot be set.
    penalty = None if name == "par10" else identity.get("penalty")
    return {
        "problem": {"name": identity.get("problem"), "settings": identity.get("problem_settings")},
        "metric": {"name": name, "cutoff": identity.get("cutoff"), "penalty": penalty},
        "execution": {"memory": identity.get("memory")},
    }


def decoded(problem: Problem, stored: StoredInstance) -> Any:
    """An instance as it was put into the store: its id is a digest of its content."""
    instance = problem.decode(stored.content, stored.name)
    if instance.id != stored.id:
        raise UserError(f"the content of instance {brief(stored.name)} is not what was stored; restore a copy")
    return instance


def texts_at(entry: JournalEntry, key: str) -> list[str]:
    """The list of texts, ids say, that a decision has under a key; empty where there is none."""
    found = entry.result.get(key) if isinstance(entry.result, Mapping) else None
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
