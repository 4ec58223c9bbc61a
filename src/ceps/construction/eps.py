"""EPS: evolution of parameterised search. As CEPS, but all new instances are made at first, without any feedback."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ceps import seeds
from ceps.construction.breeding import MOST_BARREN_BATCHES, mutants
from ceps.construction.budget import Account, Budget, Phase, smallest_total
from ceps.construction.evolution import EvolutionSettings, evolve_members, first_portfolio, select
from ceps.construction.initialisation import wave_at_worst
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import establish_references, ids, solved
from ceps.construction.shared_settings import above_zero
from ceps.errors import UserError
from ceps.tables import read_table


@dataclass(frozen=True, slots=True)
class Shares:
    """How the budget is shared: as in CEPS, but for the generation."""

    initialisation: float = 8.0
    """Testing candidates for the first portfolio."""
    configuration: float = 60.0
    """Searching new members, in all iterations together."""
    validation: float = 20.0
    """Comparing the portfolios found, in all iterations together."""

    def __post_init__(self) -> None:
        above_zero(self.initialisation, self.configuration, self.validation)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsSettings(EvolutionSettings):
    """Settings of EPS, in a scenario beside ``name = "eps"``."""

    new_instances: int
    """How many instances are made. The paper makes as many as CEPS comes to on the same training instances."""
    shares: Shares = Shares()

    def __post_init__(self) -> None:
        EvolutionSettings.__post_init__(self)
        if self.new_instances < 0:
            raise ValueError(f"new_instances must be at least 0, not {self.new_instances}")

    def phases(self, outline: Outline) -> list[Phase]:
        iteration = self.iteration_phases(self.shares.configuration, self.shares.validation, outline)
        return [self.first_phase(self.shares.initialisation, outline), *iteration * self.iterations]


def smallest_budget(outline: Outline) -> float:
    settings = read_table(EpsSettings, outline.options, "[method]")
    if settings.new_instances and not outline.problem.mutates:
        raise UserError(
            f"[method] name: EPS begins with new instances, and problem '{outline.problem.name}' has no mutate "
            "command; choose another one, such as name = 'parhydra'"
        )
    of_references = settings.new_instances * outline.cpu_of_reference if settings.charge_references else 0.0
    return of_references + smallest_total(settings.phases(outline))


def build(task: Task) -> Members:
    """Mutation, then Algorithm 1 without its lines 18-26 on the union of old and new instances."""
    settings = read_table(EpsSettings, task.options, "[method]")
    phases = settings.phases(task.outline)
    budget, needed = Budget(task.budget, phases), smallest_total(phases)
    establish_references(task, settings, budget, needed)
    union = [*task.instances, *_mutate(task, settings, budget, needed)]
    tested = replace(task, instances=union[: _affordable(task, budget)])
    members, losses = first_portfolio(tested, settings, budget)
    for round_ in range(1, settings.iterations + 1):
        candidates = evolve_members(task, settings, budget, members, losses, union, round_)
        members, losses, _ = select(task, settings, budget, members, candidates, union, round_)
    return members


def _affordable(task: Task, budget: Budget) -> int:
    """Instances that K configurations can be tested on for the first portfolio: the given ones in any case."""
    return max(len(task.instances), int(budget.next_grant / wave_at_worst(task.size, 1, task.evaluator.metric.cutoff)))


def _mutate(task: Task, settings: EpsSettings, budget: Budget, needed: float) -> list[Any]:
    """New instances near those of T, however hard they are; what cannot be used is replaced. There are fewer than
    wanted where the budget, less what is needed afterwards, does not cover all their references."""
    references, uses_target = task.evaluator.references, task.evaluator.metric.uses_target
    of_reference = references.cpu_of_one if uses_target and settings.charge_references else 0.0
    account = Account(budget.left - needed)
    task.journal.begin("mutation", account)
    rng = seeds.generator(task.seed, "mutation")
    taken = set(ids(task.instances))
    new: list[Any] = []
    offspring = barren = 0
    while barren < MOST_BARREN_BATCHES:
        wanted = int(min(settings.new_instances - len(new), account.covers(of_reference)))
        if not wanted:
            break
        parents = [task.instances[index] for index in rng.integers(len(task.instances), size=wanted)]
        children = mutants(task, parents, taken, rng)
        if uses_target:
            before = references.cpu_charged
            references.establish(children, most_cpu=account.left if settings.charge_references else inf)
            account.pay(settings.charge_references * (references.cpu_charged - before))
        usable = solved(task, children)
        offspring, barren = offspring + wanted, 0 if usable else barren + 1
        new += usable
    budget.charge(account.charged)
    inputs = {"instances": ids(task.instances), "new_instances": settings.new_instances}
    result = {"admitted": ids(new), "offspring": offspring, "dropped": offspring - len(new)}
    task.journal.decide("mutation", inputs, result, account.charged)
    return new
