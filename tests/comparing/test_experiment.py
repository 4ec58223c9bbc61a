"""What is wrong with an experiment is told before anything is run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ceps.comparing import contest
from ceps.comparing.contenders import shortfalls
from ceps.comparing.experiment import read_experiment
from ceps.errors import UserError
from ceps.portfolio import MetricChoice, Portfolio
from ceps.records import Configuration
from ceps.settings import read_scenario
from tests.comparing.pure_contest import EXPERIMENT, experiment

pytest.importorskip("LKHpy")

ROOT = Path(__file__).parents[2]
EPS = 'name = "eps"\niterations = 1'
CEPS = '[[methods]]\nname = "ceps"\niterations = 2\nsessions = 2\ncandidates = 6\n'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "ceps"', 'name = "cesp"', r"number 2: name = 'cesp' is unknown.*Did you mean 'ceps'"),
        ("cutoff = 1.0", 'name = "par11"\ncutoff = 1.0', r"\[metric\] name = 'par11' is unknown.*'par10'"),
        ("train = 3", "train = 10", r"\[splits\] train = 10: .* leave none for the test"),
        ("train = 3", "train = 1.5", r"\[splits\] train must be a share between 0 and 1 or a whole number"),
        ("train = 3", "train = 0", r"\[splits\] train must be a share"),
        ("count = 2", "count = 0", r"\[splits\] count must be at least 1"),
        ("repeats = 3", "repeats = 0", r"\[test\] repeats must be at least 1"),
        (
            'cpu = "2min"',
            'cpu = "10s"',
            r"'\w+': \[budget\] cpu = 10 s is too little for method '\w+': .* give at least \d+ s",
        ),
        ("sessions = 2", "session = 2", r"Did you mean 'sessions'"),
        (
            'solver = "eax"',
            "solver = 3",
            r"^experiment.toml: \[\[methods\]\] 'EAX-tuned': .*solver must be a text, not 3",
        ),
        (
            "iterations = 2",
            "iterations = 0",
            r"^experiment.toml: \[\[methods\]\] 'CEPS': .*iterations must be at least 1",
        ),
        ('solver = "eax"', 'label = "one"\nsolver = 3', r"'one': .*solver must be a text"),
        (CEPS, "", r"'EPS' makes as many instances as CEPS does, and there is no CEPS; .*new_instances = "),
        ('of = ["LKH-default", "boxed"]', 'of = ["LKH-defalt"]', r"'VBS': of names 'LKH-defalt'.*'LKH-default'"),
        ('of = ["LKH-default", "boxed"]', "of = []", r"names nobody"),
        ('name = "portfolio"', 'name = "portfolio"\nlabel = "ceps"', r"label = '(ceps|CEPS)' is there twice"),
        ('name = "portfolio"', 'name = "portfolio"\nlabel = "../up"', r"label = '../up': use letters, digits"),
        ('file = "box"', 'file = "none.json"', r"none\.json: there is no such file"),
        ('solver = "lkh"', 'solver = "coga"', r"'coga' does not solve problem 'tsp'"),
        ('solver = "lkh"', 'solvr = "lkh"', r"unknown key 'solvr'.*'solver'"),
        ('solver = "eax"', 'solver = "exa"', r"Did you mean 'eax'"),
        ('generate = { generator = "all", size = 30, count = 1 }', "", r"needs either instances = "),
        (
            'generate = { generator = "all", size = 30, count = 1 }',
            'instances = ["nothing/*.tsp"]',
            r"\[problem\] instances: 'nothing/\*\.tsp' matches no \.tsp file",
        ),
        (EXPERIMENT[EXPERIMENT.index("[[methods]]") :], "", r"'methods' is missing"),
    ],
)
def test_mistakes_are_named_with_their_fix(tmp_path: Path, old: str, new: str, said: str) -> None:
    """Unknown methods, metrics and labels, splits and budgets that cannot work, settings nobody has."""
    assert old in EXPERIMENT
    with pytest.raises(UserError, match=said):
        contest.prepare(experiment(tmp_path, EXPERIMENT.replace(old, new)), tmp_path, "experiment.toml")


@pytest.mark.parametrize("cutoff", ["0.1", "0.03"])
def test_the_smallest_budget_that_is_told_works(tmp_path: Path, cutoff: str) -> None:
    """It is that of the most demanding method, and with it nothing is refused, also where it is no whole number."""
    text = EXPERIMENT.replace("cutoff = 1.0", f"cutoff = {cutoff}")
    with pytest.raises(UserError) as refused:
        contest.prepare(experiment(tmp_path, text.replace("2min", "1s")), tmp_path, "experiment.toml")
    needed = str(refused.value).split("give at least ")[1].split(" s")[0]
    contest.prepare(experiment(tmp_path, text.replace("2min", f"{needed}s")), tmp_path, "experiment.toml")


def test_a_method_that_needs_features_is_refused_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLUSTERING on a problem without instance features is told so before any run."""
    from ceps.problems.tsp import Tsp

    monkeypatch.setattr(Tsp, "features", lambda self, instance: {})
    text = EXPERIMENT + '[[methods]]\nname = "clustering"\n'
    with pytest.raises(UserError, match="groups instances by their features, and problem 'tsp' has none"):
        contest.prepare(experiment(tmp_path, text), tmp_path, "experiment.toml")


