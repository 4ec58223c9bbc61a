"""Facts of a build, finished, stopped, and of older times; and what is no run directory."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from math import fsum
from pathlib import Path

import pytest

from ceps.building import Built
from ceps.errors import UserError
from ceps.portfolio import Portfolio
from ceps.report import instances
from ceps.report.builds import default_values
from ceps.report.facts import Facts, Kind, Origin
from ceps.report.library import FeatureCache, Library
from ceps.report.reading import read_facts
from ceps.solvers.eax import Eax
from ceps.solvers.solver import default_configuration
from ceps.store import Store, StoredInstance
from ceps.store.history import family
from ceps.texts import built_text
from tests import described
from tests.report.pure import build, build_until
from tests.store.older import make_older


def test_a_finished_build_is_told_as_it_was_summarised(finished: tuple[Built, Path], facts: Facts) -> None:
    """Charges, CPU and scores are those of the summary; settings and versions are there."""
    built, _ = finished
    (told,) = facts.builds
    assert (facts.kind, facts.name, facts.finished, facts.problem) == (Kind.BUILD, "run", True, "tsp")
    assert (facts.metric, facts.cutoff, facts.penalty) == ("par10", 1.0, 10.0)
    assert facts.settings["budget"] == {"cpu": 120.0}
    assert {"ceps", "numpy", "eax"} <= facts.versions.keys()
    assert (told.label, told.finished, told.budget) == ("ceps", True, 120.0)
    assert (told.charged, told.side_by_side) == (built.cpu_charged, built.cpu_side_by_side)
    assert (told.spent, facts.cpu) == pytest.approx((built.cpu_spent, built.cpu_spent))
    assert told.trials == pytest.approx(built.cpu_trials)
    assert 0.0 < told.trials < told.spent
    assert told.saved is not None
    assert f"CPU saved {told.saved:.0%}: with all members" in built_text(built)
    assert facts.runs == built.runs == sum(count.runs for count in facts.endings)
    assert fsum(phase.charge for phase in told.phases) == pytest.approx(built.cpu_charged)
    assert facts.comparison is None
    assert facts.missing == ()


def test_the_way_to_the_portfolio_is_told(finished: tuple[Built, Path], facts: Facts) -> None:
    """Every portfolio that was kept, with the candidates it was chosen from; sessions and generations by phase."""
    built, _ = finished
    (told,) = facts.builds
    initial, first, second = told.stages
    assert [stage.name for stage in told.stages] == ["initial", "iteration 1", "iteration 2"]
    assert (initial.score, second.score) == (built.initial_score, built.final_score)
    assert (initial.before, initial.candidates) == (None, ())
    for stage in told.stages:
        assert stage.spread is not None
        assert stage.spread.mean == stage.score
        assert stage.spread.lowest <= stage.spread.median <= stage.spread.highest <= facts.penalty
    assert initial.spread is not None
    assert initial.spread.count == 3
    for stage in (first, second):
        assert stage.before is not None
        assert len(stage.candidates) == 2
        assert stage.score == pytest.approx(min(stage.before, *stage.candidates))
    assert 0.0 < initial.charged < first.charged < second.charged == built.cpu_charged
    assert [(each.phase, len(each.trials)) for each in told.sessions] == [
        ("configuration 1", 2),
        ("configuration 2", 2),
    ]
    assert [phase.name for phase in told.phases] == [
        *("references", "initialisation", "configuration 1", "validation 1", "generation 1"),
        *("configuration 2", "validation 2"),
    ]
    assert sum(each.charges[0] + each.charges[1] for each in told.sessions) == pytest.approx(
        sum(phase.charge for phase in told.phases if phase.name.startswith("configuration"))
    )
    (generation,) = told.generations
    assert (generation.offspring, generation.dropped) == (built.offspring, built.dropped)
    assert len(generation.admitted) == built.merged > 0


def test_members_are_those_of_the_portfolio_file(finished: tuple[Built, Path], facts: Facts) -> None:
    """Solver, parameters, which of them differ from the default, and the loss; every contest has at most one winner."""
    built, out = finished
    members = facts.builds[0].members
    saved = Portfolio.load(out / "portfolio.json").members
    assert [{each.name: each.value for each in member.parameters} for member in members] == [
        member.as_dict() for member in saved
    ]
    assert [member.loss for member in members] == list(built.contributions)
    assert [member.name for member in members] == ["member 1 (eax)", "member 2 (eax)"]
    assert any(each.changed for member in members for each in member.parameters)
    assert any(each.default is not None and not each.changed for member in members for each in member.parameters)
    assert 0 < sum(member.wins for member in members) <= members[0].contests == members[1].contests


def test_instances_descend_from_those_that_were_given(facts: Facts) -> None:
    """Admitted ones and their ancestors, each one generation after its parent, with references, hardness, a place."""
    by_id = {each.id: each for each in facts.instances}
    given = [each for each in facts.instances if each.origin is Origin.GIVEN]
    assert len(given) == 3
    assert {key for made in facts.builds[0].generations for key in made.admitted} <= by_id.keys()
    for each in facts.instances:
        assert each.generation == (0 if each.parent is None else by_id[each.parent].generation + 1)
        assert (each.origin is Origin.BRED) == (each.parent is not None)
        assert each.place is not None
        assert each.features["cities"] == 30.0
    for each in given:
        assert each.hardness is not None
        assert each.hardness.lowest <= each.hardness.median <= each.hardness.highest <= facts.penalty
        assert each.winner in {None, "member 1 (eax)", "member 2 (eax)"}
        assert each.reference == each.best_cost
    assert facts.map_axes[0].startswith("PC1 (")


def test_instances_are_drawn_with_their_best_solution(facts: Facts) -> None:
    """The tour is the one that runs have told."""
    for each in facts.instances:
        assert each.sketch is not None
        assert each.sketch.ways == ((*range(30), 0),)


def test_curves_fall_to_the_best(facts: Facts) -> None:
    """Of every member with solved runs, from no solution to none better, at times up to the cut-off."""
    assert facts.anytime
    for curve in facts.anytime:
        assert curve.member in {"member 1 (eax)", "member 2 (eax)"}
        assert (len(curve.times), curve.times[0], curve.times[-1]) == (60, pytest.approx(0.01), 1.0)
        told = [value for value in curve.median if value is not None]
        assert told == sorted(told, reverse=True)
        assert set(told) <= {0.5, 0.0}


def test_sittings_are_told(finished: tuple[Built, Path], facts: Facts) -> None:
    """One start, with all runs."""
    (sitting,) = facts.sittings
    assert sitting.workers == 2
    assert sitting.cpu == pytest.approx(facts.cpu)


def test_a_build_without_a_portfolio_says_so(tmp_path: Path) -> None:
    """Stopped while it looks for references: what there is, is told; what there is not, is named."""
    build_until(tmp_path, runs=5)
    facts = read_facts(tmp_path)
    (told,) = facts.builds
    assert (facts.finished, told.finished, facts.runs, facts.anytime) == (False, False, 5, ())
    assert (told.members, told.stages, told.sessions, told.side_by_side) == ((), (), (), None)
    assert "There is no portfolio yet" in " ".join(facts.missing)
    assert "The build has not ended" in " ".join(facts.missing)
    assert all(each.hardness is None for each in facts.instances)


def test_a_stopped_build_is_told_as_far_as_it_came_and_then_to_the_end(
    finished: tuple[Built, Path], facts: Facts, tmp_path: Path
) -> None:
    """Its portfolios so far are those of the build never stopped; resumed, it has two sittings, the same facts, and a
    summary of the runs and CPU seconds of both."""
    build_until(tmp_path, runs=finished[0].runs - 10)
    stopped = read_facts(tmp_path)
    assert not stopped.finished
    assert stopped.builds[0].stages
    assert stopped.builds[0].stages == facts.builds[0].stages[: len(stopped.builds[0].stages)]
    built = build(tmp_path)
    resumed = read_facts(tmp_path)
    assert len(resumed.sittings) == 2
    assert built.runs == resumed.runs > stopped.runs > 0
    assert built.cpu_spent == pytest.approx(resumed.cpu)
    summary = built_text(built)
    assert f"really spent {resumed.cpu:.0f} s in {resumed.runs} runs" in summary
    assert f"utilisation {built.utilisation:.2f} since the last start;" in summary
    assert "since the last start" not in built_text(finished[0])
    assert resumed.builds[0].stages == facts.builds[0].stages
    assert resumed.builds[0].members == facts.builds[0].members
    assert {each.id: each.hardness for each in resumed.instances} == {
        each.id: each.hardness for each in facts.instances
    }


def test_a_store_from_before_is_told(finished: tuple[Built, Path], facts: Facts, tmp_path: Path) -> None:
    """A build of an older ceps is told as ever; of the oldest, without what was not written down then."""
    out = shutil.copytree(finished[1], tmp_path / "old")
    make_older(out, 3)
    old = read_facts(out)
    assert (old.finished, old.runs, old.cpu, old.missing) == (True, facts.runs, facts.cpu, ())
    assert old.builds[0].stages == facts.builds[0].stages
    make_older(out, 2)
    with closing(sqlite3.connect(out / "ceps.sqlite", isolation_level=None)) as connection:
        connection.execute("DELETE FROM journal WHERE phase = 'portfolio'")
        connection.execute("UPDATE journal SET result = json_remove(result, '$.phase') WHERE phase = 'session'")
    oldest = read_facts(out)
    assert (oldest.runs, oldest.cpu, oldest.sittings) == (facts.runs, facts.cpu, ())
    assert "CPU seconds were spent before starts were written down" in oldest.missing[-1]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET ending = 'GONE' WHERE id = 1",
        "UPDATE runs SET trace = '[0.1' WHERE trace IS NOT NULL",
        "UPDATE journal SET result = json_remove(result, '$.members') WHERE phase = 'portfolio'",
        "UPDATE conclusions SET value = '{}'",
        "UPDATE meta SET value = json_remove(value, '$.scenario') WHERE key = 'identity'",
    ],
)
def test_what_nobody_has_written_is_told_as_damage(finished: tuple[Built, Path], tmp_path: Path, change: str) -> None:
    """SQLite knows nothing of it, and the seal of a killed build is not there: a message, whatever it is."""
    out = shutil.copytree(finished[1], tmp_path / "run", ignore=shutil.ignore_patterns("ceps.seal"))
    with closing(sqlite3.connect(out / "ceps.sqlite", isolation_level=None)) as connection:
        assert connection.execute(change).rowcount > 0
    with pytest.raises(UserError, match=r"a row cannot be read .* the file is damaged"):
        read_facts(out)


def test_features_are_computed_once(finished: tuple[Built, Path], facts: Facts) -> None:
    """Who reads with a cache has its features from there; a cache that was empty is full afterwards."""
    cache = FeatureCache()
    read_facts(finished[1], cache)
    assert cache.known.keys() == {each.id for each in facts.instances}
    changed = {key: {**features, "cities": 31.0} for key, features in cache.known.items()}
    assert {each.features["cities"] for each in read_facts(finished[1], FeatureCache(changed)).instances} == {31.0}


def test_features_that_cannot_be_told_leave_no_map(tmp_path: Path) -> None:
    """The program that tells them fails: that is named, and everything else is there."""
    problem = described.problem(tmp_path, described.PROBLEM.replace('"features", ', '"broken", '))
    given = described.instance()
    with Store.in_memory() as store:
        store.add_instance(StoredInstance(given.id, problem.name, given.name, problem.encode(given)))
        library = Library(store, problem, FeatureCache(), trust=True)
        gallery = instances.read_gallery(library, family(store, []), {}, lambda each: Origin.GIVEN)
    assert [each.place for each in gallery.instances] == [None]
    assert "no map of the instances, for their features cannot be told: " in gallery.missing[0]
    assert "features ended with exit status 1" in gallery.missing[0]


def test_a_program_that_a_run_directory_names_is_not_started(tmp_path: Path) -> None:
    """It may be a stranger's: without trust the program that tells features is named, and there is no map."""
    problem = described.problem(tmp_path)
    given = described.instance()
    with Store.in_memory() as store:
        store.add_instance(StoredInstance(given.id, problem.name, given.name, problem.encode(given)))
        library = Library(store, problem, FeatureCache(), trust=False)
        gallery = instances.read_gallery(library, family(store, []), {}, lambda each: Origin.GIVEN)
    assert "this run directory starts programs: " in gallery.missing[0]
    assert gallery.instances[0].features == {}


