"""Results in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ceps.building import Built
from ceps.console import number
from ceps.evaluation.best_known import Comparison
from ceps.evaluation.session import Evaluated
from ceps.evaluation.session import Plan as EvaluationPlan
from ceps.evaluator import share_saved
from ceps.execution.ends import Ends
from ceps.planning import Plan
from ceps.portfolio import Portfolio
from ceps.problems import Problem
from ceps.records import Ending, Outcome
from ceps.solve import Answer
from ceps.store import Reference

NOTHING = "printed nothing"


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def generators_text(problem: Problem) -> str:
    """The generators of a problem with their parameters, one to a line."""
    lines = []
    for name, parameters in problem.generators.items():
        lines += [name, *(f"  {key}: {parameter}" for key, parameter in parameters.items())]
    return "\n".join(lines) or f"problem '{problem.name}' does not list its generators"


def raw_text(outcome: Outcome) -> str:
    """What the solver said: its last claims and what it printed."""
    claims = [f"claimed {number(found.cost)} at CPU {found.cpu:.2f} s" for found in outcome.trace[-3:]]
    return "\n".join([*claims, outcome.output.rstrip() or NOTHING])


def printed_text(said: str) -> str:
    """What a command of a problem printed, cut as the output of runs is."""
    ends = Ends()
    ends.take(said.encode(errors="replace"))
    return str(ends).rstrip() or NOTHING


def outcome_text(outcome: Outcome) -> str:
    """What is held true about a run."""
    return f"{outcome.ending}{_reason(outcome)}, {_found_text(outcome)}"


def _reason(outcome: Outcome) -> str:
    return f" ({outcome.reason})" if outcome.reason else ""


def _found_text(outcome: Outcome) -> str:
    """What a run has found, and what that took."""
    cost = "no valid solution" if outcome.cost is None else f"cost {number(outcome.cost)}"
    used = f"CPU {outcome.cpu:.2f} s, wall {outcome.wall:.2f} s, memory {outcome.memory / 1024**2:.0f} MiB"
    return f"{cost}, {used}, {counted(len(outcome.trace), 'improvement')}"


def components_text(answer: Answer, portfolio: Portfolio) -> str:
    """A race, component by component."""
    pairs = enumerate(zip(portfolio.members, answer.outcomes, strict=True), start=1)
    return "\n".join(f"component {index} ({member.solver}): {_raced_text(made)}" for index, (member, made) in pairs)


def _raced_text(outcome: Outcome) -> str:
    """How a component fared. With an answer, why it was stopped at the end of the user's time needs no reason."""
    reason = "" if outcome.ending is Ending.TIMEOUT and outcome.has_answer else _reason(outcome)
    return f"{_race_ending(outcome.ending)}{reason}, {_found_text(outcome)}"


def _race_ending(ending: Ending) -> str:
    """The time that a user gives is there to be used up: in a race, that is no failure."""
    return "time used up" if ending is Ending.TIMEOUT else ending.value


def answer_text(answer: Answer, written: Sequence[Path]) -> str:
    """The best of a race. There must be one."""
    assert answer.cost is not None
    where = f", written to {' and '.join(map(str, written))}" if written else ""
    ended = _race_ending(answer.status)
    return f"cost {number(answer.cost)} by component {answer.component} in {answer.wall:.1f} s, {ended}{where}"


def evaluated_table(evaluated: Evaluated) -> str:
    """An evaluation, instance by instance."""
    results = evaluated.report.per_instance
    solved_at = any(result.reference is not None for result in results)
    width = max(map(len, ("instance", *(result.instance for result in results))))
    lines = [
        f"{'instance':{width}s} {'solved at' if solved_at else 'best cost':>12s} {evaluated.report.metric:>10s}  "
        "of each repeat"
    ]
    for result in results:
        scores = ", ".join(f"{repeat.score:.4g}" for repeat in result.repeats)
        best = min((repeat.cost for repeat in result.repeats if repeat.cost is not None), default=None)
        cost = result.reference if solved_at else best
        timeout = "  timeout" if result.timeout else ""
        shown = "-" if cost is None else number(cost)
        lines.append(f"{result.instance:{width}s} {shown:>12s} {result.score:10.4g}  {scores}{timeout}")
    return "\n".join(lines)


