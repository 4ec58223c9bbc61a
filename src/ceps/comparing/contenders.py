"""Who takes part: methods that build, portfolios that are given, and the best of several in hindsight."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceps.box import boxed_portfolio
from ceps.comparing.experiment import Entrant, Experiment
from ceps.construction.methods import method_names
from ceps.errors import UserError, did_you_mean
from ceps.portfolio import MetricChoice, Portfolio
from ceps.rehearsal import Cast
from ceps.settings import MethodSettings
from ceps.solvers import Solver, solver_named
from ceps.solvers.solver import default_configuration
from ceps.tables import brief, naming, read_table

BOX = "box"
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]*")


@dataclass(frozen=True, slots=True)
class Builder:
    """A method that builds a portfolio on every split."""

    label: str
    method: MethodSettings
    solvers: tuple[Solver, ...]
    """Whose configurations it searches: those of the experiment, but for a single one that is another's."""

    @property
    def waits(self) -> bool:
        """EPS makes as many instances as CEPS came to, unless told how many."""
        return self.method.name == "eps" and "new_instances" not in self.method.options

    @property
    def initial_label(self) -> str | None:
        """CEPS's first portfolio takes part as well."""
        return f"{self.label}.initial" if self.method.name == "ceps" else None


@dataclass(frozen=True, slots=True)
class Fixed:
    """A portfolio that is the same on every split and uses no budget."""

    label: str
    portfolio: Portfolio
    solvers: Mapping[str, Solver]


@dataclass(frozen=True, slots=True)
class VirtualBest:
    """On every instance the best of several contenders: what a selector that never errs would come to."""

    label: str
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """All contenders."""

    builders: tuple[Builder, ...]
    fixed: tuple[Fixed, ...]
    virtual: tuple[VirtualBest, ...]
    labels: tuple[str, ...]
    """In the order of the file; first portfolios stand before the portfolios that came of them."""

    @property
    def ceps(self) -> Builder | None:
        """The CEPS that others are compared with: the first."""
        return next((builder for builder in self.builders if builder.method.name == "ceps"), None)


@dataclass(frozen=True, slots=True)
class DefaultSettings:
    """A solver as it is, with its default configuration."""

    solver: str
    """Which one."""


@dataclass(frozen=True, slots=True)
class PortfolioFileSettings:
    """A portfolio that was built before."""

    file: str = BOX
    """A portfolio.json, relative to the experiment's folder, or ``"box"``: the one in the box."""
    trust: bool = False
    """Start the programs that the portfolio names: you know them."""


@dataclass(frozen=True, slots=True)
class VirtualBestSettings:
    """On every instance the best of several contenders, in hindsight."""

    of: tuple[str, ...]
    """Their labels."""


FIXED: Mapping[str, type[Any]] = {
    "default": DefaultSettings,
    "portfolio": PortfolioFileSettings,
    "vbs": VirtualBestSettings,
}
"""Contenders that use no budget, with their settings."""


def assemble_field(
    experiment: Experiment, cast: Cast, base: Path, named: str, on_left_out: Callable[[str], None]
) -> Field:
    """Find what ``[[methods]]`` names. ``on_left_out`` is told of members of the boxed portfolio that cannot run."""
    builders: list[Builder] = []
    fixed: list[Fixed] = []
    virtual: list[VirtualBest] = []
    labels: list[str] = []
    for number, entrant in enumerate(experiment.methods, start=1):
        with naming(f"{named}: [[methods]] number {number}"):
            contender = _contender(entrant, experiment, cast, base, on_left_out)
        match contender:
            case Builder():
                builders.append(contender)
                labels += [contender.initial_label] if contender.initial_label else []
            case Fixed():
                fixed.append(contender)
            case VirtualBest():
                virtual.append(contender)
        labels.append(contender.label)
    field = Field(tuple(builders), tuple(fixed), tuple(virtual), tuple(labels))
    _check(field, named)
    return field


def shortfalls(field: Field, made_instances: Mapping[tuple[int, str], int]) -> list[str]:
    """What people are warned of when all is built: an EPS that could not make as many instances as CEPS came to.

    ``made_instances`` are those of each build, by split and label.
    """
    warnings = []
    for builder in field.builders:
        if not builder.waits or field.ceps is None:
            continue
        for (split, label), made in made_instances.items():
            wanted = made_instances[split, field.ceps.label]
            if label == builder.label and made < wanted:
                warnings.append(
                    f"split {split}: {label} made {made} instances, not the {wanted} that {field.ceps.label} came to; "
                    "what it mutated could not be used, or its budget was too small"
                )
    return warnings


