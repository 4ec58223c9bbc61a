"""CEPS: co-evolution of parameterised search (Tang, Liu, Yang, Yao). Line numbers are those of its Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ceps import seeds
from ceps.construction.breeding import breed
from ceps.construction.budget import Account, Budget
from ceps.construction.initialisation import initialise, smallest_grant
from ceps.construction.method import Members, Scores, Task
from ceps.construction.tuner import Found, Search
from ceps.construction.validation import Replacement, contributions, validate
from ceps.errors import UserError
from ceps.tables import read_table


@dataclass(frozen=True, slots=True)
class Shares:
    """How the budget is shared, in the paper's proportions: 8 h, 4·10·1.5 h, 4·10·0.5 h and 4·1.5 h.

    K does not appear as in the paper's formula, because only the new configuration runs, not all K members.
    """

    initialisation: float = 8.0
    configuration: float = 60.0
    validation: float = 20.0
    generation: float = 6.0

    def __post_init__(self) -> None:
        if min(self.initialisation, self.configuration, self.validation, self.generation) <= 0.0:
            raise ValueError("every share must be above 0")


@dataclass(frozen=True, slots=True)
class CepsSettings:
    """Settings of CEPS, in a scenario beside ``name = "ceps"``."""

    iterations: int = 4
    """MaxIte."""
    sessions: int = 10
    """n: searches for a new member in every iteration."""
    in_flight: int = 2
    """Trials of a session under way at a time. More keep more workers busy, also when few sessions are left."""
    candidates: int = 100
    """The most configurations tested for the first portfolio."""
    removal: str = "stratified"
    """Which member a session replaces: every one in turn (``stratified``) or a random one (``random``, the paper's)."""
    elitist: bool = True
    """Keep Θ unless a candidate is better on the same seeds. ``false``: the best candidate always replaces it."""
    batch: int = 10
    """Instances evaluated at a time in validation and breeding: a fixed number, so that results do not depend on
    the number of workers."""
    charge_references: bool = True
    """Whether finding the cost that counts as solved is paid from the budget. The paper did not count it."""
    shares: Shares = Shares()

    def __post_init__(self) -> None:
        for key in ("iterations", "sessions", "in_flight", "candidates", "batch"):
            if getattr(self, key) < 1:
                raise ValueError(f"{key} must be at least 1, not {getattr(self, key)}")
        if self.removal not in ("stratified", "random"):
            raise ValueError(f"removal must be 'stratified' or 'random', not '{self.removal}'")

    def weights(self) -> list[float]:
        """Shares of all phases, in order: the last iteration breeds no instances."""
        rounds, breeding = self.iterations, max(1, self.iterations - 1)
        weights = [self.shares.initialisation]
        for round_ in range(1, rounds + 1):
            weights += [self.shares.configuration / rounds, self.shares.validation / rounds]
            weights += [self.shares.generation / breeding] if round_ < rounds else []
        return weights


def smallest_budget(options: Mapping[str, Any], size: int, instances: int, cutoff: float) -> float:
    """CPU seconds below which a build is refused, references apart."""
    weights = read_table(CepsSettings, options, "[method]").weights()
    return smallest_grant(size, instances, cutoff) * sum(weights) / weights[0]


def build(task: Task) -> Members:
    """Algorithm 1."""
    settings = read_table(CepsSettings, task.options, "[method]")
    budget = Budget(task.budget, settings.weights())
    instances = list(task.instances)
    _reference(task, settings, budget)
    members, scores = _initialise(task, settings, budget)  # lines 2-7
    for round_ in range(1, settings.iterations + 1):  # line 8
        candidates = _evolve_members(task, settings, budget, members, scores, instances, round_)  # lines 10-14
        members, scores, fitness = _select(task, settings, budget, members, candidates, instances, round_)  # line 15
        if round_ == settings.iterations:  # line 17
            break
        instances += _evolve_instances(task, settings, budget, members, instances, fitness, round_)  # lines 18-26
    return members


def _reference(task: Task, settings: CepsSettings, budget: Budget) -> None:
    """The cost that counts as solved on every training instance. Where nobody finds a solution, all time out."""
    references = task.evaluator.references
    if task.evaluator.metric.uses_target:
        task.journal.begin("references", Account(budget.left))
        unsolved = references.establish(task.instances)
        if len(unsolved) == len(task.instances):
            raise UserError("no run found a solution of any training instance: try `ceps check`, or a longer cut-off")
        inputs = {"instances": _ids(task.instances)}
        costs = [reference and reference.cost for reference in map(references.reference, task.instances)]
        result = {"costs": costs, "unsolved": _ids(unsolved)}
        charge = references.cpu_charged if settings.charge_references else 0.0
        task.journal.decide("references", inputs, result, charge)
        budget.charge(charge)


def _initialise(task: Task, settings: CepsSettings, budget: Budget) -> tuple[Members, Scores]:
    account = budget.open_phase()
    needed = smallest_grant(task.size, len(task.instances), task.evaluator.metric.cutoff)
    share = settings.weights()[0] / sum(settings.weights())
    if account.granted < needed:
        total = budget.charged + needed / share
        raise UserError(
            f"[budget] cpu: {budget.total:.0f} s are too few. Testing {task.size} configurations on "
            f"{len(task.instances)} instances may take {needed:.0f} s, which is {share:.1%} of what references leave; "
            f"give at least {total:.0f} s, or lower the cut-off, the portfolio's size or the number of instances"
        )
    task.journal.begin("initialisation", account)
    initial = initialise(task, settings.candidates, account)
    budget.close_phase(account)
    inputs = {"instances": _ids(task.instances), "granted": account.granted}
    result = {"members": _ids(initial.members), "score": initial.score}
    task.journal.decide("initialisation", inputs, result, account.charged)
    task.journal.keep("initial", initial.members, initial.scores)
    return initial.members, initial.scores


def _evolve_members(
    task: Task,
    settings: CepsSettings,
    budget: Budget,
    members: Members,
    scores: Scores,
    instances: Sequence[Any],
    round_: int,
) -> list[Replacement]:
    """Lines 10-14: n sessions, each looks for a configuration that improves Θ less one member."""
    account = budget.open_phase()
    rng = seeds.generator(task.seed, "removal", round_)
    slots = removed_slots(settings, contributions(scores), rng)
    drawn = task.sample(len(task.defaults) + settings.iterations * settings.sessions)[len(task.defaults) :]
    searches = [
        Search(
            rest=(*members[:slot], *members[slot + 1 :]),
            starts=(members[slot], *task.defaults, drawn[(round_ - 1) * settings.sessions + number]),
            seed=seeds.derive(task.seed, "session", round_, number),
            grant=account.granted / settings.sessions,
            in_flight=settings.in_flight,
        )
        for number, slot in enumerate(slots)
    ]
    task.journal.begin(f"configuration {round_}", account)
    found = _tune(task, searches, instances, account)
    budget.close_phase(account)
    task.evaluator.references.settle(instances)
    return [Replacement(slot, each.configuration) for slot, each in zip(slots, found, strict=True)]


def removed_slots(settings: CepsSettings, contribution: npt.NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    """Line 11: the slot each session replaces. Stratified: equally many for each, the rest to the least useful."""
    size = len(contribution)
    if settings.removal == "random":
        return [int(slot) for slot in rng.integers(size, size=settings.sessions)]
    least_useful_first = np.argsort(contribution, kind="stable")
    extra = least_useful_first[: settings.sessions % size]
    return sorted([*range(size)] * (settings.sessions // size) + [int(slot) for slot in extra])


def _tune(task: Task, searches: Sequence[Search], instances: Sequence[Any], account: Account) -> list[Found]:
    """Lines 12-13, side by side. Sessions that ended before a restart are taken from the journal.

    An instance that nobody has solved is the same timeout for all: sessions have nothing to learn from it.
    """
    references = task.evaluator.references
    if task.evaluator.metric.uses_target:
        instances = [instance for instance in instances if references.reference(instance) is not None]
    common = {
        "instances": _ids(instances),
        "targets": [reference and reference.cost for reference in map(references.reference, instances)],
    }
    inputs = [
        {
            **common,
            "rest": _ids(search.rest),
            "starts": _ids(search.starts),
            "seed": search.seed,
            "grant": search.grant,
            "in_flight": search.in_flight,
        }
        for search in searches
    ]
    recorded = [task.journal.recall("session", each) for each in inputs]
    results = {index: Found.from_json(each) for index, each in enumerate(recorded) if each is not None}
    missing = [index for index in range(len(searches)) if index not in results]

    def on_found(position: int, found: Found) -> None:
        index = missing[position]
        task.journal.decide("session", inputs[index], found.as_json(), found.charge)
        results[index] = found

    task.tuner.tune(task.evaluator, [searches[index] for index in missing], instances, on_found)
    found = [results[index] for index in range(len(searches))]
    account.pay(sum(each.charge for each in found))
    task.evaluator.cpu_side_by_side += sum(each.side_by_side for each in found)
    return found


def _select(
    task: Task,
    settings: CepsSettings,
    budget: Budget,
    members: Members,
    candidates: Sequence[Replacement],
    instances: Sequence[Any],
    round_: int,
) -> tuple[Members, Scores, dict[str, float]]:
    """Line 15: the best candidate replaces Θ, if it is better on the same instances and seeds (or in any case)."""
    account = budget.open_phase()
    task.journal.begin(f"validation {round_}", account)
    validated = validate(task, members, candidates, instances, round_, settings.batch, account)
    budget.close_phase(account)
    means = validated.candidates.mean(axis=0)
    best = int(np.argmin(means))
    old = float(validated.incumbent.mean())
    replaced = bool(means[best] < old) or not settings.elitist
    inputs = {
        "members": _ids(members),
        "candidates": [[each.slot, each.configuration.id] for each in candidates],
        "instances": _ids(validated.instances),
        "granted": account.granted,
    }
    result = {"incumbent": old, "candidates": means.tolist(), "replaced_by": best if replaced else None}
    task.journal.decide(f"validation {round_}", inputs, result, account.charged)
    scores, score = validated.members, validated.incumbent
    if replaced:
        members = candidates[best].applied_to(members)
        scores, score = validated.with_replaced(best, candidates[best].slot), validated.candidates[:, best]
    task.journal.keep(f"iteration {round_}", members, scores)
    # Fitness judged by a reference that has since been beaten is not fitness any more.
    beaten = {each.id for each in task.evaluator.references.settle(instances)}
    fitness = {each.id: float(each_score) for each, each_score in zip(validated.instances, score, strict=True)}
    return members, scores, {key: value for key, value in fitness.items() if key not in beaten}


def _evolve_instances(
    task: Task,
    settings: CepsSettings,
    budget: Budget,
    members: Members,
    instances: Sequence[Any],
    fitness: Mapping[str, float],
    round_: int,
) -> list[Any]:
    """Lines 18-26: the instances bred to be hard for Θ, to be merged into T."""
    account = budget.open_phase()
    task.journal.begin(f"generation {round_}", account)
    bred = breed(task, members, instances, fitness, round_, settings.batch, settings.charge_references, account)
    budget.close_phase(account)
    inputs = {"members": _ids(members), "instances": _ids(instances), "granted": account.granted}
    result = {"admitted": _ids(bred.admitted), "offspring": bred.offspring, "dropped": bred.dropped}
    task.journal.decide(f"generation {round_}", inputs, result, account.charged)
    task.evaluator.references.settle([*instances, *bred.admitted])
    return list(bred.admitted)


def _ids(things: Sequence[Any]) -> list[str]:
    return [thing.id for thing in things]
