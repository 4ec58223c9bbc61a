"""Decision problems: what an answer is worth, and what becomes of answers that contradict each other."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ceps.building import places
from ceps.cli import app
from ceps.errors import UserError
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.records import Ending, Limits, Outcome
from ceps.rehearsal import assemble
from ceps.settings import MetricSettings, PortfolioSettings, ProblemSettings, Scenario
from ceps.solve import race, without_contradictions
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration
from ceps.store import Store, history
from ceps.store.seal import SEAL_NAME
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
    return Outcome(Ending.SOLVED, cpu=2.0, cost=cost, solution={"status": status}, says=status)


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
    """A verified model is solved; a refusal is solved where it is trusted, and worthless where not or where only what
    was verified is to count."""
    found = outcome(executor, tmp_path, SOLVES, DECISION, 0.0)
    assert (found.ending, found.cost, found.says) == (Ending.SOLVED, 0.0, "solved")
    worthless = outcome(executor, tmp_path, REFUSES, DECISION, 0.0)
    assert (worthless.ending, worthless.cost, worthless.says) == (Ending.FINISHED, None, "unsatisfiable")
    assert "no solution" in worthless.reason
    trusted = outcome(executor, tmp_path, REFUSES, TRUSTING, 1.0)
    assert (trusted.ending, trusted.cost) == (Ending.SOLVED, 1.0)
    believed = outcome(executor, tmp_path, REFUSES, TRUSTING, 0.0)
    assert (believed.ending, believed.cost) == (Ending.FINISHED, 1.0)


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
        Outcome(Ending.FINISHED, cpu=2.0, solution={"status": says}, says=says) for says in ("unsatisfiable", "solved")
    )
    false, *others = without_contradictions((denier, model, agreeing), ["a", "b", "c"])
    assert (false.ending, false.solution) == (Ending.INVALID, None)
    assert others == [model, agreeing]
    assert without_contradictions((denier,), ["a"]) == (denier,)
    believed, proven = answering("unsatisfiable", 1.0), answering("unsatisfiable", 0.0)
    assert without_contradictions((believed, proven), ["a", "b"]) == (believed, proven)


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


CLAIMS = "print('yes')"
SEES = SOLVER + "solved = '^yes$'\n"
"""Reads the answer of a solver that shows no solution."""


def competition(folder: Path, monkeypatch: pytest.MonkeyPatch, problem: str, filler: str, denier: str) -> None:
    """A folder with the problem, two solvers of it, which are these scripts, and a portfolio of both."""
    monkeypatch.chdir(folder)
    described.problem(folder, problem)
    described.solver(folder, filler, SEES)
    (folder / "denier.py").write_text(denier)
    (folder / "denier.toml").write_text(SEES.replace("filler", "denier").format(python=sys.executable))
    (folder / "5.zeros").write_text("5")
    members = [{"solver": name, "parameters": {"ones": 2}} for name in ("filler", "denier")]
    files = {name: {"file": f"{name}.toml"} for name in ("filler", "denier")}
    content = {**described.PORTFOLIO, "members": members, "solvers": files, "metric": {"name": "par10", "cutoff": 10.0}}
    (folder / "portfolio.json").write_text(json.dumps(content))


STOPPED = {(name, "CAPPED") for name in ("filler", "denier")}


def endings(run: Path) -> set[tuple[str, str]]:
    """Of the runs in a directory that were not stopped early, by solver, as they are judged in the end."""
    with Store.read_only(run) as store:
        return {(solver, ending) for solver, ending, _, _ in history.endings(store)} - STOPPED


FASTER = "says 'unsatisfiable', and others 'solved', which counts for more"


@pytest.mark.parametrize("problem", [TRUSTING, DECISION])
def test_a_contradicted_answer_in_an_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str) -> None:
    """Whoever says quickly that there is no solution is INVALID once another's was verified, whether believed or not:
    no run is made again, and the verified one counts."""
    competition(tmp_path, monkeypatch, problem, f"sum(range(10**7)); {SOLVES}", REFUSES)
    arguments = ("--portfolio", "portfolio.json", "--trust", "--repeats", "1", "--out", "run", "--json")
    told = CliRunner().invoke(app, ["evaluate", "5.zeros", *arguments])
    (result,) = json.loads(told.stdout)["per_instance"]
    assert [(each["component"], each["cost"]) for each in result["repeats"]] == [(1, 0.0)]
    assert "5: answers contradict each other" in told.stderr
    with Store.read_only(tmp_path / "run") as store:
        assert store.totals().runs == 2
        (wrong,) = [run.execution.outcome for run in history.judged_runs(store) if run.key.solver == "denier"]
    assert (wrong.ending, wrong.reason) == (Ending.INVALID, FASTER)
    assert endings(tmp_path / "run") == {("filler", "SOLVED"), ("denier", "INVALID")}


def test_evaluations_that_share_a_directory_know_of_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that counted while it was alone is false once another evaluation has found one that was verified."""
    competition(tmp_path, monkeypatch, TRUSTING, SOLVES, REFUSES)
    both = json.loads((tmp_path / "portfolio.json").read_text())

    def timeouts(member: int) -> tuple[int, bool]:
        """Of one member alone, and whether a contradiction was told."""
        (tmp_path / "alone.json").write_text(json.dumps({**both, "members": [both["members"][member]]}))
        arguments = ("--portfolio", "alone.json", "--trust", "--repeats", "1", "--out", "run", "--json")
        told = CliRunner().invoke(app, ["evaluate", "5.zeros", *arguments])
        return json.loads(told.stdout)["timeouts"], "5: answers contradict each other" in told.stderr

    assert timeouts(1) == (0, False)
    assert timeouts(0) == (0, True)
    assert timeouts(1) == (1, True)


