"""A scenario file is read whole, and every mistake in it is told with its key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.settings import (
    BudgetSettings,
    ExecutionSettings,
    GenerateSettings,
    JobSettings,
    MethodSettings,
    MetricSettings,
    PortfolioSettings,
    ProblemSettings,
    ReferenceSettings,
    Scenario,
    read_scenario,
)

SMALLEST = """
seed = 1
[problem]
name = "tsp"
train = ["data/*.tsp"]
[portfolio]
solvers = ["lkh"]
[metric]
cutoff = 10
"""

FULL = """
seed = 7
[problem]
name = "tsp"
generate = { generator = "explosion", size = 400, count = 30, parameters = { epsilon = 0.2, rate = 5 } }
settings = { unit_cost = 2 }
[portfolio]
size = 2
solvers = ["lkh", "eax"]
[metric]
name = "panc"
cutoff = "1min"
penalty = 50
[method]
name = "ceps"
iterations = 4
sessions = 10
[budget]
cpu = "40h"
[execution]
workers = 8
memory = "1GiB"
[references]
known = "optima.json"
cpu = 30
[solvers.lkh]
binary = "/opt/LKH"
"""


def read(folder: Path, text: str) -> Scenario:
    path = folder / "s.toml"
    path.write_text(text)
    return read_scenario(path)


def test_the_smallest_scenario(tmp_path: Path) -> None:
    """What is not said has its default."""
    assert read(tmp_path, SMALLEST) == Scenario(
        seed=1,
        problem=ProblemSettings("tsp", train=("data/*.tsp",)),
        portfolio=PortfolioSettings(solvers=("lkh",), size=4),
        metric=MetricSettings(cutoff=10.0, name="par10"),
        method=MethodSettings("ceps", {}),
        budget=None,
        execution=ExecutionSettings(workers=None, memory=2 * 1024**3),
        references=ReferenceSettings(),
        solvers={},
    )


def test_a_full_scenario(tmp_path: Path) -> None:
    """Every key arrives where it belongs, the method's own settings beside its name."""
    assert read(tmp_path, FULL) == Scenario(
        seed=7,
        problem=ProblemSettings(
            "tsp",
            generate=GenerateSettings("explosion", 400, 30, {"epsilon": 0.2, "rate": 5.0}),
            settings={"unit_cost": 2},
        ),
        portfolio=PortfolioSettings(solvers=("lkh", "eax"), size=2),
        metric=MetricSettings(cutoff=60.0, name="panc", penalty=50.0),
        method=MethodSettings("ceps", {"iterations": 4, "sessions": 10}),
        budget=BudgetSettings(144_000.0),
        execution=ExecutionSettings(8, 1024**3),
        references=ReferenceSettings("optima.json", 30.0),
        solvers={"lkh": {"binary": "/opt/LKH"}},
    )


def test_a_cluster_of_jobs(tmp_path: Path) -> None:
    """What is not ours in [execution.jobqueue] is kept for those whose it is."""
    table = (
        '[execution]\nbackend = "dask"\n[execution.jobqueue]\nsystem = "slurm"\njobs = 4\ncores = 16\nqueue = "long"\n'
    )
    jobs = JobSettings("slurm", 4, {"cores": 16, "queue": "long"})
    assert read(tmp_path, SMALLEST + table).execution == ExecutionSettings(backend="dask", jobqueue=jobs)


