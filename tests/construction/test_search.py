"""The search for one configuration, on score functions that answer at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any
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
from ceps.solvers.solver import default_configuration
from tests.solvers.made import Made
from tests.solvers.two_opt import TwoOpt

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


NUMBERS, CHOICES, NESTED, TINY = (Made("solver", space) for space in (numbers, choices, nested, tiny))


def begin(
    *solvers: Any,
    instances: int = 5,
    features: int = 2,
    starts: tuple[Configuration, ...] = (),
    seed: int = 1,
) -> Search:
    table = np.random.default_rng(0).random((instances, features)) if features else None
    return Search(solvers, table, instances, starts, seed, SearchSettings())


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
    starts = tuple(Configuration.of("solver", {"x": x, "y": 1 / 3, "z": 7}) for x in (0.9, 0.1, 0.7))
    asked = advance(begin(NUMBERS, starts=starts), noisy, 40)
    tried = list(dict.fromkeys(trial.configuration for trial in asked))
    assert tuple(tried[:3]) == starts
    assert len(tried) > 3


def test_a_start_may_set_what_is_not_active() -> None:
    """A starting point that names a value for an inactive parameter is tried and handed back unchanged."""
    start = Configuration.of("solver", {"kind": "s", "depth": 2, "width": 0.5, "n": 4})
    trial = begin(NESTED, starts=(start,)).ask()
    assert trial is not None
    assert trial.configuration == start


@pytest.mark.parametrize("in_flight", [1, 7])
@pytest.mark.parametrize("features", [0, 3])
@pytest.mark.parametrize(
    "solvers",
    [(NUMBERS,), (CHOICES,), (NESTED,), (Lkh(),), (Lkh(), TwoOpt(), NESTED)],
    ids=["num", "cat", "nested", "lkh", "joint"],
)
def test_trials_are_legal_and_new(solvers: tuple[Any, ...], features: int, in_flight: int) -> None:
    """Every trial is a legal configuration of plain values on an existing instance, and no trial is asked for twice."""
    spaces = {solver.name: solver.space for solver in solvers}
    asked = advance(begin(*solvers, instances=4, features=features), hashed, 30, in_flight)
    assert [trial.number for trial in asked] == list(range(30))
    assert len({(trial.configuration, trial.instance, trial.seed) for trial in asked}) == 30
    for trial in asked:
        Point(spaces[trial.configuration.solver], values=trial.configuration.as_dict()).check_valid_configuration()
        assert {type(value) for value in trial.configuration.as_dict().values()} <= {int, float, str, bool}
        assert 0 <= trial.instance < 4


@pytest.mark.parametrize("instances", [1, 12])
def test_the_best_has_run_on_every_instance(instances: int) -> None:
    """The leader ends up compared on all instances, each with the first seed before any with the second."""
    search = begin(NUMBERS, instances=instances)
    asked = advance(search, noisy, 150, in_flight=3)
    standing = search.standing
    assert {instance for instance, seed in standing.runs if seed == 0} == set(range(instances))
    scores = {(t.instance, t.seed): noisy(t) for t in asked if t.configuration == search.incumbent}
    assert standing.mean == pytest.approx(np.mean([scores[run] for run in standing.runs]))


def test_many_instances() -> None:
    """With 500 instances, the trials spread over ever more of them."""
    asked = advance(begin(NUMBERS, instances=500), noisy, 120)
    half, whole = ({trial.instance for trial in asked[:end]} for end in (60, 120))
    assert len(whole) > len(half) > 5


def test_finds_what_random_draws_do_not() -> None:
    """With eight parameters, the model's proposals lead closer to the best setting than random draws do."""
    names = [f"x{i}" for i in range(8)]

    def distance(configuration: Configuration) -> float:
        return sum((float(configuration.as_dict()[name]) - 0.3) ** 2 for name in names)

    def found(seed: int, random: float) -> float:
        solver = Made("solver", lambda: ConfigurationSpace(dict.fromkeys(names, (0.0, 1.0))))
        search = Search([solver], np.arange(4.0)[:, None], 4, [], seed, SearchSettings(random=random))
        advance(search, lambda trial: (0.05 + distance(trial.configuration)) * (1 + trial.instance), 200)
        return distance(search.incumbent)

    ours = np.mean([found(seed, 0.0) for seed in range(3)])
    drawn = np.mean([found(seed, 0.99) for seed in range(3)])
    assert ours < 0.6 * drawn


def test_a_tiny_space_is_exhausted() -> None:
    """When all four configurations have run everywhere, there is nothing more to ask, and the best one leads."""
    search = begin(TINY, instances=3)
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
    search = begin(NUMBERS)
    asked = advance(search, lambda trial: constant, 100)
    assert search.incumbent == asked[0].configuration
    assert len({trial.configuration for trial in asked}) > 10


def test_ties_are_not_defeat() -> None:
    """A better configuration wins although it ties on most instances, as where the rest of a portfolio is best."""

    def score(trial: Trial) -> float:
        return float(trial.configuration.as_dict()["x"]) if trial.instance == 7 else 0.5

    search = begin(NUMBERS, instances=10)
    asked = advance(search, score, 200)
    assert float(search.incumbent.as_dict()["x"]) < 0.3
    assert search.incumbent != asked[0].configuration


def test_no_best_before_the_first_score() -> None:
    """Before any score is told there is no incumbent, and asking for it says so."""
    search = begin(NUMBERS)
    search.ask()
    with pytest.raises(LookupError, match="first score"):
        _ = search.incumbent


