"""Instances in Solomon-like text files, as Wang and Chen (2012) have them, and solutions in VRPLIB's ``.sol`` files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ceps.problems.text import Text, integer, joined, name_of, one_line, save, shown, written
from ceps.problems.vrpspdtw.feasibility import flaw
from ceps.problems.vrpspdtw.instance import LARGEST, VrpspdtwInstance

COLUMNS = ("CUST NO.", "XCOORD.", "YCOORD.", "DDEMAND", "PDEMAND", "READY TIME", "DUE TIME", "SERVICE TIME")

_KIND = "VRPSPDTW"
_FLEET = ("NUMBER", "NUMBER", "CAPACITY")
_COSTS = ("DispatchingCost", "UnitCost")
_LARGEST_ID = 2**53
_ROUTE = re.compile(r"route\s*(#\s*)?([0-9]+\s*)?:(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Costs:
    """What a used vehicle and a unit of distance cost where a file does not say."""

    dispatching: float
    unit: float


def read(path: Path, costs: Costs) -> VrpspdtwInstance:
    """The instance in a file, named after the file."""
    return _instance(Text.read(path, _KIND), name_of(path), costs)


def decode(text: str, name: str, costs: Costs) -> VrpspdtwInstance:
    """The instance in a text; ``name`` is its name and stands for the file in messages."""
    return _instance(Text(name, text, _KIND), name, costs)


def write(instance: VrpspdtwInstance, path: Path, costs: Costs) -> None:
    """Write an instance; reading it with the same costs gives the same content to the last bit."""
    save(path, encode(instance, costs))


def encode(instance: VrpspdtwInstance, costs: Costs) -> str:
    """The text of an instance's file.

    The head has the dispatching cost if it had it when the instance was read, and whatever differs from ``costs``.
    """
    states_unit = instance.unit_cost != costs.unit
    states_dispatching = (
        states_unit or instance.states_dispatching_cost or instance.dispatching_cost != costs.dispatching
    )
    fleet = f"{instance.n:>7} {instance.vehicles:>7} {written(instance.capacity):>14}"
    head = "NUMBER\t  NUMBER     CAPACITY"
    if states_dispatching:
        head, fleet = f"{head}    DispatchingCost", f"{fleet} {written(instance.dispatching_cost):>9}"
    if states_unit:
        head, fleet = f"{head}    UnitCost", f"{fleet} {written(instance.unit_cost):>9}"
    rows = (
        f"{node:>5} {written(row[0]):>7} " + " ".join(f"{written(value):>10}" for value in row[1:])
        for node, row in zip(instance.ids.tolist(), instance.table.tolist(), strict=True)
    )
    return joined(
        _title(instance.name),
        "",
        "CUSTOMER  VEHICLE",
        head,
        fleet,
        "",
        "CUSTOMER",
        "CUST NO.  XCOORD.   YCOORD.   DDEMAND   PDEMAND   READY TIME  DUE TIME   SERVICE TIME",
        "",
        *rows,
    )


def write_solution(routes: Sequence[Sequence[int]], cost: float, path: Path) -> None:
    """Write routes, given by the customers' ids, and their cost."""
    numbered = (f"Route #{number}: {' '.join(map(str, route))}" for number, route in enumerate(routes, 1))
    save(path, joined(*numbered, f"Cost {written(float(cost))}"))


def read_solution(instance: VrpspdtwInstance, path: Path) -> list[list[int]]:
    """The routes in a VRPLIB file: every customer of the instance once. Lines that are no routes are remarks."""
    text = Text.read(path, _KIND)
    depot = int(instance.ids[0])
    line_of: dict[int, int] = {}
    routes: list[list[int]] = []
    for number, line in text.lines:
        match = _ROUTE.fullmatch(line)
        if match is None:
            continue
        route = [_known(text, number, word, instance) for word in match[3].split()]
        # Some tools write the depot at both ends, and some the vehicles that stay there.
        start = 1 if route[:1] == [depot] else 0
        customers = route[start:-1] if route[start:][-1:] == [depot] else route[start:]
        for customer in customers:
            if customer == depot:
                raise text.error(number, f"the depot {depot} stands inside a route. Write one route per line.")
            if customer in line_of:
                raise text.error(
                    number, f"customer {customer} is already in line {line_of[customer]}. Visit each customer once."
                )
            line_of[customer] = number
        if customers:
            routes.append(customers)
    if len(line_of) < instance.n:
        missing = next(node for node in instance.ids[1:].tolist() if node not in line_of)
        raise text.error(
            text.end,
            f"the routes have {len(line_of)} of {instance.n} customers, {missing} is missing. Write 'Route #1: 5 3' "
            "with the instance's customer ids, one line per route.",
        )
    return routes


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands before the table, and the line of the fleet's values."""

    customers: int
    vehicles: int
    capacity: float
    costs: dict[str, float]
    line: int


def _instance(text: Text, name: str, costs: Costs) -> VrpspdtwInstance:
    lines = iter(text.lines)
    head = _read_head(text, lines)
    ids, rows, numbers = _read_table(text, lines, head)
    instance = VrpspdtwInstance.of_table(
        name,
        np.array(rows),
        ids,
        vehicles=head.vehicles,
        capacity=head.capacity,
        dispatching_cost=head.costs.get("DispatchingCost", costs.dispatching),
        unit_cost=head.costs.get("UnitCost", costs.unit),
        states_dispatching_cost="DispatchingCost" in head.costs,
    )
    found = flaw(instance)
    if found is not None and found.node is not None:
        who = f"customer {ids[found.node]}" if found.node else "the depot"
        raise text.error(numbers[found.node], f"{who} cannot be served: {found.reason}. Correct {found.column}.")
    if found is not None:
        raise text.error(head.line, f"the fleet is too small: {found.reason}. Correct {found.column} or NUMBER.")
    return instance


