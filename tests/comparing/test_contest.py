"""Comparisons from experiment to rows: real builds and tests, but for the runs, which are pure functions."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from ceps.comparing import contest
from ceps.comparing.measured import TEST, TRAIN, Measured
from ceps.comparing.results import results_of
from ceps.errors import UserError
from ceps.portfolio import Portfolio
from ceps.store import Store
from ceps.testing.pure_executor import PureExecutor
from tests.comparing.pure_contest import EXPERIMENT, SCALE, Listener, Whole, experiment, hold
from tests.processes import children

pytest.importorskip("LKHpy")

LABELS = ("EPS", "CEPS.initial", "CEPS", "EAX-tuned", "LKH-default", "boxed", "VBS")


class Interrupted(Exception):  # noqa: N818
    """The comparison was stopped by the test."""


def results(measured: Measured) -> Measured:
    """All but what the machine did."""
    return replace(measured, work=replace(measured.work, wall=0.0, spent=0.0, spent_before=0.0, workers=0))


def test_everybody_is_tested_on_every_instance(whole: Whole) -> None:
    """Every contender on every split has a row for each of the ten instances, three of them for training."""
    measured, _, _, listener = whole
    assert measured.methods == LABELS
    assert measured.baseline == "CEPS"
    for split in (1, 2):
        for label in LABELS:
            parts = [row.part for row in measured.rows if (row.split, row.method) == (split, label)]
            assert (parts.count(TRAIN), parts.count(TEST)) == (3, 7)
    assert listener.repeats == listener.announced == 2 * 6 * 10 * 3
    assert "2/CEPS: generation 1" in listener.phases


def test_the_virtual_best_is_the_minimum_of_those_it_names(
    whole: Whole,
) -> None:
    """On every instance."""
    rows = {(row.split, row.method, row.number): row.score for row in whole[0].rows}
    for split in (1, 2):
        for number in range(10):
            best = min(rows[split, "LKH-default", number], rows[split, "boxed", number])
            assert rows[split, "VBS", number] == best


def test_everybodys_members_are_told(whole: Whole) -> None:
    """On every split, of first portfolios and fixed ones too; a virtual best has none. Shares of wins are whole."""
    components = results_of(whole[0]).components
    for split in (1, 2):
        members = {each.method: 0 for each in components if each.split == split}
        for each in components:
            members[each.method] += each.split == split
        assert members == {"EPS": 2, "CEPS.initial": 2, "CEPS": 2, "EAX-tuned": 1, "LKH-default": 1, "boxed": 4}
        for label in members:
            won = sum(each.wins for each in components if (each.split, each.method) == (split, label))
            assert 0.0 <= won <= 1.0 + 1e-9
    (default,) = {each.member for each in components if each.method == "LKH-default"}
    assert default == "lkh: default configuration"


def test_fixed_portfolios_score_the_same_on_every_split(
    whole: Whole,
) -> None:
    """A default configuration is judged by the same runs wherever an instance is tested."""
    scores = [
        [row.score for row in whole[0].rows if (row.split, row.method) == (split, "LKH-default")] for split in (1, 2)
    ]
    assert scores[0] == scores[1]


def test_budgets_are_kept_and_spent_by_all(whole: Whole) -> None:
    """What is left of a budget would not pay for one more row of the last comparison and its completion: six runs at
    worst."""
    for built in whole[0].constructions:
        assert 120.0 - 6 * 1.0 <= built.charged <= 120.0


def test_eps_makes_as_many_instances_as_ceps_came_to(whole: Whole) -> None:
    """On the same split."""
    made = {(built.split, built.method): built.made_instances for built in whole[0].constructions}
    for split in (1, 2):
        assert made[split, "EPS"] == made[split, "CEPS"] > 0


def test_what_is_really_spent_adds_up(whole: Whole) -> None:
    """Builds and test together are all the CPU time of the store, and sharing runs saves some of the charge."""
    measured, out, executor, _ = whole
    with Store.read_only(out) as store:
        totals = store.totals()
    assert totals.runs == executor.runs
    spent = sum(built.spent for built in measured.constructions) + measured.spent_on_tests
    assert spent == pytest.approx(totals.cpu)
    # References of a split are sought once, and charged to each of its builds.
    assert sum(built.spent for built in measured.constructions) < sum(built.charged for built in measured.constructions)


def test_portfolios_are_kept_by_split_and_method(whole: Whole) -> None:
    """What was tested is there as files."""
    for split in (1, 2):
        for place in ("CEPS/portfolio.initial.json", "CEPS/portfolio.json", "EPS/portfolio.json"):
            assert len(Portfolio.load(whole[1] / f"split-{split}" / place)) == 2
        assert len(Portfolio.load(whole[1] / f"split-{split}" / "EAX-tuned" / "portfolio.json")) == 1


def test_the_store_tells_what_was_measured(whole: Whole) -> None:
    """All of it, and since the start who trains and who tests; every build has its conclusion and its portfolios."""
    measured, out, _, _ = whole
    with Store.read_only(out) as store:
        kept, splits = store.conclusion(contest.COMPARISON), store.conclusion(contest.SPLITS)
        builds = {built.method: store.conclusion(f"2/{built.method}: build") for built in measured.constructions}
        stages = [entry.result["stage"] for entry in store.journal() if entry.phase == "1/CEPS: portfolio"]
        assert len(store.sittings()) >= 1
    assert results(Measured.from_json(kept)) == results(measured)
    assert [len(train) for train in splits["train"]] == [3, 3]
    trained = {row.number for row in measured.rows if (row.split, row.part) == (2, TRAIN)}
    assert set(splits["train"][1]) == trained
    assert len(splits["instances"]) == 10
    assert all(built["side_by_side"] > 0.0 for built in builds.values())
    assert stages == ["initial", "iteration 1", "iteration 2"]


def test_a_finished_comparison_is_replayed_without_a_run(whole: Whole, tmp_path: Path) -> None:
    """The same command again: the same results, and nothing is run."""
    measured, out, _, _ = whole
    executor = PureExecutor(SCALE, slots=3)
    again = hold(experiment(tmp_path), out, executor)
    assert executor.runs == 0
    assert results(again) == results(measured)


def test_an_interrupted_comparison_is_the_one_never_interrupted(whole: Whole, tmp_path: Path) -> None:
    """Stopped midway and started again with more workers, so more builds at a time: the same scores and charges."""
    measured, _, first, _ = whole

    def count() -> None:
        if executor.runs > first.runs // 2:
            raise Interrupted

    settings = experiment(tmp_path)
    executor = PureExecutor(SCALE, on_run=count)
    with pytest.raises(Interrupted):
        hold(settings, tmp_path / "run", executor)
    resumed = PureExecutor(SCALE, slots=5)
    again = hold(settings, tmp_path / "run", resumed)
    assert 0 < resumed.runs < first.runs
    assert again.rows == measured.rows
    assert [built.charged for built in again.constructions] == [built.charged for built in measured.constructions]


def test_a_comparison_whose_session_was_killed_goes_on(whole: Whole, tmp_path: Path) -> None:
    """It is told whose it was, and the same comparison again comes to the same scores and charges."""
    before = set(children(os.getpid()))

    def kill() -> None:
        for host in set(children(os.getpid(), "ceps.construction.session")) - before:
            for session in children(host):
                with suppress(ProcessLookupError):
                    os.kill(session, signal.SIGKILL)

    settings = experiment(tmp_path)
    with pytest.raises(UserError, match=r"^experiment.toml: \d/[\w-]+: .* killed by SIGKILL; memory may have run out"):
        hold(settings, tmp_path / "run", PureExecutor(SCALE, on_run=kill))
    again = hold(settings, tmp_path / "run", PureExecutor(SCALE))
    assert again.rows == whole[0].rows
    assert [built.charged for built in again.constructions] == [built.charged for built in whole[0].constructions]


def test_another_experiment_is_refused_in_the_same_directory(whole: Whole, tmp_path: Path) -> None:
    """The difference is told; the number of workers makes none."""
    other = experiment(tmp_path, EXPERIMENT.replace("repeats = 3", "repeats = 5"))
    with pytest.raises(UserError, match=r"experiment\.test\.repeats: 3 -> 5"):
        hold(other, whole[1], PureExecutor(SCALE))


FIXED_ONLY = EXPERIMENT[: EXPERIMENT.index("[[methods]]")] + '[[methods]]\nname = "default"\nsolver = "eax"\n'


def test_twins_and_known_instances_are_warned_of(tmp_path: Path) -> None:
    """An instance that is there twice, and one that a given portfolio was trained on, are told, and told in results."""
    (tmp_path / "data").mkdir()
    from ceps.problems.tsp import Tsp

    instance = Tsp().generate("uniform", 20, 1)
    for name in ("a", "b"):
        Tsp().write(replace(instance, name=name), tmp_path / "data" / f"{name}.tsp")
    portfolio = Portfolio.load(Path(__file__).parents[2] / "src" / "ceps" / "box" / "tsp.json")
    replace(portfolio, provenance={"instances": ["b"]}).save(tmp_path / "mine.json")
    text = FIXED_ONLY.replace("train = 3", "train = 1").replace("count = 2", "count = 1")
    text = text.replace('generate = { generator = "all", size = 30, count = 1 }', 'instances = ["data"]')
    text += '[[methods]]\nname = "portfolio"\nfile = "mine.json"\n'
    listener = Listener()
    measured = hold(experiment(tmp_path, text), tmp_path / "run", PureExecutor(SCALE), listener)
    twin, known = measured.warnings
    assert "split 1:" in twin
    assert "also trained on" in twin
    assert known == "mine was trained on instances of this comparison: b"
    assert listener.warnings == [twin, known]
    assert measured.baseline is None
