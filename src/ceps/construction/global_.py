"""GLOBAL: all members at once, as one configuration of K times as many parameters (Lindauer et al.)."""

from __future__ import annotations

from ceps import seeds
from ceps.construction.budget import Budget, Phase, smallest_total
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import choose, establish_references, run_sessions, solved
from ceps.construction.scoring import race_at_worst
from ceps.construction.shared_settings import TwoPhaseSettings
from ceps.construction.tuner import Search
from ceps.tables import read_table


def smallest_budget(outline: Outline) -> float:
    settings = read_table(TwoPhaseSettings, outline.options, "[method]")
    return smallest_total(_phases(settings, outline))


def _phases(settings: TwoPhaseSettings, outline: Outline) -> list[Phase]:
    return settings.phases(settings.sessions * race_at_worst(outline.size, outline.metric))


def build(task: Task) -> Members:
    """The best of n portfolios that were searched for independently, each as a whole."""
    settings = read_table(TwoPhaseSettings, task.options, "[method]")
    budget = Budget(task.budget, _phases(settings, task.outline))
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
    found, _ = run_sessions(task, budget, "configuration", searches)
    return choose(task, settings, budget, "validation", (), [each.members for each in found]).chosen
