"""A build from scenario to portfolio: opens the run directory, keeps the journal, writes the portfolio files."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from math import fsum, isfinite
from pathlib import Path
from typing import Any, Protocol

from ceps import __version__
from ceps.construction.budget import Account
from ceps.construction.method import Members, Scores, Task
from ceps.construction.methods import method_named
from ceps.construction.tuner import ProcessTuner, Tuner
from ceps.construction.validation import quartiles
from ceps.contradictions import told
from ceps.errors import UserError
from ceps.evaluator import Evaluator
from ceps.execution.executor import Executor
from ceps.findings import Finding
from ceps.planning import cautions, plan, refuse_uneven_features
from ceps.portfolio import MetricChoice, Portfolio
from ceps.problems import Problem
from ceps.problems.described import DescribedProblem
from ceps.references import Effort, References
from ceps.rehearsal import Cast, assemble
from ceps.runner import Runner
from ceps.settings import Scenario
from ceps.solvers import Solver, exact_solver, reference_consensus
from ceps.solvers.command import Command
from ceps.solvers.space import JointSpace
from ceps.store import Store, Totals
from ceps.store.history import contradictions

DECIDING = ("smac", "scikit-learn", "numpy", "ConfigSpace")
"""Libraries whose version decides what a build comes to: it is not resumed under another."""

PORTFOLIO, BUILD = "portfolio", "build"
"""What the store calls portfolios that were kept, in the journal and as conclusions, and the conclusion of a build."""


class BuildWatch(Protocol):
    """Shows a build to people. Called from the thread that builds, but for ``start``'s numbers, which change."""

    def start(self, numbers: Numbers) -> None: ...

    def begin(self, phase: str, account: Account) -> None: ...

    def keep(self, stage: str, score: float) -> None: ...

    def warn(self, message: str) -> None: ...


@dataclass
class Numbers:
    """What can be read off a build, or off several at a time, at any moment."""

    runner: Runner
    budget: float
    workers: int
    before: Totals
    """What was run before a restart."""
    started: float = field(default_factory=time.monotonic)
    charges: list[Callable[[], float]] = field(default_factory=list)
    """Of every build, what it has been charged."""

    @property
    def charged(self) -> float:
        return sum(charge() for charge in list(self.charges))

    @property
    def spent(self) -> float:
        return self.before.cpu + self.runner.cpu_spent

    @property
    def runs(self) -> int:
        return self.before.runs + self.runner.runs_made

    @property
    def wall(self) -> float:
        return time.monotonic() - self.started

    @property
    def utilisation(self) -> float:
        """Share of the workers' time that was solver CPU, of runs made since the start."""
        return self.runner.cpu_spent / (self.workers * self.wall)

    @property
    def seconds_left(self) -> float | None:
        """Wall-clock seconds until the budget is spent at the present pace; None before there is one."""
        pace = self.runner.cpu_spent / self.wall
        return None if pace <= 0.0 else max(0.0, self.budget - self.charged) / pace


@dataclass(frozen=True, slots=True)
class Built:
    """What a build came to."""

    portfolio: Portfolio
    initial: Portfolio | None
    """The first portfolio, where the method begins with one."""
    initial_score: float | None
    """Of the first portfolio, where the method begins with one."""
    final_score: float
    contributions: tuple[float, ...]
    """By how much the training score would rise without each member."""
    cpu_charged: float
    cpu_references: float
    cpu_spent: float
    """By runs really made, in all sittings; ``runs`` is how many."""
    cpu_side_by_side: float
    """What the same trials would have cost with all members side by side until one has solved the instance."""
    unsolved: int
    """Training instances that nobody could solve."""
    offspring: int
    dropped: int
    merged: int
    """Instances that were made and trained on."""
    runs: int
    utilisation: float
    """Since the last start."""
    resumed: bool
    """Whether runs were made before that."""
    findings: tuple[Finding, ...]
    """What its runs say of instances."""

    @property
    def cpu_trials(self) -> float:
        """CPU seconds really spent on trials: references apart."""
        return self.cpu_spent - self.cpu_references


