"""CEPS: co-evolution of parameterised search (Tang, Liu, Yang, Yao). Line numbers are those of its Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ceps.construction.breeding import breed
from ceps.construction.budget import Budget, Phase, smallest_total
from ceps.construction.evolution import EvolutionSettings, evolve_members, first_portfolio, select
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import establish_references, ids
from ceps.construction.shared_settings import above_zero
from ceps.problems.problem import Problem
from ceps.tables import read_table


@dataclass(frozen=True, slots=True)
class Shares:
    """How the budget is shared, in the paper's proportions: 8 h, 4·10·1.5 h, 4·10·0.5 h and 4·1.5 h.

    K does not appear as in the paper's formula, because only the new configuration runs, not all K members.
    """

    initialisation: float = 8.0
    """Testing candidates for the first portfolio."""
    configuration: float = 60.0
    """Searching new members, in all iterations together."""
    validation: float = 20.0
    """Comparing the portfolios found, in all iterations together."""
    generation: float = 6.0
    """Breeding instances, between iterations."""

    def __post_init__(self) -> None:
        above_zero(self.initialisation, self.configuration, self.validation, self.generation)


@dataclass(frozen=True, slots=True, kw_only=True)
class CepsSettings(EvolutionSettings):
    """Settings of CEPS, in a scenario beside ``name = "ceps"``."""

    shares: Shares = Shares()

    def phases(self, outline: Outline) -> list[Phase]:
        """All phases, in order: the last iteration breeds no instances, nor does any without a mutation."""
        generation = Phase(self.shares.generation / max(1, self.iterations - 1))
        iteration = self.iteration_phases(self.shares.configuration, self.shares.validation, outline)
        phases = [self.first_phase(self.shares.initialisation, outline)]
        for round_ in range(1, self.iterations + 1):
            phases += iteration
            phases += [generation] if outline.problem.mutates and round_ < self.iterations else []
        return phases


def smallest_budget(outline: Outline) -> float:
    return smallest_total(read_table(CepsSettings, outline.options, "[method]").phases(outline))


def limitations(problem: Problem) -> list[str]:
    if problem.mutates:
        return []
    return [
        f"problem '{problem.name}' has no mutate command: no instances can be bred against the portfolio. CEPS becomes "
        "the evolution of a portfolio on the given instances alone, and may over-fit to them; what generation would "
        "have cost goes to the other phases"
    ]


def build(task: Task) -> Members:
    """Algorithm 1."""
    settings = read_table(CepsSettings, task.options, "[method]")
    mutates = task.evaluator.problem.mutates
    budget = Budget(task.budget, settings.phases(task.outline))
    instances = list(task.instances)
    establish_references(task, settings, budget, smallest_budget(task.outline))
    members, losses = first_portfolio(task, settings, budget)  # lines 2-7
    for round_ in range(1, settings.iterations + 1):  # line 8
        candidates = evolve_members(task, settings, budget, members, losses, instances, round_)  # lines 10-14
        members, losses, known = select(task, settings, budget, members, candidates, instances, round_)  # line 15
        if round_ == settings.iterations:  # line 17
            break
        if mutates:
            instances += _evolve_instances(task, settings, budget, members, instances, known, round_)  # lines 18-26
    return members


def _evolve_instances(
    task: Task,
    settings: CepsSettings,
    budget: Budget,
    members: Members,
    instances: Sequence[Any],
    known: Mapping[str, Sequence[float]],
    round_: int,
) -> list[Any]:
    """Lines 18-26: the instances bred to be hard for Θ, to be merged into T."""
    account = budget.open_phase()
    task.journal.begin(f"generation {round_}", account)
    bred = breed(task, members, instances, known, round_, settings.batch, settings.charge_references, account)
    budget.close_phase(account)
    inputs = {"members": ids(members), "instances": ids(instances), "granted": account.granted}
    result = {"admitted": ids(bred.admitted), "offspring": bred.offspring, "dropped": bred.dropped}
    task.journal.decide(f"generation {round_}", inputs, result, account.charged)
    task.evaluator.references.settle([*instances, *bred.admitted])
    return list(bred.admitted)
