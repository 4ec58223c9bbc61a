"""The race: each new configuration against the best so far, on more and more instances, until it loses or wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ConfigSpace import Configuration
from smac.callback import Callback
from smac.intensifier.abstract_intensifier import AbstractIntensifier
from smac.main.exceptions import ConfigurationSpaceExhaustedException
from smac.main.smbo import SMBO
from smac.runhistory import TrialInfo, TrialValue
from smac.scenario import Scenario

_PACE = 3
"""New contenders per further heat of the leader: more heats make it surer, but every later winner has to run them."""
_PATIENCE = 4
"""Trials after which a contender that merely ties is dropped. Ties are common where a portfolio's rest is best."""


@dataclass(eq=False, slots=True)
class Runner:
    """One configuration in the race. A heat is a number in the race's list of (instance, seed)."""

    configuration: Configuration
    scores: dict[int, float] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)
    running: set[int] = field(default_factory=set)


class Race(AbstractIntensifier):
    """Chooses the next trial.

    The leader runs the heats in a fixed order, one more for every few new contenders: all instances with the first seed
    come before any with the second. A contender runs 1, 2, 4, … of the leader's heats and is dropped after any round in
    which it is not better on them; when it has run them all, it leads. Nothing here waits: what is undecided is passed
    over, so any number of trials can be in flight.
    """

    def __init__(self, scenario: Scenario, heats: int) -> None:
        super().__init__(scenario)
        instances = scenario.instances or []
        seeds = -(-heats // len(instances))
        order = [(instances[i], seed) for seed in range(seeds) for i in self._rng.permutation(len(instances))]
        self._heats = order[: max(heats, len(instances))]
        self._numbers = {heat: number for number, heat in enumerate(self._heats)}
        self._runners: dict[Configuration, Runner] = {}
        self._contenders: list[Runner] = []
        self._entrants = 0
        self._leader_is_due = False
        self.leader: Runner | None = None

    uses_seeds = uses_instances = True
    uses_budgets = uses_cutoffs = False

    def get_callback(self) -> Callback:
        return _Told(self)

    def __iter__(self) -> Iterator[TrialInfo]:
        return self

    def __next__(self) -> TrialInfo:
        runner = self._next_runner()
        heat = runner.waiting.pop(0)
        runner.running.add(heat)
        instance, seed = self._heats[heat]
        return TrialInfo(runner.configuration, instance, seed)

    def pair(self, heat: int) -> tuple[int, int]:
        """The instance and the seed index of a heat."""
        instance, seed = self._heats[heat]
        return int(instance), seed

    def fold(self, trial: TrialInfo, score: float) -> None:
        """Take note of a trial's score, and decide what it decides."""
        runner = self._runners[trial.config]
        heat = self._numbers[str(trial.instance), trial.seed or 0]
        runner.running.remove(heat)
        runner.scores[heat] = score
        if self.leader is None:
            self._promote(runner)
        elif runner in self._contenders:
            self._judge(runner, self.leader)

    def _next_runner(self) -> Runner:
        for contender in self._contenders:
            if contender.waiting:
                return contender
        if self._leader_is_due and (leader := self._prolonged()):
            self._leader_is_due = False
            return leader
        if entrant := self._entrant() or self._second_chance():
            self._contenders.append(entrant)
            self._entrants += 1
            self._leader_is_due |= self._entrants % _PACE == 0
            return entrant
        if leader := self._prolonged():
            return leader
        raise StopIteration

    def _entrant(self) -> Runner | None:
        try:
            configuration = next(self.config_generator)
        except (StopIteration, ConfigurationSpaceExhaustedException):
            return None
        runner = self._runners[configuration] = Runner(configuration)
        self._start_round(runner)
        return runner

    def _second_chance(self) -> Runner | None:
        """When there is nothing new to try: whoever was dropped after the fewest heats."""
        for runner in sorted(self._runners.values(), key=lambda runner: len(runner.scores)):
            if runner is not self.leader and runner not in self._contenders and not runner.running:
                self._start_round(runner)
                if runner.waiting:
                    return runner
        return None

    def _prolonged(self) -> Runner | None:
        """The leader with one heat more to run, unless it is running or has run them all."""
        leader = self.leader
        if leader is None or leader.running:
            return None
        leader.waiting = [heat for heat in range(len(self._heats)) if heat not in leader.scores][:1]
        return leader if leader.waiting else None

    def _start_round(self, runner: Runner) -> None:
        heats = self.leader.scores if self.leader is not None else [0]
        left = [heat for heat in heats if heat not in runner.scores]
        self._rng.shuffle(left)
        runner.waiting = left[: max(1, len(runner.scores))]

    def _judge(self, runner: Runner, leader: Runner) -> None:
        shared = [heat for heat in runner.scores if heat in leader.scores]
        ours = sum(runner.scores[heat] for heat in shared)
        theirs = sum(leader.scores[heat] for heat in shared)
        to_come = sum(leader.scores[heat] for heat in (*runner.waiting, *runner.running))
        if ours > theirs + to_come:  # lost before the end of the round, for no score is below zero
            self._drop(runner)
        elif runner.waiting or runner.running:
            return
        elif ours > theirs or (ours == theirs and (len(shared) >= _PATIENCE or len(shared) == len(leader.scores))):
            self._drop(runner)
        elif len(shared) == len(leader.scores):
            self._promote(runner)
        else:
            self._start_round(runner)

    def _promote(self, runner: Runner) -> None:
        self._contenders.remove(runner)
        self.leader = runner
        self._incumbents = [runner.configuration]

    def _drop(self, runner: Runner) -> None:
        self._contenders.remove(runner)
        runner.waiting = []


class _Told(Callback):
    def __init__(self, race: Race) -> None:
        super().__init__()
        self._race = race

    def on_tell_end(self, smbo: SMBO, info: TrialInfo, value: TrialValue) -> None:
        assert isinstance(value.cost, float)
        self._race.fold(info, value.cost)
