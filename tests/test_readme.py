"""What the README shows is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ceps.comparing.experiment import read_experiment
from ceps.problems.tsp import Tsp
from ceps.settings import read_scenario

ROOT = Path(__file__).parent.parent


def test_the_python_example_runs(tmp_path: Path) -> None:
    """The example of the README, executed as it stands, writes a tour of the instance it made."""
    pytest.importorskip("LKHpy")
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
    instance = Tsp().read(tmp_path / "city.tsp")
    cost = Tsp().check(instance, Tsp().read_solution(instance, tmp_path / "city.tour"))
    assert done.stdout.startswith(f"{cost} by component ")


DEMO_AT_TEST_SIZE = """
seed = 1
[problem]
name = "{problem}"
generate = {{ generator = "{generator}", size = {size}, count = 2 }}
[portfolio]
size = 2
solvers = {solvers}
[metric]
name = "{metric}"
cutoff = {cutoff}
[method]
iterations = {iterations}
sessions = 1
batch = 2
[budget]
cpu = "{budget}"
"""
DEMOS = {
    "tsp": {
        "generator": "uniform",
        "size": 60,
        "solvers": ["lkh"],
        "metric": "par10",
        "cutoff": 0.1,
        "iterations": 1,
        "budget": "8s",
    },
    "vrpspdtw": {
        "generator": "city",
        "size": 20,
        "solvers": ["coga", "pyvrp"],
        "metric": "panc",
        "cutoff": 0.2,
        "iterations": 2,
        "budget": "20s",
    },
}


@pytest.mark.parametrize("problem", DEMOS)
def test_the_demo_runs(problem: str, tmp_path: Path) -> None:
    """``make demo`` does its job for either problem, at a smaller size: scores are shown, a solution is written."""
    if problem == "tsp":
        pytest.importorskip("LKHpy")
    (tmp_path / "scenario.toml").write_text(DEMO_AT_TEST_SIZE.format(**DEMOS[problem], problem=problem))
    demo = [sys.executable, "-m", "examples.demo", str(tmp_path / "demo"), str(tmp_path / "scenario.toml")]
    done = subprocess.run(demo, cwd=ROOT, check=True, capture_output=True, text=True)
    assert "CEPS.initial" in done.stdout
    assert "\nCEPS   " in done.stdout
    assert "cost " in done.stdout
    assert (tmp_path / "demo" / "solution").exists()
    assert (tmp_path / "demo" / "solution.svg").exists()


def test_the_example_scenario_is_the_readmes(tmp_path: Path) -> None:
    """The scenario in the README is one that ``ceps`` understands, as are all files in examples and experiments."""
    (scenario,) = re.findall(r"```toml\n(seed.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    (tmp_path / "scenario.toml").write_text(scenario)
    assert read_scenario(tmp_path / "scenario.toml").portfolio.size == 4
    for path in [*(ROOT / "examples").glob("*.toml"), *(ROOT / "experiments").glob("*.toml")]:
        read = read_experiment if "[[methods]]" in path.read_text() else read_scenario
        assert read(path).budget is not None


def test_the_experiment_in_the_docs_is_understood(tmp_path: Path) -> None:
    """The experiment that docs/comparing.md shows can be read, and names every kind of contender once."""
    (experiment,) = re.findall(r"```toml\n(seed.*?)```", (ROOT / "docs" / "comparing.md").read_text(), re.DOTALL)
    (tmp_path / "experiment.toml").write_text(experiment)
    names = [entrant.name for entrant in read_experiment(tmp_path / "experiment.toml").methods]
    assert names == ["ceps", "single", "default", "portfolio", "vbs"]


def test_the_clusters_in_the_docs_are_understood(tmp_path: Path) -> None:
    """Every [execution] that docs/cluster.md shows can be read as part of a scenario."""
    (scenario,) = re.findall(r"```toml\n(seed.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    shown = re.findall(r"```toml\n(\[execution.*?)```", (ROOT / "docs" / "cluster.md").read_text(), re.DOTALL)
    assert len(shown) == 3
    for execution in shown:
        (tmp_path / "scenario.toml").write_text(scenario + execution)
        assert read_scenario(tmp_path / "scenario.toml").execution.backend == "dask"
