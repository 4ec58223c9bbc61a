"""Algorithm 1 as a whole, decision by decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ceps.construction.ceps import CepsSettings, build
from ceps.construction.evolution import removed_slots
from ceps.construction.tuner import Search
from ceps.errors import UserError
from ceps.records import Configuration
from ceps.testing.bits import Bits
from tests.construction.fakes import FakeEvaluator, FakeJournal, FakeTuner, number_of, task_of, theta


def flat(number: int, instance: Any, seed: int) -> float:
    """Configuration 99 is the best of all, the others are the better the smaller their number."""
    return 0.5 if number == 99 else 1.0 + min(number, 8)


def test_a_better_configuration_joins_the_portfolio() -> None:
    """What sessions find is validated, and the best candidate replaces Θ."""
    journal = FakeJournal()
    members = build(task_of(FakeEvaluator(flat), journal=journal, iterations=2, sessions=2, candidates=4))
    assert 99 in map(number_of, members)
    assert [stage for stage, *_ in journal.kept] == ["initial", "iteration 1", "iteration 2"]
    initial, final = journal.kept[0][2].mean(), journal.kept[-1][2].mean()
    assert (initial, final) == (1.0, 0.5)


@pytest.mark.parametrize(("elitist", "replaced"), [(True, False), (False, True)])
def test_a_worse_candidate_replaces_only_without_elitism(elitist: bool, replaced: bool) -> None:
    """Elitist: Θ stays when nothing is better. The paper's way: the best candidate always replaces it."""
    tuner = FakeTuner(lambda search: theta(7))
    settings = {"iterations": 1, "sessions": 2, "candidates": 4, "elitist": elitist}
    members = build(task_of(FakeEvaluator(flat), tuner, **settings))
    assert (7 in map(number_of, members)) is replaced


def test_choices_are_made_by_many_runs_where_instances_are_few() -> None:
    """Three instances and fifty runs: seventeen passes over them for each choice between iterations."""
    journal = FakeJournal()
    build(task_of(FakeEvaluator(flat), journal=journal, iterations=2, sessions=1, candidates=4, runs_per_choice=50))
    rows = {stage: len(scores) for stage, _, scores, _ in journal.kept}
    assert (rows["initial"], rows["iteration 1"]) == (3, 51)


def test_the_last_iteration_breeds_no_instances() -> None:
    """MaxIte iterations have MaxIte - 1 generation phases."""
    journal = FakeJournal()
    build(task_of(FakeEvaluator(flat), journal=journal, iterations=3, sessions=1, candidates=4))
    phases = [phase for phase in journal.accounts if phase.startswith("generation")]
    assert phases == ["generation 1", "generation 2"]


@dataclass(frozen=True)
class Unchanging(Bits):
    """A problem without a mutation."""

    mutates: bool = False


def test_without_a_mutation_the_other_phases_have_the_budget() -> None:
    """Where nothing can be bred there is no generation phase, and what it would have cost is granted to the others."""
    journals = FakeJournal(), FakeJournal()
    for problem, journal in zip((Bits(), Unchanging()), journals, strict=True):
        evaluator = FakeEvaluator(flat, problem)
        build(task_of(evaluator, journal=journal, iterations=3, sessions=1, candidates=4))
    usual, unbred = (journal.accounts for journal in journals)
    assert not any(phase.startswith("generation") for phase in unbred)
    assert unbred["initialisation"].granted > usual["initialisation"].granted
    weights = [
        sum(phase.weight for phase in CepsSettings().phases(task_of(FakeEvaluator(flat, problem)).outline))
        for problem in (Bits(), Unchanging())
    ]
    assert weights[0] - weights[1] == pytest.approx(CepsSettings().shares.generation)


def test_bred_instances_are_merged_into_the_training_set() -> None:
    """After a generation phase, sessions and validation work on T and what was bred."""

    def harder_when_odd(number: int, instance: Any, seed: int) -> float:
        return 1.0 if instance.name.startswith("i") else 5.0

    journal, evaluator = FakeJournal(), FakeEvaluator(harder_when_odd)
    build(task_of(evaluator, journal=journal, iterations=2, sessions=1, candidates=4))
    (admitted,) = (result["admitted"] for result in journal.decided("generation 1"))
    assert admitted
    sessions = [inputs for name, inputs, _, _ in journal.entries.values() if name == "session"]
    assert set(admitted) <= set(sessions[-1]["instances"])
    assert len(sessions[-1]["instances"]) == 3 + len(admitted)


def test_sessions_start_from_the_removed_member_the_default_and_a_random_configuration() -> None:
    """Each session gets the rest without the member it replaces, and three places to start from."""
    tuner = FakeTuner(lambda search: theta(99))
    build(task_of(FakeEvaluator(flat), tuner, iterations=1, sessions=2, candidates=4))
    first, second = tuner.searches
    assert [number_of(each) for each in first.starts[:2]] == [0, 0]
    assert [number_of(each) for each in second.starts[:2]] == [1, 0]
    assert [list(map(number_of, search.rest)) for search in tuner.searches] == [[1], [0]]
    assert first.starts[2] != second.starts[2]
    assert first.seed != second.seed
    assert first.grant == second.grant