def build(scenario: Scenario, base: Path, named: str, executor: Executor, out: Path, watch: BuildWatch) -> Built:
    """Build a portfolio. Started again on the same directory, it goes on where it was: by replaying the store."""
    if scenario.budget is None:
        raise UserError(f'{named}: [budget] is missing; give one, such as cpu = "1h"')
    cast = assemble(scenario, base, named)
    plan(scenario, cast, named, executor.slots)
    refuse_uneven_features(cast.problem, cast.instances, named)
    for message in cautions(scenario.method.name, cast):
        watch.warn(message)
    with (
        Store.open(out, identity(scenario, cast), free=places("scenario", cast.problem, cast.solvers)) as store,
        ProcessTuner(cast.solvers, scenario.seed) as tuner,
    ):
        store.begin_sitting(executor.slots)
        runner = Runner(store, executor)
        numbers = Numbers(runner, scenario.budget.cpu, executor.slots, store.totals())
        watch.start(numbers)
        evaluator = evaluator_of(scenario, cast, runner, references_of(scenario, cast, base, runner))
        journal = StoreJournal(store, scenario, cast, out, watch, Alarm(store, watch.warn))
        return run_method(scenario, cast, evaluator, tuner, journal, numbers)


def run_method(
    scenario: Scenario, cast: Cast, evaluator: Evaluator, tuner: Tuner, journal: StoreJournal, numbers: Numbers
) -> Built:
    """Have the scenario's method build a portfolio with what is given."""
    assert scenario.budget is not None
    references = evaluator.references
    numbers.charges.append(lambda: evaluator.cpu_charged + references.cpu_charged + journal.recalled_charge)
    joint = JointSpace(tuple(cast.solvers))
    task = Task(
        evaluator=evaluator,
        tuner=tuner,
        defaults=joint.defaults,
        sample=lambda count: joint.sample(count, scenario.seed),
        vector=joint.vector,
        size=scenario.portfolio.size,
        instances=cast.instances,
        budget=scenario.budget.cpu,
        seed=scenario.seed,
        options=scenario.method.options,
        journal=journal,
    )
    members = method_named(scenario.method.name).build(task)
    built = journal.summary(members, evaluator, numbers)
    journal.conclude(built)
    journal.alarm.ring()
    return built


def identity(scenario: Scenario, cast: Cast) -> dict[str, Any]:
    """What a run directory belongs to: all that decides what a build comes to. Where runs are made does not."""
    settings = dataclasses.asdict(scenario)
    settings["execution"] = {"memory": scenario.execution.memory}
    return {
        "purpose": "build",
        "scenario": settings,
        "instances": {instance.name: instance.id for instance in cast.instances},
        **({"problem": cast.problem.version} if cast.problem.version else {}),
        "solvers": {solver.name: solver.version for solver in cast.solvers},
        "versions": {"ceps": __version__, **{name: metadata.version(name) for name in DECIDING}},
    }


def places(settings: str, problem: Problem, solvers: Iterable[Solver]) -> set[str]:
    """Keys of an identity, below those of its ``settings``, that tell where descriptions stand.

    Folders are moved; what is in a description, the identity tells by versions.
    """
    files = {f"{settings}.solvers.{solver.name}.file" for solver in solvers if isinstance(solver, Command)}
    return files | ({f"{settings}.problem.settings.file"} if isinstance(problem, DescribedProblem) else set())


def references_of(scenario: Scenario, cast: Cast, base: Path, runner: Runner) -> References:
    """The references of a scenario; those that are given are known."""
    settings = scenario.references
    references = References(
        problem=cast.problem,
        consensus=reference_consensus(cast.problem.name, scenario.solvers, base),
        exact=exact_solver(cast.problem.name),
        runner=runner,
        effort=Effort(cpu=settings.cpu or cast.metric.cutoff),
        seed=scenario.seed,
        memory=scenario.execution.memory,
    )
    for instance in cast.instances:
        if instance.name in cast.known:
            references.know(instance, cast.known[instance.name], "given")
    return references


def evaluator_of(scenario: Scenario, cast: Cast, runner: Runner, references: References) -> Evaluator:
    solvers = {solver.name: solver for solver in cast.solvers}
    return Evaluator(cast.problem, solvers, cast.metric, runner, references, scenario.execution.memory)


class Alarm:
    """Warns of answers in a store that contradict each other; of each instance once, and once more when it has become
    known which are true. Threads may share it."""

    def __init__(self, store: Store, warn: Callable[[str], None]) -> None:
        self._store = store
        self._warn = warn
        self._told: set[tuple[str, str]] = set()
        self._mutex = threading.Lock()

    def ring(self) -> None:
        """Warn of what has come since."""
        with self._mutex:
            new = [each for each in contradictions(self._store) if (each.instance, each.truth) not in self._told]
            self._told.update((each.instance, each.truth) for each in new)
        for message in told(new):
            self._warn(message)


