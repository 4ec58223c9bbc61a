"""The comparison itself: every method on every split through one store and one executor, then one test for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from ceps import building
from ceps.building import Alarm, Built, Numbers, StoreJournal
from ceps.comparing.contenders import Builder, shortfalls
from ceps.comparing.contest import COMPARISON, SPLITS, TESTS, Contest, asker
from ceps.comparing.measured import TEST, TRAIN, Construction, Given, Measured, Row, Work
from ceps.comparing.results import family, virtual_best
from ceps.comparing.splits import Split
from ceps.construction.budget import Account
from ceps.construction.tuner import ProcessTuner, Tuner
from ceps.contradictions import told
from ceps.errors import UserError
from ceps.evaluation.protocol import Entry, Repeat, Report, evaluate_all
from ceps.evaluator import Evaluator
from ceps.execution.executor import Executor
from ceps.portfolio import Portfolio
from ceps.runner import Runner
from ceps.solvers import Solver
from ceps.store import Reference, Store, Totals
from ceps.store.history import contradictions
from ceps.tables import naming


class ContestWatch(Protocol):
    """Shows a comparison to people. Called from any thread."""

    def start(self, numbers: Numbers) -> None:
        """Building begins."""

    def begin(self, phase: str, account: Account) -> None: ...

    def keep(self, stage: str, score: float) -> None: ...

    def test(self, references: int, repeats: int) -> None:
        """All portfolios are built; so many references will be sought and repeats made."""

    def referenced(self, instance: Any, reference: Reference | None) -> None: ...

    def tested(self, instance: Any, repeat: Repeat) -> None: ...

    def warn(self, message: str) -> None: ...


def hold(contest: Contest, executor: Executor, out: Path, watch: ContestWatch) -> Measured:
    """Build and test everything. Started again on the same directory, it goes on where it was: by replaying the store.

    Builds go on side by side, so that there is work when one of them waits for its last runs. What they come to does
    not depend on how many do.
    """
    for message in contest.warnings:
        watch.warn(message)
    field, experiment = contest.field, contest.experiment
    with ExitStack() as stack:
        store = stack.enter_context(Store.open(out, contest.identity(), contest.places()))
        store.begin_sitting(executor.slots)
        store.conclude(SPLITS, _splits_json(contest))
        runner = Runner(store, executor)
        total = len(contest.splits) * len(field.builders) * experiment.budget.cpu
        numbers = Numbers(runner, total, executor.slots, store.totals())
        if field.builders:
            watch.start(numbers)
        alarm = Alarm(store, watch.warn)
        built = _build_all(_Yard(contest, store, runner, out, watch, numbers, alarm), stack)
        portfolios = _portfolios(contest, built)
        short = shortfalls(field, {place: made.merged for place, made in built.items()})
        for message in short:
            watch.warn(message)
        reports = _test(contest, runner.part(TESTS), portfolios, built.values(), watch)
        alarm.ring()
        spent = {asker: totals.cpu for asker, totals in store.totals_by_asker().items()}
        rows = [row for (split, label), report in reports.items() for row in _rows(contest, split, label, report)]
        for virtual in field.virtual:
            rows += virtual_best(rows, virtual.label, virtual.of)
        measured = Measured(
            metric=contest.cast.metric.name,
            cutoff=contest.cast.metric.cutoff,
            repeats=experiment.test.repeats,
            budget=experiment.budget.cpu,
            methods=field.labels,
            baseline=None if field.ceps is None else field.ceps.label,
            rows=tuple(rows),
            constructions=tuple(
                _construction(split, label, made, portfolios[split, label], spent.get(asker(split, label), 0.0))
                for (split, label), made in built.items()
            ),
            given=tuple(
                Given(split, label, tested.members)
                for (split, label), tested in portfolios.items()
                if (split, label) not in built
            ),
            spent_on_tests=spent.get(TESTS, 0.0),
            work=Work(executor.slots, numbers.wall, runner.cpu_spent, numbers.before.cpu),
            warnings=(*contest.warnings, *short, *told(contradictions(store))),
        )
        store.conclude(COMPARISON, measured.as_json())
        return measured


def _splits_json(contest: Contest) -> dict[str, Any]:
    """Instances by their ids, in the order of the whole set, and of every split the positions of those trained on."""
    return {
        "instances": [instance.id for instance in contest.cast.instances],
        "train": [list(split.train) for split in contest.splits],
    }


@dataclass(frozen=True, slots=True)
class _Yard:
    """Where the building goes on."""

    contest: Contest
    store: Store
    runner: Runner
    out: Path
    watch: ContestWatch
    numbers: Numbers
    alarm: Alarm


def _build_all(yard: _Yard, stack: ExitStack) -> dict[tuple[int, str], Built]:
    """Every method on every split, a few at a time."""
    contest = yard.contest
    tuners: dict[tuple[int, tuple[Solver, ...]], Tuner] = {}
    made_before = yard.store.totals_by_asker()
    threads = ThreadPoolExecutor(1 + yard.runner.slots // 2)
    futures: dict[tuple[int, str], Future[Built]] = {}

    def start(builder: Builder, split: Split) -> None:
        ceps = contest.field.ceps
        awaited = futures[split.number, ceps.label] if builder.waits and ceps is not None else None
        before = made_before.get(asker(split.number, builder.label), Totals(0, 0.0))
        host = split.number, builder.solvers
        if host not in tuners:
            seed = contest.experiment.split_seed(split.number)
            tuners[host] = stack.enter_context(ProcessTuner(builder.solvers, seed))
        futures[split.number, builder.label] = threads.submit(
            _build, yard, builder, split, tuners[host], before, awaited
        )

    try:
        # Those that wait for others come last: they find them under way or done, and keep nobody from beginning.
        for builder in sorted(contest.field.builders, key=lambda builder: builder.waits):
            for split in contest.splits:
                start(builder, split)
        done, _ = wait(futures.values(), return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
        places = [(split.number, builder.label) for split in contest.splits for builder in contest.field.builders]
        return {place: futures[place].result() for place in places}
    finally:
        # Not waiting: after an interrupt, a build ends when its runs are killed with the executor.
        threads.shutdown(wait=False, cancel_futures=True)


def _build(
    yard: _Yard, builder: Builder, split: Split, tuner: Tuner, before: Totals, awaited: Future[Built] | None
) -> Built:
    contest, who = yard.contest, asker(split.number, builder.label)
    method = builder.method
    if awaited is not None:
        method = replace(method, options={**method.options, "new_instances": awaited.result().merged})
    scenario, cast = contest.scenario(builder, split, method), contest.training(builder, split)
    runner = yard.runner.part(who)
    folder = yard.out / f"split-{split.number}" / builder.label
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from error
    numbers = Numbers(runner, contest.experiment.budget.cpu, runner.slots, before)
    yard.numbers.charges.append(lambda: numbers.charged)
    evaluator = building.evaluator_of(
        scenario, cast, runner, building.references_of(scenario, cast, contest.base, runner)
    )
    watch = _Told(yard.watch, who)
    journal = StoreJournal(yard.store, scenario, cast, folder, watch, yard.alarm, scope=f"{who}: ")
    with naming(f"{contest.named}: {who}"):
        return building.run_method(scenario, cast, evaluator, tuner, journal, numbers)


@dataclass(frozen=True, slots=True)
class _Told:
    """A build's news, with its name before them."""

    watch: ContestWatch
    who: str

    def start(self, numbers: Numbers) -> None:
        return None

    def begin(self, phase: str, account: Account) -> None:
        self.watch.begin(f"{self.who}: {phase}", account)

    def keep(self, stage: str, score: float) -> None:
        self.watch.keep(f"{self.who}: {stage}", score)

    def warn(self, message: str) -> None:
        self.watch.warn(f"{self.who}: {message}")