def _read_head(text: Text, lines: Iterator[tuple[int, str]]) -> _Head:
    """Read up to the first row of the table."""
    for _, line in lines:  # The name comes first, whatever it is.
        if line.upper().split() == ["CUSTOMER", "VEHICLE"]:
            break
    else:
        raise text.error(
            text.end,
            "there is no line 'CUSTOMER VEHICLE'. This is no VRPSPDTW file, or it is truncated: get the whole.",
        )
    number, line = _next(text, lines, "the line 'NUMBER NUMBER CAPACITY'")
    names = line.split()
    known = " ".join([*_FLEET, *_COSTS][: max(len(names), len(_FLEET))])
    if " ".join(names).upper() != known.upper():
        raise text.error(
            number, f"expected '{' '.join(_FLEET)}', then perhaps {' '.join(_COSTS)}; found {shown(line)}."
        )
    number, line = _next(text, lines, "the fleet's values")
    fields = line.split()
    if len(fields) != len(names):
        raise text.error(number, f"expected {len(names)} values for '{' '.join(names)}', found {shown(line)}.")
    customers = _whole(text, number, fields[0], "the CUSTOMER NUMBER", int(LARGEST))
    vehicles = _whole(text, number, fields[1], "the VEHICLE NUMBER", int(LARGEST))
    if min(customers, vehicles) < 1:
        which = "CUSTOMER" if customers < 1 else "VEHICLE"
        raise text.error(number, f"the {which} NUMBER is 0. There must be at least one.")
    capacity = _real(text, number, fields[2], "CAPACITY")
    if capacity == 0.0:
        raise text.error(number, "CAPACITY is 0. A vehicle must be able to carry something.")
    given = zip(_COSTS, fields[3:], strict=False)
    costs = {name: _real(text, number, field, name) for name, field in given}
    _read_columns(text, lines)
    return _Head(customers, vehicles, capacity, costs, number)


def _read_columns(text: Text, lines: Iterator[tuple[int, str]]) -> None:
    number, line = _next(text, lines, "the line 'CUSTOMER'")
    if line.upper() != "CUSTOMER":
        raise text.error(number, f"expected the line 'CUSTOMER', found {shown(line)}.")
    number, line = _next(text, lines, "the names of the columns")
    found = line.upper().replace("DUE DATE", "DUE TIME").split()
    for expected, word in zip_longest(" ".join(COLUMNS).split(), found, fillvalue="nothing more"):
        if word.rstrip(".") != expected.rstrip("."):
            columns = f"expected the columns '{' '.join(COLUMNS)}'"
            raise text.error(number, f"{columns}, found {shown(word)} in place of '{expected}'.")


def _read_table(
    text: Text, lines: Iterator[tuple[int, str]], head: _Head
) -> tuple[list[int], list[list[float]], list[int]]:
    """The ids, the other numbers and the lines of all nodes. Nothing is allocated by the promise of the head."""
    line_of: dict[int, int] = {}
    rows: list[list[float]] = []
    for number, line in lines:
        fields = line.split()
        if len(fields) != len(COLUMNS):
            raise text.error(
                number, f"expected {len(COLUMNS)} columns ({', '.join(COLUMNS)}), found {len(fields)}: {shown(line)}."
            )
        node = _whole(text, number, fields[0], COLUMNS[0], _LARGEST_ID)
        if node in line_of:
            raise text.error(number, f"CUST NO. {node} is already in line {line_of[node]}. Use each number once.")
        row = [_real(text, number, field, name) for name, field in zip(COLUMNS[1:], fields[1:], strict=True)]
        if not rows and (row[2] or row[3] or row[6]):
            raise text.error(number, "the depot comes first and has no demands and no service time. Write 0 for them.")
        line_of[node] = number
        rows.append(row)
    if len(rows) != head.customers + 1:
        raise text.error(
            text.end,
            f"found {max(len(rows) - 1, 0)} customers below the depot, line {head.line} promises {head.customers}. "
            "Get the whole file, or correct the CUSTOMER NUMBER.",
        )
    return list(line_of), rows, list(line_of.values())


def _next(text: Text, lines: Iterator[tuple[int, str]], expected: str) -> tuple[int, str]:
    for number, line in lines:
        return number, line
    raise text.error(text.end, f"the file ends before {expected}. It is truncated: get the whole file.")


def _known(text: Text, number: int, word: str, instance: VrpspdtwInstance) -> int:
    node = integer(word)
    if node is None:
        raise text.error(number, f"expected a customer id, found {shown(word)}. Ids are whole numbers.")
    if node not in instance.index_of:
        raise text.error(number, f"the instance has no customer {node}. Use its ids; is this the right instance?")
    return node


def _whole(text: Text, number: int, word: str, name: str, largest: int) -> int:
    value = integer(word)
    if value is None or not 0 <= value <= largest:
        raise text.error(number, f"{name} must be a whole number from 0 to {largest}, not {shown(word)}.")
    return value


def _real(text: Text, number: int, word: str, name: str) -> float:
    value = text.finite(number, word, name)
    if abs(value) > LARGEST:
        raise text.error(number, f"{name} {shown(word)} cannot be used: numbers are at most {LARGEST:g}.")
    if value < 0.0 and name not in COLUMNS[1:3]:
        raise text.error(number, f"{name} {shown(word)} is negative. It must be at least 0.")
    return value


def _title(name: str) -> str:
    """A name that cannot be taken for the file's head."""
    title = one_line(name)
    return "unnamed" if title.upper() == "CUSTOMER VEHICLE" else title
