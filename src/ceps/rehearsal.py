"""One short run per solver of a scenario, shown whole: the first thing to try."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceps import seeds
from ceps.contradictions import Contradiction, truth_of
from ceps.errors import UserError
from ceps.evaluation.session import read_known_costs
from ceps.execution.executor import Executor, Run
from ceps.findings import Findings, finding_of
from ceps.metrics import Metric, metric_named
from ceps.problems import Problem, problem_named
from ceps.problems.collect import read_instances
from ceps.problems.described import DescribedProblem, Trial
from ceps.records import Limits, Outcome
from ceps.settings import Scenario
from ceps.solvers import Solver, solver_named
from ceps.solvers.solver import default_configuration
from ceps.tables import naming

LONGEST = 2.0
"""CPU seconds of a rehearsal run, at most."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything a scenario names, found and checked."""

    problem: Problem
    instances: list[Any]
    solvers: list[Solver]
    metric: Metric
    known: Mapping[str, float] = field(default_factory=dict)
    """Costs that count as solved, by the names of instances, as far as they are given."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One solver's short run: what is called, with which limits, and what will come of it."""

    solver: Solver
    instance: Any
    call: str
    limits: Limits
    outcome: Future[Outcome]


def assemble(scenario: Scenario, base: Path, named: str, key: str = "train") -> Cast:
    """Find what a scenario names.

    ``base`` is the folder it stands in; in messages it is called ``named``, and its key of instance files ``key``.
    """
    if "file" not in scenario.problem.settings:
        with naming(f"{named}: [problem] name"):
            problem_named(scenario.problem.name)
    with naming(named):
        problem = problem_named(scenario.problem.name, scenario.problem.settings, base)
        metric = metric_named(scenario.metric.name, scenario.metric.cutoff, scenario.metric.penalty)
        for name, settings in scenario.solvers.items():
            solver_named(name, settings, base)
    with naming(f"{named}: [portfolio] solvers"):
        solvers = [solver_named(name, scenario.solvers.get(name, {}), base) for name in scenario.portfolio.solvers]
    if problem.target is not None and not metric.uses_target:
        raise UserError(
            f"{named}: [metric] name = '{metric.name}' compares costs, and problem '{problem.name}' is a decision "
            f"problem; use name = 'par10'"
        )
    for solver in solvers:
        if problem.name not in solver.problems:
            raise UserError(
                f"{named}: [portfolio] solvers: '{solver.name}' does not solve problem '{problem.name}'; remove it"
            )
    known: Mapping[str, float] = {}
    if scenario.references.known is not None:
        with naming(f"{named}: [references] known"):
            known = read_known_costs(base / scenario.references.known)
    return Cast(problem, _instances(scenario, problem, base, named, key), solvers, metric, known)


def _instances(scenario: Scenario, problem: Problem, base: Path, named: str, key: str) -> list[Any]:
    made = scenario.problem.generate
    if made is None:
        return read_instances(problem, scenario.problem.train, base, f"{named}: [problem] {key}")
    with naming(f"{named}: [problem.generate]"):
        # Derived seeds: scenarios with neighbouring seeds have unrelated instances.
        chosen = [seeds.derive(scenario.seed, "generate", index) for index in range(made.count)]
        names = list(problem.generators) if made.generator == "all" else [made.generator]
        return [problem.generate(name, made.size, seed, made.parameters) for name in names for seed in chosen]


def trials(cast: Cast) -> Iterator[Trial]:
    """The commands of a described problem that need an instance only, each tried once on the first."""
    if isinstance(cast.problem, DescribedProblem):
        yield from cast.problem.trials(cast.instances[0])


def checks(cast: Cast, made: Rehearsal) -> Iterator[Trial]:
    """The program of a described problem that checks solutions, tried on what a rehearsal has found."""
    if isinstance(cast.problem, DescribedProblem):
        yield from cast.problem.checks(made.instance, made.outcome.result().solution)


def rehearse(cast: Cast, scenario: Scenario, executor: Executor) -> Iterator[Rehearsal]:
    """One short run per solver, of its default configuration on the first instance.

    Its target is that of the problem, if it has one for all instances: others have not been looked for yet. Each run is
    yielded when it starts, so that people can see what is called before it ends. Raises
    :class:`~ceps.errors.UserError` after the last one, for what their outcomes have shown and no build could bear.
    """
    made = []
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
            target=cast.problem.target,
        )
        call = solver.describe(configuration.as_dict())
        made.append(Rehearsal(solver, run.instance, call, limits, executor.submit(run)))
        yield made[-1]
    answered = [(each.solver.name, each.outcome.result()) for each in made if each.outcome.exception() is None]
    _refuse_penalty(cast, [outcome for _, outcome in answered])
    _refuse_contradictions(cast, answered)


def _refuse_penalty(cast: Cast, outcomes: Iterable[Outcome]) -> None:
    """A penalty that solutions reach would end a build as soon as it has one."""
    scale = cast.problem.scale(cast.instances[0])
    for outcome in outcomes:
        cast.metric.score(outcome, scale)


def _refuse_contradictions(cast: Cast, answered: Sequence[tuple[str, Outcome]]) -> None:
    """Solvers that answer the same question differently: one of them is wrong, and had better be mended first."""
    first, findings = cast.instances[0], Findings()
    findings.add(found for _, outcome in answered if (found := finding_of(first.id, outcome)) is not None)
    truth = truth_of(findings.of(first.id))
    said = tuple((f"solver '{name}'", outcome.says) for name, outcome in answered if outcome.says)
    if truth is not None and len({says for _, says in said}) > 1:
        raise UserError(
            f"{Contradiction(first.id, first.name, said, truth)}. Mend the solver that is wrong, or how its output is "
            "read"
        )
