"""Evolution of the instances against the portfolio (Algorithm 1, lines 18-25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ceps import seeds
from ceps.construction.budget import Account
from ceps.construction.method import Members, Task
from ceps.construction.scoring import Scored, portfolio_score


@dataclass(frozen=True, slots=True)
class Bred:
    """What a generation phase came to."""

    admitted: tuple[Any, ...]
    """New instances that are in T' at the end."""
    offspring: int
    """Instances made."""
    dropped: int
    """Of these, how many could not be used: failed or useless mutations, and instances nobody could solve."""


def breed(
    task: Task,
    members: Members,
    instances: Sequence[Any],
    known_fitness: Mapping[str, float],
    round_: int,
    batch: int,
    charge_references: bool,
    account: Account,
) -> Bred:
    """Breed instances that are hard for the portfolio until the account is empty, ``batch`` at a time.

    None are bred where it may not even cover the fitness of those there are.
    """
    rng = seeds.generator(task.seed, "breeding", round_)
    missing = [instance for instance in instances if instance.id not in known_fitness]
    if account.left < len(missing) * task.size * task.evaluator.metric.cutoff:
        return Bred((), 0, 0)
    fitness = {**known_fitness, **_fitness_of(task, members, missing, round_, account)}
    population = list(instances)  # line 18: T' is a copy of T
    offspring = dropped = barren = 0
    while account.left > 0.0 and barren < MOST_BARREN_BATCHES:  # line 20
        wanted = _affordable(task, account, charge_references, batch)
        parents = [population[index] for index in rng.integers(len(population), size=wanted)]
        children = mutants(task, parents, {each.id for each in population}, rng)  # line 21
        scored = _score_all(task, members, children, round_, charge_references, account)  # line 22
        offspring, dropped = offspring + wanted, dropped + wanted - len(scored)
        barren = 0 if scored else barren + 1
        easiest = min(fitness[each.id] for each in population)
        hopeful = [(child, score) for child, score in scored if score > easiest]
        for child, score in _confirm_all(task, members, hopeful, round_, charge_references, account):
            weaker = [index for index, each in enumerate(population) if fitness[each.id] < score]
            if weaker:  # Where nobody in T' is easier, the offspring is dropped.
                population[int(rng.choice(weaker))] = child  # lines 23-24, in T'
                fitness[child.id] = score
    given = {instance.id for instance in instances}
    return Bred(tuple(each for each in population if each.id not in given), offspring, dropped)


MOST_BARREN_BATCHES = 20
"""A mutation operator that makes nothing usable this often in a row is given up for the phase."""


def _affordable(task: Task, account: Account, charge_references: bool, batch: int) -> int:
    """How many offspring to make at a time: no more than the account covers if all of them are to be admitted."""
    metric, references = task.evaluator.metric, task.evaluator.references
    each = task.size * metric.cutoff + (references.cpu_of_one if metric.uses_target and charge_references else 0.0)
    return max(1, min(batch, int(account.left / each)))


def _seed(task: Task, round_: int, instance: Any) -> int:
    # The seed of the validation before: fitness known from there and fitness of offspring are of one kind.
    return seeds.derive(task.seed, "validate", round_, instance.id)


def _fitness_of(
    task: Task, members: Members, missing: Sequence[Any], round_: int, account: Account
) -> dict[str, float]:
    """Line 19, for instances that the validation did not get to."""
    scored = task.evaluator.map(lambda each: _score(task, members, each, round_), missing)
    account.pay(sum(each.charge for each in scored))
    return {instance.id: each.score for instance, each in zip(missing, scored, strict=True)}


def mutants(task: Task, parents: Sequence[Any], taken: set[str], rng: np.random.Generator) -> list[Any]:
    """A child of every parent, remembered with it. What cannot be made, read back, or told from others is dropped."""
    problem = task.evaluator.problem
    children: list[Any] = []
    for parent in parents:
        try:
            child = problem.mutate(parent, rng)
            sound = problem.decode(problem.encode(child), child.name).id == child.id
        except Exception:  # Whatever a user's operator does wrong costs its offspring, not the build.
            continue
        if sound and child.id not in taken:
            taken.add(child.id)
            task.evaluator.remember(child, parent)
            children.append(child)
    return children


def _score_all(
    task: Task,
    members: Members,
    children: Sequence[Any],
    round_: int,
    charge_references: bool,
    account: Account,
) -> list[tuple[Any, float]]:
    """Line 22, by references from one run each; instances that nobody can solve are dropped."""
    with_cost = list(children)
    if task.evaluator.metric.uses_target:
        before = task.evaluator.references.cpu_charged
        task.evaluator.references.estimate(with_cost)
        with_cost = [child for child in with_cost if task.evaluator.references.reference(child) is not None]
        account.pay(charge_references * (task.evaluator.references.cpu_charged - before))
    scored = task.evaluator.map(lambda child: _score(task, members, child, round_), with_cost)
    account.pay(sum(each.charge for each in scored))
    return [(child, each.score) for child, each in zip(with_cost, scored, strict=True)]


def _confirm_all(
    task: Task,
    members: Members,
    hopeful: Sequence[tuple[Any, float]],
    round_: int,
    charge_references: bool,
    account: Account,
) -> list[tuple[Any, float]]:
    """Scores by agreed references: full consensus only for offspring that would be admitted."""
    references = task.evaluator.references
    if not task.evaluator.metric.uses_target:
        return list(hopeful)
    estimated = {child.id: references.cost(child) for child, _ in hopeful}
    children, before = [child for child, _ in hopeful], references.cpu_charged
    references.establish(children)
    references.settle(children)
    account.pay(charge_references * (references.cpu_charged - before))
    changed = [child for child in children if references.cost(child) != estimated[child.id]]
    again = task.evaluator.map(lambda child: _score(task, members, child, round_), changed)
    account.pay(sum(each.charge for each in again))
    rescored = {child.id: each.score for child, each in zip(changed, again, strict=True)}
    return [(child, rescored.get(child.id, score)) for child, score in hopeful]


def _score(task: Task, members: Members, instance: Any, round_: int) -> Scored:
    scored = portfolio_score(task.evaluator, members, instance, _seed(task, round_, instance))
    task.evaluator.tally(task.size, scored.score)
    return scored
