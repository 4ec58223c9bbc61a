"""``ceps evaluate``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ceps.box import boxed_portfolio
from ceps.cli.shared import Json, Memory, Seed, Trust, Workers, answers, load_portfolio, messages
from ceps.console import Steps, number
from ceps.errors import UserError
from ceps.evaluation.best_known import BestKnown, Comparison, compare, read_best_known
from ceps.evaluation.protocol import Repeat
from ceps.evaluation.session import Evaluated, Plan, run_plan
from ceps.execution.backends import executor_of
from ceps.execution.executor import Executor
from ceps.metrics import METRICS, Metric, metric_named
from ceps.options import known_costs, memory_limit, quantity
from ceps.problems.collect import problem_of_instances, read_instances
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.settings import ExecutionSettings
from ceps.store import Reference
from ceps.tables import duration, naming
from ceps.texts import best_known_table, cpu_text, evaluated_table, evaluated_text


def evaluate(
    instances: Annotated[list[str], typer.Argument(help="Instance files, folders or patterns.")],
    portfolio: Annotated[
        Path | None, typer.Option(help="A portfolio.json. Default: the one in the box.", show_default=False)
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs per instance; the median counts.")] = 3,
    metric: Annotated[
        str | None, typer.Option(help=f"{' or '.join(METRICS)}. Default: the portfolio's own.", show_default=False)
    ] = None,
    cutoff: Annotated[
        str | None,
        typer.Option(help="CPU limit of a run: seconds, or 5min. Default: the portfolio's own.", show_default=False),
    ] = None,
    penalty: Annotated[
        float | None,
        typer.Option(
            min=1e-9, help="PANC of a run without a solution. Default: the portfolio's own.", show_default=False
        ),
    ] = None,
    optima: Annotated[
        Path | None,
        typer.Option(
            help='JSON file of costs that count as solved, by instance file: {"city.tsp": 20929498}.',
            show_default=False,
        ),
    ] = None,
    best_known: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of the best solutions known, with the columns instance, vehicles and distance: shows on how "
            "many instances the portfolio is better, not worse and worse, by family.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory that remembers every run: the same command again goes on from there.", show_default=False
        ),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    memory: Memory = "2GiB",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Score a portfolio on instances it has not seen.

    Costs that count as solved are taken from --optima, or found by consensus of independent runs.

    **Example:** `ceps evaluate data/test/ --portfolio runs/a/portfolio.json --repeats 3 --out runs/a-test`

    **Example:** `ceps evaluate wang_chen/ --cutoff 20 --repeats 1 --best-known wang_chen/best_known.csv`
    """
    if portfolio is None:
        chosen = boxed_portfolio(problem_of_instances(instances, Path(), "INSTANCES").name, messages.print)
    else:
        chosen = load_portfolio(portfolio, trust)
    seconds = chosen.metric.cutoff if cutoff is None else quantity("--cutoff", duration, cutoff)
    if penalty is None and metric in (None, chosen.metric.name):
        penalty = chosen.metric.penalty
    with naming(str(portfolio) if metric is None else "--metric"):
        chosen_metric = metric_named(metric or chosen.metric.name, seconds, penalty)
    read = read_instances(chosen.problem_class, instances, Path(), "INSTANCES")
    best = None if best_known is None else _best_known(best_known, chosen.problem, chosen_metric, read)
    plan = Plan(
        portfolio=chosen,
        instances=read,
        metric=chosen_metric,
        repeats=repeats,
        seed=seed,
        memory=memory_limit(memory),
        known={} if optima is None else known_costs(optima, read),
    )
    try:
        with executor_of(ExecutionSettings(), workers) as executor:
            evaluated = _run_plan(plan, executor, out)
    except KeyboardInterrupt:
        if out is not None:
            messages.print(f"ceps: finished runs are kept in {out}: the same command again goes on from there")
        raise
    comparison = None if best is None else compare(read, evaluated.report.per_instance, best)
    _show_evaluated(plan, evaluated, comparison, as_json)


def _best_known(path: Path, problem: str, metric: Metric, instances: list[Any]) -> dict[str, BestKnown]:
    if problem != Vrpspdtw().name:
        raise UserError(f"--best-known {path}: vehicles and distance are no cost of problem '{problem}'; remove it")
    if metric.uses_target:
        raise UserError(f"--best-known {path}: {metric.name} does not compare costs; add --metric panc")
    return read_best_known(path, instances)


def _run_plan(plan: Plan, executor: Executor, out: Path | None) -> Evaluated:
    sought = [instance for instance in plan.instances if instance.name not in plan.known]
    stages = {
        "References": len(sought) if plan.metric.uses_target else 0,
        "Evaluating": len({instance.id for instance in plan.instances}) * plan.repeats,
    }
    with Steps(messages, stages) as steps:

        def on_reference(instance: Any, reference: Reference | None) -> None:
            found = "none found" if reference is None else f"{number(reference.cost)} ({reference.source})"
            steps.done("References", f"{instance.name}: {found}")

        def on_repeat(instance: Any, repeat: Repeat) -> None:
            steps.done("Evaluating", f"{instance.name}: {repeat.score:.4g}")

        return run_plan(plan, executor, out, on_reference, on_repeat)


def _show_evaluated(plan: Plan, evaluated: Evaluated, comparison: Comparison | None, as_json: bool) -> None:
    for result in evaluated.report.per_instance:
        given = plan.known.get(result.instance)
        if given is not None and result.reference is not None and result.reference < given:
            messages.print(
                f"{result.instance}: the given cost {number(given)} was beaten by {number(result.reference)}; this may "
                "not be the best either, so its score is not to be trusted: ceps reference finds a better cost"
            )
    for message in evaluated.warnings:
        messages.print(f"warning: {message}", style="yellow")
    if as_json:
        report = evaluated.report
        beside = {} if comparison is None else {"best_known": dataclasses.asdict(comparison)}
        told = {"instances": len(report.per_instance), "warnings": evaluated.warnings}
        print(json.dumps({**dataclasses.asdict(report), **told, **beside}))
        return
    answers.print(evaluated_table(evaluated))
    if comparison is not None:
        answers.print(best_known_table(comparison, plan.repeats))
    answers.print(evaluated_text(evaluated, plan), style="bold")
    answers.print(cpu_text(evaluated))
