"""A VRPSPDTW instance: a depot, customers with two demands and a time window each, and a fleet."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST = 1e9
"""The largest number an instance may hold: sums of its numbers stay exact to the tolerance below."""

TOLERANCE = 1e-9
"""Times may pass a limit by this share of the depot's closing time, loads by this share of the capacity:
sums of doubles in another order differ by far less, and what is really late is late by far more."""

_PER_NODE = ("delivery", "pickup", "ready", "due", "service")


@dataclass(frozen=True, eq=False)
class VrpspdtwInstance:
    """Two instances are equal when their content is, whatever they are called.

    Arrays have one entry per node, the depot first, and are kept as immutable copies. Distances are Euclidean, in
    doubles, and a unit of distance takes a unit of time.

    Parameters
    ----------
    name
        What people call it.
    coordinates
        An (n + 1, 2) array.
    delivery, pickup
        What is brought to and taken from each customer; 0 at the depot.
    ready, due
        When service may begin at the earliest, and a vehicle arrive at the latest; at the depot, when vehicles may
        leave and must be back.
    service
        How long service takes; 0 at the depot.
    ids
        What the file calls the nodes; solutions speak of customers by these.
    vehicles, capacity
        The fleet.
    dispatching_cost, unit_cost
        What a used vehicle costs, and a unit of distance.
    states_dispatching_cost
        Whether the instance's file has the dispatching cost. Not part of the content: only the writer asks.
    """

    name: str
    coordinates: Floats = field(repr=False)
    delivery: Floats = field(repr=False)
    pickup: Floats = field(repr=False)
    ready: Floats = field(repr=False)
    due: Floats = field(repr=False)
    service: Floats = field(repr=False)
    ids: Integers = field(repr=False)
    vehicles: int
    capacity: float
    dispatching_cost: float
    unit_cost: float = 1.0
    states_dispatching_cost: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        places = _frozen("coordinates", self.coordinates, np.float64)
        if places.ndim != 2 or places.shape[1] != 2 or len(places) < 2:
            raise ValueError(f"coordinates must have the shape (n + 1, 2) with n > 0, not {places.shape}")
        arrays = {name: _frozen(name, getattr(self, name), np.float64) for name in _PER_NODE}
        ids = _frozen("ids", self.ids, np.int64)
        for name, array in {**arrays, "ids": ids}.items():
            if array.shape != (len(places),):
                raise ValueError(f"{name} must have one entry per node: {len(places)}, not the shape {array.shape}")
            if array.min() < 0:
                raise ValueError(f"{name} must not be negative")
        if len(np.unique(ids)) < len(ids):
            raise ValueError("ids must be distinct")
        for name in ("delivery", "pickup", "service"):
            if arrays[name][0] != 0.0:
                raise ValueError(f"{name} must be 0 at the depot")
        for name, array in {"coordinates": places, **arrays, "ids": ids}.items():
            object.__setattr__(self, name, array)
        if int(self.vehicles) != self.vehicles or not 1 <= self.vehicles <= LARGEST:
            raise ValueError(f"vehicles must be a whole number from 1 to {LARGEST:g}, not {self.vehicles}")
        object.__setattr__(self, "vehicles", int(self.vehicles))
        for name in ("capacity", "dispatching_cost", "unit_cost"):
            value = float(getattr(self, name)) + 0.0
            if not 0.0 <= value <= LARGEST or (name == "capacity" and value == 0.0):
                raise ValueError(f"{name} must be from 0 to {LARGEST:g}, the capacity above 0, not {value}")
            object.__setattr__(self, name, value)

    @classmethod
    def of_table(
        cls,
        name: str,
        table: Floats,
        ids: ArrayLike,
        vehicles: int,
        capacity: float,
        dispatching_cost: float,
        unit_cost: float = 1.0,
        states_dispatching_cost: bool = True,
    ) -> VrpspdtwInstance:
        """The instance of a file's table: x, y, delivery, pickup, ready, due and service of each node."""
        columns = dict(zip(_PER_NODE, table[:, 2:].T, strict=True))
        nodes = np.asarray(ids, dtype=np.int64)
        return cls(
            name,
            table[:, :2],
            **columns,
            ids=nodes,
            vehicles=vehicles,
            capacity=capacity,
            dispatching_cost=dispatching_cost,
            unit_cost=unit_cost,
            states_dispatching_cost=states_dispatching_cost,
        )

    @property
    def table(self) -> Floats:
        """The table of :meth:`of_table`."""
        return np.column_stack([self.coordinates, *(getattr(self, name) for name in _PER_NODE)])

    @property
    def n(self) -> int:
        """The number of customers."""
        return len(self.ids) - 1

    @cached_property
    def id(self) -> str:
        """A hash of everything but the name: the same on every machine."""
        content = hashlib.blake2b(digest_size=16)
        content.update(struct.pack("<qddd", self.vehicles, self.capacity, self.dispatching_cost, self.unit_cost))
        content.update(self.ids.astype("<i8").tobytes())
        content.update(self.table.astype("<f8").tobytes())
        return content.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, VrpspdtwInstance) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Callable[..., VrpspdtwInstance], tuple[Any, ...]]:
        # Bytes, and nothing that is cached: a distance matrix would weigh a hundred times as much.
        costs = (self.dispatching_cost, self.unit_cost, self.states_dispatching_cost)
        fleet = (self.vehicles, self.capacity, *costs)
        return _restore, (self.name, self.table.tobytes(), self.ids.tobytes(), *fleet)

    @cached_property
    def index_of(self) -> dict[int, int]:
        """From a node's id to its index in the arrays."""
        return {node: index for index, node in enumerate(self.ids.tolist())}

    @cached_property
    def distance_matrix(self) -> Floats:
        """The distances of all pairs of nodes, the depot first."""
        nodes = np.arange(self.n + 1)
        matrix = self.distances(nodes[:, None], nodes[None, :])
        matrix.flags.writeable = False
        return matrix

    def distances(self, a: ArrayLike, b: ArrayLike) -> Floats:
        """The distances from nodes ``a`` to nodes ``b`` (indices, the depot is 0), element by element."""
        difference = self.coordinates[np.asarray(a, np.intp)] - self.coordinates[np.asarray(b, np.intp)]
        distances: Floats = np.sqrt(difference[..., 0] ** 2 + difference[..., 1] ** 2)
        return distances

    @cached_property
    def from_depot(self) -> Floats:
        """The distance of every node from the depot."""
        return self.distances(0, np.arange(self.n + 1))

    @property
    def time_tolerance(self) -> float:
        """How much later than allowed a vehicle may be."""
        return TOLERANCE * max(1.0, float(self.due[0]))

    @property
    def load_tolerance(self) -> float:
        """How much more than the capacity a vehicle may carry."""
        return TOLERANCE * max(1.0, self.capacity)

    def cost(self, routes: Sequence[Sequence[int]]) -> float:
        """What routes cost, given as indices of customers without the depot at their ends."""
        starts = [node for route in routes for node in (0, *route)]
        ends = [node for route in routes for node in (*route, 0)]
        # fsum: the same to the last bit for every order of the routes.
        return self.dispatching_cost * len(routes) + self.unit_cost * math.fsum(self.distances(starts, ends).tolist())


def _frozen(name: str, values: ArrayLike, kind: type[Any]) -> NDArray[Any]:
    given = np.asarray(values, dtype=np.float64)
    if given.size and not np.abs(given).max() <= (2.0**53 if kind is np.int64 else LARGEST):
        raise ValueError(f"{name} must be finite and not beyond {LARGEST:g}")
    if kind is np.int64 and (given % 1.0).any():
        raise ValueError(f"{name} must be whole numbers")
    # Adding 0 makes -0.0, which equals 0.0 but has other bytes, the same content. An array over bytes,
    # unlike one whose write flag is off, cannot be made writeable again.
    return np.frombuffer((given + 0.0).astype(kind).tobytes(), dtype=kind).reshape(given.shape)


def _restore(name: str, table: bytes, ids: bytes, *fleet: Any) -> VrpspdtwInstance:
    rows = np.frombuffer(table, dtype=np.float64).reshape(-1, 2 + len(_PER_NODE))
    return VrpspdtwInstance.of_table(name, rows, np.frombuffer(ids, dtype=np.int64), *fleet)
