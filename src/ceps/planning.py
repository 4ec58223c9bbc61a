"""What a build will take, and what none can do with what is given: told before anything is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from ceps.construction.features import feature_rows
from ceps.construction.method import Limited, Outline
from ceps.construction.methods import method_named
from ceps.errors import UserError
from ceps.problems import Problem
from ceps.references import Effort
from ceps.rehearsal import Cast
from ceps.settings import Scenario
from ceps.solvers import Solver
from ceps.tables import naming


class BudgetError(UserError):
    """A budget with which a method cannot begin."""

    def __init__(self, message: str, smallest: float) -> None:
        super().__init__(message)
        self.smallest = smallest


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build will take, as far as that can be said before."""

    budget: float
    smallest_budget: float
    """CPU seconds with which every phase has its first runs, references included."""
    wall: float
    """Seconds on the given workers, when they are kept busy."""
    runs: int
    """Solver runs, when each lasts its cut-off, or half of it where it may stop at a target."""


def plan(scenario: Scenario, cast: Cast, named: str, workers: int) -> Plan | None:
    """The plan of a scenario; None when it has no budget. What cannot be built is refused, before anything is run."""
    effort = Effort(cpu=scenario.references.cpu or cast.metric.cutoff)
    cpu_of_reference = effort.runs * effort.cpu if _needs_references(cast) else 0.0
    with naming(named):
        _refuse_nothing_to_search(cast.solvers)
        smallest = method_named(scenario.method.name).smallest_budget(
            Outline(
                problem=cast.problem,
                solvers=[solver.name for solver in cast.solvers],
                tunable=[solver.name for solver in cast.solvers if len(solver.space)],
                metric=cast.metric,
                instances=cast.instances,
                size=scenario.portfolio.size,
                cpu_of_reference=cpu_of_reference,
                options=scenario.method.options,
            )
        )
    if scenario.budget is None:
        return None
    charged = bool(scenario.method.options.get("charge_references", True))
    sought = references_sought(cast, cast.instances) if charged else 0
    smallest += sought * cpu_of_reference
    budget = scenario.budget.cpu
    if budget < smallest:
        raise BudgetError(
            f"{named}: [budget] cpu = {budget:g} s is too little for method '{scenario.method.name}': "
            f"{f'references of {sought} instances and ' if sought else ''}"
            "the first runs of every phase may take all of it; give at least "
            f"{ceil(smallest)} s, or lower the cut-off, the portfolio's size, the number of instances or of sessions",
            smallest,
        )
    lasts = (0.5 if cast.metric.uses_target else 1.0) * cast.metric.cutoff
    return Plan(budget, smallest, budget / workers, round(budget / lasts))


def references_sought(cast: Cast, instances: Sequence[Any]) -> int:
    """Of how many instances the cost that counts as solved is to be looked for."""
    return sum(instance.name not in cast.known for instance in instances) if _needs_references(cast) else 0


def _needs_references(cast: Cast) -> bool:
    return cast.metric.uses_target and cast.problem.target is None


def _refuse_nothing_to_search(solvers: Sequence[Solver]) -> None:
    """Of several solvers without parameters there is at least one to be chosen."""
    if len(solvers) == 1 and not len(solvers[0].space):
        raise UserError(
            f"solver '{solvers[0].name}' has no parameters, so there is nothing to search; describe those that may be "
            "tuned, or name another solver"
        )


def refuse_uneven_features(problem: Problem, instances: Sequence[Any], named: str) -> None:
    """Features that training instances do not have in common would end a build when it first compares them."""
    with naming(named):
        feature_rows(problem, instances)


def cautions(method: str, cast: Cast) -> list[str]:
    """What people should know before a build."""
    return [*limitations(method, cast), *twins(cast.instances), *strangers(cast)]


def twins(instances: Sequence[Any]) -> list[str]:
    """Training instances that differ in nothing but their names, for people."""
    names: dict[str, list[str]] = {}
    for instance in instances:
        names.setdefault(instance.id, []).append(instance.name)
    return [
        f"{_few(same)} have the same content: it counts {len(same)} times in every mean"
        for same in names.values()
        if len(same) > 1
    ]


def strangers(cast: Cast) -> list[str]:
    """Costs that are given for instances that are not there, while they are missing for some that are, for people."""
    if not _needs_references(cast):
        return []
    missing = [instance.name for instance in cast.instances if instance.name not in cast.known]
    unused = sorted(set(cast.known) - {instance.name for instance in cast.instances})
    if not missing or not unused:
        return []
    return [
        f"[references] known has costs of {_few(unused)}, which no training instance is called, and none of "
        f"{_few(missing)}: it is looked for"
    ]


def _few(names: Sequence[str]) -> str:
    return f"{', '.join(names[:5])}{' …' if len(names) > 5 else ''}"


def limitations(method: str, cast: Cast) -> list[str]:
    """What a method cannot do with a problem, for people."""
    found = method_named(method)
    return found.limitations(cast.problem) if isinstance(found, Limited) else []
