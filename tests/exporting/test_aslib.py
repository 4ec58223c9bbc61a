"""Run directories as scenarios of ASlib."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from ceps import building
from ceps.errors import UserError
from ceps.evaluation.session import Plan, run_plan
from ceps.exporting import Format, export
from ceps.metrics import Metric, Panc, Par10
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.records import Configuration, Ending, Outcome, RunKey
from ceps.settings import Scenario
from ceps.store import Store, StoredInstance
from ceps.tables import read_table
from ceps.testing.pure_executor import PureExecutor
from tests.comparing.pure_contest import Whole
from tests.construction.pure_build import Silent

TSP = Tsp()
MEMBERS = [Configuration.of("eax", {"population": size}) for size in (20, 30, 40)]
NAMES = [
    "plain", "two words", "it's", 'a "quote"', "a,b", "% no comment", "two\nlines", "back\\slash",
    "K\u00f6ln \u6771\u4eac",
    "?", "{a}", "twin", "twin",
]  # fmt: skip
CITIES = [TSP.decode(TSP.encode(TSP.generate("uniform", 12, seed)), name) for seed, name in enumerate(NAMES)]
FILES = {
    "algorithm_runs.arff", "feature_values.arff", "feature_runstatus.arff", "cv.arff", "description.txt", "readme.txt",
    "citation.bib",
}  # fmt: skip
PROBLEM, METRIC = {"name": "tsp", "settings": {}}, {"name": "par10", "cutoff": 1.0}
EVALUATED = {"metric": "par10", "cutoff": 1.0}
_WORD = r"'(?:\\.|[^'\\])*'|[^\s,'%{}\"]+"
_ATTRIBUTE = re.compile(rf"@ATTRIBUTE ({_WORD}) (STRING|NUMERIC|\{{.*\}})")
_ROW = re.compile(rf"(?:{_WORD})(?:,(?:{_WORD}))*")
Row = dict[str, str | float | None]


def unquoted(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith("'") else word


def value(word: str, kind: str) -> str | float | None:
    """A value as the type of its attribute says; an unknown one of several fails."""
    if word == "?":
        return None
    if kind == "NUMERIC":
        return float(word)
    assert kind == "STRING" or word in kind[1:-1].split(", ")
    return unquoted(word)


def arff(path: Path) -> list[Row]:
    """A small reader of ARFF, strict about what must be quoted (scipy's knows no strings)."""
    header, data = path.read_text(encoding="ascii").split("\n@DATA\n")
    relation, *attributes = [line for line in header.split("\n") if line]
    assert re.fullmatch(rf"@RELATION {path.stem.upper()}_ceps-tsp-(par10|panc)", relation)
    found = [_ATTRIBUTE.fullmatch(line) for line in attributes]
    kinds = {unquoted(match[1]): match[2] for match in found if match is not None}
    assert len(kinds) == len(attributes)
    rows = []
    for line in data.split("\n")[:-1]:
        assert _ROW.fullmatch(line), line
        words = re.findall(_WORD, line)
        rows.append({name: value(word, kind) for word, (name, kind) in zip(words, kinds.items(), strict=True)})
    return rows


def evaluate(out: Path, members: Sequence[Configuration], metric: Metric, executor: PureExecutor) -> None:
    penalty = metric.penalty if metric.name == "panc" else None
    portfolio = Portfolio("tsp", tuple(members), MetricChoice(metric.name, metric.cutoff, penalty))
    run_plan(Plan(portfolio, CITIES, metric, repeats=2, seed=1, memory=2**30, known={}), executor, out)


def described(out: Path) -> Mapping[str, Any]:
    read: Mapping[str, Any] = yaml.safe_load((out / "description.txt").read_text(encoding="ascii"))
    return read


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which every member was evaluated alone."""
    out = tmp_path_factory.mktemp("alone")
    for member in MEMBERS:
        evaluate(out, [member], Par10(1.0), PureExecutor(0.3))
    return out


def test_members_that_were_evaluated_alone_are_a_complete_scenario(alone: Path, tmp_path: Path) -> None:
    """Every run at the cut-off is a row: its CPU seconds, ok or timeout, in repetitions 1 and 2; none is missing."""
    told: list[str] = []
    files = export(alone, Format.ASLIB, tmp_path, told.append)
    assert {file.name for file in files} == FILES == {file.name for file in tmp_path.iterdir()}
    assert told == []
    rows = arff(tmp_path / "algorithm_runs.arff")
    export(alone, Format.CSV, tmp_path / "csv")
    with (tmp_path / "csv" / "runs.csv").open(newline="") as file:
        judged = [run for run in csv.DictReader(file) if run["target"]]
    assert len(rows) == len(judged) == len(CITIES) * len(MEMBERS) * 2
    expected = Counter(
        (f"{run['solver']}-{run['configuration']}", float(run["cpu"]), "ok" if run["ending"] == "SOLVED" else "timeout")
        for run in judged
    )
    assert Counter((row["algorithm"], row["runtime"], row["runstatus"]) for row in rows) == expected
    assert {status for _, _, status in expected} == {"ok", "timeout"}
    assert set(Counter((row["instance_id"], row["algorithm"]) for row in rows).values()) == {2}
    assert {row["repetition"] for row in rows} == {1, 2}


def test_all_files_speak_of_the_same(alone: Path, tmp_path: Path) -> None:
    """Instances, algorithms and features have the same names everywhere, hostile ones too, and twins are told apart."""
    export(alone, Format.ASLIB, tmp_path)
    tables = {name: arff(tmp_path / name) for name in FILES if name.endswith(".arff")}
    names = [row["instance_id"] for row in tables["cv.arff"]]
    for rows in tables.values():
        assert {row["instance_id"] for row in rows} == set(names)
    assert len(names) == len(set(names)) == len(CITIES)
    told_apart = [name if name != "twin" else f"twin-{city.id}" for name, city in zip(NAMES, CITIES, strict=True)]
    assert {str(name).encode().decode("unicode_escape") for name in names} == set(told_apart)
    description = described(tmp_path)
    algorithms = {f"eax-{member.id}" for member in MEMBERS}
    assert {row["algorithm"] for row in tables["algorithm_runs.arff"]} == algorithms
    assert set(description["metainfo_algorithms"]) == set(description["algorithms_stochastic"]) == algorithms
    features = dict(TSP.features(CITIES[0]))
    (first,) = [row for row in tables["feature_values.arff"] if row["instance_id"] == "plain"]
    assert first == {"instance_id": "plain", "repetition": 1, **features}
    assert description["feature_steps"] == {"features": {"provides": list(features)}}
    assert {row["features"] for row in tables["feature_runstatus.arff"]} == {"ok"}
    assert set(Counter(row["fold"] for row in tables["cv.arff"])) == set(range(1, 11))
    assert description["performance_measures"] == description["performance_type"] == ["runtime"]
    assert (description["algorithm_cutoff_time"], description["algorithm_cutoff_memory"]) == (1, 1024)


def test_what_was_stopped_early_is_left_out_and_told(tmp_path: Path) -> None:
    """Of a portfolio, instances on which a member was stopped are not there, and the readme lists each."""
    run, out = tmp_path / "run", tmp_path / "out"
    evaluate(run, MEMBERS, Par10(1.0), PureExecutor(0.3))
    told: list[str] = []
    export(run, Format.ASLIB, out, told.append)
    with Store.read_only(run) as store:
        stopped = {each.key.instance for each in store.runs() if each.execution.outcome.ending is Ending.CAPPED}
    kept = {row["instance_id"] for row in arff(out / "algorithm_runs.arff")}
    assert 0 < len(kept) == len(CITIES) - len(stopped) < len(CITIES)
    assert told == [f"{len(stopped)} of {len(CITIES)} instances are left out; readme.txt says which, and why"]
    assert (out / "readme.txt").read_text().count("was stopped early") == len(stopped)


def test_costs_are_solution_quality(tmp_path: Path) -> None:
    """By PANC, the cost at the cut-off over the scale is ok; the penalty stands for none, which is a timeout."""
    run, out = tmp_path / "run", tmp_path / "out"
    hopeless = CITIES[0]
    evaluate(run, MEMBERS, Panc(1.0, 5000.0), PureExecutor(0.3, unsolvable={hopeless.id}))
    export(run, Format.ASLIB, out)
    scales = {city.id: TSP.scale(city) for city in CITIES}
    with Store.read_only(run) as store:
        found = [(each.execution.outcome.cost, scales[each.key.instance]) for each in store.runs()]
    expected = Counter((5000.0, "timeout") if cost is None else (cost / scale, "ok") for cost, scale in found)
    assert expected[5000.0, "timeout"] == len(MEMBERS) * 2
    rows = arff(out / "algorithm_runs.arff")
    assert Counter((row["normalised_cost"], row["runstatus"]) for row in rows) == expected
    assert {row["instance_id"] for row in rows if row["runstatus"] == "timeout"} == {hopeless.name}
    assert described(out)["performance_type"] == ["solution_quality"]


def test_every_ending_has_a_status(tmp_path: Path) -> None:
    """Those that ASlib has names for by these, the others as other; times do not pass the cut-off."""
    endings = [ending for ending in Ending if ending is not Ending.CAPPED]
    run, out = tmp_path / "run", tmp_path / "out"
    evaluation = {"purpose": "evaluation", "problem": "tsp", "problem_settings": {}, "metric": "par10", "cutoff": 1.5}
    with Store.open(run, evaluation) as store:
        store.add_configuration(MEMBERS[0])
        for ending, city in zip(endings, CITIES, strict=False):
            store.add_instance(StoredInstance(city.id, "tsp", ending.value, TSP.encode(city)))
            key = RunKey("eax", "1", MEMBERS[0].id, city.id, seed=1, target=5, memory=2**30)
            store.record(key, 1.5, Outcome(ending, cpu=1.6 if ending is Ending.TIMEOUT else 0.5))
    export(run, Format.ASLIB, out)
    found = {row["instance_id"]: (row["runtime"], row["runstatus"]) for row in arff(out / "algorithm_runs.arff")}
    assert found == {
        "SOLVED": (0.5, "ok"),
        "FINISHED": (0.5, "other"),
        "TIMEOUT": (1.5, "timeout"),
        "MEMOUT": (0.5, "memout"),
        "CRASHED": (0.5, "crash"),
        "INVALID": (0.5, "other"),
    }
    assert (described(out)["algorithm_cutoff_time"], described(out)["algorithm_cutoff_memory"]) == (1.5, "?")


def test_a_comparison_says_how_its_members_make_a_scenario(whole: Whole, tmp_path: Path) -> None:
    """Where members have stopped each other on every instance, nothing is written, and the way to all runs is told."""
    with pytest.raises(UserError, match=r"no instance has the full runs of all \d+ algorithms .*alone"):
        export(whole[1], Format.ASLIB, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_was_ever_solved_it_is_not_said_to_wait(tmp_path: Path) -> None:
    """Without any reference an evaluation ends without a run to judge: what would help is told, and nothing is made."""
    evaluate(tmp_path / "run", MEMBERS, Par10(1.0), PureExecutor(0.3, unsolvable={city.id for city in CITIES}))
    with pytest.raises(UserError, match=r"no members .* no cost that counts as solved .* longer cut-off, .*--optima"):
        export(tmp_path / "run", Format.ASLIB, tmp_path / "out" / "aslib")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize(
    ("identity", "said"),
    [
        ({"purpose": "build", "scenario": {"problem": PROBLEM, "metric": METRIC}}, "finish its first phases"),
        ({"purpose": "comparison", "experiment": {"problem": PROBLEM, "metric": METRIC}}, "let it finish first"),
        ({"purpose": "evaluation", "problem": "tsp", "problem_settings": {}, **EVALUATED}, "let it finish first"),
    ],
    ids=lambda value: value["purpose"] if isinstance(value, dict) else "",
)
def test_what_has_hardly_begun_is_to_finish_first(tmp_path: Path, identity: dict[str, Any], said: str) -> None:
    """Of a build without a portfolio, and of tests that are to come, it is said to wait, and nothing is made."""
    Store.open(tmp_path / "run", identity).close()
    with pytest.raises(UserError, match=said):
        export(tmp_path / "run", Format.ASLIB, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_build_exports_its_last_portfolio(tmp_path: Path) -> None:
    """The algorithms are the members of portfolio.json, on instances that were given and bred."""
    run, out = tmp_path / "run", tmp_path / "out"
    table = {
        "seed": 3,
        "problem": {"name": "tsp", "generate": {"generator": "uniform", "size": 30, "count": 3}},
        "portfolio": {"size": 2, "solvers": ["eax"]},
        "metric": {"name": "panc", "cutoff": 1.0},
        "method": {"options": {"iterations": 2, "sessions": 2, "candidates": 8, "batch": 3}},
        "budget": {"cpu": 150.0},
    }
    built = building.build(read_table(Scenario, table, "pure"), Path(), "pure", PureExecutor(0.3), run, Silent())
    export(run, Format.ASLIB, out)
    rows = arff(out / "algorithm_runs.arff")
    assert {row["algorithm"] for row in rows} == {f"eax-{each.id}" for each in built.portfolio.members}
    names = {row["instance_id"] for row in rows}
    assert len(set(Counter((row["instance_id"], row["algorithm"]) for row in rows).values())) == 1
    with Store.read_only(run) as store:
        given = set((store.identity or {})["instances"])
    assert names & given
    assert names - given
