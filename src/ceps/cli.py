"""The command line: parses, delegates, and shows. Nothing else."""

from __future__ import annotations

import dataclasses
import json
import os
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from ceps import __version__, building, rehearsal
from ceps.build_view import BuildView
from ceps.console import RaceView, Steps, Voice, number
from ceps.errors import UserError
from ceps.evaluation.protocol import Repeat
from ceps.evaluation.session import Evaluated, Plan, run_plan
from ceps.execution.local import LocalExecutor, available_cores
from ceps.metrics import METRICS, metric_named
from ceps.options import check_solution_file, known_costs, make_folder, memory_limit, quantity
from ceps.portfolio import Portfolio
from ceps.problems import PROBLEMS, problem_named, problem_of_file
from ceps.problems.collect import read_instances
from ceps.settings import read_scenario
from ceps.solve import Answer, default_portfolio, race
from ceps.store import Reference
from ceps.tables import duration, naming
from ceps.texts import (
    answer_text,
    built_text,
    components_text,
    counted,
    cpu_text,
    evaluated_table,
    evaluated_text,
    outcome_text,
    plan_text,
    raw_text,
)

# No markup and no emoji: names of files and instances are printed as they are.
_out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
_err = Voice()


class _Commands(TyperGroup):
    """Mistakes of the user exit with 2 and a message, an interrupt with 130."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            _err.print(f"ceps: {error}", style="red")
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            _err.print("ceps: stopped; nothing is left running")
            raise typer.Exit(130) from interrupt


app = typer.Typer(
    name="ceps",
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
_Seed = Annotated[int, typer.Option(help="All randomness is derived from it.")]
_Memory = Annotated[str, typer.Option(help="What one run may use: bytes, or a text such as 512MiB.")]


def main() -> None:
    """Entry point."""
    app()


def _version(asked: bool) -> None:
    if asked:
        _out.print(f"ceps {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Build parallel algorithm portfolios from a handful of instances, and solve with them every day."""


