"""Costs beside the best known ones, by family of instances: the paper's Table IV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from statistics import median_high

from ceps.errors import UserError
from ceps.evaluation.protocol import InstanceResult
from ceps.files import content_of
from ceps.problems.text import name_of
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.tables import brief

TOLERANCE = 0.01
"""Costs this close are the same: distances are published with two decimals."""
COLUMNS = ("instance", "vehicles", "distance")


@dataclass(frozen=True, slots=True)
class BestKnown:
    """The best solution known of an instance."""

    vehicles: int
    distance: float

    def cost(self, instance: VrpspdtwInstance) -> float:
        return instance.dispatching_cost * self.vehicles + instance.unit_cost * self.distance


@dataclass(frozen=True, slots=True)
class Compared:
    """One instance: what was found, and the best known cost."""

    instance: str
    cost: float | None
    """The median of the repeats, as everywhere in the test protocol; the higher of the two in the middle when their
    number is even, so that it is a solution's cost. None when less than half of them found a solution."""
    best_known: float

    @property
    def family(self) -> str:
        return family(self.instance)

    @property
    def better(self) -> bool:
        return self.cost is not None and self.cost < self.best_known - TOLERANCE

    @property
    def worse(self) -> bool:
        return self.cost is None or self.cost > self.best_known + TOLERANCE


@dataclass(frozen=True, slots=True)
class Tally:
    """A line of the table. As in the paper, better ones are also not worse."""

    instances: int
    better: int
    not_worse: int
    worse: int

    @classmethod
    def of(cls, compared: Sequence[Compared]) -> Tally:
        worse = sum(each.worse for each in compared)
        return cls(len(compared), sum(each.better for each in compared), len(compared) - worse, worse)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The table."""

    families: Mapping[str, Tally]
    total: Tally
    unknown: int
    """Instances whose best known cost the file does not have."""
    per_instance: tuple[Compared, ...]


def compare(
    instances: Iterable[VrpspdtwInstance], results: Iterable[InstanceResult], known: Mapping[str, BestKnown]
) -> Comparison:
    """Compare what an evaluation found, given in the order of the instances, with the best known."""
    compared, unknown = [], 0
    for instance, result in zip(instances, results, strict=True):
        best = known.get(instance.name.lower())
        if best is None:
            unknown += 1
        else:
            compared.append(Compared(instance.name, _cost(result), best.cost(instance)))
    names = sorted({each.family for each in compared})
    families = {name: Tally.of([each for each in compared if each.family == name]) for name in names}
    return Comparison(families, Tally.of(compared), unknown, tuple(compared))


def _cost(result: InstanceResult) -> float | None:
    cost = median_high(inf if repeat.cost is None else repeat.cost for repeat in result.repeats)
    return cost if isfinite(cost) else None


def family(name: str) -> str:
    """The name without its running number of two digits: rdp1 for rdp101; rcdp25 for rcdp2504, of 25 customers."""
    match = re.fullmatch(r"([a-z]+[0-9]*?)[0-9]{2}", name.lower())
    return match[1] if match else name.lower()


def read_best_known(path: Path, instances: Iterable[VrpspdtwInstance]) -> dict[str, BestKnown]:
    """The best known solutions in a CSV file, by the lower-case names of their instances.

    Columns are ``instance`` (a file's name, with or without its ending), ``vehicles`` and ``distance``; others are
    passed over. At least one of the instances must be in it.
    """
    known: dict[str, BestKnown] = {}
    for line, row in _rows(path):
        name = name_of(Path(row["instance"])).lower()
        if not name or name in known:
            raise _error(path, line, "instance", f"{brief(name)} is here twice" if name else "a name is missing")
        known[name] = BestKnown(_vehicles(path, line, row["vehicles"]), _distance(path, line, row["distance"]))
    names = [instance.name for instance in instances]
    if not known.keys() & {name.lower() for name in names}:
        raise UserError(
            f"{path}: names none of the instances; it has {', '.join([*known][:3])}; they are {names[0]}, …"
        )
    return known


def _rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with the numbers of their lines."""
    try:
        text = content_of(path).decode("utf-8-sig")
        lines = csv.reader(text.splitlines(), strict=True, skipinitialspace=True)
        numbered = [(lines.line_num, row) for row in lines if row]
    except (ValueError, csv.Error) as error:
        raise UserError(f"{path}: not a CSV file: {error}") from error
    if not numbered:
        raise UserError(f"{path}: the file is empty; its first line must be {','.join(COLUMNS)}")
    (first, header), *rows = numbered
    if not rows:
        raise UserError(f"{path}: there is nothing below the header; give a line for each instance")
    names = [name.strip().lower() for name in header]
    for column in COLUMNS:
        if names.count(column) != 1:
            raise _error(
                path,
                first,
                column,
                f"expected once in the header, which has {brief(header)}; separate columns by commas",
            )
    for line, row in rows:
        if len(row) != len(names):
            column = names[len(row)] if len(row) < len(names) else names[-1]
            raise _error(path, line, column, f"the line has {len(row)} values for {len(names)} columns")
        yield line, dict(zip(names, (value.strip() for value in row), strict=True))


def _vehicles(path: Path, line: int, word: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word) or int(word) == 0:
        raise _error(path, line, "vehicles", f"must be a whole number above 0, not {brief(word)}")
    return int(word)


def _distance(path: Path, line: int, word: str) -> float:
    try:
        distance = float(word)
    except ValueError:
        distance = inf
    if not 0.0 <= distance < inf:
        raise _error(path, line, "distance", f"must be a number from 0 on, not {brief(word)}")
    return distance


def _error(path: Path, line: int, column: str, message: str) -> UserError:
    return UserError(f"{path}, line {line}, column '{column}': {message}")
