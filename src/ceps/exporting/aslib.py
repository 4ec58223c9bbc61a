"""A run directory as a scenario of ASlib, the library of algorithm selection (https://www.aslib.net, format 2.0)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ceps import __version__
from ceps.exporting.arff import NUMERIC, STRING, ascii_name, one_of, write_arff
from ceps.exporting.folder import Folder
from ceps.exporting.selection import HOW_TO_COMPLETE, STOPPED, Selection, select_runs
from ceps.metrics import Metric
from ceps.records import Ending, Outcome
from ceps.store import Store
from ceps.store.history import LastRun

_Table = tuple[Mapping[str, str], Iterable[Sequence[str | float | None]]]
"""The types of attributes, by name, and rows."""

FOLDS = 10
_STEP = "features"
"""All features are computed in one step."""
_KEY = {"instance_id": STRING, "repetition": NUMERIC}
_RUN_STATUS = one_of(("ok", "timeout", "memout", "not_applicable", "crash", "other"))
_FEATURE_STATUS = one_of(("ok", "timeout", "memout", "presolved", "crash", "other"))
_STATUS_OF = {
    Ending.SOLVED: "ok",
    Ending.TIMEOUT: "timeout",
    Ending.MEMOUT: "memout",
    Ending.CRASHED: "crash",
}
_PLAIN_YAML = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)\Z)[a-z][a-z0-9_.-]*", re.IGNORECASE)
_CITATION = """\
@article{tang2021fewshots,
  title = {Few-shots Parallel Algorithm Portfolio Construction via Co-evolution},
  author = {Tang, Ke and Liu, Shengcai and Yang, Peng and Yao, Xin},
  journal = {IEEE Transactions on Evolutionary Computation},
  year = {2021}
}
"""


def export_aslib(store: Store, folder: Folder, warn: Callable[[str], None]) -> list[Path]:
    """Write the scenario; ``warn`` is told how many instances are not in it."""
    selection = select_runs(store)
    if selection.left_out:
        whole = len(selection.cases) + len(selection.left_out)
        warn(f"{len(selection.left_out)} of {whole} instances are left out; readme.txt says which, and why")
    texts = {"readme.txt": _readme(selection), "description.txt": _description(selection), "citation.bib": _CITATION}
    tables = _tables(selection)
    files = {name: folder.file(name) for name in (*texts, *(f"{name}.arff" for name in tables))}
    for name, text in texts.items():
        files[name].write_text(text, encoding="ascii")
    for name, (attributes, rows) in tables.items():
        write_arff(files[f"{name}.arff"], f"{name.upper()}_{_identifier(selection)}", attributes, rows)
    return list(files.values())


def _identifier(selection: Selection) -> str:
    return f"ceps-{selection.origin.problem.name}-{selection.origin.metric.name}"


def _measure(selection: Selection) -> tuple[str, str]:
    """What is measured, and of which of ASlib's types it is."""
    return ("runtime", "runtime") if selection.origin.metric.uses_target else ("normalised_cost", "solution_quality")


def _tables(selection: Selection) -> Mapping[str, _Table]:
    cases, features = selection.cases, selection.features
    # The ids are digests of contents: their order is as good as random, and the same for the same instances.
    order = sorted(cases, key=lambda case: str(case.instance.id))
    return {
        "algorithm_runs": (
            {**_KEY, "algorithm": STRING, _measure(selection)[0]: NUMERIC, "runstatus": _RUN_STATUS},
            _runs(selection),
        ),
        "feature_values": (
            {**_KEY, **dict.fromkeys(features, NUMERIC)},
            [(case.name, 1, *map((case.features or {}).get, features)) for case in cases],
        ),
        "feature_runstatus": (
            {**_KEY, _STEP: _FEATURE_STATUS},
            [(case.name, 1, "crash" if case.features is None else "ok") for case in cases],
        ),
        "cv": ({**_KEY, "fold": NUMERIC}, [(case.name, 1, index % FOLDS + 1) for index, case in enumerate(order)]),
    }


def _runs(selection: Selection) -> list[tuple[str, int, str, float, str]]:
    origin = selection.origin
    return [
        (case.name, number, algorithm, *_measured(met[configuration.id], origin.metric, scale))
        for case in selection.cases
        for scale in [origin.problem.scale(case.instance)]
        for number, met in enumerate(case.repetitions, start=1)
        for algorithm, configuration in selection.algorithms.items()
    ]