@app.command()
def generate(
    problem: Annotated[str, typer.Argument(help=f"The problem class: {', '.join(PROBLEMS)}.")],
    count: Annotated[int, typer.Option(min=1, help="How many instances.")] = 1,
    instance_size: Annotated[
        int, typer.Option("--size", min=1, help="How large: for the TSP, the number of cities.")
    ] = 400,
    generator: Annotated[str, typer.Option(help="Which generator.")] = "uniform",
    seed: Annotated[int, typer.Option(help="Seed of the first instance; the next ones count up from it.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
) -> None:
    """Make instances.

    **Example:** `ceps generate tsp --generator uniform --size 400 --count 5 --seed 1 --out data/train`
    """
    chosen = problem_named(problem)
    with Steps(_err, {"Generating": count, "Writing": count}) as steps:
        instances = []
        for index in range(count):
            with naming("--generator"):
                instances.append(chosen.generate(generator, instance_size, seed + index))
            steps.done("Generating")
        paths = [out / f"{instance.name}{chosen.suffixes[0]}" for instance in instances]
        if existing := [path for path in paths if os.path.exists(path) and not force]:
            raise UserError(f"{existing[0]} exists; use another --out or --seed, or --force to overwrite")
        make_folder(out)
        for instance, path in zip(instances, paths, strict=True):
            chosen.write(instance, path)
            steps.done("Writing")
    _out.print(f"{counted(count, 'instance')} in {out}")


@app.command()
def check(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
) -> None:
    """Read a scenario, find everything it names, and make one short run per solver. The first thing to try.

    **Example:** `ceps check scenario.toml`
    """
    settings = read_scenario(scenario)
    cast = rehearsal.assemble(settings, scenario.parent, str(scenario))
    workers = settings.execution.workers or available_cores()
    _warn_of_sharing(workers, "workers")
    planned = building.plan(settings, cast, str(scenario), workers)
    _out.print(
        f"{scenario}: {counted(len(cast.instances), 'training instance')} of problem '{cast.problem.name}', "
        f"{cast.metric.name} with cut-off {cast.metric.cutoff:g} s, {counted(workers, 'worker')}"
    )
    failed = False
    with LocalExecutor(workers=1) as executor:
        for made in rehearsal.rehearse(cast, settings, executor):
            _out.print(f"\n{made.solver.name}, {made.solver.version}, on {made.instance.name}", style="bold")
            _section("Call", made.call)
            cpu, wall, memory = made.limits.cpu, made.limits.wall_guard, made.limits.memory / 1024**2
            _section("Limits", f"CPU {cpu:g} s, wall {wall:g} s, memory {memory:.0f} MiB")
            outcome = made.outcome.result()
            _section("Raw outcome", raw_text(outcome))
            _section("Parsed outcome", outcome_text(outcome))
            failed = failed or outcome.cost is None
    no_budget = "no [budget]: this scenario can be checked, but not built"
    _section("\nPlan of a build", no_budget if planned is None else plan_text(planned, workers))
    if failed:
        _err.print("ceps: a solver found no valid solution; see its outcome above", style="red")
        raise typer.Exit(1)


@app.command()
def build(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
    out: Annotated[Path, typer.Option(help="Run directory; the same again = resume.")],
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Runs at a time. Default: the scenario's, or one per core.", show_default=False),
    ] = None,
) -> None:
    """Build a portfolio. Stopped or killed, start it again with the same command: it goes on where it was.

    Writes portfolio.initial.json, portfolio.json (after every iteration) and the run history into the run directory.

    **Example:** `ceps build scenario.toml --out runs/a`
    """
    settings = read_scenario(scenario)
    count = workers or settings.execution.workers or available_cores()
    _warn_of_sharing(count, "workers")
    try:
        with LocalExecutor(count) as executor, BuildView(_err) as view:
            built = building.build(settings, scenario.parent, str(scenario), executor, out, view)
    except KeyboardInterrupt:
        _err.print(f"ceps: finished runs are kept in {out}: the same command again goes on from there")
        raise
    _out.print(built_text(built))
    _out.print(f"portfolio in {out / 'portfolio.json'}", style="bold")


@app.command()
def solve(
    instance: Annotated[Path, typer.Argument(help="An instance file, such as city.tsp.")],
    portfolio: Annotated[
        Path | None,
        typer.Option(help="A portfolio.json. Default: the default configuration of LKH.", show_default=False),
    ] = None,
    time: Annotated[str, typer.Option(help="Wall-clock limit: seconds, or a text such as 5min.")] = "10",
    target: Annotated[
        float | None, typer.Option(help="Stop when a cost this low is found.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write the solution to.", show_default=False)] = None,
    seed: _Seed = 1,
    memory: _Memory = "2GiB",
    as_json: _Json = False,
) -> None:
    """Race a portfolio on one instance; the best verified answer counts.

    Ctrl-C ends the race early: the best answer so far is shown, and written to --out.

    **Example:** `ceps solve city.tsp --portfolio runs/a/portfolio.json --time 10 --out city.tour`
    """
    problem = problem_of_file(instance)
    read = problem.read(instance)
    chosen = default_portfolio(problem.name) if portfolio is None else _load(portfolio)
    if chosen.problem != problem.name:
        raise UserError(f"{portfolio}: this portfolio is for problem '{chosen.problem}', not '{problem.name}'")
    seconds, most_memory = quantity("--time", duration, time), memory_limit(memory)
    if target is not None and not isfinite(target):
        raise UserError(f"--target {target}: must be a finite cost")
    if out is not None:
        check_solution_file(out, instance, portfolio)
    _warn_of_sharing(len(chosen), "components")
    with RaceView(_err, chosen, seconds) as view:
        answer = race(chosen, read, seconds, target, seed, most_memory, view.show)
    unwritten = None
    if out is not None and answer.cost is not None:
        try:
            problem.write_solution(read, answer.solution, answer.cost, out)
        except UserError as error:
            unwritten = error  # The answer is shown all the same.
    _show_answer(answer, chosen, None if unwritten else out, as_json)
    if unwritten is not None:
        raise unwritten
    if answer.interrupted:
        raise typer.Exit(130)
    if answer.cost is None:
        raise typer.Exit(1)


@app.command()
def evaluate(
    instances: Annotated[list[str], typer.Argument(help="Instance files, folders or patterns.")],
    portfolio: Annotated[Path, typer.Option(help="A portfolio.json.")],
    repeats: Annotated[int, typer.Option(min=1, help="Runs per instance; the median counts.")] = 3,
    metric: Annotated[
        str | None, typer.Option(help=f"{' or '.join(METRICS)}. Default: the portfolio's own.", show_default=False)
    ] = None,
    cutoff: Annotated[
        str | None,
        typer.Option(help="CPU limit of a run: seconds, or 5min. Default: the portfolio's own.", show_default=False),
    ] = None,
    optima: Annotated[
        Path | None,
        typer.Option(
            help='JSON file of costs that count as solved, by instance file: {"city.tsp": 20929498}.',
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory that remembers every run: the same command again goes on from there.", show_default=False
        ),
    ] = None,
    seed: _Seed = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Runs at a time. Default: one per core.", show_default=False)
    ] = None,
    memory: _Memory = "2GiB",
    as_json: _Json = False,
) -> None:
    """Score a portfolio on instances it has not seen.

    Costs that count as solved are taken from --optima, or found by consensus of independent runs.

    **Example:** `ceps evaluate data/test/ --portfolio runs/a/portfolio.json --repeats 3 --out runs/a-test`
    """
    chosen = _load(portfolio)
    seconds = chosen.metric.cutoff if cutoff is None else quantity("--cutoff", duration, cutoff)
    penalty = chosen.metric.penalty if metric in (None, chosen.metric.name) else None
    with naming(str(portfolio) if metric is None else "--metric"):
        chosen_metric = metric_named(metric or chosen.metric.name, seconds, penalty)
    read = read_instances(problem_named(chosen.problem), instances, Path(), "INSTANCES")
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
        with LocalExecutor(workers) as executor:
            evaluated = _run_plan(plan, executor, out)
    except KeyboardInterrupt:
        if out is not None:
            _err.print(f"ceps: finished runs are kept in {out}: the same command again goes on from there")
        raise
    _show_evaluated(plan, evaluated, as_json)


