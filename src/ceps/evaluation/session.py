"""An evaluation from portfolio and instances to report: references, runs, and the run directory that remembers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ceps import __version__
from ceps.contradictions import told
from ceps.errors import UserError
from ceps.evaluation.protocol import Repeat, Report, evaluate
from ceps.evaluator import Evaluator
from ceps.execution.executor import Executor
from ceps.files import content_of
from ceps.metrics import Metric
from ceps.portfolio import Portfolio
from ceps.problems.described import DescribedProblem
from ceps.problems.text import name_of
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers import exact_solver, reference_consensus
from ceps.store import Reference, Store, history
from ceps.tables import as_float, brief

EVALUATION = "evaluation"
"""What the store calls the conclusion of an evaluation."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be evaluated, and how."""

    portfolio: Portfolio
    instances: Sequence[Any]
    metric: Metric
    repeats: int
    seed: int
    memory: int
    known: Mapping[str, float]
    """Costs that count as solved, by instance name. For the others they are found by consensus."""

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise UserError(f"--repeats {self.repeats}: at least one is needed")
        if self.portfolio.problem_class.target is not None and not self.metric.uses_target:
            raise UserError(
                f"--metric {self.metric.name}: compares costs, and problem '{self.portfolio.problem}' is a decision "
                "problem; use --metric par10"
            )

    def identity(self) -> dict[str, Any]:
        """What a run directory of this evaluation belongs to. Portfolios that are compared may share one."""
        return {
            "purpose": "evaluation",
            "problem": self.portfolio.problem,
            "problem_settings": dict(self.portfolio.problem_settings),
            **({"problem_version": version} if (version := self.portfolio.problem_class.version) else {}),
            "metric": self.metric.name,
            "cutoff": self.metric.cutoff,
            "penalty": self.metric.penalty,
            "memory": self.memory,
            "seed": self.seed,
            "versions": {"ceps": __version__},
        }

    def places(self) -> set[str]:
        """Where a description stands does not matter: the version of the problem tells what is in it."""
        return {"problem_settings.file"} if isinstance(self.portfolio.problem_class, DescribedProblem) else set()


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The report, and what it took in CPU seconds."""

    report: Report
    cpu_charged: float
    cpu_references: float
    cpu_spent: float
    runs_made: int
    warnings: Sequence[str]
    """Of answers that contradict each other."""


def run_plan(
    plan: Plan,
    executor: Executor,
    out: Path | None,
    on_reference: Callable[[Any, Reference | None], None] = lambda instance, reference: None,
    on_repeat: Callable[[Any, Repeat], None] = lambda instance, repeat: None,
) -> Evaluated:
    """Evaluate. With a directory ``out`` every run is remembered there, and found again the next time."""
    problem = plan.portfolio.problem_class
    solvers = plan.portfolio.solvers()
    with Store.in_memory() if out is None else Store.open(out, plan.identity(), plan.places()) as store:
        store.begin_sitting(executor.slots)
        runner = Runner(store, executor)
        references = References(
            problem=problem,
            consensus=reference_consensus(problem.name, plan.portfolio.solver_settings),
            exact=exact_solver(problem.name),
            runner=runner,
            effort=Effort(cpu=plan.metric.cutoff),
            seed=plan.seed,
            memory=plan.memory,
        )
        if plan.metric.uses_target:
            for instance in plan.instances:
                if instance.name in plan.known:
                    references.know(instance, plan.known[instance.name], "given")
            references.establish(plan.instances, on_reference)
        if problem.target is not None:
            # Several evaluations may share a directory: what runs of one have found judges those of all.
            references.findings.add(history.findings(store))
            references.settle(plan.instances)
        evaluator = Evaluator(problem, solvers, plan.metric, runner, references, plan.memory)
        report = evaluate(plan.portfolio, plan.instances, evaluator, plan.repeats, plan.seed, on_repeat)
        _conclude(store, plan, report)
        return Evaluated(
            report,
            evaluator.cpu_charged,
            references.cpu_charged,
            runner.cpu_spent,
            runner.runs_made,
            told(history.contradictions(store)),
        )


def _conclude(store: Store, plan: Plan, report: Report) -> None:
    """Note who was evaluated: several portfolios may share a directory, the last one stays."""
    for member in plan.portfolio.members:
        store.add_configuration(member)
    members = [member.id for member in plan.portfolio.members]
    store.conclude(EVALUATION, {"members": members, "score": report.score, "timeouts": report.timeouts})


def read_known_costs(path: Path) -> dict[str, float]:
    """Costs that count as solved: an object of file names (or stems) and costs, or what ``ceps reference`` prints."""
    try:
        table = json.loads(content_of(path))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not a JSON file: {error}") from error
    if isinstance(table, list) and all(isinstance(row, dict) and isinstance(row.get("file"), str) for row in table):
        table = {row["file"]: row.get("cost") for row in table}
    if not isinstance(table, dict):
        raise UserError(f'{path}: must be an object such as {{"city.tsp": 20929498}}')
    for name, cost in table.items():
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not isfinite(as_float(cost)):
            raise UserError(f"{path}: {brief(name)} must be a number, not {brief(cost)}")
    return {name_of(Path(name)): cost for name, cost in table.items()}
