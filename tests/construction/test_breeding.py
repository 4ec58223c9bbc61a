"""Lines 18-25 of Algorithm 1: instances bred to be hard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from ceps import seeds
from ceps.construction.breeding import MOST_BARREN_BATCHES, Bred, breed
from ceps.construction.budget import Account
from ceps.contradictions import NOBODY_KNOWS
from ceps.evaluator import Evaluator
from ceps.metrics import Panc
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.store import Reference, Store
from ceps.testing.bits import Bits, BitsInstance, BitSolver
from ceps.testing.pure_executor import PureExecutor
from tests.construction.fakes import CUTOFF, FakeEvaluator, FakeReferences, instances_of, task_of, theta

MEMBERS = (theta(0), theta(1))
MEMORY = 2**28


@dataclass(frozen=True)
class Growing(Bits):
    """Mutants are larger than any before, by a random amount."""

    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> BitsInstance:
        size = instance.size + int(rng.integers(1, 1000))
        return BitsInstance(f"m{size}", size)


@dataclass(frozen=True)
class OneChild(Bits):
    """There is one mutant only."""

    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> BitsInstance:
        return BitsInstance("m999", 999)


@dataclass(frozen=True)
class Larger(Bits):
    """Mutants are all about as large, and much larger than what is given."""

    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> BitsInstance:
        size = 900_000 + int(rng.integers(100_000))
        return BitsInstance(f"m{size}", size)


@dataclass
class Doubtful(FakeReferences):
    """Agreement costs all there is up to forty times an estimate, and may change what counts as solved."""

    changing: bool = False

    def reference(self, instance: Any) -> Reference | None:
        return Reference(self.cost(instance), 1.0 if instance.id in self.established else 0.3, "fake", 0.0)

    def cost(self, instance: Any) -> float:
        return -1.0 if self.changing and instance.id in self.established else 0.0

    def establish(self, instances: Iterable[Any], most_cpu: float = np.inf) -> list[Any]:
        (instance,) = instances
        further = min(most_cpu, 39.0)
        if further >= 2.0:
            self.established.append(instance.id)
            self.cpu_charged += further
        return []


@dataclass(frozen=True)
class Unscaled(Growing):
    """Scores are costs."""

    def scale(self, instance: BitsInstance) -> float:
        return 1.0


@dataclass(frozen=True)
class Failing(Bits):
    """A mutation operator that raises, returns garbage, or returns its parent."""

    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> Any:
        kind = int(rng.integers(3))
        if kind == 0:
            raise RuntimeError("no luck")
        return 42 if kind == 1 else instance


def bred_from(evaluator: FakeEvaluator, account: Account, scores: dict[str, list[float]] | None = None) -> Bred:
    task = task_of(evaluator, instances=instances_of(4))
    known = {each.id: [1.0] for each in task.instances} if scores is None else scores
    return breed(task, MEMBERS, task.instances, known, 1, 5, True, account)


def test_harder_offspring_replace_weaker_instances() -> None:
    """T' keeps its size; whoever is in it at the end and was not given is new, and harder than what it replaced."""
    evaluator = FakeEvaluator(lambda number, instance, seed: min(9.0, instance.size / 100), Growing())
    bred = bred_from(evaluator, Account(60.0))
    assert 1 <= len(bred.admitted) <= 4
    assert all(each.size > 103 for each in bred.admitted)
    assert all(evaluator.parents[each.id] for each in bred.admitted)


def hard_at_first(number: int, instance: Any, seed: int) -> float:
    """A given instance takes 1 s. Offspring take 9 s by the first seed, and 0.5 s by all others."""
    lucky = seed != seeds.derive(1, "validate", 1, 0, instance.id)
    return 1.0 if instance.size < 104 else 0.5 if lucky else 9.0


def test_the_unlucky_do_not_pass_for_the_hard() -> None:
    """Offspring are as hard as the mean over as many seeds as the portfolio was validated with on every instance."""
    instances = instances_of(4)
    once, often = ({each.id: [1.0] * passes for each in instances} for passes in (1, 20))
    assert bred_from(FakeEvaluator(hard_at_first, OneChild()), Account(1e4), once).admitted
    assert bred_from(FakeEvaluator(hard_at_first, OneChild()), Account(1e4), often).admitted == ()


