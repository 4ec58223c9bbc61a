"""Phases that methods have in common: references, sessions of the tuner, and the choice of the best candidate."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf
from typing import Any

from ceps.construction.budget import Account, Budget
from ceps.construction.comparison import Compared, compare
from ceps.construction.method import Members, Task
from ceps.construction.shared_settings import SessionSettings
from ceps.construction.tuner import Found, Search
from ceps.construction.validation import contributions
from ceps.errors import UserError


def establish_references(task: Task, settings: SessionSettings, budget: Budget, needed: float) -> None:
    """The cost that counts as solved on every training instance. Where nobody finds a solution, all time out.

    ``needed`` is what the method cannot do without, references apart: runs that would not leave it are not made. Where
    it leaves too little for the first references, the build is refused.
    """
    references = task.evaluator.references
    if not task.evaluator.metric.uses_target:
        _require(budget, needed)
        return
    unsettled = [instance for instance in task.instances if not references.is_settled(instance)]
    charged = settings.charge_references
    _require(budget, needed + charged * len(unsettled) * references.cpu_of_one)
    task.journal.begin("references", Account(budget.left))
    before = references.cpu_charged
    unsolved = references.establish(task.instances, most_cpu=budget.left - needed if charged else inf)
    if len(unsolved) == len(task.instances):
        raise UserError("no run found a solution of any training instance: try `ceps check`, or a longer cut-off")
    inputs = {"instances": ids(task.instances)}
    costs = [reference and reference.cost for reference in map(references.reference, task.instances)]
    charge = references.cpu_charged - before if charged else 0.0
    task.journal.decide("references", inputs, {"costs": costs, "unsolved": ids(unsolved)}, charge)
    budget.charge(charge)


def _require(budget: Budget, needed: float) -> None:
    if budget.total < needed:
        raise UserError(
            f"[budget] cpu: {budget.total:g} s are too few. References and the first runs of every phase may take "
            f"{needed:.0f} s; give at least {ceil(needed)} s, or lower the cut-off, the portfolio's size, the number "
            "of instances or of sessions"
        )


def solved(task: Task, instances: Sequence[Any]) -> list[Any]:
    """The instances there is something to learn from: one that nobody has solved is the same timeout for all."""
    if not task.evaluator.metric.uses_target:
        return list(instances)
    return [instance for instance in instances if task.evaluator.references.reference(instance) is not None]


def run_sessions(task: Task, budget: Budget, phase: str, searches: Sequence[Search]) -> tuple[list[Found], list[Any]]:
    """A phase of sessions, side by side: what they come to, and the instances on which runs are judged differently from
    now on, because of what they have found."""
    account = budget.open_phase()
    task.journal.begin(phase, account)
    found = _tune(task, phase, searches)
    account.pay(sum(each.charge for each in found))
    budget.close_phase(account)
    instances = {instance.id: instance for search in searches for instance in search.instances}
    return found, task.evaluator.references.settle(instances.values())


def _tune(task: Task, phase: str, searches: Sequence[Search]) -> list[Found]:
    """What sessions find. Those that ended before a restart are taken from the journal."""
    references = task.evaluator.references
    inputs = [_inputs(task, search) for search in searches]
    recorded = [task.journal.recall("session", each) for each in inputs]
    results = {index: Found.from_json(each) for index, each in enumerate(recorded) if each is not None}
    missing = [index for index in range(len(searches)) if index not in results]
    for each in results.values():
        references.findings.add(each.findings)

    def on_found(position: int, found: Found) -> None:
        index = missing[position]
        task.journal.decide("session", inputs[index], {"phase": phase, **found.as_json()}, found.charge)
        results[index] = found

    task.tuner.tune(task.evaluator, [searches[index] for index in missing], on_found)
    found = [results[index] for index in range(len(searches))]
    task.evaluator.cpu_side_by_side += sum(each.side_by_side for each in found)
    return found


def _inputs(task: Task, search: Search) -> dict[str, Any]:
    """All that decides what a session comes to."""
    references = task.evaluator.references
    return {
        "instances": ids(search.instances),
        "targets": [known and known.cost for known in map(references.reference, search.instances)],
        "truths": [references.truth(instance) for instance in search.instances],
        "rest": ids(search.rest),
        "starts": ids(search.starts),
        "seed": search.seed,
        "grant": search.grant,
        "in_flight": search.in_flight,
        "solver": search.solver,
        "width": search.width,
        "with_history": search.with_history,
    }


def choose(
    task: Task,
    settings: SessionSettings,
    budget: Budget,
    phase: str,
    rest: Members,
    newcomers: Sequence[Members],
) -> Compared:
    """A phase that compares candidates, each ``rest`` and its newcomers, on all instances; the best one is kept."""
    account = budget.open_phase()
    task.journal.begin(phase, account)
    compared = compare(task, rest, newcomers, task.instances, phase, settings.batch, account)
    budget.close_phase(account)
    inputs = {
        "candidates": [ids(each) for each in compared.candidates],
        "instances": ids(task.instances),
        "granted": account.granted,
    }
    result = {"candidates": compared.means, "rows": len(compared.scores[0]), "chosen": compared.best}
    task.journal.decide(phase, inputs, result, account.charged)
    scores = compared.scores[compared.best]
    task.journal.keep(phase, compared.chosen, scores.min(axis=1), contributions(scores))
    task.evaluator.references.settle(task.instances)
    return compared


def ids(things: Sequence[Any]) -> list[str]:
    return [thing.id for thing in things]
