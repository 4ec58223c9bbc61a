"""An evaluator whose scores are a table, and the rest of what a method gets: decisions in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ceps.construction.budget import Account
from ceps.construction.method import Members, Scores, Task
from ceps.construction.tuner import Found, Search, TrialScore
from ceps.evaluator import Evaluation
from ceps.findings import Findings
from ceps.metrics import Par10
from ceps.records import Configuration, Ending, Outcome, digest
from ceps.store import Reference
from ceps.testing.bits import Bits, BitsInstance

CUTOFF = 10.0
RUN = 1.0
"""CPU seconds that every run is charged, unless capped before."""


def theta(number: int) -> Configuration:
    return Configuration.of("bits", {"number": number})


def number_of(configuration: Configuration) -> int:
    return int(configuration.as_dict()["number"])


@dataclass
class FakeReferences:
    """Everybody has a reference of 0, but for the unsolved; each costs a second."""

    unsolved: set[str] = field(default_factory=set)
    cpu_charged: float = 0.0
    cpu_of_one: float = 2.0
    cpu_of_estimate: float = 1.0
    estimated: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    established: list[str] = field(default_factory=list)
    beaten: list[Any] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)

    def reference(self, instance: Any) -> Reference | None:
        return None if instance.name in self.unsolved else Reference(0, 1.0, "fake", 0.0)

    def cost(self, instance: Any) -> float:
        return 0

    def truth(self, instance: Any) -> str | None:
        return None

    def estimate(self, instances: Iterable[Any]) -> None:
        made = list(instances)
        self.batches.append(len(made))
        for instance in made:
            self.estimated.append(instance.id)
            self.cpu_charged += 1.0

    def is_settled(self, instance: Any) -> bool:
        return instance.id in self.established

    def establish(self, instances: Iterable[Any], most_cpu: float = np.inf) -> list[Any]:
        made = list(instances)
        self.established += [instance.id for instance in made]
        self.cpu_charged += len(made)
        return [instance for instance in made if instance.name in self.unsolved]

    def settle(self, instances: Iterable[Any]) -> list[Any]:
        settled, self.beaten = self.beaten, []
        return settled


class FakeEvaluator:
    """Scores from ``table(configuration number, instance, seed)``; a score at or above the bound is the penalty."""

    def __init__(self, table: Callable[[int, Any, int], float], problem: Any = None) -> None:
        self.metric = Par10(CUTOFF)
        self.problem = problem or Bits()
        self.references = FakeReferences()
        self.charge = RUN
        self.table = table
        self.asked: list[tuple[int, Any, int, float]] = []
        self.parents: dict[str, str] = {}
        self.cpu_charged = 0.0
        self.cpu_side_by_side = 0.0

    def submit(self, configuration: Configuration, instance: Any, seed: int, bound: float = np.inf) -> Future[Any]:
        self.asked.append((number_of(configuration), instance, seed, bound))
        true = self.table(number_of(configuration), instance, seed)
        cap = self.metric.cap(bound)
        score = true if true <= cap else self.metric.penalty
        promise: Future[Any] = Future()
        ending = Ending.SOLVED if true <= cap else Ending.CAPPED if cap < CUTOFF else Ending.TIMEOUT
        promise.set_result(Evaluation(score, min(self.charge, cap), Outcome(ending, cpu=min(true, cap), cost=0.0)))
        self.cpu_charged += min(self.charge, cap)
        return promise

    def judged_again(self, instance: Any, made: Evaluation) -> Evaluation:
        return made

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        return [work(item) for item in items]

    def remember(self, instance: Any, parent: Any) -> None:
        self.parents[instance.id] = parent.id

    def tally(self, size: int, score: float) -> None:
        self.cpu_side_by_side += size * min(score, CUTOFF)


@dataclass
class FakeTuner:
    """Finds what the script says for each search, at the price of its grant, after the trials it is told."""

    script: Callable[[Search], Configuration | Members]
    history: Callable[[Search], tuple[TrialScore, ...]] = lambda search: ()
    searches: list[Search] = field(default_factory=list)

    def tune(
        self,
        evaluator: Any,
        searches: Sequence[Search],
        on_found: Callable[[int, Found], None],
    ) -> list[Found]:
        self.searches += searches
        answers = [self.script(search) for search in searches]
        found = [
            Found(
                answer if isinstance(answer, tuple) else (answer,), search.grant, 1, 0.0, history=self.history(search)
            )
            for search, answer in zip(searches, answers, strict=True)
        ]
        for index, each in enumerate(found):
            on_found(index, each)
        return found


@dataclass
class FakeJournal:
    """Remembers everything."""

    entries: dict[str, tuple[str, dict[str, Any], dict[str, Any], float]] = field(default_factory=dict)
    kept: list[tuple[str, Members, Scores, Scores]] = field(default_factory=list)
    accounts: dict[str, Account] = field(default_factory=dict)

    def begin(self, phase: str, account: Account) -> None:
        self.accounts[phase] = account

    def recall(self, name: str, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        entry = self.entries.get(digest([name, inputs]))
        return None if entry is None else entry[2]

    def decide(self, name: str, inputs: Mapping[str, Any], result: Mapping[str, Any], charge: float) -> None:
        self.entries[digest([name, inputs])] = (name, dict(inputs), dict(result), charge)

    def keep(self, stage: str, members: Members, scores: Scores, losses: Scores) -> None:
        self.kept.append((stage, members, scores, losses))

    def decided(self, name: str) -> list[dict[str, Any]]:
        return [result for entry, _, result, _ in self.entries.values() if entry == name]


def instances_of(count: int) -> list[BitsInstance]:
    return [BitsInstance(f"i{index}", 100 + index) for index in range(count)]


def task_of(
    evaluator: FakeEvaluator,
    tuner: FakeTuner | None = None,
    journal: FakeJournal | None = None,
    *,
    size: int = 2,
    instances: Sequence[Any] | None = None,
    budget: float = 10_000.0,
    **options: Any,
) -> Task:
    return Task(
        evaluator=evaluator,  # type: ignore[arg-type]
        tuner=tuner or FakeTuner(lambda search: theta(99)),
        defaults=[theta(0)],
        sample=lambda count: [theta(number) for number in range(count)],
        vector=lambda configuration: [float(number_of(configuration))],
        size=size,
        instances=instances_of(3) if instances is None else instances,
        budget=budget,
        seed=1,
        options=options,
        journal=journal or FakeJournal(),
    )
