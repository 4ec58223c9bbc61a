"""The VRPSPDTW from the command line, with a solver that takes a moment: generate, build, evaluate, solve, draw."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ceps.cli import app
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems import problem_named
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.solvers import SOLVERS
from tests.solvers.merging import Merging

PROBLEM = Vrpspdtw()
SCENARIO = """
seed = 1
[problem]
name = "vrpspdtw"
train = ["train/*.vrpspdtw"]
[problem.settings]
demands = "shift"
[portfolio]
size = 2
solvers = ["merging"]
[metric]
name = "panc"
cutoff = 0.2
penalty = 1500
[method]
iterations = 2
sessions = 2
candidates = 4
batch = 2
shares = { initialisation = 60, validation = 90 }
[budget]
cpu = "6s"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two instances, a portfolio and the best solutions known; scenarios may name merging."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SOLVERS, "merging", Merging)  # type: ignore[misc]
    Path("train").mkdir()
    for seed in (1, 2):
        PROBLEM.write(PROBLEM.generate("city", 6, seed, {"city_customers": 20}), Path(f"train/rdp10{seed}.vrpspdtw"))
    member = {"solver": "merging", "parameters": {"tries": 20}}
    portfolio = {"format": 1, "problem": "vrpspdtw", "metric": {"name": "panc", "cutoff": 1.0}, "members": [member]}
    Path("p.json").write_text(json.dumps(portfolio))
    Path("best.csv").write_text("instance,vehicles,distance\nrdp101,500,0\nrdp109,1,1\n")
    return tmp_path


def ceps(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="ceps")


def test_generate_days_of_a_city() -> None:
    """Customers are the size, the city has its own option, and it is the generator when none is named."""
    made = ceps("generate", "vrpspdtw", "--customers", 7, "--count", 2, "--city-seed", 3, "--out", "data")
    assert (made.exit_code, made.stdout) == (0, "2 instances in data\n")
    days = [PROBLEM.read(path) for path in sorted(Path("data").iterdir())]
    assert days == [PROBLEM.generate("city", 7, seed, {"city_seed": 3}) for seed in (1, 2)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["vrpspdtw", "--city-seed", 3, "--set", "city_seed=3"], "--set city_seed=3: city_seed is set twice"),
        (["tsp", "--city-seed", 3], "uniform has no parameter 'city_seed'"),
        (["vrpspdtw", "--city-seed", -1], "city cannot have city_seed = -1"),
        (["vrpspdtw", "--customers", 0], "--customers"),
    ],
)
def test_generate_mistakes(arguments: list[object], message: str) -> None:
    """A city twice, for another problem or that does not exist, and no customers."""
    made = ceps("generate", *arguments)
    assert made.exit_code == 2
    assert message in made.stderr


def test_solve_writes_routes_and_draws_them() -> None:
    """The routes are in the file, a line for each of them is on the screen, and the picture is made."""
    command = ["solve", "train/rdp101.vrpspdtw", "--portfolio", "p.json", "--time", 5]
    solved = ceps(*command, "--out", "day.sol", "--draw", "day.svg")
    assert solved.exit_code == 0, solved.stderr
    instance = PROBLEM.read(Path("train/rdp101.vrpspdtw"))
    routes = PROBLEM.read_solution(instance, Path("day.sol"))
    assert PROBLEM.describe(instance, routes) in solved.stdout
    assert solved.stdout.endswith("written to day.sol and day.svg\n")
    assert "rdp101: cost " in Path("day.svg").read_text()


def test_a_picture_that_cannot_be_is_told_before_the_race() -> None:
    """With an ending that is no picture's, nothing is run or written."""
    refused = ceps("solve", "train/rdp101.vrpspdtw", "--portfolio", "p.json", "--out", "day.sol", "--draw", "day.pdf")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--draw day.pdf: the ending says what to draw; use .png or .svg" in refused.stderr
    assert not Path("day.sol").exists()


def test_evaluate_beside_the_best_known() -> None:
    """The paper's table is shown after the scores, and is in the JSON; an instance without a known cost is counted."""
    command = ["evaluate", "train", "--portfolio", "p.json", "--best-known", "best.csv", "--repeats", 1, "--out", "run"]
    shown = ceps(*command)
    assert shown.exit_code == 0, shown.stderr
    assert "rdp1                 1    1 (100%)    1 (100%)      0 (0%)\n" in shown.stdout
    assert "1 instance without a best known cost" in shown.stdout
    report = json.loads(ceps(*command, "--json").stdout)
    one = {"instances": 1, "better": 1, "not_worse": 1, "worse": 0}
    best_known = report["best_known"]
    assert (best_known["families"], best_known["total"], best_known["unknown"]) == ({"rdp1": one}, one, 1)
    cost = report["per_instance"][0]["repeats"][0]["cost"]
    assert best_known["per_instance"] == [{"instance": "rdp101", "cost": cost, "best_known": 50_000.0}]
    instance = PROBLEM.read(Path("train/rdp101.vrpspdtw"))
    assert report["per_instance"][0]["score"] == cost / PROBLEM.scale(instance)