@pytest.mark.parametrize(("heats", "random"), [(0, 0.3), (10, 1.0), (10, -0.1)])
def test_impossible_settings_are_refused(heats: int, random: float) -> None:
    """Settings out of range are refused with the name of the setting."""
    with pytest.raises(ValueError, match=r"heats|random"):
        SearchSettings(heats=heats, random=random)


JOINED = (Lkh(), TwoOpt())
PROGRAM = """
import runpy, sys
tests = runpy.run_path(sys.argv[1])
search = tests["begin"](*tests["JOINED"], instances=7, features=3, seed=5)
for trial in tests["advance"](search, tests["hashed"], 50, in_flight=3):
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
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        )
        assert finished.stderr == ""
        outputs.append(finished.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == 51
    assert list(tmp_path.iterdir()) == []


def test_other_seeds_search_elsewhere() -> None:
    """The seed decides the course: another seed asks for other trials."""
    first, second = (advance(begin(NUMBERS, seed=seed), noisy, 20) for seed in (1, 2))
    assert [trial.configuration for trial in first] != [trial.configuration for trial in second]


def test_the_given_space_is_left_alone() -> None:
    """Searching does not draw from the random state of the caller's space, nor from the global one."""
    space = numbers()
    space.seed(3)
    expected = numbers()
    expected.seed(3)
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    advance(begin(Made("solver", lambda: space)), noisy, 20)
    assert space.sample_configuration() == expected.sample_configuration()
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002


def slopes() -> ConfigurationSpace:
    return ConfigurationSpace({f"s{i}": (0.0, 1.0) for i in range(4)})


def alike_but_for(best: str) -> Score:
    """All solvers are the better the nearer to 0.8 their values are, and ``best`` is twice as fast as the others."""

    def score(trial: Trial) -> float:
        values = trial.configuration.as_dict().values()
        distance = sum((float(value) - 0.8) ** 2 for value in values)
        factor = 1.0 if trial.configuration.solver == best else 2.0
        noise = crc32(repr((trial.configuration.values, trial.instance, trial.seed)).encode()) / 2**32
        return factor * (0.1 + distance) * (1 + trial.instance % 3) * (0.75 + 0.5 * noise)

    return score


@pytest.mark.parametrize("best", ["first", "second", "third"])
def test_the_better_solver_is_found_and_tuned(best: str) -> None:
    """Of three alike solvers the search ends with the fastest, whichever it is, and with good values for it."""
    solvers = [Made(name, slopes) for name in ("first", "second", "third")]
    starts = tuple(default_configuration(solver) for solver in solvers)
    for seed in range(2):
        search = begin(*solvers, starts=starts, seed=seed)
        asked = advance(search, alike_but_for(best), 150)
        assert search.incumbent.solver == best
        assert sum((float(value) - 0.8) ** 2 for value in search.incumbent.as_dict().values()) < 0.36 / 3
        tried = Counter(configuration.solver for configuration in {trial.configuration for trial in asked})
        assert tried[best] == max(tried.values())
        assert len(tried) == 3


def test_a_solver_is_judged_by_its_tuned_configurations() -> None:
    """A solver whose default is the worse is found all the same when good settings of it are the better."""

    def score(trial: Trial) -> float:
        values = trial.configuration.as_dict()
        if trial.configuration.solver == "steady":
            return 1.0 + 0.1 * float(values["s0"])
        return 3.0 * (abs(float(values["s0"]) - 0.9) + abs(float(values["s1"]) - 0.1)) + 0.05

    solvers = [Made("steady", slopes), Made("tunable", slopes)]
    starts = tuple(default_configuration(solver) for solver in solvers)
    search = begin(*solvers, starts=starts)
    advance(search, score, 200)
    assert search.incumbent.solver == "tunable"
    assert search.standing.mean < 0.6


def test_starts_of_any_solver_are_tried_first() -> None:
    """Starting points of different solvers come in the given order and come back as they were given."""
    lkh = Configuration.of("lkh", {**default_configuration(Lkh()).as_dict(), "EXTRA_CANDIDATE_SET_TYPE": "QUADRANT"})
    starts = (default_configuration(TwoOpt()), lkh, Configuration.of("solver", {"x": 0.3, "y": 1 / 3, "z": 7}))
    search = begin(Lkh(), TwoOpt(), NUMBERS, starts=starts)
    asked = advance(search, hashed, 30)
    assert tuple(dict.fromkeys(trial.configuration for trial in asked))[:3] == starts


def test_a_portfolio_is_searched_as_a_whole() -> None:
    """Two configurations at once: the search finds a pair that is good on both halves of the instances."""

    def score(trial: Trial) -> float:
        wanted = 0.1 if trial.instance % 2 else 0.9
        return min(abs(float(member.as_dict()["x"]) - wanted) for member in trial.members)

    start = tuple(Configuration.of("solver", {"x": 0.5, "y": y, "z": 7}) for y in (0.1, 0.2))
    search = Search([NUMBERS], np.arange(4.0)[:, None] % 2, 4, start, 1, SearchSettings(), width=2)
    asked = advance(search, score, 150, in_flight=2)
    assert asked[0].members == start
    assert {len(trial.members) for trial in asked} == {2}
    assert search.standing.mean < 0.1
    alone = begin(NUMBERS, instances=4, starts=start[:1])
    advance(alone, score, 150, in_flight=2)
    assert alone.standing.mean > 0.35
