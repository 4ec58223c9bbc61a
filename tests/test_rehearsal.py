"""A scenario's cast is found and checked, and each solver has one short run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ceps import seeds
from ceps.errors import UserError
from ceps.execution.local import LocalExecutor
from ceps.metrics import Metric, Panc, Par10
from ceps.problems import problem_named
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.records import Ending, Limits
from ceps.rehearsal import LONGEST, Cast, assemble, rehearse
from ceps.settings import (
    ExecutionSettings,
    GenerateSettings,
    MetricSettings,
    PortfolioSettings,
    ProblemSettings,
    ReferenceSettings,
    Scenario,
)
from ceps.solvers import SOLVERS
from ceps.solvers.lkh import Lkh
from ceps.testing.bits import Bits, BitsInstance, BitSolver
from ceps.testing.misbehaving import CannotBePrepared, Raises, Spins
from tests import described
from tests.solvers.merging import Merging

TSP = problem_named("tsp")
DECISION = described.PROBLEM.replace("check =", 'kind = "decision"\ntrust = true\ncheck =')
FOREVER = "print('cost 0'); print('bits 11111', flush=True)\nwhile True: pass"


def scenario(
    problem: ProblemSettings | None = None,
    portfolio: PortfolioSettings | None = None,
    metric: MetricSettings | None = None,
    **others: object,
) -> Scenario:
    return Scenario(
        seed=5,
        problem=problem or ProblemSettings("tsp", generate=GenerateSettings("uniform", 10, 3)),
        portfolio=portfolio or PortfolioSettings(("lkh",)),
        metric=metric or MetricSettings(10.0),
        **others,  # type: ignore[arg-type]
    )


def test_generated_instances(tmp_path: Path) -> None:
    """A scenario's generator makes its instances, of seeds that count up from the scenario's."""
    cast = assemble(scenario(), tmp_path, "s.toml")
    chosen = [seeds.derive(5, "generate", index) for index in range(3)]
    assert cast.instances == [TSP.generate("uniform", 10, seed) for seed in chosen]
    assert (cast.problem, cast.solvers, cast.metric) == (TSP, [Lkh()], Par10(10.0))


def test_generators_with_parameters(tmp_path: Path) -> None:
    """The parameters a scenario gives reach the generator."""
    made = GenerateSettings("explosion", 60, 1, {"epsilon": 0.2})
    (instance,) = assemble(scenario(ProblemSettings("tsp", generate=made)), tmp_path, "s.toml").instances
    assert instance == TSP.generate("explosion", 60, seeds.derive(5, "generate", 0), {"epsilon": 0.2})


def test_files_are_relative_to_the_scenario(tmp_path: Path) -> None:
    """Instances, known costs and binaries are looked for in the folder the scenario stands in."""
    made = TSP.generate("uniform", 10, 1)
    TSP.write(made, tmp_path / "a.tsp")
    (tmp_path / "optima.json").write_text(json.dumps({"a.tsp": 1}))
    cast = assemble(
        scenario(
            ProblemSettings("tsp", train=("*.tsp",)),
            references=ReferenceSettings(known="optima.json"),
            solvers={"lkh": {"binary": "bin/LKH"}},
        ),
        tmp_path,
        "s.toml",
    )
    assert cast.instances == [made]
    assert cast.solvers == [Lkh(tmp_path / "bin" / "LKH")]


def test_settings_of_the_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a scenario says of its problem reaches it, and its instances are read so."""
    monkeypatch.setitem(SOLVERS, "merging", Merging)  # type: ignore[misc]
    made = replace(Vrpspdtw().generate("solomon", 3, 1), states_dispatching_cost=False)
    Vrpspdtw().write(made, tmp_path / "a.txt")
    chosen = ProblemSettings("vrpspdtw", train=("a.txt",), settings={"dispatching_cost": 300, "demands": "shift"})
    cast = assemble(scenario(chosen, PortfolioSettings(("merging",))), tmp_path, "s.toml")
    assert cast.problem == Vrpspdtw(dispatching_cost=300.0, demands="shift")
    assert cast.instances[0].dispatching_cost == 300.0


MISTAKES: dict[str, tuple[dict[str, object], str]] = {
    "problem": ({"problem": ProblemSettings("tps", train=("x",))}, "[problem] name: problem 'tps' is unknown. Did you"),
    "settings": (
        {"problem": ProblemSettings("vrpspdtw", train=("x",), settings={"demand": "shift"})},
        "[problem.settings] unknown key 'demand'. Did you mean 'demands'?",
    ),
    "settings of a problem without": (
        {"problem": ProblemSettings("tsp", train=("x",), settings={"unit_cost": 1.0})},
        "[problem.settings] unknown key 'unit_cost'",
    ),
    "pattern": ({"problem": ProblemSettings("tsp", train=("*.x",))}, "[problem] train: '*.x' matches no .tsp file"),
    "generator": (
        {"problem": ProblemSettings("tsp", generate=GenerateSettings("unifrom", 9, 1))},
        "[problem.generate]: There is no TSP generator 'unifrom'. Did you mean 'uniform'?",
    ),
    "parameter": (
        {"problem": ProblemSettings("tsp", generate=GenerateSettings("explosion", 9, 1, {"eps": 0.2}))},
        "[problem.generate]: explosion has no parameter 'eps'. It has: epsilon (default 0.3; from 0 to 1), rate",
    ),
    "solver": ({"portfolio": PortfolioSettings(("lhk",))}, "[portfolio] solvers: solver 'lhk' is unknown. Did you"),
    "metric": ({"metric": MetricSettings(1.0, "par1")}, "[metric] name = 'par1' is unknown. Did you mean 'par10'?"),
    "penalty": ({"metric": MetricSettings(1.0, "par10", 5.0)}, "[metric] penalty: PAR-10 has none to set"),
    "settings of no solver": ({"solvers": {"lhk": {}}}, "solver 'lhk' is unknown. Did you mean 'lkh'?"),
    "settings of no kind": ({"solvers": {"lkh": 3}}, "[solvers.lkh] must be a table, not 3"),
    "setting": ({"solvers": {"lkh": {"binry": "x"}}}, "[solvers.lkh] unknown key 'binry'. Did you mean 'binary'?"),
    "known costs": ({"references": ReferenceSettings(known="none.json")}, "[references] known: "),
}


