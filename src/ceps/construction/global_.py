"""GLOBAL: all members at once, as one configuration of K times as many parameters (Lindauer et al.)."""

from __future__ import annotations

from ceps import seeds
from ceps.construction.budget import Budget, smallest_total
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import choose, establish_references, run_sessions, solved
from ceps.construction.shared_settings import TwoPhaseSettings
from ceps.construction.tuner import Search
from ceps.tables import read_table


def smallest_budget(outline: Outline) -> float:
    settings = read_table(TwoPhaseSettings, outline.options, "[method]")
    one_portfolio_each = settings.sessions * outline.size * outline.metric.cutoff
    # Trials under way when an account is empty are long ones here: the validation must have enough to pay for them.
    overdrawn = settings.in_flight * one_portfolio_each
    return smallest_total(settings.weights(), [one_portfolio_each, overdrawn + one_portfolio_each])


def build(task: Task) -> Members:
    """The best of n portfolios that were searched for independently, each as a whole."""
    settings = read_table(TwoPhaseSettings, task.options, "[method]")
    budget = Budget(task.budget, settings.weights())
    establish_references(task, settings, budget, smallest_budget(task.outline))
    defaults = tuple(task.defaults)[: task.size]
    beside = task.size - len(defaults)
    drawn = task.sample(len(task.defaults) + settings.sessions * beside)[len(task.defaults) :]
    searches = [
        Search(
            instances=tuple(solved(task, task.instances)),
            rest=(),
            starts=(*defaults, *drawn[number * beside : (number + 1) * beside]),
            width=task.size,
            seed=seeds.derive(task.seed, "session", number),
            grant=budget.next_grant / settings.sessions,
            in_flight=settings.in_flight,
        )
        for number in range(settings.sessions)
    ]
    found = run_sessions(task, budget, "configuration", searches)
    return choose(task, settings, budget, "validation", (), [each.members for each in found]).chosen