def test_known_fitness_is_a_mean() -> None:
    """Offspring of 3 s replace no instance that took 2 and 6 s, and one that took 1 and 3 s."""
    first, *others = instances_of(4)
    known = {first.id: [1.0, 3.0], **{each.id: [2.0, 6.0] for each in others}}
    bred = bred_from(FakeEvaluator(lambda number, instance, seed: 3.0, Growing()), Account(200.0), known)
    assert len(bred.admitted) == 1


def test_what_is_no_harder_so_far_gets_no_further_seeds() -> None:
    """Offspring that are easy by the first seed are run once, hard ones as often as the instances there are."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0 if instance.size % 2 else 0.5, Growing())
    bred_from(evaluator, Account(400.0), {each.id: [1.0] * 3 for each in instances_of(4)})
    tried = Counter(size for size, _ in {(instance.size, seed) for _, instance, seed, _ in evaluator.asked})
    assert {tried[size] for size in tried if size % 2 == 0} == {1}
    assert 3 in {tried[size] for size in tried if size % 2 == 1}


def test_further_seeds_are_tried_while_the_account_covers_them() -> None:
    """However many seeds there are to be, the account is not overdrawn by them."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0, Growing())
    account = Account(60.0)
    bred = bred_from(evaluator, account, {each.id: [1.0] * 100 for each in instances_of(4)})
    assert bred.admitted
    assert account.charged <= 60.0


def test_offspring_no_harder_than_anybody_are_dropped() -> None:
    """Where no instance is easier than the offspring, nothing is replaced."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0, Growing())
    assert bred_from(evaluator, Account(60.0)).admitted == ()


def test_full_consensus_is_sought_for_admitted_offspring_only() -> None:
    """All offspring get a cheap reference; only those that would be admitted a full one."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0 if instance.size % 2 else 0.5, Growing())
    bred = bred_from(evaluator, Account(100.0))
    estimated, established = evaluator.references.estimated, evaluator.references.established
    assert len(estimated) == bred.offspring - bred.dropped
    assert 0 < len(established) < len(estimated)
    odd = [each.id for each in bred.admitted if each.size % 2]
    assert set(odd) <= set(established)


def test_offspring_nobody_can_solve_are_dropped() -> None:
    """Without a cost that counts as solved there is no fitness: evolution must not breed the impossible."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0, Growing())
    evaluator.references.reference = lambda instance: None  # type: ignore[method-assign]
    bred = bred_from(evaluator, Account(100.0))
    assert bred.admitted == ()
    assert bred.dropped == bred.offspring > 0


def test_offspring_of_which_nobody_knows_what_is_true_are_not_admitted() -> None:
    """Where answers contradict each other all are worth nothing: such an instance would pass for the hardest."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0, Growing())
    evaluator.references.truth = lambda instance: NOBODY_KNOWS  # type: ignore[method-assign]
    bred = bred_from(evaluator, Account(100.0))
    assert bred.admitted == ()
    assert bred.offspring > 0


def test_a_mutation_operator_that_fails_costs_offspring_and_never_the_build() -> None:
    """Exceptions, garbage and copies are dropped and counted, and the phase ends by itself."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0, Failing())
    bred = bred_from(evaluator, Account(200.0))
    assert bred == Bred((), offspring=5 * MOST_BARREN_BATCHES, dropped=5 * MOST_BARREN_BATCHES)


def test_references_are_charged_and_the_account_ends_the_phase() -> None:
    """Every offspring pays for its estimate and its runs, until the account may not cover another one's."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0, Growing())
    account, of_another = Account(40.0), 1.0 + len(MEMBERS) * CUTOFF
    bred = bred_from(evaluator, account)
    assert account.charged == bred.offspring * (1.0 + 2 * 1.0)
    assert 40.0 - of_another < account.charged <= 40.0


