"""What is in a run directory, for other tools: runs and scores as CSV, instances as files, members in native form."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from ceps.errors import UserError
from ceps.metrics import Metric, metric_named
from ceps.portfolio import Portfolio
from ceps.problems import Problem, problem_named
from ceps.records import Ending
from ceps.settings import MetricSettings
from ceps.store import JournalEntry, RecordedRun, Store, StoredInstance
from ceps.tables import brief, read_table


class Format(StrEnum):
    """What can be had of a run directory."""

    CSV = "csv"
    INSTANCES = "instances"
    CONFIGURATIONS = "configurations"


_RUN_COLUMNS = (
    "for", "solver", "version", "configuration", "instance", "seed", "target", "cpu_limit", "memory_limit", "ending",
    "score", "cost", "cpu", "wall", "memory", "created", "host", "reason",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Native:
    """How a solver's own program takes a configuration: the ending of its file, and the command line."""

    ending: str
    command: str


_NATIVE: Mapping[str, Native] = {
    "lkh": Native(".par", "LKH {file}    # first name the instance in its PROBLEM_FILE"),
    "pyvrp": Native(".toml", "pyvrp INSTANCE --config_loc {file} --seed 1 --max_runtime SECONDS"),
}


def export(run: Path, kind: Format, out: Path) -> list[Path]:
    """Write what is wanted of a run directory, of a build or a comparison, into a folder; the files that were made."""
    try:
        with Store.read_only(run) as store:
            out.mkdir(parents=True, exist_ok=True)
            match kind:
                case Format.CSV:
                    return _export_runs(store, out)
                case Format.INSTANCES:
                    return _export_instances(store, out)
                case Format.CONFIGURATIONS:
                    return _export_configurations(run, out)
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class _Origin:
    """What is asked of the scenario or the experiment that a run directory belongs to."""

    problem: str
    settings: Mapping[str, Any]
    metric: MetricSettings


def _origin(store: Store) -> _Origin:
    identity = store.identity or {}
    settings = identity.get("scenario", identity.get("experiment"))
    if not isinstance(settings, Mapping):
        raise UserError("this is not the run directory of a build or a comparison; give one that is")
    # The directory may come from a stranger: nothing is taken for what it should be.
    problem, metric = (each if isinstance(each := settings.get(key), Mapping) else {} for key in ("problem", "metric"))
    table = {
        "problem": problem.get("name"),
        "settings": problem.get("settings"),
        "metric": {key: value for key, value in metric.items() if value is not None},
    }
    return read_table(_Origin, table, "what it belongs to:")


def _decoded(problem: Problem, stored: StoredInstance) -> Any:
    """An instance as it was put into the store: its id is a digest of its content."""
    instance = problem.decode(stored.content, stored.name)
    if instance.id != stored.id:
        raise UserError(f"the content of instance {brief(stored.name)} is not what was stored; restore a copy")
    return instance


def _export_runs(store: Store, out: Path) -> list[Path]:
    """Runs with their scores; configurations and instances, which runs name by their ids."""
    origin = _origin(store)
    metric = metric_named(origin.metric.name, origin.metric.cutoff, origin.metric.penalty)
    runs = list(store.runs())
    problem = problem_named(origin.problem, origin.settings)
    instances = [store.instance(key) for key in dict.fromkeys(run.key.instance for run in runs)]
    known = [each for each in instances if each is not None]
    scales = {each.id: problem.scale(_decoded(problem, each)) for each in known}
    configurations = [store.configuration(key) for key in dict.fromkeys(run.key.configuration for run in runs)]
    files = [out / name for name in ("runs.csv", "configurations.csv", "instances.csv")]
    _write(files[0], _RUN_COLUMNS, (_run(run, metric, scales[run.key.instance]) for run in runs))
    _write(
        files[1],
        ("configuration", "solver", "parameters"),
        ((each.id, each.solver, json.dumps(each.as_dict())) for each in configurations if each is not None),
    )
    _write(files[2], ("instance", "name", "parent"), ((each.id, each.name, each.parent or "") for each in known))
    return files


def _run(run: RecordedRun, metric: Metric, scale: float) -> Sequence[Any]:
    made, key = run.execution.outcome, run.key
    # A run that was stopped before the cut-off, or had no target where one is needed, has no score.
    scored = made.ending is not Ending.CAPPED and not (metric.uses_target and key.target is None)
    score = metric.score(made, scale) if scored else ""
    return (
        run.asker, key.solver, key.version, key.configuration, key.instance, key.seed, key.target,
        run.execution.limit, key.memory, made.ending.value, score, made.cost, made.cpu, made.wall, made.memory,
        run.created, made.host, made.reason,
    )  # fmt: skip


def _export_instances(store: Store, out: Path) -> list[Path]:
    """The instances that were made and trained on; of a comparison, those of each build in a folder of its own."""
    origin = _origin(store)
    problem = problem_named(origin.problem, origin.settings)
    files = []
    for entry in store.journal():
        scope = entry.phase.rpartition(": ")[0]
        for identifier in _admitted(entry):
            stored = store.instance(identifier)
            if stored is not None:
                folder = out / _inside(f"split-{scope}") if scope else out
                files.append(folder / _inside(f"{stored.name}{problem.suffixes[0]}"))
                folder.mkdir(parents=True, exist_ok=True)
                problem.write(_decoded(problem, stored), files[-1])
    return files


def _admitted(entry: JournalEntry) -> list[str]:
    """The ids of instances that a decision has taken into training."""
    admitted = entry.result.get("admitted", []) if isinstance(entry.result, Mapping) else []
    return [each for each in admitted if isinstance(each, str)] if isinstance(admitted, list) else []


def _inside(name: str) -> str:
    """A name from the store as that of a file: it may come from a stranger, and must not lead out of the folder."""
    if ".." in Path(name).parts or Path(name).is_absolute() or not name.isprintable():
        raise UserError(f"{brief(name)} in the store is no name for a file; nothing was written to it")
    return name


def _export_configurations(run: Path, out: Path) -> list[Path]:
    """Every member of every portfolio: the solver's own parameters, a portfolio of its own, and how to run it."""
    found = sorted([*run.glob("portfolio*.json"), *run.glob("split-*/*/portfolio*.json")])
    if not found:
        raise UserError(f"{run}: there is no portfolio yet; let the build finish its first phases")
    files: list[Path] = []
    commands: list[str] = []
    for path in found:
        portfolio = Portfolio.load(path)
        solvers = portfolio.solvers()
        folder = out / path.parent.relative_to(run)
        folder.mkdir(parents=True, exist_ok=True)
        for number, member in enumerate(portfolio.members, start=1):
            native = _NATIVE.get(member.solver, Native(".txt", ""))
            stem = folder / f"{path.stem}-{number}-{member.solver}"
            parameters, alone = (stem.with_name(stem.name + ending) for ending in (native.ending, ".json"))
            parameters.write_text(solvers[member.solver].describe(member.as_dict()))
            replace(portfolio, members=(member,)).save(alone)
            files += [parameters, alone]
            # Quoted: these lines are pasted into shells.
            beside, own = (shlex.quote(str(file.relative_to(out))) for file in (alone, parameters))
            commands.append(f"ceps solve INSTANCE --portfolio {beside} --time SECONDS")
            commands += [native.command.format(file=own)] if native.command else []
    files.append(out / "commands.txt")
    files[-1].write_text("\n".join([*commands, ""]))
    return files


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
