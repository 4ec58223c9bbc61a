"""Decision problems: what an answer is worth, and what becomes of answers that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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


def outcome(executor: LocalExecutor, folder: Path, script: str, problem: str, target: float) -> Outcome:
    solver = described.solver(folder, script, SOLVER)
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
    claim, model = Outcome(Ending.SOLVED, cpu=1.0, cost=1.0), Outcome(Ending.SOLVED, cpu=2.0, cost=0.0)
    nothing = Outcome(Ending.TIMEOUT, cpu=3.0)
    false, true, none = without_contradictions((claim, model, nothing))
    assert (false.ending, false.cost, false.cpu) == (Ending.INVALID, None, 1.0)
    assert (true, none) == (model, nothing)
    assert without_contradictions((claim, nothing)) == (claim, nothing)


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