@pytest.mark.parametrize(("changes", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_what_is_not_there(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    """What a scenario names and is not there is told with the scenario's file and the key."""
    with pytest.raises(UserError) as caught:
        assemble(scenario(**changes), tmp_path, "s.toml")  # type: ignore[arg-type]
    assert str(caught.value).startswith("s.toml: ")
    assert message in str(caught.value)


def test_each_solver_runs_once_and_shortly() -> None:
    """Every solver has one run on the first instance: good, crashing and endless ones, the last cut off."""
    instances = [BitsInstance("few", 3), BitsInstance("many", 9)]
    cast = Cast(Bits(), instances, [BitSolver(), Raises(), Spins()], Par10(0.3))
    settings = scenario(execution=ExecutionSettings(memory=512 * 1024**2))
    with LocalExecutor(workers=1) as executor:
        made = [(each, each.outcome.result()) for each in rehearse(cast, settings, executor)]
    assert [outcome.ending for _, outcome in made] == [Ending.FINISHED, Ending.CRASHED, Ending.TIMEOUT]
    good, its_outcome = made[0]
    assert good.call == "BitSolver({'pause': 0.0})"
    assert its_outcome.cost == 0
    assert {each.instance.name for each, _ in made} == {"few"}
    assert {each.limits for each, _ in made} == {Limits(0.3, 512 * 1024**2)}


def test_a_long_cut_off_is_not_rehearsed() -> None:
    """However long the cut-off, a rehearsal is short."""
    cast = Cast(Bits(), [BitsInstance("few", 3)], [BitSolver()], Par10(1000.0))
    with LocalExecutor(workers=1) as executor:
        (made,) = rehearse(cast, scenario(), executor)
    assert made.limits.cpu == LONGEST


def zeros(folder: Path, script: str, metric: Metric, text: str = described.PROBLEM, size: int = 5) -> Cast:
    """One program on one instance of the problem of zeros."""
    return Cast(described.problem(folder, text), [described.instance(size)], [described.solver(folder, script)], metric)


def test_an_answer_to_a_decision_problem_solves_it(tmp_path: Path) -> None:
    """A verified answer is SOLVED at the problem's target, as in a build, and ends the run."""
    with LocalExecutor(workers=1) as executor:
        (made,) = rehearse(zeros(tmp_path, FOREVER, Par10(2.0), DECISION), scenario(), executor)
    outcome = made.outcome.result()
    assert (outcome.ending, outcome.cost) == (Ending.SOLVED, 0.0)
    assert "read: solved" in outcome.output


def test_a_penalty_that_a_solution_reaches_is_told(tmp_path: Path) -> None:
    """A solution that scores worse than the default penalty is told after its run, with a penalty that would do."""
    script = "print('cost 3000'); print('bits', 3000 * '0')"
    with LocalExecutor(workers=1) as executor:
        runs = rehearse(zeros(tmp_path, script, Panc(2.0), size=3000), scenario(), executor)
        assert next(runs).outcome.result().cost == 3000.0
        with pytest.raises(UserError) as caught:
            next(runs)
    assert "a solution scores 3000, worse than the penalty 2000" in str(caught.value)
    assert "such as 10000" in str(caught.value)


@pytest.mark.parametrize("trust", ["true", "false"])
def test_answers_that_contradict_each_other_are_told(tmp_path: Path, trust: str) -> None:
    """Of two solvers that decide the same instance differently both are named, and whose answer was verified; also
    where the word of the other is worth nothing."""
    text = described.SOLVER.replace('"filler"', '"denier"') + "unsatisfiable = '^none'\n"
    (tmp_path / "other").mkdir()
    cast = zeros(tmp_path, FOREVER, Par10(2.0), DECISION.replace("true", trust))
    cast.solvers.append(described.solver(tmp_path / "other", "print('none')", text))
    message = (
        r"^five: answers contradict each other: solver 'filler' says 'solved', solver 'denier' says 'unsatisfiable'; "
        r"'solved' counts for more\. Mend"
    )
    with LocalExecutor(workers=1) as executor, pytest.raises(UserError, match=message):
        list(rehearse(cast, scenario(), executor))


def test_a_solver_that_cannot_run_here() -> None:
    """A solver that is not installed is told as the user's to mend."""
    cast = Cast(Bits(), [BitsInstance("few", 3)], [CannotBePrepared()], Par10(1.0))
    with LocalExecutor(workers=1) as executor:
        (made,) = rehearse(cast, scenario(), executor)
        with pytest.raises(UserError):
            made.outcome.result()
