"""New instances first, then the evolution of the portfolio."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from ceps.construction.eps import EpsSettings, build, smallest_budget
from ceps.errors import UserError
from ceps.testing.bits import Bits, BitsInstance
from tests.construction.fakes import CUTOFF, FakeEvaluator, FakeJournal, FakeTuner, number_of, task_of, theta

SETTINGS: dict[str, Any] = {"iterations": 2, "sessions": 2, "candidates": 4}


@dataclass(frozen=True)
class Growing(Bits):
    """Mutants are larger than any before; every third cannot be made."""

    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> BitsInstance:
        size = instance.size + int(rng.integers(1000, 10**6))
        if size % 3 == 0:
            raise RuntimeError("no luck")
        return BitsInstance(f"m{size}", size)


@dataclass(frozen=True)
class Barren(Bits):
    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> BitsInstance:
        return instance


@dataclass(frozen=True)
class Unchanging(Bits):
    mutates: bool = False


def test_a_problem_without_a_mutation_is_refused() -> None:
    """EPS is nothing without new instances: it says so before anything is run, unless none are wanted."""
    outline = task_of(FakeEvaluator(better_when_smaller, Unchanging()), new_instances=7, **SETTINGS).outline
    with pytest.raises(UserError, match="problem 'bits' has no mutate command"):
        smallest_budget(outline)
    assert smallest_budget(replace(outline, options={**outline.options, "new_instances": 0})) > 0.0


def better_when_smaller(number: int, instance: Any, seed: int) -> float:
    return 0.5 if number == 99 else 1.0 + min(number, 8)


def test_the_portfolio_is_evolved_on_old_and_new_instances() -> None:
    """So many new instances as wanted are made near those of T, and all phases afterwards work on the union."""
    evaluator, journal, tuner = (
        FakeEvaluator(better_when_smaller, Growing()),
        FakeJournal(),
        FakeTuner(lambda _: theta(99)),
    )
    task = task_of(evaluator, tuner, journal, new_instances=7, **SETTINGS)
    members = build(task)
    assert 99 in map(number_of, members)
    (made,) = journal.decided("mutation")
    assert len(made["admitted"]) == 7
    assert made["offspring"] - made["dropped"] == 7
    given = {each.id for each in task.instances}
    assert {evaluator.parents[each] for each in made["admitted"]} <= given
    for search in tuner.searches:
        assert {each.id for each in search.instances} == given | set(made["admitted"])
    assert len(journal.kept[0][2]) == 10
    assert [stage for stage, *_ in journal.kept] == ["initial", "iteration 1", "iteration 2"]


def test_the_first_portfolio_is_tested_on_as_many_instances_as_can_be_paid_for() -> None:
    """The given ones come first; a small budget does not reach all of the new ones."""
    journal = FakeJournal()
    evaluator = FakeEvaluator(better_when_smaller, Growing())
    build(task_of(evaluator, journal=journal, new_instances=40, budget=1500.0, **SETTINGS))
    rows = len(journal.kept[0][2])
    assert 3 < rows < 43
    assert journal.accounts["initialisation"].granted == pytest.approx(rows * 2 * CUTOFF, abs=2 * CUTOFF)


def test_new_instances_know_nothing_of_portfolios() -> None:
    """The instances are the same whatever configurations are worth: there is no feedback."""
    made = []
    for worth in (1.0, 9.0):
        journal = FakeJournal()
        evaluator = FakeEvaluator(lambda number, instance, seed, worth=worth: worth, Growing())  # type: ignore[misc]
        build(task_of(evaluator, journal=journal, new_instances=5, **SETTINGS))
        made.append(journal.decided("mutation"))
    assert made[0] == made[1]


def test_references_of_new_instances_are_charged() -> None:
    """The journal has what they cost, and it counts towards the budget."""
    journal = FakeJournal()
    build(task_of(FakeEvaluator(better_when_smaller, Growing()), journal=journal, new_instances=5, **SETTINGS))
    (charge,) = (charge for name, _, _, charge in journal.entries.values() if name == "mutation")
    assert charge == 5.0


def test_a_mutation_that_makes_nothing_is_given_up() -> None:
    """Where no new instance can be made, the portfolio is evolved on the old ones."""
    journal = FakeJournal()
    members = build(task_of(FakeEvaluator(better_when_smaller, Barren()), journal=journal, new_instances=5, **SETTINGS))
    assert len(members) == 2
    assert journal.decided("mutation")[0]["admitted"] == []


def test_the_shares_are_those_of_ceps_without_generation() -> None:
    """8 h for the start, 60 h of configuration and 20 h of validation."""
    phases = EpsSettings(new_instances=1).phases(task_of(FakeEvaluator(better_when_smaller)).outline)
    assert [phase.weight for phase in phases] == pytest.approx([8.0] + [15.0, 5.0] * 4)


@pytest.mark.parametrize(
    ("options", "said"), [({}, "'new_instances' is missing"), ({"new_instances": -1}, "must be at least 0")]
)
def test_the_number_of_new_instances_must_be_given(options: dict[str, Any], said: str) -> None:
    """There is no number that would be right for all."""
    with pytest.raises(UserError, match=said):
        build(task_of(FakeEvaluator(better_when_smaller), **options))
