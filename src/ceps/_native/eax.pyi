"""The genetic algorithm with edge assembly crossover for the TSP."""

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

class Metric(enum.Enum):
    EUC_2D = ...
    CEIL_2D = ...
    ATT = ...
    GEO = ...

class Selection(enum.Enum):
    greedy = ...
    entropy = ...

class Start(enum.Enum):
    random = ...
    nearest = ...
    greedy = ...

class Improvement(enum.Enum):
    two_opt = ...
    two_opt_or_opt = ...

class Restart(enum.Enum):
    same_size = ...
    double_size = ...

class Parameters:
    population: int
    offspring: int
    selection: Selection
    start: Start
    improvement: Improvement
    neighbours: int
    merge_neighbours: int
    block: bool
    block_after: int
    restart_after: int
    restart: Restart

def solve(
    points: NDArray[np.float64],
    metric: Metric,
    parameters: Parameters,
    seed: int,
    cpu_seconds: float,
    target: int | None,
    populations: int,
    on_incumbent: Callable[[list[int], int], object],
) -> None: ...
