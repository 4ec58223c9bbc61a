"""The search for one configuration, on score functions that answer at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
)
from ConfigSpace import Configuration as Point

from ceps.construction.search import Search, SearchSettings, Trial
from ceps.records import Configuration
from ceps.solvers.lkh import Lkh

Score = Callable[[Trial], float]


def numbers() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1.0)), Float("y", (0.0, 1.0)), Integer("z", (1, 1000), log=True))
    return space


def choices() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Categorical("a", ["p", "q", "r"]), Categorical("b", [True, False]), Categorical("c", list(range(9))))
    return space


def nested() -> ConfigurationSpace:
    """A condition on a condition, and a forbidden pair."""
    space = ConfigurationSpace()
    kind, depth, width = Categorical("kind", ["s", "t"]), Categorical("depth", [1, 2]), Float("width", (0.0, 1.0))
    space.add(kind, depth, width, Integer("n", (1, 20)))
    space.add(EqualsCondition(depth, kind, "t"), EqualsCondition(width, depth, 2))
    space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(kind, "s"), ForbiddenEqualsClause(space["n"], 3)))
    return space


def tiny() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Categorical("a", ["p", "q"]), Categorical("b", [1, 2]))
    return space


def noisy(trial: Trial) -> float:
    """Best near x = 0.2, y = 0.8; half of the space times out; instances differ by a factor of up to 3."""
    values = trial.configuration.as_dict()
    if float(values["x"]) > 0.5:
        return 100.0
    noise = crc32(repr((trial.configuration.values, trial.instance, trial.seed)).encode()) / 2**32
    distance = abs(float(values["x"]) - 0.2) + abs(float(values["y"]) - 0.8)
    return (0.1 + distance) * (1.0 + 2.0 * (trial.instance % 5) / 4.0) * (0.5 + noise)


def hashed(trial: Trial) -> float:
    """Scores without any pattern, many of them zero."""
    return max(0.0, crc32(repr((trial.configuration.values, trial.instance)).encode()) / 2**32 - 0.5)


def begin(
    space: ConfigurationSpace,
    instances: int = 5,
    features: int = 2,
    starts: tuple[Configuration, ...] = (),
    seed: int = 1,
) -> Search:
    table = np.random.default_rng(0).random((instances, features)) if features else None
    return Search(space, "solver", table, instances, starts, seed, SearchSettings())


def advance(search: Search, score: Score, trials: int, in_flight: int = 1) -> list[Trial]:
    """Ask for trials, and tell the oldest score whenever ``in_flight`` trials are under way."""
    asked: list[Trial] = []
    flying: deque[Trial] = deque()
    while len(asked) < trials:
        trial = search.ask()
        if trial is None and not flying:
            break
        if trial is not None:
            asked.append(trial)
            flying.append(trial)
        if trial is None or len(flying) == in_flight:
            search.tell(flying[0], score(flying.popleft()))
    for trial in flying:
        search.tell(trial, score(trial))
    return asked


def test_starting_points_come_first() -> None:
    """Starting points are tried before anything else, in the given order, and come back as they were given."""
    space = numbers()
    starts = tuple(Configuration.of("solver", {"x": x, "y": 1 / 3, "z": 7}) for x in (0.9, 0.1, 0.7))
    asked = advance(begin(space, starts=starts), noisy, 40)
    tried = list(dict.fromkeys(trial.configuration for trial in asked))
    assert tuple(tried[:3]) == starts
    assert len(tried) > 3


def test_a_start_may_set_what_is_not_active() -> None:
    """A starting point that names a value for an inactive parameter is tried and handed back unchanged."""
    start = Configuration.of("solver", {"kind": "s", "depth": 2, "width": 0.5, "n": 4})
    trial = begin(nested(), starts=(start,)).ask()
    assert trial is not None
    assert trial.configuration == start


@pytest.mark.parametrize("in_flight", [1, 7])
@pytest.mark.parametrize("features", [0, 3])
@pytest.mark.parametrize("space", [numbers, choices, nested, lambda: Lkh().space], ids=["num", "cat", "nested", "lkh"])
def test_trials_are_legal_and_new(space: Callable[[], ConfigurationSpace], features: int, in_flight: int) -> None:
    """Every trial is a legal configuration of plain values on an existing instance, and no trial is asked for twice."""
    made = space()
    asked = advance(begin(made, 4, features), hashed, 30, in_flight)
    assert [trial.number for trial in asked] == list(range(30))
    assert len({(trial.configuration, trial.instance, trial.seed) for trial in asked}) == 30
    for trial in asked:
        Point(made, values=trial.configuration.as_dict()).check_valid_configuration()
        assert {type(value) for value in trial.configuration.as_dict().values()} <= {int, float, str, bool}
        assert 0 <= trial.instance < 4


@pytest.mark.parametrize("instances", [1, 12])
def test_the_best_has_run_on_every_instance(instances: int) -> None:
    """The leader ends up compared on all instances, each with the first seed before any with the second."""
    search = begin(numbers(), instances)
    asked = advance(search, noisy, 150, in_flight=3)
    standing = search.standing
    assert {instance for instance, seed in standing.runs if seed == 0} == set(range(instances))
    scores = {(t.instance, t.seed): noisy(t) for t in asked if t.configuration == search.incumbent}
    assert standing.mean == pytest.approx(np.mean([scores[run] for run in standing.runs]))


def test_many_instances() -> None:
    """With 500 instances, the trials spread over ever more of them."""
    asked = advance(begin(numbers(), 500), noisy, 120)
    half, whole = ({trial.instance for trial in asked[:end]} for end in (60, 120))
    assert len(whole) > len(half) > 5


def test_finds_what_random_draws_do_not() -> None:
    """With eight parameters, the model's proposals lead closer to the best setting than random draws do."""
    names = [f"x{i}" for i in range(8)]

    def distance(configuration: Configuration) -> float:
        return sum((float(configuration.as_dict()[name]) - 0.3) ** 2 for name in names)

    def found(seed: int, random: float) -> float:
        space = ConfigurationSpace(dict.fromkeys(names, (0.0, 1.0)))
        search = Search(space, "solver", np.arange(4.0)[:, None], 4, [], seed, SearchSettings(random=random))
        advance(search, lambda trial: (0.05 + distance(trial.configuration)) * (1 + trial.instance), 100)
        return distance(search.incumbent)

    ours = np.mean([found(seed, 0.0) for seed in range(3)])
    drawn = np.mean([found(seed, 0.99) for seed in range(3)])
    assert ours < 0.6 * drawn