def _measured(run: LastRun, metric: Metric, scale: float) -> tuple[float, str]:
    """Performance and runstatus."""
    ending = Ending(run.ending)
    status = _STATUS_OF.get(ending, "other")
    if metric.uses_target:
        return min(run.cpu, metric.cutoff), status
    # The cut-off is the normal end where the cost by then is what counts.
    outcome = Outcome(ending, cpu=run.cpu, cost=run.cost)
    return metric.score(outcome, scale), "ok" if outcome.has_answer else status


def _description(selection: Selection) -> str:
    origin, (measure, kind) = selection.origin, _measure(selection)
    features = selection.features
    cutoff = origin.metric.cutoff
    lines = [
        f"scenario_id: {_yaml(_identifier(selection))}",
        *_listed("performance_measures", [measure]),
        "maximize:",
        "  - false",
        *_listed("performance_type", [kind]),
        f"algorithm_cutoff_time: {int(cutoff) if cutoff.is_integer() else cutoff}",
        f"algorithm_cutoff_memory: {_yaml('?') if origin.memory is None else origin.memory // 2**20}",
        f"features_cutoff_time: {_yaml('?')}",
        f"features_cutoff_memory: {_yaml('?')}",
        "algorithms_deterministic: []",
        *_listed("algorithms_stochastic", selection.algorithms),
        "number_of_feature_steps: 1",
        "feature_steps:",
        f"  {_STEP}:",
        *(f"    {line}" for line in _listed("provides", features)),
        *_listed("default_steps", [_STEP]),
        *_listed("features_deterministic", features),
        "features_stochastic: []",
        "metainfo_algorithms:",
    ]
    for name, configuration in selection.algorithms.items():
        parameters = json.dumps(json.dumps(configuration.as_dict()))
        lines += [f"  {_yaml(name)}:", f"    configuration: {parameters}", "    deterministic: false"]
    return "\n".join([*lines, ""])


def _yaml(text: str) -> str:
    # A text in JSON is one in YAML; the plain ones are left plain for readers that take only these.
    name = ascii_name(text)
    return name if _PLAIN_YAML.fullmatch(name) else json.dumps(name)


def _listed(key: str, texts: Iterable[str]) -> list[str]:
    items = [f"  - {_yaml(text)}" for text in texts]
    return [f"{key}:", *items] if items else [f"{key}: []"]


def _readme(selection: Selection) -> str:
    origin, metric = selection.origin, selection.origin.metric
    measured = (
        "runtime: CPU seconds until a solution of the reference cost was found; runs that are not ok count ten times "
        "the cut-off (PAR-10). timeout: stopped at the cut-off. other: ended without reaching that cost, or claimed "
        "something false."
        if metric.uses_target
        else f"normalised_cost: the cost at the cut-off, divided by the scale of the instance; {metric.penalty:g} was "
        "put where there is no valid solution (PANC). ok: there is one. timeout: none by the cut-off. other: ended "
        "without one, or claimed something false."
    )
    paragraphs = [
        f"Runs of a {origin.purpose}, exported by ceps {__version__}: problem {ascii_name(origin.problem.name)}, "
        f"metric {metric.name}, cut-off {metric.cutoff:g} CPU seconds. The memory limit is in units of 2^20 bytes.",
        measured,
        "memout: used more memory than allowed. crash: ended by an error. Repetitions are runs with different seeds; "
        "in each, all algorithms have the same seed and reference.",
        "Algorithms, solver and parameters:\n"
        + "\n".join(
            f"  {ascii_name(name)}: {json.dumps(each.as_dict())}" for name, each in selection.algorithms.items()
        ),
        "Features are those of the problem, computed in one step when this was exported; what they cost was not "
        "measured. crash, and missing values: they could not be computed, or are no numbers."
        if selection.features
        else "There are no features: the problem has none, or they could not be computed.",
        f"cv.arff: up to {FOLDS} folds, by the digests of the instances.",
    ]
    if selection.left_out:
        listed = "\n".join(f"  {ascii_name(name)}: {why}" for name, why in selection.left_out.items())
        paragraphs.append(f"Instances that were left out:\n{listed}")
    if STOPPED in selection.left_out.values():
        paragraphs.append(f"What is left is no fair sample of the instances. {HOW_TO_COMPLETE}.")
    return "\n\n".join([*paragraphs, ""])
