"""Evolution of the instances against the portfolio (Algorithm 1, lines 18-25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import fmean
from typing import Any

import numpy as np

from ceps import seeds
from ceps.construction.budget import Account
from ceps.construction.method import Members, Task
from ceps.construction.scoring import Scored, portfolio_score
from ceps.construction.validation import seed_of
from ceps.contradictions import NOBODY_KNOWS


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
    known_scores: Mapping[str, Sequence[float]],
    round_: int,
    batch: int,
    charge_references: bool,
    account: Account,
) -> Bred:
    """Breed instances that are hard for the portfolio while the account covers another one's first run.

    Fitness is a mean over seeds, those with which the validation has scored the portfolio (``known_scores``): by one
    run only, the unlucky would pass for the hard. An account that covers fewer seeds of one offspring at worst is spent
    with fewer.
    """
    rng = seeds.generator(task.seed, "breeding", round_)
    passes = min(map(len, known_scores.values()), default=1)
    trial = _Trial(task, members, round_, passes, charge_references, account).within_means()
    population = list(instances)  # line 18: T' is a copy of T
    fitness = {each.id: trial.fitness(each, known_scores.get(each.id, ())) for each in population}  # line 19
    offspring = dropped = barren = 0
    while trial.covers_another and barren < MOST_BARREN_BATCHES:  # line 20
        wanted = trial.affordable(batch)
        parents = [population[index] for index in rng.integers(len(population), size=wanted)]
        children = mutants(task, parents, {each.id for each in population}, rng)  # line 21
        scored = trial.first_scores(children)  # line 22
        offspring, dropped = offspring + wanted, dropped + wanted - len(scored)
        barren = 0 if scored else barren + 1
        for child, first in scored:
            score = trial.confirmed(child, first, above=min(fitness[each.id] for each in population))
            weaker = [index for index, each in enumerate(population) if fitness[each.id] < score]
            if weaker:  # Where nobody in T' is easier, the offspring is dropped.
                population[int(rng.choice(weaker))] = child  # lines 23-24, in T'
                fitness[child.id] = score
    given = {instance.id for instance in instances}
    return Bred(tuple(each for each in population if each.id not in given), offspring, dropped)


MOST_BARREN_BATCHES = 20
"""A mutation operator that makes nothing usable this often in a row is given up for the phase."""


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


@dataclass(frozen=True, slots=True)
class _Trial:
    """How hard instances are for a portfolio. Nothing is begun that the account does not cover at worst."""

    task: Task
    members: Members
    round_: int
    passes: int
    """How many seeds fitness is a mean over."""
    charge_references: bool
    account: Account

    @property
    def of_one_score(self) -> float:
        """CPU seconds at worst of f(s, Θ) with one seed."""
        return self.task.size * self.task.evaluator.metric.cutoff

    def charged(self, cpu: float) -> float:
        """What the account pays of CPU seconds for references."""
        return cpu if self.task.evaluator.metric.uses_target and self.charge_references else 0.0

    def within_means(self) -> _Trial:
        """With as many seeds as the account covers for one offspring."""
        return replace(self, passes=int(max(1, min(self.passes, self.account.covers(self.of_one_score)))))

    @property
    def covers_another(self) -> bool:
        """Whether there is money for an offspring's estimated reference and its first run."""
        estimate = self.charged(self.task.evaluator.references.cpu_of_estimate)
        return self.account.covers(self.of_one_score + estimate) >= 1

    def affordable(self, batch: int) -> int:
        """How many offspring to make at a time: as many as the account covers if all are to be admitted, or one."""
        at_worst = self.passes * self.of_one_score + self.charged(self.task.evaluator.references.cpu_of_one)
        return int(max(1, min(batch, self.account.covers(at_worst))))

    def fitness(self, instance: Any, known: Sequence[float]) -> float:
        """Of a given instance: the mean of what is known or can be found; where neither is, it is not replaced."""
        if known:
            return fmean(known)
        scores = self._scores(instance, range(self.passes))
        return fmean(scores) if len(scores) == self.passes else inf

    def first_scores(self, children: Sequence[Any]) -> list[tuple[Any, float]]:
        """Scores with one seed, by references from one run each, of the children that somebody solves."""
        evaluator = self.task.evaluator
        if evaluator.metric.uses_target:
            before = evaluator.references.cpu_charged
            evaluator.references.estimate(children)
            self.account.pay(self.charged(evaluator.references.cpu_charged - before))
            children = [child for child in children if evaluator.references.reference(child) is not None]
        made = self._made([(child, 0) for child in children])
        return list(zip(children, made, strict=True))

    def confirmed(self, child: Any, first: float, above: float) -> float:
        """The mean over all seeds, by a reference that independent runs agree on, of a child that is harder than
        ``above``. Little is spent on others; they, and those whose mean the account does not cover, are the easiest."""
        scores = [first]
        while len(scores) < self.passes and fmean(scores) > above:
            # As many as before: an end comes soon for most, and the others have enough seeds to keep workers busy.
            further = self._scores(child, range(len(scores), min(2 * len(scores), self.passes)))
            if not further:
                return -inf
            scores += further
        estimated = self._cost(child)
        if fmean(scores) <= above or not self._agreed(child):
            return -inf
        changed = self.task.evaluator.references.settle([child])
        if self.task.evaluator.references.truth(child) == NOBODY_KNOWS:
            return -inf  # What makes it hard is that somebody answers falsely.
        if changed or self._cost(child) != estimated:
            scores = self._scores(child, range(self.passes))
        return fmean(scores) if len(scores) == self.passes else -inf

    def _scores(self, instance: Any, passes: range) -> list[float]:
        """With the seeds of these passes over the instances, or the first of them: those that the account covers."""
        covered = passes[: int(min(len(passes), self.account.covers(self.of_one_score)))]
        return self._made([(instance, pass_) for pass_ in covered])

    def _made(self, asked: Sequence[tuple[Any, int]]) -> list[float]:
        evaluator, size = self.task.evaluator, self.task.size

        def score(each: tuple[Any, int]) -> Scored:
            instance, pass_ = each
            made = portfolio_score(evaluator, self.members, instance, seed_of(self.task, self.round_, pass_, instance))
            evaluator.tally(size, made.score)
            return made

        made = evaluator.map(score, asked)
        self.account.pay(sum(each.charge for each in made))
        return [each.score for each in made]

    def _cost(self, child: Any) -> float | None:
        return self.task.evaluator.references.cost(child) if self.task.evaluator.metric.uses_target else None

    def _agreed(self, child: Any) -> bool:
        """Whether runs agree on the child's reference, within what the account covers."""
        references = self.task.evaluator.references
        if not self.task.evaluator.metric.uses_target:
            return True
        before = references.cpu_charged
        references.establish([child], most_cpu=self.account.left if self.charge_references else inf)
        self.account.pay(self.charged(references.cpu_charged - before))
        reference = references.reference(child)
        return reference is not None and reference.agreement >= 1.0
