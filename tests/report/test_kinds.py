"""Facts of comparisons and of evaluations."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ceps.comparing.measured import TRAIN
from ceps.comparing.results import results_of
from ceps.evaluation.session import Plan, run_plan
from ceps.metrics import Metric, Panc, Par10
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems.tsp import Tsp
from ceps.report.facts import Facts, Kind, Origin
from ceps.report.reading import read_facts
from ceps.solvers.eax import Eax
from ceps.solvers.space import JointSpace
from ceps.store import Store
from tests.comparing.pure_contest import EXPERIMENT, Whole, experiment, hold
from tests.report.pure import SCALE, Telling

FIXED_ONLY = EXPERIMENT[: EXPERIMENT.index("[[methods]]")] + '[[methods]]\nname = "default"\nsolver = "eax"\n'


@pytest.fixture(scope="module")
def compared(whole: Whole) -> Facts:
    return read_facts(whole[1])


def test_a_comparison_has_its_tables(whole: Whole, compared: Facts) -> None:
    """Those of what was measured."""
    expected = results_of(whole[0])
    assert (compared.kind, compared.finished) == (Kind.COMPARISON, True)
    assert compared.comparison is not None
    assert (compared.comparison.table, compared.comparison.duels) == (expected.table, expected.duels)
    assert compared.comparison.components == expected.components


def test_a_comparison_has_all_builds(whole: Whole, compared: Facts) -> None:
    """By split and in the order of the file, each with its own charge, CPU, members and instances."""
    labels = [f"{split}/{method}" for split in (1, 2) for method in ("EPS", "CEPS", "EAX-tuned")]
    assert [build.label for build in compared.builds] == labels
    made = {f"{each.split}/{each.method}": each for each in whole[0].constructions}
    for build in compared.builds:
        expected = made[build.label]
        assert build.finished
        assert build.charged == expected.charged
        assert build.spent == pytest.approx(expected.spent)
        assert 0.0 <= build.trials <= build.spent
        assert build.saved is not None
        assert build.saved <= 1.0
        assert build.stages[-1].score == expected.training_score
        assert len(build.members) == len(expected.members)
        assert sum(len(each.admitted) for each in build.generations) == expected.made_instances
        assert 0 < sum(member.wins for member in build.members) <= build.members[0].contests
    assert compared.builds[0].phases[1].name == "mutation"
    assert [member.loss for member in compared.builds[2].members] == [None]


def test_a_comparisons_instances_are_given_bred_or_for_the_test(whole: Whole, compared: Facts) -> None:
    """What trains in any split is given; hardness is of all contenders on all splits, the virtual best is none."""
    trained = {row.instance for row in whole[0].rows if row.part == TRAIN}
    by_name = {each.name: each for each in compared.instances if each.origin is not Origin.BRED}
    assert len(by_name) == 10
    for name, each in by_name.items():
        assert each.origin is (Origin.GIVEN if name in trained else Origin.TEST)
        assert each.hardness is not None
        scores = [row.score for row in whole[0].rows if row.instance == name and row.method != "VBS"]
        assert (each.hardness.count, each.hardness.lowest, each.hardness.highest) == (12, min(scores), max(scores))
        assert each.winner in {*whole[0].methods} - {"VBS"}
    assert any(each.origin is Origin.BRED for each in compared.instances)


def test_runs_that_tell_nothing_leave_no_curves(compared: Facts) -> None:
    """And that is named."""
    assert compared.anytime == ()
    assert "no curves over time" in " ".join(compared.missing)


def test_a_comparison_under_way_says_so(whole: Whole, tmp_path: Path) -> None:
    """Without what was measured there are the builds, and no tables."""
    out = shutil.copytree(whole[1], tmp_path / "run", ignore=shutil.ignore_patterns("ceps.seal"))
    with closing(sqlite3.connect(out / "ceps.sqlite", isolation_level=None)) as connection:
        connection.execute("DELETE FROM conclusions WHERE name IN ('comparison', '2/CEPS: build')")
    facts = read_facts(out)
    assert (facts.finished, facts.comparison) == (False, None)
    assert [build.finished for build in facts.builds] == [True, True, True, True, False, True]
    assert "The comparison has not ended" in " ".join(facts.missing)


def test_a_comparison_without_builds_is_told(tmp_path: Path) -> None:
    """Portfolios that are given only: instances are for the test, and those that would have been trained on."""
    pytest.importorskip("LKHpy")
    hold(experiment(tmp_path, FIXED_ONLY), tmp_path / "run", Telling(SCALE))
    facts = read_facts(tmp_path / "run")
    assert (facts.finished, facts.builds, facts.anytime) == (True, (), ())
    assert {each.winner for each in facts.instances} <= {None, "EAX-default"}


@pytest.mark.parametrize("metric", [Par10(1.0), Panc(1.0)], ids=lambda metric: metric.name)
def test_an_evaluations_hardness_is_its_report(tmp_path: Path, metric: Metric) -> None:
    """The median over repeats of what the portfolio scored, with who scored it, by runtime and by quality."""
    members = tuple(JointSpace((Eax(),)).sample(4, seed=1))
    instances = [Tsp().generate("uniform", 25, seed) for seed in (1, 2, 3)]
    portfolio = Portfolio("tsp", members, MetricChoice(metric.name, 1.0))
    plan = Plan(portfolio, instances, metric, repeats=3, seed=1, memory=2**30, known={})
    report = run_plan(plan, Telling(SCALE), tmp_path).report
    facts = read_facts(tmp_path)
    assert (facts.kind, facts.finished, facts.builds) == (Kind.EVALUATION, True, ())
    assert (facts.metric, facts.penalty, len(facts.sittings)) == (metric.name, metric.penalty, 1)
    told = {each.name: each for each in facts.instances}
    for result in report.per_instance:
        each = told[result.instance]
        assert each.origin is Origin.TEST
        assert each.hardness is not None
        assert (each.hardness.count, each.hardness.median) == (3, pytest.approx(result.score))
        best = {repeat.component for repeat in result.repeats if repeat.component is not None}
        assert each.winner in {f"member {number} (eax)" for number in best}
    assert facts.anytime


def test_an_evaluation_that_has_not_ended_says_so(tmp_path: Path) -> None:
    """Nobody knows yet whose runs they are."""
    identity = {"problem": "tsp", "problem_settings": {}, "metric": "panc", "cutoff": 1.0, "penalty": 500.0, "seed": 1}
    with Store.open(tmp_path, {"purpose": "evaluation", **identity}) as store:
        store.begin_sitting(workers=1)
    facts = read_facts(tmp_path)
    assert (facts.finished, facts.penalty, facts.instances, facts.settings["seed"]) == (False, 500.0, (), 1)
    assert "The evaluation has not ended" in facts.missing[0]
