"""Decision problems: what an answer is worth, and what becomes of answers that contradict each other."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ceps.cli import app
from ceps.errors import UserError
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.portfolio import MetricChoice, Portfolio
from ceps.records import Ending, Limits, Outcome
from ceps.rehearsal import assemble
from ceps.settings import MetricSettings, PortfolioSettings, ProblemSettings, Scenario
from ceps.solve import race, without_contradictions
from ceps.solvers.solver import default_configuration
from tests import described
from tests.problems.test_described import DECISION

TRUSTING = DECISION + "trust = true\n"
SOLVER = described.SOLVER.replace("cost = '^cost (.*)$'", "unsatisfiable = '^none$'")
REFUSES = "print('none')"
SOLVES = "print('bits 11111')"


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    with LocalExecutor(workers=1) as executor:
        yield executor


def answering(status: str, cost: float) -> Outcome:
    return Outcome(Ending.SOLVED, cpu=2.0, cost=cost, solution={"status": status})


def outcome(
    executor: LocalExecutor, folder: Path, script: str, problem: str, target: float | None, text: str = SOLVER
) -> Outcome:
    solver = described.solver(folder, script, text)
    configuration, instance = default_configuration(solver), described.instance()
    limits = Limits(cpu=20.0)
    return executor.submit(
        Run(described.problem(folder, problem), solver, configuration, instance, 1, limits, target)
    ).result()


def test_what_answers_are_worth(executor: LocalExecutor, tmp_path: Path) -> None:
    """A verified model is solved; a refusal is solved where it is trusted, worthless where not, and false where a model
    has been verified."""
    found = outcome(executor, tmp_path, SOLVES, DECISION, 0.0)
    assert (found.ending, found.cost) == (Ending.SOLVED, 0.0)
    worthless = outcome(executor, tmp_path, REFUSES, DECISION, 0.0)
    assert (worthless.ending, worthless.cost) == (Ending.FINISHED, None)
    assert "no solution" in worthless.reason
    trusted = outcome(executor, tmp_path, REFUSES, TRUSTING, 1.0)
    assert (trusted.ending, trusted.cost) == (Ending.SOLVED, 1.0)
    contradicted = outcome(executor, tmp_path, REFUSES, TRUSTING, 0.0)
    assert contradicted.ending is Ending.INVALID


@pytest.mark.parametrize("cost", [-5.0, 7.0])
def test_costs_that_are_told_mean_nothing(executor: LocalExecutor, tmp_path: Path, cost: float) -> None:
    """A model ends the run and counts, whatever the solver says that it costs."""
    solver = described.solver(
        tmp_path, f"print('cost {cost}'); print('bits 11111', flush=True)\nwhile True: pass", described.SOLVER
    )
    run = Run(
        described.problem(tmp_path, DECISION),
        solver,
        default_configuration(solver),
        described.instance(),
        1,
        Limits(cpu=20.0),
        0.0,
    )
    made = executor.submit(run).result()
    assert (made.ending, made.cost) == (Ending.SOLVED, 0.0)


def test_a_race_ends_with_the_first_answer(tmp_path: Path) -> None:
    """Without a target of the user's, the problem's own ends a race."""
    solver = described.solver(tmp_path, "print('bits 11111', flush=True)\nwhile True: pass", SOLVER)
    described.problem(tmp_path, DECISION)
    portfolio = Portfolio(
        "zeros",
        (default_configuration(solver),),
        MetricChoice("par10", 10.0),
        {"filler": {"file": str(tmp_path / "filler.toml")}},
        problem_settings={"file": str(tmp_path / "zeros.toml")},
    )
    answer = race(portfolio, described.instance(), time=20.0)
    assert (answer.status, answer.cost) == (Ending.SOLVED, 0.0)


def test_a_verified_answer_beats_all_claims() -> None:
    """Of answers that contradict each other, the one that nobody verified is false; alone, it stands."""
    claim, model = answering("unsatisfiable", 1.0), answering("solved", 0.0)
    nothing = Outcome(Ending.TIMEOUT, cpu=3.0)
    false, true, none = without_contradictions((claim, model, nothing), ["a", "b", "c"])
    assert (false.ending, false.cost, false.cpu) == (Ending.INVALID, None, 2.0)
    assert (true, none) == (model, nothing)
    assert without_contradictions((claim, nothing), ["a", "c"]) == (claim, nothing)


def test_a_verified_answer_beats_what_is_worth_nothing() -> None:
    """Who is not trusted and says what a verified answer shows to be false is INVALID too; who agrees is not."""
    model = answering("solved", 0.0)
    denier, agreeing = (
        Outcome(Ending.FINISHED, cpu=2.0, solution={"status": status}) for status in ("unsatisfiable", "solved")
    )
    false, *others = without_contradictions((denier, model, agreeing), ["a", "b", "c"])
    assert (false.ending, false.solution) == (Ending.INVALID, None)
    assert others == [model, agreeing]
    assert without_contradictions((denier,), ["a"]) == (denier,)


def test_beliefs_that_contradict_each_other_are_told_by_name() -> None:
    """Where two are believed and say the opposite of each other, none of them counts, and both are named."""
    yes, no, late = answering("solved", 1.0), answering("unsatisfiable", 1.0), Outcome(Ending.CAPPED, cpu=1.0)
    *both, other = without_contradictions((yes, no, late), ["minisat", "clasp", "clasp"])
    assert [(each.ending, each.cost) for each in both] == [(Ending.INVALID, None)] * 2
    told = "component 1 (minisat) says 'solved', component 2 (clasp) says 'unsatisfiable'"
    assert all(told in each.reason for each in both)
    assert other == late


def test_who_says_both_has_no_answer(executor: LocalExecutor, tmp_path: Path) -> None:
    """A program that prints a model and that there is none is INVALID, whichever comes first; so is one that says it
    in words, or after more output than is read at once."""
    both = "it says that there is a solution, and that there is none"
    for script in (f"{SOLVES}; {REFUSES}", f"{REFUSES}; {SOLVES}", f"{REFUSES}; print('yes')"):
        made = outcome(executor, tmp_path, script, TRUSTING, 1.0, SOLVER + "solved = '^yes$'\n")
        assert (made.ending, made.reason, made.cost) == (Ending.INVALID, both, None)
        assert made.output.splitlines()[-1] == "read: contradictory, no solution told"
    costs = described.PROBLEM.replace("check =", "trust = true\ncheck =")
    improving = "print('cost 0'); print('bits 11111', flush=True); print('x' * 200_000); print('none', flush=True)"
    made = outcome(executor, tmp_path, improving, costs, None, described.SOLVER + "unsatisfiable = '^none$'\n")
    assert (made.ending, made.reason) == (Ending.INVALID, both)


def test_a_word_that_is_part_of_its_opposite(executor: LocalExecutor, tmp_path: Path) -> None:
    """A line that both expressions match says that there is no solution: UNSATISFIABLE contains SATISFIABLE."""
    text = SOLVER.replace("'^none$'", "'UNSATISFIABLE'") + "solved = 'SATISFIABLE'\n"
    made = outcome(executor, tmp_path, "print('s UNSATISFIABLE')", TRUSTING, 1.0, text)
    assert (made.ending, made.solution["status"]) == (Ending.SOLVED, "unsatisfiable")


def test_a_contradicted_answer_in_an_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is believed and fast wins until another's answer is verified: then the evaluation is made again, the
    believed answer is INVALID, and the verified one counts."""
    monkeypatch.chdir(tmp_path)
    described.problem(tmp_path, TRUSTING)
    described.solver(tmp_path, f"sum(range(10**7)); {SOLVES}", SOLVER)
    (tmp_path / "denier.py").write_text(REFUSES)
    text = SOLVER.replace("filler", "denier").format(python=sys.executable)
    (tmp_path / "denier.toml").write_text(text)
    (tmp_path / "five.zeros").write_text("5")
    members = [{"solver": name, "parameters": {"ones": 2}} for name in ("filler", "denier")]
    files = {name: {"file": f"{name}.toml"} for name in ("filler", "denier")}
    content = {**described.PORTFOLIO, "members": members, "solvers": files, "metric": {"name": "par10", "cutoff": 10.0}}
    (tmp_path / "portfolio.json").write_text(json.dumps(content))
    arguments = ("--portfolio", "portfolio.json", "--trust", "--repeats", "1", "--out", "run", "--json")
    told = CliRunner().invoke(app, ["evaluate", "five.zeros", *arguments])
    (result,) = json.loads(told.stdout)["per_instance"]
    assert [(each["component"], each["cost"]) for each in result["repeats"]] == [(1, 0.0)]
    with closing(sqlite3.connect(tmp_path / "run" / "ceps.sqlite")) as store:
        rows = store.execute("SELECT ending, cost FROM runs ORDER BY id").fetchall()
    assert rows == [("SOLVED", 0.0), ("SOLVED", 1.0), ("SOLVED", 0.0), ("INVALID", 1.0)]


def test_costs_of_decisions_are_not_compared(tmp_path: Path) -> None:
    """A metric of costs is refused for a problem that has none."""
    described.problem(tmp_path, DECISION)
    described.solver(tmp_path, SOLVES, SOLVER)
    scenario = Scenario(
        seed=1,
        problem=ProblemSettings("zeros", train=("x.zeros",), settings={"file": "zeros.toml"}),
        portfolio=PortfolioSettings(("filler",)),
        metric=MetricSettings(1.0, "panc"),
        solvers={"filler": {"file": "filler.toml"}},
    )
    with pytest.raises(UserError, match="'panc' compares costs, and problem 'zeros' is a decision problem"):
        assemble(scenario, tmp_path, "s.toml")
