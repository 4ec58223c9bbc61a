"""PCIT: a member for every group of instances, which are exchanged between the groups on the way (Liu, Tang, Yao)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ceps import seeds
from ceps.construction.budget import Budget, Phase, smallest_total
from ceps.construction.features import feature_table
from ceps.construction.grouping import Labels, predicted_costs, split, transfer
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import choose, establish_references, ids, run_sessions, solved
from ceps.construction.shared_settings import SessionSettings, Shares, at_least_one
from ceps.construction.tuner import Search, TrialScore
from ceps.tables import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class PcitSettings(SessionSettings):
    """Settings of PCIT, in a scenario beside ``name = "pcit"``; there are ``sessions`` portfolios to choose from."""

    phases: int = 4
    """P: phases of configuration; instances move between them. Half of the configuration is the last one's."""
    shares: Shares = Shares()  # noqa: RUF009 - a frozen value

    def __post_init__(self) -> None:
        at_least_one(self, "sessions", "in_flight", "batch", "phases")

    def weights(self) -> list[float]:
        """Of the configuration phases. Half is the last one's, the others share the other half."""
        earlier, configuration = self.phases - 1, self.shares.configuration
        last = configuration / 2 if earlier else configuration
        return [*[configuration / 2 / max(1, earlier)] * earlier, last]


def smallest_budget(outline: Outline) -> float:
    settings = read_table(PcitSettings, outline.options, "[method]")
    feature_table(outline.problem, outline.instances)
    return smallest_total(_phases(settings, outline))


def _phases(settings: PcitSettings, outline: Outline) -> list[Phase]:
    one_run_each = settings.sessions * outline.size * outline.metric.cutoff
    configuration = [settings.search_phase(weight, one_run_each) for weight in settings.weights()]
    return [*configuration, Phase(settings.shares.validation, one_run_each)]


@dataclass
class _Portfolio:
    """One of the n portfolios on their way: its groups of instances, and what was found on them."""

    number: int
    labels: Labels
    members: Members = ()
    history: list[TrialScore] = field(default_factory=list)


def build(task: Task) -> Members:
    """n portfolios, each on random groups that become better ones phase by phase; the best by validation."""
    settings = read_table(PcitSettings, task.options, "[method]")
    budget = Budget(task.budget, _phases(settings, task.outline))
    establish_references(task, settings, budget, smallest_budget(task.outline))
    instances = solved(task, task.instances)
    portfolios = [
        _Portfolio(number, split(len(instances), task.size, seeds.generator(task.seed, "split", number)))
        for number in range(settings.sessions)
    ]
    for phase in range(1, settings.phases + 1):
        _configure(task, settings, budget, portfolios, instances, phase)
        if phase < settings.phases:
            for portfolio in portfolios:
                _transfer(task, portfolio, instances, phase)
    return choose(task, settings, budget, "validation", (), [each.members for each in portfolios]).chosen


def _configure(
    task: Task,
    settings: PcitSettings,
    budget: Budget,
    portfolios: Sequence[_Portfolio],
    instances: Sequence[Any],
    phase: int,
) -> None:
    """A search for every member of every portfolio on its group, from what was found for it before."""
    searches = [
        Search(
            instances=_group(instances, portfolio.labels, group),
            rest=(),
            starts=portfolio.members[group : group + 1] or tuple(task.defaults),
            seed=seeds.derive(task.seed, "session", phase, portfolio.number, group),
            grant=budget.next_grant / (len(portfolios) * task.size),
            in_flight=settings.in_flight,
            with_history=True,
        )
        for portfolio in portfolios
        for group in range(task.size)
    ]
    found, changed = run_sessions(task, budget, f"configuration {phase}", searches)
    stale = set(ids(changed))
    for portfolio in portfolios:
        own = found[portfolio.number * task.size : (portfolio.number + 1) * task.size]
        portfolio.members = tuple(each.configuration for each in own)
        trials = [*portfolio.history, *(trial for each in own for trial in each.history)]
        portfolio.history = [trial for trial in trials if trial.instance not in stale]


def _transfer(task: Task, portfolio: _Portfolio, instances: Sequence[Any], phase: int) -> None:
    if not portfolio.history:
        return  # Nothing to predict from: all that was found has turned out to be otherwise.
    index = (phase, portfolio.number)
    seed = seeds.derive(task.seed, "forest", *index)
    costs = predicted_costs(task, portfolio.history, portfolio.members, instances, seed)
    portfolio.labels = transfer(portfolio.labels, costs, seeds.generator(task.seed, "transfer", *index))


def _group(instances: Sequence[Any], labels: Labels, group: int) -> tuple[Any, ...]:
    """A group's instances; all of them where there are too few for a group of its own."""
    own = tuple(instance for instance, label in zip(instances, labels, strict=True) if label == group)
    return own or tuple(instances)
