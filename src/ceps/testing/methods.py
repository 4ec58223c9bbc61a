"""The contract of a construction method. Say in a test module which method, with which settings:

>>> TestMine = MethodContract.of(method=my_method, options={"sessions": 2})

Builds are real, but for the runs: their outcomes are pure functions, so whole builds take seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, fsum
from typing import Any, ClassVar

import pytest

from ceps import seeds
from ceps.construction.budget import Account
from ceps.construction.method import Members, Method, Outline, Scores, Task
from ceps.construction.tuner import ProcessTuner, Tuner
from ceps.errors import UserError
from ceps.evaluator import Evaluator
from ceps.metrics import Metric, Panc, Par10
from ceps.records import Configuration
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.solvers.space import JointSpace
from ceps.store import Store
from ceps.testing.bits import Bits, BitsInstance, BitSolver
from ceps.testing.contract import Contract
from ceps.testing.pure_executor import PureExecutor

SEED = 1
CUTOFF = 1.0
EFFORT = Effort(cpu=CUTOFF)
INSTANCES = tuple(BitsInstance(f"bits-{size}", size) for size in (3, 5, 8, 13, 21, 34))
SPACE = JointSpace((BitSolver(),))


@dataclass
class StoredDecisions:
    """The journal of a build in its store, which refuses a decision that differs from the one it has."""

    store: Store

    def __post_init__(self) -> None:
        self.charges: list[float] = []

    def begin(self, phase: str, account: Account) -> None:
        assert account.granted >= 0.0

    def recall(self, name: str, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        entry = self.store.journal_get(name, dict(inputs))
        if entry is not None:
            self.charges.append(entry.charge)
        return None if entry is None else entry.result

    def decide(self, name: str, inputs: Mapping[str, Any], result: Mapping[str, Any], charge: float) -> None:
        self.store.journal_put(name, dict(inputs), dict(result), charge)
        self.charges.append(charge)

    def keep(self, stage: str, members: Members, scores: Scores, losses: Scores) -> None:
        assert scores.min() >= 0.0
        assert len(losses) == len(members)
        assert losses.min() >= 0.0


@dataclass(frozen=True)
class Made:
    """What a build came to."""

    members: Members
    charged: float
    """By the journal."""
    cpu_of_runs: float
    """By the evaluator, of all requests for runs; sessions taken from the journal make none."""
    runs: int


class Interrupted(Exception):  # noqa: N818
    """The build was stopped by the test."""


class MethodContract(Contract):
    """What every construction method promises."""

    method: ClassVar[Method]
    options: ClassVar[Mapping[str, Any]] = {}
    size: ClassVar[int] = 3
    """K."""
    members: ClassVar[int] = 3
    """How many members the portfolio has: K, unless the method is one for single configurations."""
    spare: ClassVar[float] = 1.5
    """The budget of the builds, as a multiple of the smallest one."""

    @pytest.fixture(scope="class")
    @classmethod
    def tuner(cls) -> Iterator[Tuner]:
        with ProcessTuner(SPACE.solvers, SEED) as tuner:
            yield tuner

    def outline(self, metric: Metric) -> Outline:
        return Outline(
            problem=Bits(),
            solvers=[BitSolver.name],
            tunable=[BitSolver.name],
            metric=metric,
            instances=INSTANCES,
            size=self.size,
            cpu_of_reference=EFFORT.runs * EFFORT.cpu if metric.uses_target else 0.0,
            options=self.options,
        )

    def budget(self, metric: Metric) -> float:
        outline = self.outline(metric)
        return self.spare * (len(INSTANCES) * outline.cpu_of_reference + self.method.smallest_budget(outline))

    def build(
        self,
        tuner: Tuner,
        store: Store,
        *,
        metric: Metric = Par10(CUTOFF),  # noqa: B008 - a frozen value
        slots: int = 2,
        unsolvable: Collection[BitsInstance] = (),
        agreeing: bool = True,
        improving: bool = False,
        most_runs: float = float("inf"),
        budget: float | None = None,
    ) -> Made:
        """One build, or as much of it as ``most_runs`` allow."""

        def count() -> None:
            if executor.runs > most_runs:
                raise Interrupted

        hopeless = [instance.id for instance in unsolvable]
        executor = PureExecutor(0.5, count, slots, hopeless, agreeing, improving)
        runner = Runner(store, executor)
        references = References(Bits(), Consensus.of_default(BitSolver()), runner, EFFORT, SEED, memory=2**30)
        evaluator = Evaluator(Bits(), {BitSolver.name: BitSolver()}, metric, runner, references, memory=2**30)
        journal = StoredDecisions(store)
        task = Task(
            evaluator=evaluator,
            tuner=tuner,
            defaults=SPACE.defaults,
            sample=_sample,
            vector=SPACE.vector,
            size=self.size,
            instances=INSTANCES,
            budget=self.budget(metric) if budget is None else budget,
            seed=SEED,
            options=self.options,
            journal=journal,
        )
        members = self.method.build(task)
        cpu = evaluator.cpu_charged + references.cpu_charged
        return Made(members, fsum(journal.charges), cpu, executor.runs)

    @pytest.mark.parametrize("metric", [Par10(CUTOFF), Panc(CUTOFF)], ids=lambda metric: metric.name)
    def test_the_portfolio_has_k_valid_members(self, tuner: Tuner, metric: Metric) -> None:
        """K configurations that their solver can run, by runtime as well as by quality."""
        with Store.in_memory() as store:
            made = self.build(tuner, store, metric=metric)
        assert len(made.members) == self.members
        for member in made.members:
            SPACE.point(member).check_valid_configuration()

    @pytest.mark.parametrize("spare", [1.0, 1.5])
    @pytest.mark.parametrize("metric", [Par10(CUTOFF), Panc(CUTOFF)], ids=lambda metric: metric.name)
    def test_the_budget_is_kept_and_every_run_is_paid_for(self, tuner: Tuner, metric: Metric, spare: float) -> None:
        """What the journal says was charged is what the runs cost, and no more than the budget, however small."""
        budget = ceil(spare / self.spare * self.budget(metric))
        with Store.in_memory() as store:
            made = self.build(tuner, store, metric=metric, budget=budget)
        assert made.charged == pytest.approx(made.cpu_of_runs)
        assert made.charged <= budget

    @pytest.mark.parametrize("spare", [1.0, 1.5])
    def test_the_budget_is_kept_where_no_two_runs_agree_on_references(self, tuner: Tuner, spare: float) -> None:
        """Runs that look for agreement leave what the method cannot do without."""
        budget = ceil(spare / self.spare * self.budget(Par10(CUTOFF)))
        with Store.in_memory() as store:
            made = self.build(tuner, store, agreeing=False, budget=budget)
        assert len(made.members) == self.members
        assert made.charged == pytest.approx(made.cpu_of_runs)
        assert made.charged <= budget

    def test_most_of_the_budget_is_used(self, tuner: Tuner) -> None:
        """A comparison under equal budgets is one only if they are spent."""
        with Store.in_memory() as store:
            made = self.build(tuner, store)
        assert made.charged >= 0.7 * self.budget(Par10(CUTOFF))

    def test_the_same_task_gives_the_same_portfolio(self, tuner: Tuner) -> None:
        """Whatever the number of runs at a time, the same portfolio for the same charge."""
        made = []
        for slots in (1, 3):
            with Store.in_memory() as store:
                made.append(self.build(tuner, store, slots=slots))
        assert made[0].members == made[1].members
        assert made[0].charged == made[1].charged

    @pytest.mark.parametrize("improving", [False, True])
    def test_an_interrupted_build_is_the_build_never_interrupted(self, tuner: Tuner, improving: bool) -> None:
        """Stopped midway and started again on the same store: the same portfolio for the same charge. Also where runs
        find better costs than were known, by which later ones are judged."""
        with Store.in_memory() as store:
            whole = self.build(tuner, store, improving=improving)
        with Store.in_memory() as store:
            with pytest.raises(Interrupted):
                self.build(tuner, store, improving=improving, most_runs=whole.runs // 2)
            resumed = self.build(tuner, store, improving=improving)
        assert 0 < resumed.runs < whole.runs
        assert (resumed.members, resumed.charged) == (whole.members, whole.charged)

    def test_a_finished_build_is_replayed_without_a_run(self, tuner: Tuner) -> None:
        """Built again on its store, nothing is run, every decision is the same, and so is the charge."""
        with Store.in_memory() as store:
            first = self.build(tuner, store)
            again = self.build(tuner, store)
        assert (again.members, again.charged, again.runs) == (first.members, first.charged, 0)

    @pytest.mark.parametrize("solvable", [1, len(INSTANCES) - 1])
    @pytest.mark.parametrize("metric", [Par10(CUTOFF), Panc(CUTOFF)], ids=lambda metric: metric.name)
    def test_instances_that_nobody_solves_are_survived(self, tuner: Tuner, metric: Metric, solvable: int) -> None:
        """Where only some instances have a solution, there is a portfolio all the same, within the budget."""
        with Store.in_memory() as store:
            # Looking for solutions where there are none goes on to the last round.
            in_vain = len(INSTANCES) * EFFORT.runs * EFFORT.cpu * 2**EFFORT.rounds if metric.uses_target else 0.0
            budget = in_vain + self.budget(metric)
            made = self.build(tuner, store, metric=metric, unsolvable=INSTANCES[solvable:], budget=budget)
            sessions = sum(entry.phase == "session" for entry in store.journal())
        assert len(made.members) == self.members
        assert made.charged <= budget + sessions * CUTOFF

    def test_where_nothing_is_solved_the_user_is_told(self, tuner: Tuner) -> None:
        """When no training instance has a solution there is nothing to choose by, and the build says so."""
        with Store.in_memory() as store, pytest.raises(UserError, match="no run found a solution"):
            self.build(tuner, store, unsolvable=INSTANCES, budget=1e4)

    def test_wrong_settings_are_refused_before_anything_is_run(self) -> None:
        """An unknown setting is named when the smallest budget is asked for."""
        wrong = replace(self.outline(Par10(CUTOFF)), options={**self.options, "no such setting": 1})
        with pytest.raises(UserError, match="no such setting"):
            self.method.smallest_budget(wrong)

    def test_a_budget_too_small_is_refused_with_the_smallest_that_works(self, tuner: Tuner) -> None:
        """Before any run; the message says how much is needed, and that much is enough."""
        with Store.in_memory() as store:
            with pytest.raises(UserError, match="give at least") as refused:
                self.build(tuner, store, budget=2.0 * len(INSTANCES) * EFFORT.cpu)
            assert store.totals().runs == 0
            needed = float(str(refused.value).split("give at least ")[1].split(" s")[0])
            made = self.build(tuner, store, budget=needed)
        assert len(made.members) == self.members


def _sample(count: int) -> list[Configuration]:
    return SPACE.sample(count, seeds.derive(SEED, "contract"))