def test_a_tiny_space_is_exhausted() -> None:
    """When all four configurations have run everywhere, there is nothing more to ask, and the best one leads."""
    search = begin(tiny(), 3)
    costs = {("p", 1): 3.0, ("p", 2): 2.9, ("q", 1): 1.0, ("q", 2): 1.1}

    def score(trial: Trial) -> float:
        values = trial.configuration.as_dict()
        return costs[str(values["a"]), int(values["b"])] * (1 + trial.instance)

    asked = advance(search, score, 10_000, in_flight=2)
    assert search.ask() is None
    assert {(trial.configuration, trial.instance) for trial in asked} == {
        (configuration, instance) for configuration in {t.configuration for t in asked} for instance in range(3)
    }
    assert len({trial.configuration for trial in asked}) == 4
    assert search.incumbent.as_dict() == {"a": "q", "b": 1}


@pytest.mark.parametrize("constant", [0.0, 100.0])
def test_constant_scores(constant: float) -> None:
    """Where all scores are equal, the first configuration keeps the lead and others still get their try."""
    search = begin(numbers())
    asked = advance(search, lambda trial: constant, 100)
    assert search.incumbent == asked[0].configuration
    assert len({trial.configuration for trial in asked}) > 10


def test_ties_are_not_defeat() -> None:
    """A better configuration wins although it ties on most instances, as where the rest of a portfolio is best."""

    def score(trial: Trial) -> float:
        return float(trial.configuration.as_dict()["x"]) if trial.instance == 7 else 0.5

    search = begin(numbers(), 10)
    asked = advance(search, score, 200)
    assert float(search.incumbent.as_dict()["x"]) < 0.3
    assert search.incumbent != asked[0].configuration


def test_no_best_before_the_first_score() -> None:
    """Before any score is told there is no incumbent, and asking for it says so."""
    search = begin(numbers())
    search.ask()
    with pytest.raises(LookupError, match="first score"):
        _ = search.incumbent


@pytest.mark.parametrize(("heats", "random"), [(0, 0.3), (10, 1.0), (10, -0.1)])
def test_impossible_settings_are_refused(heats: int, random: float) -> None:
    """Settings out of range are refused with the name of the setting."""
    with pytest.raises(ValueError, match=r"heats|random"):
        SearchSettings(heats=heats, random=random)


PROGRAM = """
import runpy, sys
tests = runpy.run_path(sys.argv[1])
search = tests["begin"](tests["Lkh"]().space, 7, 3, seed=5)
for trial in tests["advance"](search, tests["hashed"], 80, in_flight=3):
    print(trial)
print(search.standing)
"""


def test_the_same_in_every_process(tmp_path: Path) -> None:
    """Fresh processes with other hash seeds ask for the same trials, write no file and say nothing else."""
    outputs = []
    for hash_seed in ("1", "2"):
        finished = subprocess.run(
            [sys.executable, "-c", PROGRAM, __file__],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert finished.stderr == ""
        outputs.append(finished.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == 81
    assert list(tmp_path.iterdir()) == []


def test_other_seeds_search_elsewhere() -> None:
    """The seed decides the course: another seed asks for other trials."""
    first, second = (advance(begin(numbers(), seed=seed), noisy, 20) for seed in (1, 2))
    assert [trial.configuration for trial in first] != [trial.configuration for trial in second]


def test_the_given_space_is_left_alone() -> None:
    """Searching does not draw from the random state of the caller's space, nor from the global one."""
    space = numbers()
    space.seed(3)
    expected = numbers()
    expected.seed(3)
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    advance(begin(space), noisy, 20)
    assert space.sample_configuration() == expected.sample_configuration()
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
