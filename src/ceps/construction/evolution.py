"""Evolution of the portfolio (Algorithm 1, lines 2-15), which CEPS and EPS share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

import numpy as np

from ceps import seeds
from ceps.construction.budget import Budget, Phase
from ceps.construction.initialisation import initialise, wave_at_worst
from ceps.construction.method import Members, Outline, Scores, Task
from ceps.construction.phases import ids, run_sessions, solved
from ceps.construction.shared_settings import SessionSettings, at_least_one
from ceps.construction.tuner import Search
from ceps.construction.validation import Replacement, completed, contributions, row_at_worst, validate
from ceps.errors import UserError

REMOVALS = ("stratified", "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionSettings(SessionSettings):
    """Settings of the methods that evolve a portfolio; ``sessions`` are those of every iteration."""

    iterations: int = 4
    """MaxIte: rounds of configuration and validation. CEPS breeds instances between them."""
    candidates: int = 100
    """The most configurations tested for the first portfolio."""
    runs_per_choice: int = 50
    """On how many runs of every portfolio a choice between iterations is based, if its share of the budget affords
    them: few instances are taken several times, with other seeds. The last choice takes all that is left."""
    removal: str = "stratified"
    """Which member a session replaces: each in turn, what remains to the least useful; or a random one, as in the
    paper."""
    elitist: bool = True
    """Keep Θ unless a candidate is better on the same seeds. ``false``: the best candidate always replaces it."""

    def __post_init__(self) -> None:
        at_least_one(self, "iterations", "sessions", "in_flight", "candidates", "batch", "runs_per_choice")
        if self.removal not in REMOVALS:
            raise ValueError(f"removal must be {' or '.join(map(repr, REMOVALS))}, not '{self.removal}'")

    def first_phase(self, weight: float, outline: Outline) -> Phase:
        """Lines 2-7."""
        if self.candidates < outline.size:
            raise UserError(
                f"[method] candidates = {self.candidates} is less than [portfolio] size = {outline.size}: "
                f"the first portfolio is chosen from the candidates; give at least {outline.size}"
            )
        return Phase(weight, wave_at_worst(outline.size, len(outline.instances), outline.metric.cutoff))

    def iteration_phases(self, configuration: float, validation: float, outline: Outline) -> list[Phase]:
        """Lines 10-15 once; the weights are those of all iterations together."""
        size, cutoff = outline.size, outline.metric.cutoff
        return [
            self.search_phase(configuration / self.iterations, self.sessions * size * cutoff),
            Phase(validation / self.iterations, row_at_worst(size, self.sessions, outline.metric)),
        ]


def first_portfolio(task: Task, settings: EvolutionSettings, budget: Budget) -> tuple[Members, Scores]:
    """Lines 2-7: the best of a random sample, member by member; and what would be lost without each."""
    account = budget.open_phase()
    task.journal.begin("initialisation", account)
    initial = initialise(task, settings.candidates, account)
    budget.close_phase(account)
    inputs = {"instances": ids(task.instances), "granted": account.granted}
    result = {"members": ids(initial.members), "score": initial.score}
    task.journal.decide("initialisation", inputs, result, account.charged)
    losses = contributions(initial.scores)
    task.journal.keep("initial", initial.members, initial.scores.min(axis=1), losses)
    return initial.members, losses


def evolve_members(
    task: Task,
    settings: EvolutionSettings,
    budget: Budget,
    members: Members,
    losses: Scores,
    instances: Sequence[Any],
    round_: int,
) -> list[Replacement]:
    """Lines 10-14: n sessions, each looks for a configuration that improves Θ less one member."""
    rng = seeds.generator(task.seed, "removal", round_)
    slots = removed_slots(settings, losses, rng)
    drawn = task.sample(len(task.defaults) + settings.iterations * settings.sessions)[len(task.defaults) :]
    searches = [
        Search(
            instances=tuple(solved(task, instances)),
            rest=(*members[:slot], *members[slot + 1 :]),
            starts=(members[slot], *task.defaults, drawn[(round_ - 1) * settings.sessions + number]),
            seed=seeds.derive(task.seed, "session", round_, number),
            grant=budget.next_grant / settings.sessions,
            in_flight=settings.in_flight,
        )
        for number, slot in enumerate(slots)
    ]
    found, _ = run_sessions(task, budget, f"configuration {round_}", searches)
    return [Replacement(slot, each.configuration) for slot, each in zip(slots, found, strict=True)]


def removed_slots(settings: EvolutionSettings, losses: Scores, rng: np.random.Generator) -> list[int]:
    """Line 11: the slot each session replaces. Stratified: equally many for each, the rest to the least useful."""
    size = len(losses)
    if settings.removal == "random":
        return [int(slot) for slot in rng.integers(size, size=settings.sessions)]
    least_useful_first = np.argsort(losses, kind="stable")
    extra = least_useful_first[: settings.sessions % size]
    return sorted([*range(size)] * (settings.sessions // size) + [int(slot) for slot in extra])


def select(
    task: Task,
    settings: EvolutionSettings,
    budget: Budget,
    members: Members,
    candidates: Sequence[Replacement],
    instances: Sequence[Any],
    round_: int,
) -> tuple[Members, Scores, dict[str, list[float]]]:
    """Line 15: the best candidate replaces Θ, if it is better on the same instances and seeds (or in any case).

    Returns the new Θ, what would be lost without each of its members, and its scores by instance.
    """
    account = budget.open_phase()
    task.journal.begin(f"validation {round_}", account)
    passes = inf if round_ == settings.iterations else ceil(settings.runs_per_choice / len(instances))
    validated = validate(task, members, candidates, instances, round_, settings.batch, account, passes)
    means = validated.candidates.mean(axis=0)
    best = int(np.argmin(means))
    old = float(validated.incumbent.mean())
    replaced = bool(means[best] < old) or not settings.elitist
    inputs = {
        "members": ids(members),
        "candidates": [[each.slot, each.configuration.id] for each in candidates],
        "instances": ids(validated.instances),
        "granted": account.granted,
    }
    score, of_members = validated.incumbent, validated.members
    if replaced:
        members, score = candidates[best].applied_to(members), validated.candidates[:, best]
        rows = [(row, row.candidates[best]) for row in validated.rows]
        of_members = completed(task, members, rows, settings.batch, account)
    budget.close_phase(account)
    result = {"incumbent": old, "candidates": means.tolist(), "replaced_by": best if replaced else None}
    task.journal.decide(f"validation {round_}", inputs, result, account.charged)
    losses = contributions(of_members)
    task.journal.keep(f"iteration {round_}", members, score, losses)
    by_instance: dict[str, list[float]] = {}
    for instance, each_score in zip(validated.instances, score, strict=True):
        by_instance.setdefault(instance.id, []).append(float(each_score))
    for changed in task.evaluator.references.settle(instances):
        by_instance.pop(changed.id, None)  # Runs on it are judged differently from now on.
    return members, losses, by_instance