class StoreJournal:
    """The journal of one build, in its store; it also writes the portfolio files, and warns at the end of phases.

    ``scope`` tells the entries of this build from those of others in the same store.
    """

    def __init__(
        self,
        store: Store,
        scenario: Scenario,
        cast: Cast,
        out: Path,
        watch: BuildWatch,
        alarm: Alarm,
        scope: str = "",
    ) -> None:
        self.alarm = alarm
        self._store = store
        self._scenario = scenario
        self._cast = cast
        self._out = out
        self._watch = watch
        self._scope = scope
        self._initial: Portfolio | None = None
        self._scores: dict[str, float] = {}
        self._unsolved: Sequence[str] = ()
        self._offspring = self._dropped = self._merged = 0
        self._contributions: tuple[float, ...] = ()
        self._charges: list[float] = []
        self.recalled_charge = 0.0

    def begin(self, phase: str, account: Account) -> None:
        self.alarm.ring()
        self._watch.begin(phase, account)

    def recall(self, name: str, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        entry = self._store.journal_get(self._scope + name, dict(inputs))
        if entry is None:
            return None
        self._charges.append(entry.charge)
        self.recalled_charge += entry.charge
        recalled: Mapping[str, Any] = entry.result
        return recalled

    def decide(self, name: str, inputs: Mapping[str, Any], result: Mapping[str, Any], charge: float) -> None:
        self._store.journal_put(self._scope + name, dict(inputs), dict(result), charge)
        self._charges.append(charge)
        self._unsolved = result.get("unsolved", self._unsolved)
        self._offspring += result.get("offspring", 0)
        self._dropped += result.get("dropped", 0)
        self._merged += len(result.get("admitted", ()))

    def keep(self, stage: str, members: Members, scores: Scores, losses: Scores) -> None:
        score = float(scores.mean())
        self._scores[stage] = score
        self._contributions = tuple(losses.tolist())
        self._enter(stage, members, score)
        self._store.conclude(f"{self._scope}{PORTFOLIO} {stage}", quartiles(scores))
        portfolio = self._portfolio(members, stage, score)
        if stage == "initial":
            self._initial = portfolio
        portfolio.save(self._out / ("portfolio.initial.json" if stage == "initial" else "portfolio.json"))
        self._watch.keep(stage, score)

    def _enter(self, stage: str, members: Members, score: float) -> None:
        """The portfolio as an entry that costs nothing: the way to the last one can be read off the journal."""
        for member in members:
            self._store.add_configuration(member)
        kept = {
            "stage": stage,
            "members": [member.id for member in members],
            "score": score,
            # JSON has no infinity, which is what the loss of an only member is.
            "losses": [loss if isfinite(loss) else None for loss in self._contributions],
            "charged": fsum(self._charges),
        }
        self._store.journal_put(self._scope + PORTFOLIO, {"stage": stage}, kept, 0.0)

    def conclude(self, built: Built) -> None:
        """Note that the build has ended, with what only its end can tell."""
        told = {
            "side_by_side": built.cpu_side_by_side,
            "references": built.cpu_references,
            "unsolved": built.unsolved,
        }
        self._store.conclude(self._scope + BUILD, told)

    def summary(self, members: Members, evaluator: Evaluator, numbers: Numbers) -> Built:
        if not self._scores:
            name = self._scenario.method.name
            raise UserError(f"[method] name = '{name}': it has kept no portfolio; have it call task.journal.keep")
        stage, score = list(self._scores.items())[-1]
        return Built(
            portfolio=self._portfolio(members, stage, score),
            initial=self._initial,
            initial_score=self._scores.get("initial"),
            final_score=score,
            contributions=self._contributions,
            # fsum: sessions end in any order, and the sum must not depend on it.
            cpu_charged=fsum(self._charges),
            cpu_references=evaluator.references.cpu_charged,
            cpu_spent=numbers.spent,
            cpu_side_by_side=evaluator.cpu_side_by_side,
            unsolved=len(self._unsolved),
            offspring=self._offspring,
            dropped=self._dropped,
            merged=self._merged,
            runs=numbers.runs,
            utilisation=numbers.utilisation,
            resumed=numbers.before.runs > 0,
            findings=evaluator.references.findings.all(),
        )

    def _portfolio(self, members: Members, stage: str, score: float) -> Portfolio:
        metric = self._scenario.metric
        return Portfolio(
            problem=self._cast.problem.name,
            members=members,
            metric=MetricChoice(metric.name, metric.cutoff, metric.penalty),
            problem_settings=self._scenario.problem.settings,
            solver_settings=self._scenario.solvers,
            provenance={
                "method": self._scenario.method.name,
                "stage": stage,
                "training_score": score,
                "seed": self._scenario.seed,
                "instances": [instance.name for instance in self._cast.instances],
                "solvers": {solver.name: solver.version for solver in self._cast.solvers},
                "ceps": __version__,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
            },
        )
