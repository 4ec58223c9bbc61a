"""PARHYDRA: one member after another, each for what it adds to those before it (Xu et al.; Lindauer et al.)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ceps import seeds
from ceps.construction.budget import Budget, Phase, smallest_total
from ceps.construction.comparison import Compared
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import choose, establish_references, run_sessions, solved
from ceps.construction.shared_settings import SessionSettings, Shares
from ceps.construction.tuner import Search
from ceps.tables import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ParhydraSettings(SessionSettings):
    """Settings of PARHYDRA, in a scenario beside ``name = "parhydra"``; ``sessions`` are those for every member."""

    shares: Shares = Shares(configuration=2.0, validation=1.0)  # noqa: RUF009 - a frozen value
    """Of every member. The paper's 2 h and 1 h; the number of members that run does not appear as in its formula,
    because only the new one runs."""


def smallest_budget(outline: Outline) -> float:
    settings = read_table(ParhydraSettings, outline.options, "[method]")
    return smallest_total(_phases(settings, outline))


def _phases(settings: ParhydraSettings, outline: Outline) -> list[Phase]:
    shares, n, cutoff = settings.shares, settings.sessions, outline.metric.cutoff
    return [
        phase
        for before in range(outline.size)
        for phase in (
            settings.search_phase(shares.configuration, n * (before + 1) * cutoff),
            Phase(shares.validation, (before + n) * cutoff),
        )
    ]


def build(task: Task) -> Members:
    """For every member in turn: n searches for it, and the one that helps most joins."""
    settings = read_table(ParhydraSettings, task.options, "[method]")
    budget = Budget(task.budget, _phases(settings, task.outline))
    establish_references(task, settings, budget, smallest_budget(task.outline))
    members: Members = ()
    starts: Members = tuple(task.defaults)
    for number in range(1, task.size + 1):
        searches = [
            Search(
                instances=tuple(solved(task, task.instances)),
                rest=members,
                starts=starts,
                seed=seeds.derive(task.seed, "session", number, session),
                grant=budget.next_grant / settings.sessions,
                in_flight=settings.in_flight,
            )
            for session in range(settings.sessions)
        ]
        found, _ = run_sessions(task, budget, f"configuration {number}", searches)
        newcomers = [(each.configuration,) for each in found]
        compared = choose(task, settings, budget, f"validation {number}", members, newcomers)
        members, starts = compared.chosen, runner_up(compared) or starts
    return members


def runner_up(compared: Compared) -> Members:
    """Of the newcomers that were not chosen, the one that would help the new portfolio most; none when n = 1."""
    best = compared.scores[compared.best].min(axis=1)
    others = [index for index in range(len(compared.candidates)) if index != compared.best]
    # A newcomer's score is exact where it is below that of the members before, so it is where it would help.
    helped = {index: np.minimum(best, compared.scores[index][:, -1]).mean() for index in others}
    return tuple(compared.candidates[index][-1] for index in sorted(others, key=lambda index: helped[index])[:1])