def best_known_table(comparison: Comparison, repeats: int) -> str:
    """Families of instances beside the best known solutions, as in the paper's Table IV."""
    lines = [f"{'best known':12s} {'instances':>9s} {'better':>11s} {'not worse':>11s} {'worse':>11s}"]
    for name, tally in {**comparison.families, "all": comparison.total}.items():
        counts = (tally.better, tally.not_worse, tally.worse)
        shares = " ".join(f"{f'{count} ({count / tally.instances:.0%})':>11s}" for count in counts)
        lines.append(f"{name:12s} {tally.instances:9d} {shares}")
    unknown = f"; {counted(comparison.unknown, 'instance')} without a best known cost" if comparison.unknown else ""
    return "\n".join([*lines, f"costs are medians of {counted(repeats, 'repeat')}{unknown}"])


def evaluated_text(evaluated: Evaluated, plan: EvaluationPlan) -> str:
    """An evaluation in one line."""
    report = evaluated.report
    timeouts = f"{counted(report.timeouts, 'timeout')} on {counted(len(report.per_instance), 'instance')}"
    return f"{report.metric} {report.score:.4g}, {timeouts}, median of {plan.repeats}"


def _seconds(value: float) -> str:
    return f"{value:.1f}" if value >= 1.0 else f"{value:.2g}"


def cpu_text(evaluated: Evaluated) -> str:
    return (
        f"CPU charged {_seconds(evaluated.cpu_charged)} s, for references {_seconds(evaluated.cpu_references)} s; "
        f"really spent {_seconds(evaluated.cpu_spent)} s in {counted(evaluated.runs_made, 'run')}"
    )


def plan_text(plan: Plan, workers: int) -> str:
    """A build, before it is begun."""
    return (
        f"budget {plan.budget:.0f} CPU s, about {plan.runs} runs, {plan.wall / 60:.1f} min on "
        f"{counted(workers, 'worker')} at best; smallest budget about {plan.smallest_budget:.0f} s"
    )


def built_text(built: Built) -> str:
    """The closing summary of a build."""
    title, *members = built.portfolio.describe().splitlines()
    shares = [f"{line}  (without it +{lost:.3g})" for line, lost in zip(members, built.contributions, strict=True)]
    start = "" if built.initial_score is None else f"{built.initial_score:.4g} at the start, "
    bred = f"{counted(built.offspring, 'instance')} bred, {built.dropped} of them unusable, {built.merged} trained on"
    if built.offspring and built.dropped == built.offspring:
        bred += ": what breeds them may be broken, try `ceps check`"
    share = share_saved(built.cpu_trials, built.cpu_side_by_side)
    saved = f"CPU saved {share:.0%}: " if share is not None and share > 0.0 else ""
    unsolved = f"{counted(built.unsolved, 'training instance')} nobody could solve: timeouts for all"
    return "\n".join(
        [
            title,
            *shares,
            f"training score {start}{built.final_score:.4g} at the end (on other seeds, bred instances included)",
            f"CPU charged {built.cpu_charged:.0f} s (references {built.cpu_references:.0f} s), "
            f"really spent {built.cpu_spent:.0f} s in {counted(built.runs, 'run')}",
            f"{saved}with all members side by side, the same trials cost "
            f"{built.cpu_side_by_side:.0f} s instead of {built.cpu_trials:.0f} s",
            f"worker utilisation {built.utilisation:.2f}{' since the last start' if built.resumed else ''}; {bred}",
            *([unsolved] if built.unsolved else []),
        ]
    )


def references_table(files: Sequence[str], found: Sequence[Reference | None]) -> str:
    """A line per file: the cost, how far runs agree on it, who told it, and the CPU seconds it took."""
    width = max(map(len, files))
    lines = [f"{'file':{width}} {'cost':>14} {'agreement':>9} {'cpu s':>8}  source"]
    for file, each in zip(files, found, strict=True):
        if each is None:
            lines.append(f"{file:{width}} {'none found':>14}")
        else:
            lines.append(f"{file:{width}} {number(each.cost):>14} {each.agreement:9.2f} {each.cpu:8.2f}  {each.source}")
    return "\n".join(lines)