SCENARIO = """
seed = 1
[problem]
name = "zeros"
train = ["*.zeros"]
settings = { file = "zeros.toml" }
[portfolio]
size = 2
solvers = ["filler", "denier"]
[solvers.filler]
file = "filler.toml"
[solvers.denier]
file = "denier.toml"
[metric]
cutoff = 0.2
[method]
name = "ceps"
iterations = 1
sessions = 1
candidates = 4
[budget]
cpu = "10s"
"""


@pytest.mark.parametrize(
    ("problem", "filler"),
    [
        # One shows a solution, which is slower to find: it is what counts.
        (TRUSTING, f"sum(range(10**6)); {SOLVES}"),
        # The word of who says that there is none was worth nothing from the beginning, and is false.
        (DECISION, SOLVES),
    ],
)
def test_contradicted_answers_in_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str, filler: str
) -> None:
    """Whose answers others show to be false has INVALID runs, in the scores of the build, in its history and in what
    it tells; a portfolio of both survives it."""
    competition(tmp_path, monkeypatch, problem, filler, REFUSES)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    told = CliRunner().invoke(app, ["build", "scenario.toml", "--out", "run"])
    assert told.exit_code == 0, told.output
    assert endings(tmp_path / "run") == {("filler", "SOLVED"), ("denier", "INVALID")}
    assert "5: answers contradict each other: solver 'filler' says 'solved'" in " ".join(told.stderr.split())
    built = Portfolio.load(tmp_path / "run" / "portfolio.json")
    assert float(built.provenance["training_score"]) < 1.0
    assert "filler" in {member.solver for member in built.members}


def test_a_build_of_which_nobody_knows_anything_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody shows a solution, and of all instances both things are said: all are INVALID, and no budget is spent."""
    competition(tmp_path, monkeypatch, TRUSTING, CLAIMS, REFUSES)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    told = CliRunner().invoke(app, ["build", "scenario.toml", "--out", "run"])
    assert told.exit_code == 2
    assert "only answers that contradict each other: try `ceps check`" in " ".join(told.stderr.split())
    assert endings(tmp_path / "run") == {("filler", "INVALID"), ("denier", "INVALID")}
    with Store.read_only(tmp_path / "run") as store:
        assert [entry.phase for entry in store.journal()] == ["references"]


AGREES_ON_SIX = f"""
import sys
if open(sys.argv[1]).read() == "6":
    {CLAIMS}
else:
    {REFUSES}
"""


@pytest.mark.parametrize(
    ("filler", "denier", "sizes"),
    [(CLAIMS, AGREES_ON_SIX, (5, 6)), (f"sum(range(10**6)); {SOLVES}", REFUSES, (5,))],
    ids=["nobody knows", "one is verified"],
)
def test_a_stopped_build_knows_which_answers_were_false(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filler: str, denier: str, sizes: tuple[int, ...]
) -> None:
    """Stopped after any of its phases and begun again, a build in which answers contradict each other comes to the same
    portfolio by the same runs."""
    competition(tmp_path, monkeypatch, TRUSTING, filler, denier)
    for size in sizes:
        (tmp_path / f"{size}.zeros").write_text(str(size))
    (tmp_path / "scenario.toml").write_text(SCENARIO)

    def built(run: str) -> tuple[object, int]:
        told = CliRunner().invoke(app, ["build", "scenario.toml", "--out", run])
        assert told.exit_code == 0, told.output
        with Store.read_only(tmp_path / run) as store:
            return Portfolio.load(tmp_path / run / "portfolio.json").members, store.totals().runs

    whole = built("whole")
    with Store.read_only(tmp_path / "whole") as store:
        phases = len(store.journal())
    for kept in range(phases):
        run = shutil.copytree(tmp_path / "whole", tmp_path / f"after {kept}", ignore=shutil.ignore_patterns(SEAL_NAME))
        with closing(sqlite3.connect(run / "ceps.sqlite")) as connection, connection:
            connection.execute("DELETE FROM journal WHERE sequence > ?", (kept,))
        assert built(run.name) == whole


def test_a_build_goes_on_where_its_folder_was_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with scenario, descriptions and run directory, moved: what was built is found there, and no run made."""
    (tmp_path / "old").mkdir()
    competition(tmp_path / "old", monkeypatch, TRUSTING, SOLVES, SOLVES)
    (tmp_path / "old" / "scenario.toml").write_text(SCENARIO)
    runs = []
    for folder in ("old", "new"):
        monkeypatch.chdir(tmp_path / folder)
        told = CliRunner().invoke(app, ["build", "scenario.toml", "--out", "run"])
        assert told.exit_code == 0, told.output
        with Store.read_only(tmp_path / folder / "run") as store:
            runs.append(store.totals().runs)
        if folder == "old":
            (tmp_path / "old").rename(tmp_path / "new")
    assert runs[0] == runs[1] > 0
    assert str(tmp_path / "new") in (tmp_path / "new" / "run" / "portfolio.json").read_text()
    exported = CliRunner().invoke(app, ["export", "run", "--format", "csv", "--out", "csv"])
    assert exported.exit_code == 0, exported.output


def test_only_where_descriptions_stand_may_change(tmp_path: Path) -> None:
    """A file that a solver or a problem of the box or of a plug-in is set to is no description, whatever its key."""
    mine = described.solver(tmp_path, SOLVES, SOLVER.replace("filler", "fil.ler", 1))
    problem = described.problem(tmp_path, DECISION)
    assert places("scenario", problem, [mine, Lkh()]) == {
        "scenario.problem.settings.file",
        "scenario.solvers.fil.ler.file",
    }
    assert places("scenario", Tsp(), [Lkh()]) == set()


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
