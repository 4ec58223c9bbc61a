"""LKH, Helsgaun's Lin-Kernighan heuristic, from a Python binding or as the user's own binary.

Its licence allows research use only; nothing of it is part of ceps.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from io import FileIO
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

from ceps.commands import environment
from ceps.errors import UserError
from ceps.problems.tsp import Tsp, TspInstance
from ceps.records import Limits, Value
from ceps.seeds import LARGEST_SEED
from ceps.solvers.program import child, fingerprint
from ceps.solvers.solver import OnIncumbent, Solver

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_PROBLEM_FILE = Path("problem.tsp")
_PARAMETER_FILE = Path("lkh.par")
_LOG = Path("LKH.log")

_HOW_TO_GET_LKH = (
    'Install a Python binding with pip install "ceps[lkh]", or name an LKH binary in the scenario: '
    '[solvers.lkh] binary = "/path/to/LKH".'
)


@dataclass(frozen=True, slots=True)
class _Range:
    low: float
    high: float
    default: int | float
    log: bool = False


@dataclass(frozen=True, slots=True)
class _Choice:
    values: tuple[int | str, ...]
    default: int | str


_YES_NO = ("yes", "no")
_PARAMETERS: Mapping[str, _Range | _Choice] = {
    "ASCENT_CANDIDATES": _Range(40, 60, default=50),
    "BACKBONE_TRIALS": _Range(0, 1, default=0),
    "BACKTRACKING": _Choice(_YES_NO, default="no"),
    "CANDIDATE_SET_TYPE": _Choice(("ALPHA", "DELAUNAY", "NEAREST-NEIGHBOR", "QUADRANT"), default="ALPHA"),
    "EXTRA_CANDIDATES": _Range(0, 10, default=0),
    "EXTRA_CANDIDATE_SET_TYPE": _Choice(("NEAREST-NEIGHBOR", "QUADRANT"), default="QUADRANT"),
    "GAIN23": _Choice(_YES_NO, default="yes"),
    "GAIN_CRITERION": _Choice(_YES_NO, default="yes"),
    "INITIAL_STEP_SIZE": _Range(1, 5, default=1),
    "INITIAL_TOUR_ALGORITHM": _Choice(
        ("BORUVKA", "GREEDY", "NEAREST-NEIGHBOR", "QUICK-BORUVKA", "SIERPINSKI", "WALK"), default="WALK"
    ),
    "INITIAL_TOUR_FRACTION": _Range(0.0, 1.0, default=1.0),
    "KICKS": _Range(0, 5, default=1),
    "KICK_TYPE": _Choice((0, 4, 5), default=0),
    "MAX_BREADTH": _Range(1, 2147483647, default=2147483647, log=True),
    "MAX_CANDIDATES": _Range(1, 10, default=5),
    "MOVE_TYPE": _Range(2, 6, default=5),
    "PATCHING_A": _Range(0, 5, default=1),
    "PATCHING_C": _Range(0, 5, default=0),
    "POPULATION_SIZE": _Range(2, 100, default=50),
    "RESTRICTED_SEARCH": _Choice(_YES_NO, default="yes"),
    "SUBGRADIENT": _Choice(_YES_NO, default="yes"),
    "SUBSEQUENT_MOVE_TYPE": _Choice((0, 2, 3, 4, 5, 6), default=0),
    "SUBSEQUENT_PATCHING": _Choice(_YES_NO, default="yes"),
}
_MEANINGS: Mapping[str, str] = {
    "ASCENT_CANDIDATES": "candidate edges of a city during the ascent",
    "BACKBONE_TRIALS": "trials whose common edges are kept in those that follow",
    "BACKTRACKING": "whether the first move of a sequence is sought with backtracking",
    "CANDIDATE_SET_TYPE": "how candidate edges are chosen",
    "EXTRA_CANDIDATES": "further candidate edges of a city",
    "EXTRA_CANDIDATE_SET_TYPE": "how these are chosen",
    "GAIN23": "whether moves that part and join tours are sought where no other improves",
    "GAIN_CRITERION": "whether the gain must stay above 0 at every step of a move",
    "INITIAL_STEP_SIZE": "first step of the ascent",
    "INITIAL_TOUR_ALGORITHM": "how the start tour is made",
    "INITIAL_TOUR_FRACTION": "share of the start tour that comes from a given one; ceps gives none",
    "KICKS": "how often a tour that moves do not improve is perturbed",
    "KICK_TYPE": "edges that a perturbation exchanges at random; 0: LKH's special one",
    "MAX_BREADTH": "most edges considered at a step of a move",
    "MAX_CANDIDATES": "most candidate edges of a city",
    "MOVE_TYPE": "edges exchanged by a move",
    "PATCHING_A": "most alternating cycles with which cycles are patched to a tour",
    "PATCHING_C": "most cycles that are patched to a tour",
    "POPULATION_SIZE": "tours of the genetic algorithm",
    "RESTRICTED_SEARCH": "whether the first edge that a move removes must not be one of the best tour",
    "SUBGRADIENT": "whether penalties of cities are found by subgradient optimisation, the ascent",
    "SUBSEQUENT_MOVE_TYPE": "edges exchanged by the moves after the first of a sequence; 0: as by the first",
    "SUBSEQUENT_PATCHING": "whether cycles are patched in these as well",
}
"""What parameters are for."""

_FIXED: Mapping[str, Value] = {"PROBLEM_FILE": str(_PROBLEM_FILE), "RUNS": 10000, "TRACE_LEVEL": 0}


@dataclass(frozen=True)
class Lkh(Solver):
    """LKH with the 23 parameters that CEPS was published with."""

    binary: Path | None = None
    """Your own LKH, relative to the scenario's folder; without one a Python binding is used, LKHpy or else elkai."""
    name: str = field(default="lkh", init=False)
    problems: tuple[str, ...] = field(default=("tsp",), init=False)

    def __post_init__(self) -> None:
        if self.binary is not None:
            # Absolute, because every run has a working directory of its own.
            object.__setattr__(self, "binary", Path(self.binary).expanduser().absolute())

    @property
    def programs(self) -> tuple[str, ...]:
        return () if self.binary is None else (str(self.binary),)

    @property
    def version(self) -> str:
        self.prepare()
        return _version(_binding().package) if self.binary is None else fingerprint(self.binary)

    @property
    def space(self) -> ConfigurationSpace:
        # Here and not above: importing ConfigSpace takes a second, and runs do not need it.
        from ConfigSpace import (  # noqa: PLC0415
            Categorical,
            ConfigurationSpace,
            Float,
            GreaterThanCondition,
            Integer,
        )

        space = ConfigurationSpace(name=self.name, meta=dict(_MEANINGS))
        for name, parameter in _PARAMETERS.items():
            if isinstance(parameter, _Choice):
                space.add(Categorical(name, parameter.values, default=parameter.default))
            elif isinstance(parameter.default, float):
                space.add(Float(name, (parameter.low, parameter.high), default=parameter.default))
            else:
                bounds = (int(parameter.low), int(parameter.high))
                space.add(Integer(name, bounds, default=parameter.default, log=parameter.log))
        space.add(GreaterThanCondition(space["EXTRA_CANDIDATE_SET_TYPE"], space["EXTRA_CANDIDATES"], 0))
        return space

    def prepare(self) -> None:
        if self.binary is None:
            _binding()
        elif not os.path.isfile(self.binary):
            raise UserError(f'[solvers.lkh] binary = "{self.binary}": there is no such file. {_HOW_TO_GET_LKH}')
        elif not os.access(self.binary, os.X_OK):
            raise UserError(f'[solvers.lkh] binary = "{self.binary}": not executable. Try: chmod +x {self.binary}')

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return _parameter_file(_settings(configuration))

    def solve(
        self,
        instance: TspInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> list[int] | None:
        """Run LKH in a child process, because the bindings hold the interpreter and may end their process."""
        settings = _settings(configuration)
        if instance.n <= 3:  # LKH refuses fewer than three cities, and up to three there is one tour only
            return list(range(1, instance.n + 1))
        settings["SEED"] = seed % LARGEST_SEED or LARGEST_SEED  # 0 would be the time of day
        settings["PRECISION"] = _precision(instance)
        if target is not None:
            settings["OPTIMUM"] = math.floor(target)
        reading, writing = os.pipe()
        # LKH opens the file of this name anew for every improved tour, and finds the pipe each time.
        tour_file = f"/proc/self/fd/{writing}"
        settings["OUTPUT_TOUR_FILE"] = tour_file
        settings["TOUR_FILE"] = tour_file  # LKH proper writes what it gains by merging tours only here
        _PROBLEM_FILE.write_text(Tsp().encode(replace(instance, name="problem")))
        _PARAMETER_FILE.write_text(_parameter_file(settings))
        best, best_length = None, math.inf
        with child(lambda: self._run(writing), _LOG) as lkh, FileIO(reading) as stream:
            os.close(writing)
            for tour, length in read_tours(stream, instance.n):
                if length is None:
                    best = tour
                elif length < best_length:
                    best, best_length = tour, length
                    on_incumbent(tour, length)
                    if target is not None and length <= target:
                        return tour
            lkh.wait()
        return best

    def _run(self, writing: int) -> None:
        """Be LKH, with ``writing`` as the way to send tours."""
        if self.binary is not None:
            os.set_inheritable(writing, True)
            os.execve(self.binary, [str(self.binary), str(_PARAMETER_FILE)], environment())
        tour = _binding().run()
        # Unlike LKH proper, the bindings write no file of what preprocessing or merging found, but return it.
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(_tour_section(tour))


def _settings(configuration: Mapping[str, Value]) -> dict[str, Value]:
    unknown = sorted(set(configuration) - set(_PARAMETERS))
    if unknown:
        raise ValueError(f"LKH's space has no {', '.join(unknown)}")
    for name, value in configuration.items():
        # They become lines of LKH's parameter file, which can name files to write.
        if not _allows(_PARAMETERS[name], value):
            raise ValueError(f"LKH's {name} cannot be {value!r:.100}")
    defaults = {name: parameter.default for name, parameter in _PARAMETERS.items()}
    return {**_FIXED, **defaults, **configuration}


def _allows(parameter: _Range | _Choice, value: Value) -> bool:
    return value in parameter.values if isinstance(parameter, _Choice) else isinstance(value, Real)


def _parameter_file(settings: Mapping[str, Value]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in settings.items())


def _precision(instance: TspInstance) -> int:
    """LKH's factor between distances and its internal 32-bit numbers: 100, or less for large distances.

    The cities' penalties are added to the product, so half of the range is left to them.
    """
    # On the globe (GEO) this is not the longest distance; there, none is so large that it matters.
    longest = math.dist(instance.coordinates.min(axis=0), instance.coordinates.max(axis=0))
    if longest >= 2**31 - 1:
        raise ValueError(f"LKH computes with 32-bit distances, and this instance's go up to {longest:.0f}")
    return max(1, min(100, int(2**30 / max(longest, 1.0))))


def read_tours(stream: FileIO, n: int) -> Iterator[tuple[list[int], int | None]]:
    """The tours in a stream of TSPLIB tour files for ``n`` cities, as node ids, and their lengths where given."""
    pending = b""
    while chunk := stream.read(1 << 16):
        *complete, pending = (pending + chunk).split(b"\nEOF\n")
        for text in complete:
            yield _parse_tour(text, n)
        if len(pending) > 1000 + 12 * n:
            raise ValueError("LKH wrote something that is no tour")


def _parse_tour(text: bytes, n: int) -> tuple[list[int], int | None]:
    header, _, section = text.partition(b"TOUR_SECTION\n")
    *nodes, end = map(int, section.split() or [b"0"])
    if len(nodes) != n or end != -1:
        raise ValueError(f"LKH wrote a tour of {len(nodes)} cities; there are {n}")
    length = re.search(rb"Length = (-?\d+)", header)
    return nodes, None if length is None else int(length[1])


def _tour_section(tour: list[int]) -> bytes:
    return "\n".join(["TOUR_SECTION", *map(str, tour), "-1", "EOF", ""]).encode()


@dataclass(frozen=True, slots=True)
class _Binding:
    package: str
    run: Callable[[], list[int]]
    """Run LKH on the files in the working directory and return its tour as node ids."""


@cache
def _binding() -> _Binding:
    for load in (_lkhpy, _elkai):
        with suppress(ImportError):
            return load()
    raise UserError(f"LKH is not installed. {_HOW_TO_GET_LKH}")


def _lkhpy() -> _Binding:
    import LKHpy  # noqa: PLC0415

    def run() -> list[int]:
        cities = LKHpy.par_file(str(_PARAMETER_FILE)).tolist()  # from 0, and the first one again at the end
        return [city + 1 for city in cities[:-1]]

    return _Binding("LKHpy", run)


def _elkai() -> _Binding:
    from elkai import _elkai  # noqa: PLC0415

    def run() -> list[int]:
        parameters = _PARAMETER_FILE.read_text() + "PROBLEM_FILE = :stdin:\n"  # its name for its second argument
        tour: list[int] = _elkai.solve_problem(parameters, _PROBLEM_FILE.read_text())
        return tour

    return _Binding("elkai", run)


@cache
def _version(package: str) -> str:
    # Here and not above: it imports threads and random numbers, whose care after every fork would be charged to runs.
    from importlib import metadata  # noqa: PLC0415

    name = f"{package} {metadata.version(package)}"
    lkh = {"LKHpy 0.0.9": "3.0.12", "elkai 2.0.1": "3.0.8"}.get(name)
    return name if lkh is None else f"{name} (LKH {lkh})"
