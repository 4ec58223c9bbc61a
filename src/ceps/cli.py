"""The command line: parses, delegates, and shows. Nothing else."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ceps import __version__, rehearsal
from ceps.console import RaceView, Steps, number
from ceps.errors import UserError
from ceps.evaluation.protocol import Repeat
from ceps.evaluation.session import Evaluated, Plan, read_known_costs, run_plan
from ceps.execution.local import LocalExecutor, available_cores
from ceps.metrics import metric_named
from ceps.portfolio import Portfolio
from ceps.problems import problem_named, problem_of_file
from ceps.problems.collect import read_instances
from ceps.records import Outcome
from ceps.settings import read_scenario
from ceps.solve import Answer, default_portfolio, race
from ceps.store import Reference
from ceps.tables import duration, size

app = typer.Typer(
    name="ceps",
    help="Build parallel algorithm portfolios from a handful of instances, and solve with them every day.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
)
_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
_Seed = Annotated[int, typer.Option(help="All randomness is derived from it.")]
_Workers = Annotated[int | None, typer.Option(help="Runs at a time. Default: one per core.", show_default=False)]
_Memory = Annotated[str, typer.Option(help="What one run may use.")]


def main() -> None:
    """Entry point: mistakes of the user exit with 2 and a message, an interrupt with 130."""
    try:
        app(standalone_mode=True)
    except UserError as error:
        _err.print(f"ceps: {error}", style="red", markup=False)
        sys.exit(2)
    except KeyboardInterrupt:
        _err.print("ceps: stopped; nothing is left running")
        sys.exit(130)


def _version(asked: bool) -> None:
    if asked:
        _out.print(f"ceps {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Build parallel algorithm portfolios from a handful of instances, and solve with them every day."""