@pytest.mark.parametrize(("affordable", "first"), [(1.0, 1), (3.5, 3), (100.0, 5)])
@pytest.mark.parametrize("passes", [1, 3])
def test_batches_are_no_larger_than_the_account_affords(affordable: float, first: int, passes: int) -> None:
    """A batch has at most the offspring whose runs with all seeds, and whose reference, the account covers."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0, Growing())
    of_one = passes * len(MEMBERS) * CUTOFF + evaluator.references.cpu_of_one
    bred_from(evaluator, Account(affordable * of_one), {each.id: [1.0] * passes for each in instances_of(4)})
    assert evaluator.references.batches[0] == first


def test_an_account_that_covers_no_offspring_is_left_as_it_is() -> None:
    """What may be too dear is not begun."""
    evaluator, account = FakeEvaluator(lambda number, instance, seed: 1.0, Growing()), Account(20.9)
    assert bred_from(evaluator, account) == Bred((), 0, 0)
    assert (account.charged, evaluator.asked) == (0.0, [])


def test_fitness_that_validation_did_not_give_is_found_now() -> None:
    """An instance without a known fitness is scored first, with as many seeds as the others have."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 1.0, Growing())
    first, *others = instances_of(4)
    bred_from(evaluator, Account(400.0), {each.id: [1.0] * 3 for each in others})
    asked = [(instance, seed) for _, instance, seed, _ in evaluator.asked]
    assert {instance for instance, _ in asked[:6]} == {first}
    assert len(set(asked[:6])) == 3
    assert asked[6][0] not in instances_of(4)


def test_an_instance_of_unknown_fitness_is_not_replaced() -> None:
    """Where the account does not cover it, nobody knows whether an offspring is harder."""
    evaluator = FakeEvaluator(lambda number, instance, seed: 5.0, Growing())
    given = instances_of(4)
    known = {each.id: [9.0] for each in given[:1]}
    account = Account(2 * len(MEMBERS) * CUTOFF)
    bred = bred_from(evaluator, account, known)
    assert bred.admitted == ()
    assert account.charged <= account.granted


@pytest.mark.parametrize("passes", [1, 9])
@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("run", [0.3, 1.0])
def test_a_larger_account_breeds_no_fewer_and_is_never_overdrawn(passes: int, changing: bool, run: float) -> None:
    """Whatever references come to, and however long runs last: what is begun is covered."""
    admitted = []
    for granted in (60.0, 150.0, 300.0, 600.0, 3000.0):
        evaluator = FakeEvaluator(lambda number, instance, seed: run * CUTOFF * instance.size / 1e6, Larger())
        evaluator.charge = run * CUTOFF
        evaluator.references = Doubtful(changing=changing)
        account = Account(granted)
        bred = bred_from(evaluator, account, {each.id: [1e-6] * passes for each in instances_of(4)})
        admitted.append(len(bred.admitted))
        assert account.charged <= granted
    assert admitted == sorted(admitted)
    assert admitted[-1] == 4


def test_offspring_with_solutions_worse_than_the_penalty_do_not_stop_a_build() -> None:
    """They are as hard as those without a solution; the phase goes on to its end."""
    problem, executor, instances = Unscaled(), PureExecutor(scale=1.0), instances_of(4)
    with Store.in_memory() as store:
        runner = Runner(store, executor)
        references = References(problem, Consensus.of_default(BitSolver()), runner, Effort(1.0), 1, MEMORY)
        metric = Panc(cutoff=1.0, penalty=1100.0)
        evaluator = Evaluator(problem, {"bits": BitSolver()}, metric, runner, references, MEMORY)
        task = replace(task_of(FakeEvaluator(lambda *_: 1.0)), evaluator=evaluator, instances=instances)
        known = {each.id: [1000.0] for each in instances}
        account = Account(60.0)
        bred = breed(task, MEMBERS, instances, known, 1, 5, True, account)
        costs = [run.execution.outcome.cost for run in store.runs()]
    assert any(cost is not None and cost > metric.penalty for cost in costs)
    assert len(bred.admitted) == 4
    assert account.covers(len(MEMBERS) * metric.cutoff) < 1


def test_the_same_seed_breeds_the_same_instances() -> None:
    """Breeding is a function of its inputs."""
    made = [
        bred_from(FakeEvaluator(lambda n, instance, s: min(9.0, instance.size / 100), Growing()), Account(60.0))
        for _ in range(2)
    ]
    assert made[0] == made[1]
