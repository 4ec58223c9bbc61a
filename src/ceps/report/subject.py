"""What a run directory is of: its kind, problem and metric, from what it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceps.errors import UserError
from ceps.metrics import Metric, metric_named
from ceps.problems import Problem, problem_named
from ceps.report.facts import Kind
from ceps.store import Store


@dataclass(frozen=True, slots=True)
class Subject:
    kind: Kind
    settings: Mapping[str, Any]
    """The scenario or the experiment; of an evaluation, what was chosen on the command line."""
    versions: Mapping[str, str]
    """Of this program and the libraries that decide."""
    problem: Problem
    metric: Metric


def read_subject(store: Store, directory: Path) -> Subject:
    identity = store.identity or {}
    match identity.get("purpose"):
        case "build":
            return _of_file(Kind.BUILD, identity["scenario"], identity["versions"])
        case "comparison":
            return _of_file(Kind.COMPARISON, identity["experiment"], identity["versions"])
        case "evaluation":
            return _of_evaluation({key: value for key, value in identity.items() if key != "purpose"})
    raise UserError(f"{directory} is not the run directory of a build, a comparison or an evaluation; give one that is")


def _of_file(kind: Kind, settings: Mapping[str, Any], versions: Mapping[str, str]) -> Subject:
    problem = problem_named(settings["problem"]["name"], settings["problem"]["settings"])
    return Subject(kind, settings, versions, problem, metric_named(**settings["metric"]))


def _of_evaluation(settings: Mapping[str, Any]) -> Subject:
    problem = problem_named(settings["problem"], settings["problem_settings"])
    metric = metric_named(settings["metric"], settings["cutoff"])
    if metric.penalty != settings["penalty"]:  # not the metric's own: it was chosen
        metric = metric_named(settings["metric"], settings["cutoff"], settings["penalty"])
    return Subject(Kind.EVALUATION, settings, {}, problem, metric)
