"""One short run per solver of a scenario, shown whole: the first thing to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceps import seeds
from ceps.errors import UserError
from ceps.execution.executor import Executor, Run
from ceps.metrics import Metric, metric_named
from ceps.problems import Problem, problem_named
from ceps.problems.collect import read_instances
from ceps.records import Limits, Outcome
from ceps.settings import Scenario
from ceps.solvers import Solver, solver_named
from ceps.solvers.solver import default_configuration

LONGEST = 2.0
"""CPU seconds of a rehearsal run, at most."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything a scenario names, found and checked."""

    problem: Problem
    instances: list[Any]
    solvers: list[Solver]
    metric: Metric


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One solver's short run: what was called, with which limits, and what came of it."""

    solver: Solver
    instance: Any
    call: str
    limits: Limits
    outcome: Outcome


def assemble(scenario: Scenario, base: Path, named: str) -> Cast:
    """Find what a scenario names. ``base`` is the folder it stands in, ``named`` what messages call it."""
    problem = problem_named(scenario.problem.name)
    metric = metric_named(scenario.metric.name, scenario.metric.cutoff, scenario.metric.penalty)
    solvers = [solver_named(name, scenario.solvers.get(name, {}), base) for name in scenario.portfolio.solvers]
    for solver in solvers:
        if problem.name not in solver.problems:
            raise UserError(f"{named}: [portfolio] solver '{solver.name}' does not solve problem '{problem.name}'")
    for name in scenario.solvers:
        solver_named(name, scenario.solvers[name], base)
    made = scenario.problem.generate
    if made is None:
        instances = read_instances(problem, scenario.problem.train, base, f"{named}: [problem] train")
    else:
        instances = [problem.generate(made.generator, made.size, scenario.seed + index) for index in range(made.count)]
    return Cast(problem, instances, solvers, metric)


def rehearse(cast: Cast, scenario: Scenario, executor: Executor) -> Iterator[Rehearsal]:
    """One short run per solver, of its default configuration on the first instance, without a target."""
    for solver in cast.solvers:
        configuration = default_configuration(solver)
        limits = Limits(min(cast.metric.cutoff, LONGEST), scenario.execution.memory)
        run = Run(
            problem=cast.problem,
            solver=solver,
            configuration=configuration,
            instance=cast.instances[0],
            seed=seeds.derive(scenario.seed, "rehearsal"),
            limits=limits,
        )
        outcome = executor.submit(run).result()
        yield Rehearsal(solver, run.instance, solver.describe(configuration.as_dict()), limits, outcome)