def test_a_refused_experiment_exits_with_2_and_leaves_nothing(tmp_path: Path) -> None:
    """On the command line: a message, no traceback, no run directory."""
    experiment(tmp_path, EXPERIMENT.replace("2min", "10s"))
    done = subprocess.run(
        [Path(sys.executable).with_name("ceps"), "compare", "experiment.toml", "--out", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "give at least" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["tsp-desk", "tsp-desk-tight", "tsp-paper", "vrpspdtw-desk", "vrpspdtw-paper"])
def test_the_shipped_experiments_are_sound(name: str) -> None:
    """All that they name is known, labels differ, and budgets suffice."""
    settings = read_experiment(ROOT / "experiments" / f"{name}.toml")
    contest.prepare(settings, ROOT / "experiments", name)


def test_a_portfolio_with_a_program_needs_trust(tmp_path: Path) -> None:
    """A given portfolio that names a program is refused, with the way to have it; with trust it takes part."""
    alone = Portfolio(
        "tsp", (Configuration.of("lkh", {}),), MetricChoice("par10", 1.0), {"lkh": {"binary": str(tmp_path / "LKH")}}
    )
    alone.save(tmp_path / "p.json")
    (tmp_path / "LKH").touch(mode=0o755)
    text = EXPERIMENT + '[[methods]]\nname = "portfolio"\nfile = "p.json"\n'
    with pytest.raises(UserError, match=r"'p.json' starts programs: .*/LKH.* set trust = true beside it"):
        contest.prepare(experiment(tmp_path, text), tmp_path, "experiment.toml")
    contest.prepare(experiment(tmp_path, text + "trust = true\n"), tmp_path, "experiment.toml")


def test_an_eps_that_made_fewer_instances_than_ceps_is_told(tmp_path: Path) -> None:
    """On which split, how many, and how many CEPS came to; one that was told how many to make is left alone."""
    told = EXPERIMENT.replace("2min", "1h") + '[[methods]]\nname = "eps"\nlabel = "EPS-5"\nnew_instances = 5\n'
    field = contest.prepare(experiment(tmp_path, told), tmp_path, "experiment.toml").field
    made = {(1, "CEPS"): 7, (1, "EPS"): 7, (1, "EPS-5"): 5, (2, "CEPS"): 6, (2, "EPS"): 4, (2, "EPS-5"): 5}
    (warning,) = shortfalls(field, made)
    assert warning.startswith("split 2: EPS made 4 instances, not the 6 that CEPS came to; ")
    assert shortfalls(field, {**made, (2, "EPS"): 6}) == []


def test_a_scenario_is_told_from_an_experiment(tmp_path: Path) -> None:
    """Each is told which command it is for."""
    scenario, compared = tmp_path / "s.toml", tmp_path / "e.toml"
    scenario.write_text('seed = 1\n[method]\nname = "ceps"\n')
    compared.write_text(EXPERIMENT)
    with pytest.raises(UserError, match=r"s\.toml: is a scenario, for `ceps build`"):
        read_experiment(scenario)
    with pytest.raises(UserError, match=r"e\.toml: is an experiment, for `ceps compare`"):
        read_scenario(compared)
