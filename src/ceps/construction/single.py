"""Single: one tuned configuration of one solver, such as the paper's LKH-tuned and EAX-tuned; a portfolio of one."""

from __future__ import annotations

from dataclasses import dataclass

from ceps import seeds
from ceps.construction.budget import Budget, Phase, smallest_total
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import choose, establish_references, run_sessions, solved
from ceps.construction.shared_settings import TwoPhaseSettings
from ceps.construction.tuner import Search
from ceps.errors import UserError, did_you_mean
from ceps.tables import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleSettings(TwoPhaseSettings):
    """Settings of the search for one configuration, in a scenario beside ``name = "single"``."""

    solver: str | None = None
    """The solver that is tuned. It may be left out where the scenario has only one."""


def smallest_budget(outline: Outline) -> float:
    settings = read_table(SingleSettings, outline.options, "[method]")
    _tuned_solver(settings, outline)
    return smallest_total(_phases(settings, outline))


def _phases(settings: SingleSettings, outline: Outline) -> list[Phase]:
    return settings.phases(settings.sessions * outline.metric.cutoff)


def build(task: Task) -> Members:
    """The best of n configurations that were searched for independently. [portfolio] size has no say here."""
    settings = read_table(SingleSettings, task.options, "[method]")
    budget = Budget(task.budget, _phases(settings, task.outline))
    solver = _tuned_solver(settings, task.outline)
    establish_references(task, settings, budget, smallest_budget(task.outline))
    searches = [
        Search(
            instances=tuple(solved(task, task.instances)),
            rest=(),
            starts=tuple(default for default in task.defaults if default.solver == solver),
            seed=seeds.derive(task.seed, "session", number),
            grant=budget.next_grant / settings.sessions,
            in_flight=settings.in_flight,
            solver=solver,
        )
        for number in range(settings.sessions)
    ]
    found, _ = run_sessions(task, budget, "configuration", searches)
    candidates = [(each.configuration,) for each in found]
    return choose(task, settings, budget, "validation", (), candidates).chosen


def _tuned_solver(settings: SingleSettings, outline: Outline) -> str:
    solvers = outline.solvers
    named = ", ".join(solvers)
    if settings.solver is None and len(solvers) > 1:
        raise UserError(f"[method] solver is missing: say which of {named} is tuned")
    solver = settings.solver or solvers[0]
    if solver not in solvers:
        hint = did_you_mean(solver, solvers)
        raise UserError(f"[method] solver = '{solver}' is not in [portfolio] solvers = {named}.{hint}")
    if solver not in outline.tunable:
        raise UserError(
            f"[method] solver = '{solver}' has no parameters, so there is nothing to search; describe those that may "
            "be tuned, or name another one"
        )
    return solver