def test_stratified_removal_is_even_and_the_rest_goes_to_the_least_useful() -> None:
    """Ten sessions on four slots: two each, and one more for the two that contribute least."""
    slots = removed_slots(CepsSettings(), np.array([5.0, 1.0, 3.0, 0.5]), np.random.default_rng(1))
    assert [slots.count(slot) for slot in range(4)] == [2, 3, 2, 3]


def test_random_removal_is_the_papers() -> None:
    """Every session draws its slot at random, independently of contribution."""
    settings = CepsSettings(removal="random", sessions=400)
    slots = removed_slots(settings, np.array([5.0, 1.0, 3.0, 0.5]), np.random.default_rng(1))
    assert all(60 <= slots.count(slot) <= 140 for slot in range(4))


def test_a_build_is_repeated_exactly() -> None:
    """The same task gives the same decisions with the same charges."""
    journals = [FakeJournal(), FakeJournal()]
    for journal in journals:
        build(task_of(FakeEvaluator(flat), journal=journal, iterations=3, sessions=3, candidates=6))
    assert journals[0].entries == journals[1].entries


def test_finished_sessions_are_taken_from_the_journal() -> None:
    """Built again on its journal, no session is run, and the result is the same."""
    journal, settings = FakeJournal(), {"iterations": 2, "sessions": 3, "candidates": 6}
    members = build(task_of(FakeEvaluator(flat), journal=journal, **settings))

    def never(search: Search) -> Configuration:
        raise AssertionError("this session has ended before")

    again = FakeTuner(never)
    assert build(task_of(FakeEvaluator(flat), again, journal, **settings)) == members
    assert again.searches == []


def test_the_total_charge_stays_within_the_budget_but_for_runs_under_way() -> None:
    """What all phases charge together is the budget, but for the last batch of each phase."""
    journal = FakeJournal()
    build(task_of(FakeEvaluator(flat), journal=journal, iterations=3, sessions=3, candidates=6, batch=2, budget=4000.0))
    charged = sum(charge for *_, charge in journal.entries.values())
    assert charged <= 4000.0 + 3 * (2 * 5 + 3 * 4)


def test_a_budget_too_small_is_refused_with_the_smallest_that_works() -> None:
    """The message says how much is needed, and that much is enough."""
    with pytest.raises(UserError, match="give at least") as refused:
        build(task_of(FakeEvaluator(flat), budget=100.0, iterations=1, sessions=1, candidates=4))
    needed = float(str(refused.value).split("give at least ")[1].split(" s")[0])
    build(task_of(FakeEvaluator(flat), budget=needed + 1.0, iterations=1, sessions=1, candidates=4))


def test_instances_nobody_can_solve_count_as_timeouts_and_are_told() -> None:
    """The build goes on, and the journal says which they are."""
    evaluator, journal = FakeEvaluator(flat), FakeJournal()
    evaluator.references.unsolved = {"i1"}
    task = task_of(evaluator, journal=journal, iterations=1, sessions=1, candidates=4)
    build(task)
    assert journal.decided("references")[0]["unsolved"] == [task.instances[1].id]


def test_sessions_do_not_train_on_instances_nobody_can_solve() -> None:
    """Such an instance is the same timeout for all; a session would learn nothing from it, at no charge, for ever."""
    evaluator, journal = FakeEvaluator(flat), FakeJournal()
    evaluator.references.unsolved = {"i1"}
    task = task_of(evaluator, journal=journal, iterations=1, sessions=1, candidates=4)
    build(task)
    (inputs,) = (inputs for name, inputs, _, _ in journal.entries.values() if name == "session")
    assert inputs["instances"] == [task.instances[0].id, task.instances[2].id]


def test_nothing_can_be_built_where_nothing_is_solved() -> None:
    """When no training instance has a solution, the build says so instead of going on."""
    evaluator = FakeEvaluator(flat)
    evaluator.references.unsolved = {"i0", "i1", "i2"}
    with pytest.raises(UserError, match="no run found a solution"):
        build(task_of(evaluator, iterations=1, sessions=1, candidates=4))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"iteration": 3}, "Did you mean 'iterations'"),
        ({"iterations": 0}, "iterations must be at least 1"),
        ({"removal": "sometimes"}, "removal must be"),
        ({"runs_per_choice": 0}, "runs_per_choice must be at least 1"),
        ({"elitist": "yes"}, "elitist must be true or false"),
        ({"shares": {"validation": 0.0}}, "every share"),
    ],
)
def test_wrong_settings_are_refused_by_key(options: dict[str, Any], said: str) -> None:
    """Unknown keys, wrong types and impossible values are named."""
    with pytest.raises(UserError, match=said):
        build(task_of(FakeEvaluator(flat), **options))
