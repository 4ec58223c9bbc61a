"""The co-evolving genetic algorithm for the VRPSPDTW."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

class Fleet:
    def __init__(self, vehicles: int, capacity: float, dispatching_cost: float, unit_cost: float) -> None: ...

class Tolerance:
    def __init__(self, time: float, load: float) -> None: ...

class Parameters:
    population: int
    merged_starts: int
    sequential_starts: int
    stagnation: int
    mutation_rate: float
    elites: int
    ruin_lower: int
    ruin_upper: int
    beta_start: float
    beta_increment: float
    reinsertion_below: int
    swap_below: int

def solve(
    table: NDArray[np.float64],
    fleet: Fleet,
    tolerance: Tolerance,
    parameters: Parameters,
    seed: int,
    cpu_seconds: float,
    rounds: int,
    on_incumbent: Callable[[list[list[int]]], bool],
) -> None: ...