def test_defaults_are_those_of_any_solver_that_can_be_found(tmp_path: Path) -> None:
    """In the box, or described in a file; of one that is not here any more nobody knows them."""
    described.solver(tmp_path, "")
    assert default_values("eax", {}) == default_configuration(Eax()).as_dict()
    assert default_values("filler", {"file": str(tmp_path / "filler.toml")}) == {"ones": 2}
    assert default_values("filler", {"file": str(tmp_path / "gone.toml")}) is None
    assert default_values("gone", {}) is None


def test_what_would_be_too_much_is_left_out_and_named(
    finished: tuple[Built, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for three on the map every origin has its hardest; with room for two drawings, a bred one
    and its parent."""
    monkeypatch.setattr(instances, "MOST_FEATURES", 3)
    monkeypatch.setattr(instances, "MOST_PLACES", 60)
    facts = read_facts(finished[1])
    mapped = [each for each in facts.instances if each.place is not None]
    assert sorted(each.origin for each in mapped) == [Origin.BRED, Origin.GIVEN, Origin.GIVEN]
    easiest = min(
        (each for each in facts.instances if each.origin is Origin.GIVEN),
        key=lambda each: each.hardness.mean if each.hardness else 0.0,
    )
    assert easiest.place is None
    parent, child = (each for each in facts.instances if each.sketch is not None)
    assert (child.origin, child.parent) == (Origin.BRED, parent.id)
    said = " ".join(facts.missing)
    assert f"3 of {len(facts.instances)} instances" in said
    assert f"2 of {len(facts.instances)} instances are drawn" in said


def test_what_is_no_run_directory_is_told(tmp_path: Path) -> None:
    """Nothing there, a file in its place, and a store that belongs to nobody: a message each."""
    for wrong in (tmp_path / "none", tmp_path, Path(__file__)):
        with pytest.raises(UserError, match="is not a run directory, or nothing has run in it yet"):
            read_facts(wrong)
    Store.open(tmp_path).close()
    with pytest.raises(UserError, match="not the run directory of a build, a comparison or an evaluation"):
        read_facts(tmp_path)
