"""What the pages docs/add-a-problem.md, -solver.md and -method.md show is true; plug-ins of packages are found."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ceps.cli import app
from ceps.construction.methods import METHODS, method_named, method_names
from ceps.errors import UserError
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.portfolio import Portfolio
from ceps.problems import known_problems, problem_named, problem_of_file
from ceps.problems.collect import problem_of_instances
from ceps.problems.tsp import Tsp
from ceps.records import Ending, Limits
from ceps.solvers import reference_consensus, solver_named
from ceps.solvers.solver import default_configuration

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ("add-a-problem.md", "add-a-solver.md", "add-a-method.md")


def blocks(language: str) -> list[str]:
    pages = [(DOCS / page).read_text() for page in PAGES]
    return [block for page in pages for block in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of the documentation, as if it were installed; its modules are forgotten afterwards."""
    for block in blocks("python"):
        name = re.match(r"# (\w+\.py)\n", block)
        assert name is not None
        (tmp_path / name[1]).write_text(block)
    entry_points = [tomllib.loads(block)["project"]["entry-points"] for block in blocks("toml")]
    install(tmp_path, "partitioning", {group: own for table in entry_points for group, own in table.items()})
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("partition", "flipper", "lucky", "careless"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return tmp_path


def install(folder: Path, name: str, entry_points: dict[str, dict[str, str]]) -> None:
    """Make a distribution known, as pip would."""
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines: list[str] = []
    for group, own in entry_points.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in own.items())]
    (information / "entry_points.txt").write_text("\n".join([*lines, ""]))


def test_what_the_documentation_shows_keeps_the_contracts(package: Path) -> None:
    """The problem and the solver of the documentation pass the tests that the documentation shows."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=prepend", str(package)]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_plug_ins_are_found_by_name(package: Path, tmp_path: Path) -> None:
    """A problem and a solver of an installed package are found, with settings, by name and by ending."""
    problem, solver = problem_named("partition", {"largest": 7}), solver_named("flipper", {})
    assert (problem.name, getattr(problem, "largest", None), solver.name) == ("partition", 7, "flipper")
    assert problem_of_file(Path("a.partition")) == problem_named("partition")
    (tmp_path / "a.partition").write_text("1 2 3")
    assert problem_of_instances([str(tmp_path / "a.partition")], Path(), "FILES").name == "partition"
    assert [each.name for each in known_problems()] == ["tsp", "vrpspdtw", "partition"]
    assert reference_consensus("partition", {}).solver == solver
    with pytest.raises(UserError, match=r"Did you mean 'partition'\?"):
        problem_named("partitoin")
    with pytest.raises(UserError, match=r"Did you mean 'flipper'\?"):
        solver_named("fliper", {})


HALVES = """
import json, sys
numbers = open(sys.argv[1]).read().split()
json.dump([index % 2 for index in range(len(numbers))], open(sys.argv[2], "w"))
"""


def test_programs_solve_problems_of_other_packages(package: Path) -> None:
    """The plug-in writes the instance for a program that is described in a file, and reads its solution."""
    (package / "halves.py").write_text(HALVES)
    (package / "halves.toml").write_text(
        f'''
        name = "halves"
        problems = ["partition"]
        command = ["{sys.executable}", "{{here}}/halves.py", "{{instance}}", "{{solution_file}}"]
        '''
    )
    problem, solver = problem_named("partition"), solver_named("halves", {"file": "halves.toml"}, package)
    instance = problem.decode("7 2 9", "three")
    run = Run(problem, solver, default_configuration(solver), instance, 1, Limits(cpu=20.0))
    with LocalExecutor(workers=1) as executor:
        outcome = executor.submit(run).result()
    assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 14), outcome
    assert outcome.solution == [0, 1, 0]


def test_programs_for_problems_of_other_packages_write_files(package: Path) -> None:
    """As for a problem in the box: what is printed could not be read as its solution."""
    (package / "prints.toml").write_text(
        """
        name = "prints"
        problems = ["partition"]
        command = ["true", "{instance}"]
        output = { solution = "(.*)" }
        """
    )
    with pytest.raises(UserError, match=r"solutions of problem 'partition' are read from \{solution_file\}"):
        solver_named("prints", {"file": "prints.toml"}, package)


SCENARIO = """
seed = 1
[problem]
name = "partition"
generate = { generator = "uniform", size = 30, count = 2 }
[portfolio]
size = 2
solvers = ["flipper"]
[metric]
name = "panc"
cutoff = 0.2
penalty = 1e9
[method]
name = "lucky"
sessions = 3
[budget]
cpu = "6s"
"""


def test_a_portfolio_is_built_of_plug_ins_alone(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Problem, solver and method of other packages, from a scenario to an answer of the portfolio, by the commands."""
    monkeypatch.chdir(package)
    Path("s.toml").write_text(SCENARIO)
    built = CliRunner().invoke(app, ["build", "s.toml", "--out", "run"])
    assert built.exit_code == 0, built.output
    portfolio = Portfolio.load(Path("run/portfolio.json"))
    assert (portfolio.provenance["method"], len(portfolio)) == ("lucky", 2)
    Path("three.partition").write_text("7 2 9")
    solved = CliRunner().invoke(app, ["solve", "three.partition", "--portfolio", "run/portfolio.json", "--time", "0.3"])
    assert solved.exit_code == 0, solved.output
    assert "\ncost 0 by component" in solved.stdout


def test_methods_may_be_plug_ins(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A method of an installed package is found by name; one that keeps no portfolio is told what to do."""
    (package / "careless.py").write_text("def smallest_budget(outline): return 1.0\ndef build(task): return ()\n")
    install(package, "ours", {"ceps.methods": {"careless": "careless"}})
    assert sorted(method_names()) == sorted([*METHODS, "careless", "lucky"])
    monkeypatch.chdir(package)
    Path("s.toml").write_text(SCENARIO.replace("lucky", "careless"))
    built = CliRunner().invoke(app, ["build", "s.toml", "--out", "run"])
    assert built.exit_code == 2
    assert "[method] name = 'careless': it has kept no portfolio; have it call task.journal.keep" in built.stderr


def test_the_box_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plug-in cannot take the place of what is in the box."""
    everywhere = {"ceps.problems": "tsp", "ceps.solvers": "lkh", "ceps.methods": "ceps"}
    install(tmp_path, "usurper", {group: {name: "no_such_module"} for group, name in everywhere.items()})
    monkeypatch.syspath_prepend(tmp_path)
    assert isinstance(problem_named("tsp"), Tsp)
    assert solver_named("lkh", {}).name == "lkh"
    assert method_named("ceps") is METHODS["ceps"]
    assert [each.name for each in known_problems()] == ["tsp", "vrpspdtw"]


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("import no_such_library", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_library'"),
        ("Broken = 3", "is no dataclass"),
        ("", "cannot be loaded: AttributeError"),
    ],
)
def test_a_broken_plug_in_is_told_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, message: str
) -> None:
    """Whoever is to blame is named, whatever is wrong."""
    (tmp_path / "broken_plugin.py").write_text(module)
    install(tmp_path, "breaker", {"ceps.solvers": {"broken": "broken_plugin:Broken"}})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_plugin", raising=False)
    with pytest.raises(UserError, match="package 'breaker'") as caught:
        solver_named("broken", {})
    assert message in str(caught.value)


def test_two_plug_ins_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of them is meant is not guessed."""
    for name in ("first", "second"):
        install(tmp_path, name, {"ceps.solvers": {"twin": f"{name}_module:Twin"}})
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match="package 'first' and package 'second'"):
        solver_named("twin", {})
