"""Evolution of the instances against the portfolio (Algorithm 1, lines 18-25)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from ceps import seeds
from ceps.construction.budget import Account
from ceps.construction.method import Members, Task
from ceps.construction.scoring import Scored, portfolio_score
from ceps.construction.validation import seed_of


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
    """Breed instances that are hard for the portfolio until the account is empty, ``batch`` at a time.

    Fitness is a mean over seeds, those with which the validation has scored the portfolio (``known_scores``): by one
    run only, the unlucky would pass for the hard. An account that covers fewer seeds of one offspring at worst is spent
    with fewer. None are bred where it may not even cover the fitness of those there are.
    """
    rng = seeds.generator(task.seed, "breeding", round_)
    missing = [instance for instance in instances if instance.id not in known_scores]
    affordable = int(account.left / (task.size * task.evaluator.metric.cutoff))
    if affordable < len(missing):
        return Bred((), 0, 0)
    passes = max(1, min(affordable, min(map(len, known_scores.values()), default=1)))
    trial = _Trial(task, members, round_, passes, charge_references, account)
    fitness = {key: fmean(scores) for key, scores in known_scores.items()}
    fitness.update((each.id, score) for each, score in trial.scored(missing))
    population = list(instances)  # line 18: T' is a copy of T
    offspring = dropped = barren = 0
    while trial.goes_on and barren < MOST_BARREN_BATCHES:  # line 20
        wanted = trial.affordable(batch)
        parents = [population[index] for index in rng.integers(len(population), size=wanted)]
        children = mutants(task, parents, {each.id for each in population}, rng)  # line 21
        scored = trial.scored(trial.with_estimates(children))  # line 22
        offspring, dropped = offspring + wanted, dropped + wanted - len(scored)
        barren = 0 if scored else barren + 1
        easiest = min(fitness[each.id] for each in population)
        hopeful = trial.with_references([each for each in scored if each[1] > easiest])
        for child, score in trial.with_further_seeds(hopeful, above=easiest):
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


_Score = tuple[Any, float]
"""An instance, and the mean of f(s, Θ) over the seeds it has been tried with."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """How hard instances are for a portfolio: little is spent on those that are not."""

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

    @property
    def goes_on(self) -> bool:
        """Whether there is money for offspring; where one seed is not enough, for another seed as well."""
        return self.account.left > (self.of_one_score if self.passes > 1 else 0.0)

    def affordable(self, batch: int) -> int:
        """How many offspring to make at a time: no more than the account covers if all are to be admitted."""
        metric, references = self.task.evaluator.metric, self.task.evaluator.references
        of_reference = references.cpu_of_one if metric.uses_target and self.charge_references else 0.0
        return max(1, min(batch, int(self.account.left / (self.of_one_score + of_reference))))

    def with_estimates(self, children: Sequence[Any]) -> list[Any]:
        """Those that somebody solves, by references from one run each."""
        evaluator = self.task.evaluator
        if not evaluator.metric.uses_target:
            return list(children)
        self._look_for(evaluator.references.estimate, children)
        return [child for child in children if evaluator.references.reference(child) is not None]

    def scored(self, instances: Sequence[Any], pass_: int = 0) -> list[_Score]:
        """Scores with one seed."""
        evaluator, size = self.task.evaluator, self.task.size

        def score(instance: Any) -> Scored:
            made = portfolio_score(evaluator, self.members, instance, seed_of(self.task, self.round_, pass_, instance))
            evaluator.tally(size, made.score)
            return made

        made = evaluator.map(score, instances)
        self.account.pay(sum(each.charge for each in made))
        return [(instance, each.score) for instance, each in zip(instances, made, strict=True)]

    def with_references(self, hopeful: Sequence[_Score]) -> list[_Score]:
        """Scores by agreed references: full consensus only for offspring that would be admitted."""
        references = self.task.evaluator.references
        if not self.task.evaluator.metric.uses_target:
            return list(hopeful)
        children = [child for child, _ in hopeful]
        estimated = [references.cost(child) for child in children]
        self._look_for(references.establish, children)
        references.settle(children)
        changed = [child for child, cost in zip(children, estimated, strict=True) if references.cost(child) != cost]
        rescored = {child.id: score for child, score in self.scored(changed)}
        return [(child, rescored.get(child.id, score)) for child, score in hopeful]

    def with_further_seeds(self, hopeful: Sequence[_Score], above: float) -> list[_Score]:
        """Means over all seeds, of instances that stay above a score: of as many as the account covers at worst, but
        of one while there is anything left."""
        means = list(hopeful)
        for pass_ in range(1, self.passes):
            if self.account.left <= 0.0:
                return []
            covered = max(1, int(self.account.left / self.of_one_score))
            means = [(instance, mean) for instance, mean in means if mean > above][:covered]
            further = self.scored([instance for instance, _ in means], pass_)
            means = [
                (instance, mean + (score - mean) / (pass_ + 1))
                for (instance, mean), (_, score) in zip(means, further, strict=True)
            ]
        return means

    def _look_for(self, references: Callable[[Sequence[Any]], object], children: Sequence[Any]) -> None:
        before = self.task.evaluator.references.cpu_charged
        references(children)
        self.account.pay(self.charge_references * (self.task.evaluator.references.cpu_charged - before))
