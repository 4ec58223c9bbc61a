"""``ceps check`` and ``ceps build``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceps import building, planning, rehearsal
from ceps.build_view import BuildView
from ceps.cli.shared import answers, messages, start_executor, warn_of_sharing
from ceps.commands import PATIENCE
from ceps.execution.backends import executor_of
from ceps.execution.local import available_cores
from ceps.problems.described import Trial
from ceps.settings import read_scenario
from ceps.texts import built_text, counted, outcome_text, plan_text, printed_text, raw_text


def check(
    scenario: Annotated[Path, typer.Argument(help="A scenario file.")],
) -> None:
    """Read a scenario, find everything it names, and make one short run per solver. The first thing to try.

    Shows how each solver is called, its limits, what it said and what was read of that, and how long a build will take.
    Ends with 1 where a solver has no valid solution, or a command of the problem fails.

    **Example:** `ceps check scenario.toml`
    """
    settings = read_scenario(scenario)
    cast = rehearsal.assemble(settings, scenario.parent, str(scenario))
    workers = settings.execution.workers or available_cores()
    # Runs are rehearsed where they will be made; on this machine one at a time is enough.
    elsewhere = settings.execution.has_own_workers
    if not elsewhere:
        warn_of_sharing(workers, "workers")
    with executor_of(settings.execution, None if elsewhere else 1, messages.print) as executor:
        if elsewhere:
            workers = executor.slots
        planned = planning.plan(settings, cast, str(scenario), workers)
        answers.print(
            f"{scenario}: {counted(len(cast.instances), 'training instance')} of problem '{cast.problem.name}', "
            f"{cast.metric.name} with cut-off {cast.metric.cutoff:g} s, {counted(workers, 'worker')}"
        )
        for message in planning.cautions(settings.method.name, cast):
            messages.print(message, style="yellow")
        commands = list(rehearsal.trials(cast))
        for trial in commands:
            _show_trial(trial)
        found = []
        for made in rehearsal.rehearse(cast, settings, executor):
            found.append(_show_rehearsed(made))
            for trial in rehearsal.checks(cast, made):
                commands.append(trial)
                _show_trial(trial)
    no_budget = "no [budget]: this scenario can be checked, but not built"
    _section("\nPlan of a build", no_budget if planned is None else plan_text(planned, workers))
    if not all(found):
        messages.print("ceps: a solver found no valid solution; see its outcome above", style="red")
        raise typer.Exit(1)
    if not all(trial.worked for trial in commands):
        messages.print("ceps: a command of the problem failed; see what came of it above", style="red")
        raise typer.Exit(1)
    planning.refuse_uneven_features(cast.problem, cast.instances, str(scenario))


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
    try:
        with start_executor(settings.execution, workers) as executor, BuildView(messages) as view:
            built = building.build(settings, scenario.parent, str(scenario), executor, out, view)
    except KeyboardInterrupt:
        messages.print(f"ceps: finished runs are kept in {out}: the same command again goes on from there")
        raise
    answers.print(built_text(built))
    answers.print(f"portfolio in {out / 'portfolio.json'}", style="bold")


def _show_rehearsed(made: rehearsal.Rehearsal) -> bool:
    """Show a run while it is made; whether it found a valid solution."""
    answers.print(f"\n{made.solver.name}, {made.solver.version}, on {made.instance.name}", style="bold")
    _section("Call", made.call)
    cpu, wall, memory = made.limits.cpu, made.limits.wall_guard, made.limits.memory / 1024**2
    _section("Limits", f"CPU {cpu:g} s, wall {wall:g} s, memory {memory:.0f} MiB")
    outcome = made.outcome.result()
    _section("Raw outcome", raw_text(outcome))
    _section("Parsed outcome", outcome_text(outcome))
    return outcome.has_answer


def _show_trial(trial: Trial) -> None:
    """Show a command of the problem that was tried."""
    answers.print(f"\n{trial.key}", style="bold")
    _section("Call", f"$ {trial.line}")
    memory = f"{trial.memory / 1024**2:.0f} MiB for each process"
    _section("Limits", f"CPU {trial.time:g} s, wall {PATIENCE * trial.time:g} s, memory {memory}")
    _section("Raw outcome", printed_text(trial.said))
    _section("Parsed outcome", trial.came_of_it)


def _section(title: str, text: str) -> None:
    answers.print(title, style="dim")
    for line in text.rstrip().splitlines():
        answers.print(f"  {line}")