def _contender(
    entrant: Entrant, experiment: Experiment, cast: Cast, base: Path, on_left_out: Callable[[str], None]
) -> Builder | Fixed | VirtualBest:
    if entrant.label is not None and not _LABEL.fullmatch(entrant.label):
        raise UserError(f"label = {brief(entrant.label)}: use letters, digits, spaces and . _ + - only")
    match entrant.name:
        case "default":
            name = read_table(DefaultSettings, entrant.options, "[[methods]]").solver
            return _default(entrant.label or f"{name.upper()}-default", name, experiment, cast, base)
        case "portfolio":
            given = read_table(PortfolioFileSettings, entrant.options, "[[methods]]")
            return _given(entrant.label, given, cast, base, on_left_out)
        case "vbs":
            return VirtualBest(
                entrant.label or "VBS", read_table(VirtualBestSettings, entrant.options, "[[methods]]").of
            )
        case name if name in (known := method_names()):
            return _builder(entrant.label, MethodSettings(name, entrant.options), experiment, cast, base)
    raise UserError(f"name = {brief(entrant.name)} is unknown.{did_you_mean(entrant.name, [*known, *FIXED])}")


def _builder(label: str | None, method: MethodSettings, experiment: Experiment, cast: Cast, base: Path) -> Builder:
    solver = method.options.get("solver")
    if method.name == "single" and isinstance(solver, str):
        return Builder(label or f"{solver.upper()}-tuned", method, (_solver(solver, experiment, cast, base),))
    # As in the paper's tables.
    usual = f"{cast.solvers[0].name.upper()}-tuned" if method.name == "single" else method.name.upper()
    return Builder(label or usual, method, tuple(cast.solvers))


def _solver(name: str, experiment: Experiment, cast: Cast, base: Path) -> Solver:
    solver = solver_named(name, experiment.solvers.get(name, {}), base)
    if cast.problem.name not in solver.problems:
        raise UserError(f"solver = '{name}' does not solve problem '{cast.problem.name}'; name another one")
    return solver


def _default(label: str, name: str, experiment: Experiment, cast: Cast, base: Path) -> Fixed:
    solver = _solver(name, experiment, cast, base)
    metric = MetricChoice(cast.metric.name, cast.metric.cutoff)
    return Fixed(label, Portfolio(cast.problem.name, (default_configuration(solver),), metric), {name: solver})


def _given(
    label: str | None, given: PortfolioFileSettings, cast: Cast, base: Path, on_left_out: Callable[[str], None]
) -> Fixed:
    boxed = given.file == BOX
    where = f"file = {brief(given.file)}"
    portfolio = boxed_portfolio(cast.problem.name, on_left_out) if boxed else Portfolio.load(base / given.file)
    if portfolio.problem != cast.problem.name:
        raise UserError(f"{where} is a portfolio for problem '{portfolio.problem}'; give another one")
    if not given.trust:
        portfolio.refuse_programs(where, "set trust = true beside it")
    return Fixed(label or ("boxed" if boxed else Path(given.file).stem), portfolio, portfolio.solvers())


def _check(field: Field, named: str) -> None:
    # As folders they must differ in more than upper and lower case.
    folded = [label.lower() for label in field.labels]
    for label in field.labels:
        if folded.count(label.lower()) > 1:
            raise UserError(f"{named}: [[methods]] label = '{label}' is there twice; give each its own label")
    known = [label for label in field.labels if label not in {each.label for each in field.virtual}]
    for each in field.virtual:
        if not each.of:
            raise UserError(f"{named}: [[methods]] '{each.label}': of = [] names nobody; name labels")
        for label in each.of:
            if label not in known:
                hint = did_you_mean(label, known)
                raise UserError(
                    f"{named}: [[methods]] '{each.label}': of names {brief(label)}, which is unknown.{hint}"
                )
    for builder in field.builders:
        if builder.waits and field.ceps is None:
            raise UserError(
                f"{named}: [[methods]] '{builder.label}' makes as many instances as CEPS does, and there is no CEPS; "
                f"add one, or say how many with new_instances = 100"
            )
