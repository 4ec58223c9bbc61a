"""The formats there are: runs and scores as CSV, instances as files, members in native form, an ASlib scenario."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from ceps.commands import programs_of
from ceps.errors import UserError
from ceps.exporting.aslib import export_aslib
from ceps.exporting.folder import Folder
from ceps.exporting.origin import decoded, read_origin, texts_at
from ceps.metrics import Metric
from ceps.portfolio import Portfolio
from ceps.records import Ending
from ceps.store import RecordedRun, Store
from ceps.store.history import judged_runs


class Format(StrEnum):
    """What can be had of a run directory."""

    CSV = "csv"
    INSTANCES = "instances"
    CONFIGURATIONS = "configurations"
    ASLIB = "aslib"


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


def export(run: Path, kind: Format, out: Path, warn: Callable[[str], None] = lambda message: None) -> list[Path]:
    """Write what is wanted of a run directory into a folder; the files that were made. ``warn`` is told what is not."""
    folder = Folder(out, run)
    try:
        with Store.read_only(run) as store:
            match kind:
                case Format.CSV:
                    return _export_runs(store, folder)
                case Format.INSTANCES:
                    return _export_instances(store, folder)
                case Format.CONFIGURATIONS:
                    return _export_configurations(run, folder)
                case Format.ASLIB:
                    return export_aslib(store, folder, warn)
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}") from error


def _export_runs(store: Store, folder: Folder) -> list[Path]:
    """Runs with their scores; configurations and instances, which runs name by their ids."""
    origin = read_origin(store)
    problem = origin.problem
    runs = judged_runs(store)
    instances = [store.instance(key) for key in dict.fromkeys(run.key.instance for run in runs)]
    known = [each for each in instances if each is not None]
    scales = {each.id: problem.scale(decoded(problem, each)) for each in known}
    configurations = [store.configuration(key) for key in dict.fromkeys(run.key.configuration for run in runs)]
    rows = [_run(run, origin.metric, scales[run.key.instance]) for run in runs]
    files = [folder.file(name) for name in ("runs.csv", "configurations.csv", "instances.csv")]
    _write(files[0], _RUN_COLUMNS, rows)
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


def _export_instances(store: Store, folder: Folder) -> list[Path]:
    """The instances that were made and trained on; of a comparison, those of each build in a folder of its own."""
    problem = read_origin(store).problem
    made: dict[str, Any] = {}
    for entry in store.journal():
        scope = entry.phase.rpartition(": ")[0]
        for identifier in texts_at(entry, "admitted"):
            stored = store.instance(identifier)
            if stored is not None:
                name = f"{stored.name}{problem.suffixes[0]}"
                made[f"split-{scope}/{name}" if scope else name] = decoded(problem, stored)
    for name in made:
        folder.check(name)
    files = [folder.file(name) for name in made]
    for file, instance in zip(files, made.values(), strict=True):
        problem.write(instance, file)
    return files


def _export_configurations(run: Path, folder: Folder) -> list[Path]:
    """Every member of every portfolio: the solver's own parameters, a portfolio of its own, and how to run it."""
    found = sorted([*run.glob("portfolio*.json"), *run.glob("split-*/*/portfolio*.json")])
    if not found:
        raise UserError(
            "there is no portfolio in it. A build has one after its first phase; what was evaluated is where "
            "--portfolio named it"
        )
    files: list[Path] = []
    commands: list[str] = []
    loaded = [(path, Portfolio.load(path)) for path in found]
    for path, portfolio, solvers in [(path, portfolio, portfolio.solvers()) for path, portfolio in loaded]:
        trust = " --trust" if programs_of([*solvers.values(), portfolio.problem_class]) else ""
        for number, member in enumerate(portfolio.members, start=1):
            native = _NATIVE.get(member.solver, Native(".txt", ""))
            stem = str(path.relative_to(run).with_name(f"{path.stem}-{number}-{member.solver}"))
            parameters, alone = (folder.file(stem + ending) for ending in (native.ending, ".json"))
            parameters.write_text(solvers[member.solver].describe(member.as_dict()))
            replace(portfolio, members=(member,)).save(alone)
            files += [parameters, alone]
            # Quoted: these lines are pasted into shells.
            beside, own = (shlex.quote(stem + ending) for ending in (".json", native.ending))
            commands.append(f"ceps solve INSTANCE --portfolio {beside} --time SECONDS{trust}")
            commands += [native.command.format(file=own)] if native.command else []
    files.append(folder.file("commands.txt"))
    files[-1].write_text("\n".join([*commands, ""]))
    return files


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