@app.command()
def generate(
    problem: Annotated[str, typer.Argument(help="The problem class: tsp.")],
    count: Annotated[int, typer.Option(min=1, help="How many instances.")] = 1,
    instance_size: Annotated[int, typer.Option("--size", help="How large: for the TSP, the number of cities.")] = 400,
    generator: Annotated[str, typer.Option(help="Which generator.")] = "uniform",
    seed: Annotated[int, typer.Option(help="Seed of the first instance; the next ones count up from it.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
) -> None:
    """Make instances.

    **Example:** `ceps generate tsp --generator uniform --size 400 --count 5 --seed 1 --out data/train`
    """
    chosen = problem_named(problem)
    instances = [chosen.generate(generator, instance_size, seed + index) for index in range(count)]
    paths = [out / f"{instance.name}{chosen.suffixes[0]}" for instance in instances]
    if existing := [path for path in paths if path.exists() and not force]:
        raise UserError(f"{existing[0]} exists; use another --out or --seed, or --force to overwrite")
    _make_folder(out)
    with Steps(_err, "Writing", count) as steps:
        for instance, path in zip(instances, paths, strict=True):
            chosen.write(instance, path)
            steps.done()
    _out.print(f"{count} instance{'s' if count > 1 else ''} in {out}")


@app.command()
def check(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
) -> None:
    """Read a scenario, find everything it names, and make one short run per solver. The first thing to try.

    **Example:** `ceps check scenario.toml`
    """
    settings = read_scenario(scenario)
    cast = rehearsal.assemble(settings, scenario.parent, str(scenario))
    _out.print(f"{scenario}: {len(cast.instances)} training instances of problem '{cast.problem.name}', "
               f"{cast.metric.name} with cut-off {cast.metric.cutoff:g} s, "
               f"{settings.execution.workers or available_cores()} workers")  # fmt: skip
    failed = False
    with LocalExecutor(workers=1) as executor:
        for made in rehearsal.rehearse(cast, settings, executor):
            _out.print(f"\n[bold]{made.solver.name}[/bold], {made.solver.version}, on {made.instance.name}")
            _section("Call", made.call)
            limits = made.limits
            _section(
                "Limits",
                f"CPU {limits.cpu:g} s, wall {limits.wall_guard:g} s, memory {limits.memory / 1024**2:.0f} MiB",
            )
            _section("Raw output", made.outcome.output or "(nothing)")
            _section("Outcome", _outcome_text(made.outcome))
            failed = failed or made.outcome.cost is None
    if failed:
        _err.print("ceps: a solver found no valid solution; see its outcome above", style="red")
        raise typer.Exit(1)


@app.command()
def solve(
    instance: Annotated[Path, typer.Argument(help="An instance file, such as city.tsp.")],
    portfolio: Annotated[
        Path | None, typer.Option(help="A portfolio.json. Default: the solver in the box.", show_default=False)
    ] = None,
    time: Annotated[str, typer.Option(help="Wall-clock limit: seconds, or such as 5min.")] = "10",
    target: Annotated[float | None, typer.Option(help="Stop when this cost is reached.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option(help="File for the solution.", show_default=False)] = None,
    seed: _Seed = 1,
    memory: _Memory = "2GiB",
    as_json: _Json = False,
) -> None:
    """Race a portfolio on one instance; the best verified answer counts.

    **Example:** `ceps solve city.tsp --portfolio runs/a/portfolio.json --time 10 --out city.tour`
    """
    problem = problem_of_file(instance)
    chosen = default_portfolio(problem.name) if portfolio is None else Portfolio.load(portfolio)
    if chosen.problem != problem.name:
        raise UserError(f"{portfolio}: this portfolio is for problem '{chosen.problem}', not '{problem.name}'")
    read = problem.read(instance)
    if out is not None and not out.parent.is_dir():
        raise UserError(f"--out {out}: there is no folder {out.parent}")
    seconds = _quantity("--time", duration, time)
    if len(chosen) > available_cores():
        _err.print(f"{len(chosen)} components share {available_cores()} cores: each gets less than its full speed")
    with RaceView(_err, chosen, seconds) as view:
        answer = race(chosen, read, seconds, target, seed, _quantity("--memory", size, memory), view.show)
    if out is not None and answer.cost is not None:
        problem.write_solution(read, answer.solution, answer.cost, out)
    _show_answer(answer, chosen, out, as_json)
    if answer.interrupted:
        raise typer.Exit(130)
    if answer.cost is None:
        raise typer.Exit(1)


@app.command()
def evaluate(
    instances: Annotated[list[str], typer.Argument(help="Instance files, folders or patterns.")],
    portfolio: Annotated[Path, typer.Option(help="A portfolio.json.")],
    repeats: Annotated[int, typer.Option(help="Runs per instance; the median counts.")] = 3,
    metric: Annotated[str | None, typer.Option(help="Default: the portfolio's own.", show_default=False)] = None,
    cutoff: Annotated[str | None, typer.Option(help="Default: the portfolio's own.", show_default=False)] = None,
    optima: Annotated[
        Path | None, typer.Option(help="JSON object of file names and costs that count as solved.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run directory; the same again = resume.", show_default=False)
    ] = None,
    seed: _Seed = 1,
    workers: _Workers = None,
    memory: _Memory = "2GiB",
    as_json: _Json = False,
) -> None:
    """Score a portfolio on instances it has not seen.

    Costs that count as solved are taken from --optima, or found by consensus of independent runs.

    **Example:** `ceps evaluate data/test/ --portfolio runs/a/portfolio.json --repeats 3 --out runs/a-test`
    """
    chosen = Portfolio.load(portfolio)
    seconds = chosen.metric.cutoff if cutoff is None else _quantity("--cutoff", duration, cutoff)
    penalty = chosen.metric.penalty if metric in (None, chosen.metric.name) else None
    plan = Plan(
        portfolio=chosen,
        instances=read_instances(problem_named(chosen.problem), instances, Path(), "INSTANCES"),
        metric=metric_named(metric or chosen.metric.name, seconds, penalty),
        repeats=repeats,
        seed=seed,
        memory=_quantity("--memory", size, memory),
        known={} if optima is None else read_known_costs(optima),
    )
    with LocalExecutor(workers) as executor:
        evaluated = _run_plan(plan, executor, out)
    _show_evaluated(plan, evaluated, as_json)


def _run_plan(plan: Plan, executor: LocalExecutor, out: Path | None) -> Evaluated:
    sought = [instance for instance in plan.instances if instance.name not in plan.known]
    with (
        Steps(_err, "References", len(sought) if plan.metric.uses_target else 0) as references,
        Steps(_err, "Evaluating", len(plan.instances) * plan.repeats) as repeats,
    ):

        def on_reference(instance: Any, reference: Reference | None) -> None:
            found = "none found" if reference is None else f"{number(reference.cost)} ({reference.source})"
            references.done(f"{instance.name}: {found}")

        def on_repeat(instance: Any, repeat: Repeat) -> None:
            repeats.done(f"{instance.name}: {repeat.score:.4g}")

        return run_plan(plan, executor, out, on_reference, on_repeat)


def _show_answer(answer: Answer, portfolio: Portfolio, out: Path | None, as_json: bool) -> None:
    if as_json:
        keys = ("cost", "status", "component", "cpu", "wall", "solution")
        print(json.dumps({key: getattr(answer, key) for key in keys}))
        return
    for index, (member, outcome) in enumerate(zip(portfolio.members, answer.outcomes, strict=True), start=1):
        _out.print(f"component {index} ({member.solver}): {_outcome_text(outcome)}")
    if answer.cost is None:
        _err.print("ceps: no component found a valid solution", style="red")
        return
    where = "" if out is None else f", written to {out}"
    _out.print(f"[bold]cost {number(answer.cost)}[/bold] by component {answer.component} "
               f"in {answer.wall:.1f} s, {answer.status}{where}")  # fmt: skip


def _show_evaluated(plan: Plan, evaluated: Evaluated, as_json: bool) -> None:
    report = evaluated.report
    if as_json:
        print(json.dumps({**dataclasses.asdict(report), "instances": len(report.per_instance)}))
        return
    for result in report.per_instance:
        scores = ", ".join(f"{repeat.score:.4g}" for repeat in result.repeats)
        _out.print(f"{result.instance:30s} {result.score:10.4g}{'  timeout' if result.timeout else ''}  ({scores})")
    _out.print(
        f"[bold]{report.metric} {report.score:.4g}[/bold], {report.timeouts} timeouts of "
        f"{len(report.per_instance)} instances, median of {plan.repeats}"
    )
    _out.print(
        f"CPU charged {evaluated.cpu_charged:.1f} s, references {evaluated.cpu_references:.1f} s, "
        f"really spent {evaluated.cpu_spent:.1f} s in {evaluated.runs_made} runs"
    )


def _outcome_text(outcome: Outcome) -> str:
    cost = "no solution" if outcome.cost is None else f"cost {number(outcome.cost)}"
    why = f" ({outcome.reason})" if outcome.reason else ""
    used = f"CPU {outcome.cpu:.2f} s, wall {outcome.wall:.2f} s"
    return f"{outcome.ending}{why}, {cost}, {used}, {len(outcome.trace)} improvements"


def _section(title: str, text: str) -> None:
    _out.print(f"[dim]{title}[/dim]")
    for line in text.rstrip().splitlines():
        _out.print(f"  {line}", markup=False)


def _quantity(option: str, parse: Any, value: str) -> Any:
    """A duration or a size given on the command line: a bare number or one with its unit."""
    try:
        return parse(float(value) if value.replace(".", "", 1).isdecimal() else value)
    except ValueError as error:
        raise UserError(f"{option} {error}") from error


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {path}: cannot be made: {error.strerror}") from error