def _run_plan(plan: Plan, executor: LocalExecutor, out: Path | None) -> Evaluated:
    sought = [instance for instance in plan.instances if instance.name not in plan.known]
    stages = {
        "References": len(sought) if plan.metric.uses_target else 0,
        "Evaluating": len(plan.instances) * plan.repeats,
    }
    with Steps(_err, stages) as steps:

        def on_reference(instance: Any, reference: Reference | None) -> None:
            found = "none found" if reference is None else f"{number(reference.cost)} ({reference.source})"
            steps.done("References", f"{instance.name}: {found}")

        def on_repeat(instance: Any, repeat: Repeat) -> None:
            steps.done("Evaluating", f"{instance.name}: {repeat.score:.4g}")

        return run_plan(plan, executor, out, on_reference, on_repeat)


def _show_answer(answer: Answer, portfolio: Portfolio, out: Path | None, as_json: bool) -> None:
    if as_json:
        keys = ("cost", "status", "component", "cpu", "wall", "solution")
        print(json.dumps({key: getattr(answer, key) for key in keys}))
        return
    _out.print(components_text(answer, portfolio))
    if answer.cost is None:
        _err.print("ceps: no component found a valid solution", style="red")
    else:
        _out.print(answer_text(answer, out), style="bold")


def _show_evaluated(plan: Plan, evaluated: Evaluated, as_json: bool) -> None:
    if as_json:
        report = evaluated.report
        print(json.dumps({**dataclasses.asdict(report), "instances": len(report.per_instance)}))
        return
    _out.print(evaluated_table(evaluated))
    _out.print(evaluated_text(evaluated, plan), style="bold")
    _out.print(cpu_text(evaluated))


def _warn_of_sharing(count: int, what: str) -> None:
    if count > available_cores():
        cores = counted(available_cores(), "core")
        _err.print(f"{count} {what} share {cores}: each gets less than its full speed")


def _section(title: str, text: str) -> None:
    _out.print(title, style="dim")
    for line in text.rstrip().splitlines():
        _out.print(f"  {line}")


def _load(path: Path) -> Portfolio:
    """The portfolio in a file. It may be a stranger's, and its settings may name a program: show them."""
    portfolio = Portfolio.load(path)
    for name, settings in portfolio.solver_settings.items():
        for key, value in settings.items():
            _err.print(f"{path}: {name} runs with {key} = {value}")
    return portfolio
