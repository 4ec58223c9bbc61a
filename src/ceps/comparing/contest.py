"""What is compared: an experiment, with all that it names found and checked before anything is run."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ceps import building, planning
from ceps.comparing.contenders import Builder, Field, assemble_field
from ceps.comparing.experiment import Experiment
from ceps.comparing.leaks import leaks
from ceps.comparing.splits import Split, random_splits
from ceps.rehearsal import Cast, assemble
from ceps.settings import MethodSettings, Scenario
from ceps.tables import naming

TESTS = "test"
"""Whom the runs of the test are made for, in the store."""
SPLITS, COMPARISON = "splits", "comparison"
"""What the store calls the conclusions of a comparison: who trains and who tests, and all that was measured."""


def asker(split: int, label: str) -> str:
    """Whom a build's runs and decisions belong to, in the store."""
    return f"{split}/{label}"


@dataclass(frozen=True, slots=True)
class Contest:
    """An experiment, with all that it names found and checked."""

    experiment: Experiment
    cast: Cast
    field: Field
    splits: Sequence[Split]
    base: Path
    named: str
    warnings: tuple[str, ...]

    def scenario(self, builder: Builder, split: Split, method: MethodSettings | None = None) -> Scenario:
        """One build, as a scenario of its own."""
        common = self.experiment.scenario
        return replace(
            common,
            seed=self.experiment.split_seed(split.number),
            portfolio=replace(common.portfolio, solvers=tuple(solver.name for solver in builder.solvers)),
            method=method or builder.method,
        )

    def place(self, builder: Builder) -> str:
        """Where a builder stands, for messages."""
        return f"{self.named}: [[methods]] '{builder.label}'"

    def training(self, builder: Builder, split: Split) -> Cast:
        instances = [self.cast.instances[index] for index in split.train]
        return replace(self.cast, instances=instances, solvers=list(builder.solvers))

    def identity(self) -> dict[str, Any]:
        """What a run directory of this comparison belongs to. Where runs are made has no say in it."""
        identity = building.identity(self.experiment.scenario, self.cast)
        settings = dataclasses.asdict(self.experiment)
        settings["execution"] = identity.pop("scenario")["execution"]
        # A list would be one value: by label, what has changed can be told.
        settings["methods"] = dict(zip(self._headings(), settings["methods"], strict=True))
        members = {each.label: [member.id for member in each.portfolio.members] for each in self.field.fixed}
        versions = {
            **{each.label: {solver.name: solver.version for solver in each.solvers} for each in self.field.builders},
            **{each.label: {name: each.solvers[name].version for name in each.solvers} for each in self.field.fixed},
        }
        return {
            **identity,
            "purpose": "comparison",
            "experiment": settings,
            "solvers": versions,
            "given_members": members,
        }

    def places(self) -> set[str]:
        """Where descriptions stand, which has no say in it either."""
        solvers = {solver for builder in self.field.builders for solver in builder.solvers}
        return building.places("experiment", self.cast.problem, {*solvers, *self.cast.solvers})

    def _headings(self) -> list[str]:
        initial = {builder.initial_label for builder in self.field.builders}
        return [label for label in self.field.labels if label not in initial]


def prepare(experiment: Experiment, base: Path, named: str) -> Contest:
    """Find all that an experiment names, and refuse what cannot be compared, before anything is run."""
    warnings: list[str] = []
    cast = assemble(experiment.scenario, base, named, key="instances")
    field = assemble_field(experiment, cast, base, named, warnings.append)
    with naming(named):
        settings = experiment.splits
        splits = random_splits(len(cast.instances), settings.count, settings.train, experiment.seed)
    contest = Contest(experiment, cast, field, splits, base, named, ())
    _refuse_small_budgets(contest)
    if field.builders:
        trained = sorted({index for split in splits for index in split.train})
        planning.refuse_uneven_features(cast.problem, [cast.instances[index] for index in trained], named)
    for builder in field.builders:
        warnings += [f"{builder.label}: {message}" for message in planning.limitations(builder.method.name, cast)]
    warnings += leaks(cast.instances, splits, field.fixed)
    return replace(contest, warnings=tuple(warnings))


def _refuse_small_budgets(contest: Contest) -> None:
    refusals = []
    # Splits are of one size: what does for one does for all, but for references that are given for some instances only.
    cast = contest.cast
    split = max(
        contest.splits,
        key=lambda split: planning.references_sought(cast, [cast.instances[index] for index in split.train]),
    )
    for builder in contest.field.builders:
        method = builder.method
        if builder.waits:
            method = replace(method, options={**method.options, "new_instances": 0})
        scenario = contest.scenario(builder, split, method)
        try:
            planning.plan(scenario, contest.training(builder, split), contest.place(builder), workers=1)
        except planning.BudgetError as error:
            refusals.append(error)
    if refusals:
        raise max(refusals, key=lambda error: error.smallest)