def test_best_known_mistakes() -> None:
    """A bad file, a metric that compares no costs and a problem without vehicles are refused before any run."""
    Path("bad.csv").write_text("instance,vehicles,distance\nrdp101,many,0\n")
    Path("t.json").write_text(
        json.dumps(
            Portfolio("tsp", (), MetricChoice("panc", 1.0)).as_json()
            | {"members": [{"solver": "eax", "parameters": {}}]}
        )
    )
    tsp = problem_named("tsp")
    tsp.write(tsp.generate("uniform", 5, 1), Path("city.tsp"))
    for arguments, message in {
        (
            "train",
            "p.json",
            "bad.csv",
        ): "bad.csv, line 2, column 'vehicles': must be a whole number above 0, not 'many'",
        ("train", "p.json", "best.csv", "--metric", "par10"): "par10 does not compare costs; add --metric panc",
        ("city.tsp", "t.json", "best.csv"): "vehicles and distance are no cost of problem 'tsp'",
    }.items():
        instances, portfolio, best_known, *others = arguments
        refused = ceps("evaluate", instances, "--portfolio", portfolio, "--best-known", best_known, *others)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr


def test_a_portfolio_is_built_for_costs() -> None:
    """From a scenario with PANC and settings of the problem to a portfolio that is evaluated by PANC."""
    Path("s.toml").write_text(SCENARIO)
    built = ceps("build", "s.toml", "--out", "run", "--workers", 2)
    assert built.exit_code == 0, built.stderr
    initial, final = (Portfolio.load(Path("run") / name) for name in ("portfolio.initial.json", "portfolio.json"))
    assert final.metric == MetricChoice("panc", 0.2, 1500.0)
    # On other seeds and with bred instances, but more tries are so much better that it is seen all the same.
    assert max(member.as_dict()["tries"] for member in final.members) > 10
    assert 0.0 < final.provenance["training_score"] < 1500.0
    report = json.loads(ceps("evaluate", "train", "--portfolio", "run/portfolio.json", "--json").stdout)
    assert (report["metric"], report["timeouts"]) == ("panc", 0)
    assert len(initial) == len(final) == 2
    Path("s.toml").write_text(SCENARIO.replace("shift", "redraw"))
    other = ceps("build", "s.toml", "--out", "run")
    assert other.exit_code == 2
    assert "scenario.problem.settings.demands" in other.stderr


def test_costs_of_the_scenario_are_those_of_the_portfolio() -> None:
    """What a vehicle and a unit of distance cost where files do not say is kept, and used to evaluate and to solve."""
    for path in Path("train").iterdir():
        silent = replace(PROBLEM.read(path), dispatching_cost=2000.0, states_dispatching_cost=False)
        PROBLEM.write(silent, path)
    costs = 'dispatching_cost = 50\nunit_cost = 3\ndemands = "shift"'
    Path("s.toml").write_text(SCENARIO.replace('demands = "shift"', costs))
    assert ceps("build", "s.toml", "--out", "run").exit_code == 0
    instance = PROBLEM.read(Path("train/rdp101.vrpspdtw"))
    solved = json.loads(
        ceps("solve", "train/rdp101.vrpspdtw", "--portfolio", "run/portfolio.json", "--time", 1, "--json").stdout
    )
    routes = [[instance.index_of[customer] for customer in route] for route in solved["solution"]]
    distance = instance.cost(routes) - 2000.0 * len(routes)
    assert solved["cost"] == pytest.approx(50.0 * len(routes) + 3.0 * distance)
    report = json.loads(ceps("evaluate", "train", "--portfolio", "run/portfolio.json", "--json").stdout)
    assert report["per_instance"][0]["repeats"][0]["cost"] < 2000.0 * len(routes)


def test_the_same_instance_twice_is_scored_like_one() -> None:
    """Two files of the same content have the same repeats, as many as were asked for."""
    Path("train/copy.vrpspdtw").write_text(Path("train/rdp101.vrpspdtw").read_text())
    report = json.loads(ceps("evaluate", "train", "--portfolio", "p.json", "--repeats", 2, "--json").stdout)
    rows = {row["instance"]: row["repeats"] for row in report["per_instance"]}
    assert rows["copy"] == rows["rdp101"]
    assert [len(repeats) for repeats in rows.values()] == [2, 2, 2]


def test_the_boxed_portfolio_is_evaluated_by_default() -> None:
    """Without a portfolio the files say which problem it is, and the one in the box is scored."""
    report = json.loads(ceps("evaluate", "train", "--cutoff", "0.1", "--repeats", 1, "--json").stdout)
    assert (report["metric"], report["timeouts"], report["instances"]) == ("panc", 0, 2)
    assert "no instances of any problem" in ceps("evaluate", ".").stderr


def test_a_penalty_that_solutions_exceed_is_refused() -> None:
    """The message names the key and the option, and a larger penalty goes."""
    command = ["evaluate", "train", "--portfolio", "p.json", "--repeats", 1, "--penalty"]
    refused = ceps(*command, 1)
    assert refused.exit_code == 2
    assert "[metric] penalty: a solution scores" in refused.stderr
    assert ceps(*command, 1e6).exit_code == 0