@dataclass(frozen=True, slots=True)
class _Tested:
    portfolio: Portfolio
    solvers: Mapping[str, Solver]

    @property
    def members(self) -> tuple[str, ...]:
        return self.portfolio.in_words(self.solvers)


def _portfolios(contest: Contest, built: Mapping[tuple[int, str], Built]) -> dict[tuple[int, str], _Tested]:
    """All portfolios of all splits, by split and label, in the order of the table."""
    made: dict[tuple[int, str], _Tested] = {}
    for split in contest.splits:
        for builder in contest.field.builders:
            product = built[split.number, builder.label]
            solvers = {solver.name: solver for solver in builder.solvers}
            made[split.number, builder.label] = _Tested(product.portfolio, solvers)
            if builder.initial_label is not None and product.initial is not None:
                made[split.number, builder.initial_label] = _Tested(product.initial, solvers)
        for fixed in contest.field.fixed:
            made[split.number, fixed.label] = _Tested(fixed.portfolio, fixed.solvers)
    return made


def _test(
    contest: Contest,
    runner: Runner,
    portfolios: Mapping[tuple[int, str], _Tested],
    built: Iterable[Built],
    watch: ContestWatch,
) -> dict[tuple[int, str], Report]:
    """All portfolios on all instances, those they were trained on included, judged by the same references: the best
    that is known, also from the builds."""
    experiment, cast = contest.experiment, contest.cast
    references = building.references_of(experiment.scenario, cast, contest.base, runner)
    sought = [each for each in cast.instances if references.reference(each) is None] if cast.metric.uses_target else []
    watch.test(len(sought), len(portfolios) * len(cast.instances) * experiment.test.repeats)
    if cast.metric.uses_target:
        references.establish(cast.instances, watch.referenced)
        for each in built:
            references.findings.add(each.findings)
        references.settle(cast.instances)
    entries = [
        Entry(
            tested.portfolio,
            cast.instances,
            Evaluator(cast.problem, tested.solvers, cast.metric, runner, references, experiment.execution.memory),
        )
        for tested in portfolios.values()
    ]
    reports = evaluate_all(entries, experiment.test.repeats, experiment.seed, watch.tested)
    return dict(zip(portfolios, reports, strict=True))


def _rows(contest: Contest, number: int, label: str, report: Report) -> list[Row]:
    (split,) = (each for each in contest.splits if each.number == number)
    trained = set(split.train)
    return [
        Row(
            split=number,
            method=label,
            part=TRAIN if index in trained else TEST,
            number=index,
            instance=result.instance,
            family=family(result.instance),
            score=result.score,
            timeout=result.timeout,
            components=tuple(repeat.component for repeat in result.repeats),
        )
        for index, result in enumerate(report.per_instance)
    ]


def _construction(split: int, label: str, built: Built, tested: _Tested, spent: float) -> Construction:
    return Construction(
        split=split,
        method=label,
        members=tested.members,
        training_score=built.final_score,
        losses=built.contributions,
        charged=built.cpu_charged,
        references=built.cpu_references,
        spent=spent,
        made_instances=built.merged,
    )