MISTAKES = {
    "misspelt key": ("seed", "sed", "s.toml: unknown key 'sed'. Did you mean 'seed'?"),
    "misspelt table": ("[metric]", "[metrics]", "s.toml: unknown key 'metrics'. Did you mean 'metric'?"),
    "misspelt key in a table": ("cutoff", "cutof", "s.toml: [metric] unknown key 'cutof'. Did you mean 'cutoff'?"),
    "missing key": ("cutoff = 10", "", "s.toml: [metric] the key 'cutoff' is missing"),
    "missing table": ("[metric]\ncutoff = 10", "", "s.toml: the key 'metric' is missing"),
    "cut-off 0": ("cutoff = 10", "cutoff = 0", "s.toml: [metric] cutoff must be a finite time above 0, not 0"),
    "cut-off nan": ("cutoff = 10", "cutoff = nan", "s.toml: [metric] cutoff must be a finite time above 0, not nan"),
    "negative penalty": ("cutoff = 10", "cutoff = 10\npenalty = -1", "[metric] penalty must be above 0, not -1"),
    "text for a number": ("seed = 1", 'seed = "1"', "s.toml: seed must be a whole number, not '1'"),
    "text for a list": ('["lkh"]', '"lkh"', "s.toml: [portfolio] solvers must be a list, not 'lkh'"),
    "no solvers": ('["lkh"]', "[]", "[portfolio] solvers must name at least one solver"),
    "a solver twice": ('["lkh"]', '["lkh", "lkh"]', "[portfolio] solvers names one of lkh, lkh twice"),
    "empty portfolio": ("[portfolio]", "[portfolio]\nsize = 0", "[portfolio] size must be at least 1, not 0"),
    "no instances": ('train = ["data/*.tsp"]', "", "s.toml: [problem] needs either train = "),
    "two sources": (
        "[portfolio]",
        '[problem.generate]\ngenerator = "g"\nsize = 9\ncount = 1\n[portfolio]',
        "s.toml: [problem] needs either train = ",
    ),
    "nothing to generate": (
        'train = ["data/*.tsp"]',
        'generate = { generator = "g", size = 9, count = 0 }',
        "s.toml: [problem.generate] count must be at least 1, not 0",
    ),
    "number for parameters": (
        'train = ["data/*.tsp"]',
        'generate = { generator = "g", size = 9, count = 1, parameters = 3 }',
        "s.toml: [problem.generate] parameters must be a table, not 3",
    ),
    "text for a parameter": (
        'train = ["data/*.tsp"]',
        'generate = { generator = "g", size = 9, count = 1, parameters = { epsilon = "0.2" } }',
        "s.toml: [problem.generate] parameters must have finite numbers: 'epsilon' = '0.2' is none",
    ),
    "number for the problem's settings": (
        "[portfolio]",
        "settings = 3\n[portfolio]",
        "s.toml: [problem] settings must be a table, not 3",
    ),
    "number for a table": ("seed = 1", "seed = 1\nbudget = 3", "s.toml: [budget] must be a table, not 3"),
    "number for the method": ("seed = 1", "seed = 1\nmethod = 3", "s.toml: [method] must be a table, not 3"),
    "number for solvers": ("seed = 1", "seed = 1\nsolvers = 3", "s.toml: solvers must be a table, not 3"),
    "no workers": ("seed = 1", "seed = 1\nexecution.workers = 0", "[execution] workers must be at least 1, not 0"),
    "unknown backend": (
        "seed = 1",
        'seed = 1\nexecution.backend = "desk"',
        "[execution] backend is unknown: 'desk'. Did you mean 'dask'?",
    ),
    "a cluster without its backend": (
        "seed = 1",
        'seed = 1\nexecution.scheduler = "tcp://host:8786"',
        '[execution] has a cluster that is not used; add backend = "dask"',
    ),
    "a crowd": ("[portfolio]", "[portfolio]\nsize = 257", "[portfolio] size must be at most 256, not 257"),
    "no address": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\nscheduler = "host"\n[portfolio]',
        "[execution] scheduler must be an address such as tcp://host:8786, not 'host'",
    ),
    "an address of something else": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\nscheduler = "http://host:8787"\n[portfolio]',
        "[execution] scheduler must be an address such as tcp://host:8786, not 'http://host:8787'",
    ),
    "workers of a cluster": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\nscheduler = "tcp://host:8786"\nworkers = 2\n[portfolio]',
        "[execution] workers: the cluster has its own number of them; remove the key",
    ),
    "two clusters": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\nscheduler = "tcp://host:8786"\njobqueue = { system = "pbs" }\n[portfolio]',
        "[execution] has both scheduler and jobqueue; keep one",
    ),
    "unknown batch system": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\njobqueue = { system = "slrum" }\n[portfolio]',
        "[execution] jobqueue has the unknown system 'slrum'. Did you mean 'slurm'?",
    ),
    "no batch system": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\njobqueue = { cores = 2 }\n[portfolio]',
        "[execution] jobqueue needs the key 'system', one of lsf, pbs, sge, slurm",
    ),
    "no jobs": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\njobqueue = { system = "sge", jobs = 0 }\n[portfolio]',
        "[execution] jobqueue jobs must be a whole number of at least 1, not 0",
    ),
    "number for jobs": (
        "[portfolio]",
        '[execution]\nbackend = "dask"\njobqueue = 4\n[portfolio]',
        "[execution] jobqueue must be a table, not 4",
    ),
    "wrong unit": ("seed = 1", 'seed = 1\nbudget.cpu = "4hours"', "[budget] cpu has the unknown unit 'hours'"),
}


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A mistake in a scenario is told with the file, the table, the key and the way out."""
    assert old in SMALLEST
    with pytest.raises(UserError) as caught:
        read(tmp_path, SMALLEST.replace(old, new))
    assert message in str(caught.value)


@given(st.integers(0, len(FULL.splitlines()) - 1), st.text("=[]{}\"'.,#\n 01ex-_nainf", max_size=12))
@settings(
    derandomize=True, deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_damaged_scenarios_are_read_or_refused(tmp_path: Path, line: int, damage: str) -> None:
    """Whatever stands behind a key, the scenario is read or refused by its name."""
    lines = FULL.splitlines()
    lines[line] = lines[line].split("=")[0] + "= " + damage
    message = ""
    try:
        read(tmp_path, "\n".join(lines))
    except UserError as error:
        message = str(error)
    assert message == "" or message.startswith(f"{tmp_path / 's.toml'}: ")
