"""LKH: the real one, from whichever binding is installed."""

from __future__ import annotations

import itertools
import os
import pickle
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.tsp import EdgeWeight, Tsp, TspInstance
from ceps.problems.tsp.generate import generate
from ceps.solvers import lkh
from ceps.solvers.lkh import Lkh
from ceps.solvers.program import ProgramError
from tests.solvers.spawned import GUARD, spawned_process, trace

YES_NO = ("yes", "no")
TOUR_ALGORITHMS = ("BORUVKA", "GREEDY", "NEAREST-NEIGHBOR", "QUICK-BORUVKA", "SIERPINSKI", "WALK")
PUBLISHED = {
    "ASCENT_CANDIDATES": (40, 60, 50),
    "BACKBONE_TRIALS": (0, 1, 0),
    "BACKTRACKING": (YES_NO, "no"),
    "CANDIDATE_SET_TYPE": (("ALPHA", "DELAUNAY", "NEAREST-NEIGHBOR", "QUADRANT"), "ALPHA"),
    "EXTRA_CANDIDATES": (0, 10, 0),
    "EXTRA_CANDIDATE_SET_TYPE": (("NEAREST-NEIGHBOR", "QUADRANT"), "QUADRANT"),
    "GAIN23": (YES_NO, "yes"),
    "GAIN_CRITERION": (YES_NO, "yes"),
    "INITIAL_STEP_SIZE": (1, 5, 1),
    "INITIAL_TOUR_ALGORITHM": (TOUR_ALGORITHMS, "WALK"),
    "INITIAL_TOUR_FRACTION": (0.0, 1.0, 1.0),
    "KICKS": (0, 5, 1),
    "KICK_TYPE": ((0, 4, 5), 0),
    "MAX_BREADTH": (1, 2147483647, 2147483647),
    "MAX_CANDIDATES": (1, 10, 5),
    "MOVE_TYPE": (2, 6, 5),
    "PATCHING_A": (0, 5, 1),
    "PATCHING_C": (0, 5, 0),
    "POPULATION_SIZE": (2, 100, 50),
    "RESTRICTED_SEARCH": (YES_NO, "yes"),
    "SUBGRADIENT": (YES_NO, "yes"),
    "SUBSEQUENT_MOVE_TYPE": ((0, 2, 3, 4, 5, 6), 0),
    "SUBSEQUENT_PATCHING": (YES_NO, "yes"),
}
HASTY = {"GAIN23": "no", "KICKS": 0, "MAX_CANDIDATES": 3, "MOVE_TYPE": 2, "SUBGRADIENT": "no"}
"""A configuration that improves its tour in many small steps."""


@pytest.fixture(scope="module")
def process():
    """A process to run LKH in."""
    with spawned_process() as pool:
        yield pool


def shortest(instance: TspInstance) -> int:
    """The length of the best tour, by trying all."""
    order = np.array([(0, *rest) for rest in itertools.permutations(range(1, instance.n))])
    return int(instance.distance_matrix()[order, np.roll(order, -1, axis=1)].sum(axis=1).min())


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def parameters(process, directory: Path, instance: TspInstance, **run) -> dict[str, str]:
    """The parameter file of a run, by means of a binary that says what it was given and fails."""
    binary = executable(directory / "tell", '#!/bin/sh\ncat "$1"\nexit 1\n')
    text = str(process.submit(trace, Lkh(binary), instance, **run).exception())
    return dict(line.split(" = ") for line in text.partition(": ")[2].splitlines())


def test_space_is_the_published_one():
    """The 23 parameters have the published domains and defaults, MAX_BREADTH on a log scale."""
    space = Lkh().space
    assert len(space) == len(PUBLISHED) == 23
    for name, (*domain, default) in PUBLISHED.items():
        parameter = space[name]
        found = [parameter.lower, parameter.upper] if hasattr(parameter, "lower") else [tuple(parameter.choices)]
        assert (name, found, parameter.default_value) == (name, domain, default)
        assert getattr(parameter, "log", False) == (name == "MAX_BREADTH")


def test_extra_candidates_decide_on_their_set_type():
    """EXTRA_CANDIDATE_SET_TYPE is active when, and only when, there are extra candidates."""
    space = Lkh().space
    space.seed(1)
    assert "EXTRA_CANDIDATE_SET_TYPE" not in space.get_default_configuration()
    for configuration in space.sample_configuration(100):
        assert ("EXTRA_CANDIDATE_SET_TYPE" in configuration) == (configuration["EXTRA_CANDIDATES"] > 0)


def test_describe_is_the_parameter_file():
    """The description has every parameter on a line of its own, with the default for what is not given."""
    lines = dict(line.split(" = ") for line in Lkh().describe({"KICKS": 3, "BACKTRACKING": "yes"}).splitlines())
    assert {name: lines[name] for name in PUBLISHED} == {
        **{name: str(entry[-1]) for name, entry in PUBLISHED.items()},
        "KICKS": "3",
        "BACKTRACKING": "yes",
    }
    assert lines["RUNS"] == "10000"
    assert lines["TRACE_LEVEL"] == "0"


def test_unknown_parameters_are_refused():
    """A parameter that the space does not have is named in the error, for any size of instance."""
    with pytest.raises(ValueError, match="KICK, RUNS"):
        Lkh().describe({"KICK": 1, "RUNS": 5})
    with pytest.raises(ValueError, match="KICK"):
        trace(Lkh(), generate("portgen", 2, 1), {"KICK": 1})


def test_is_a_small_value():
    """Solvers that are set alike are equal and survive pickling."""
    assert pickle.loads(pickle.dumps(Lkh())) == Lkh()
    assert Lkh(binary=Path("LKH")) != Lkh()
    assert Lkh(binary=Path("LKH")).binary == Path.cwd() / "LKH"


def test_incumbents_are_true_and_improve(process):
    """Every reported tour is valid and has the reported cost, and each is better than the one before."""
    instance = generate("portgen", 200, 1)
    seen = process.submit(trace, Lkh(), instance, HASTY, incumbents=6).result()
    assert seen.costs == [Tsp().check(instance, tour) for tour in seen.tours]
    assert len(seen.costs) == 6
    assert all(later < earlier for earlier, later in itertools.pairwise(seen.costs))


def test_same_seed_same_course(process):
    """The course of a run depends on the seed and on nothing else."""
    instance = generate("portgen", 200, 2)
    first, second, other = (
        process.submit(trace, Lkh(), instance, HASTY, seed=seed, incumbents=5).result() for seed in (7, 7, 8)
    )
    assert first == second
    assert first.costs != other.costs


def test_what_a_run_adds_to_the_parameters(process, tmp_path):
    """Seed and target reach LKH: seed 0, which means the time of day to it, as another; fractions rounded down."""
    instance = generate("portgen", 8, 1)
    given = parameters(process, tmp_path, instance, seed=5, target=12.75)
    assert (given["SEED"], given["OPTIMUM"], given["PRECISION"]) == ("5", "12", "100")
    zero = parameters(process, tmp_path, instance, seed=0)
    assert zero["SEED"] == str(2**31 - 1)
    assert "OPTIMUM" not in zero


def test_stops_at_the_target(process):
    """A run ends by itself with the first tour at or below the target, even one between two tours' lengths."""
    instance = generate("portgen", 200, 1)
    free = process.submit(trace, Lkh(), instance, HASTY, incumbents=4).result()
    target = (free.costs[2] + free.costs[3]) / 2
    seen = process.submit(trace, Lkh(), instance, HASTY, target=target).result()
    assert seen.costs[-1] <= target
    assert all(cost > target for cost in seen.costs[:-1])
    assert seen.answer == seen.tours[-1]


@pytest.mark.parametrize("metric", list(EdgeWeight))
def test_metrics_agree(process, metric):
    """LKH and the checker measure tours alike, whatever the metric."""
    points = np.round(np.random.default_rng(3).uniform(-80.0, 80.0, (60, 2)), 2)
    instance = TspInstance("points", points * (1.0 if metric is EdgeWeight.GEO else 100.0), metric)
    seen = process.submit(trace, Lkh(), instance, HASTY, incumbents=1).result()
    assert seen.costs == [Tsp().check(instance, seen.tours[0])]


@pytest.mark.parametrize(("side", "precision"), [(1e6, 100), (1e7, 75), (1e8, 7), (1e9, 1)])
def test_large_coordinates(process, tmp_path, side, precision):
    """Distances up to more than 10⁹ are solved, with less precision where LKH's numbers would overflow."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) * side
    inner = np.random.default_rng(1).uniform(0.0, side, (60, 2))
    instance = TspInstance("large", np.vstack([corners, np.round(inner)]))
    assert parameters(process, tmp_path, instance)["PRECISION"] == str(precision)
    seen = process.submit(trace, Lkh(), instance, HASTY, incumbents=1).result()
    assert seen.costs == [Tsp().check(instance, seen.tours[0])]


def test_distances_beyond_32_bits_are_refused(process):
    """LKH is not run where its numbers overflow: the error says so."""
    instance = TspInstance("huge", np.array([[0.0, 0.0], [3e9, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match="32-bit distances"):
        process.submit(trace, Lkh(), instance).result()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_up_to_three_cities(n):
    """One, two and three cities are solved."""
    instance = generate("portgen", n, 1)
    assert Tsp().check(instance, trace(Lkh(), instance).answer) == instance.tour_length(range(n))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    points=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=8),
    unit=st.sampled_from([0.1, 1.0, 1e5]),
)
def test_small_and_degenerate_instances(process, points, unit):
    """Few cities, equal, collinear or without any distance between them, are solved to the optimum."""
    instance = TspInstance("degenerate", np.array(points) * unit)
    optimum = shortest(instance)
    seen = process.submit(trace, Lkh(), instance, target=optimum).result()
    assert Tsp().check(instance, seen.answer) == optimum


@settings(derandomize=True, deadline=None, max_examples=40)
@given(positions=st.lists(st.integers(-500, 500), min_size=4, max_size=30))
def test_cities_on_a_line(process, positions):
    """The best tour along a line is there and back; LKH finds it, duplicates or not."""
    instance = TspInstance("line", np.array([(float(x), 0.0) for x in positions]))
    optimum = 2 * (max(positions) - min(positions))
    seen = process.submit(trace, Lkh(), instance, target=optimum).result()
    assert Tsp().check(instance, seen.answer) == optimum


def test_a_run_that_ends_by_itself_returns_its_tour(process):
    """What LKH's preprocessing solves, before there is anything to report, is returned."""
    instance = generate("portgen", 6, 1)
    seen = process.submit(trace, Lkh(), instance).result()
    assert Tsp().check(instance, seen.answer) == shortest(instance)


def test_random_configurations(process):
    """Any configuration of the space gives true tours, is stopped without one, or ends in an error of the run."""
    instance = generate("portgen", 40, 1)
    space = Lkh().space
    space.seed(1)
    solved = 0
    for configuration in space.sample_configuration(12):
        run = process.submit(trace, Lkh(), instance, dict(configuration), incumbents=1, seconds=0.5)
        if isinstance(run.exception(), ProgramError):
            continue
        seen = run.result()
        assert seen.costs == [Tsp().check(instance, tour) for tour in seen.tours]
        solved += bool(seen.costs)
    assert solved > 0


def test_failure_is_an_error(process):
    """When LKH refuses its parameters, the run ends with an error that has its exit status."""
    with pytest.raises(ProgramError, match="LKH ended with exit status 1"):
        process.submit(trace, Lkh(), generate("portgen", 40, 1), {"MOVE_TYPE": 1}).result()


def test_the_user_s_binary(process, tmp_path):
    """An LKH binary is run as on the command line and takes the same course as the binding."""
    pytest.importorskip("LKHpy")
    text = f"#!{sys.executable}\nimport sys, LKHpy\nassert len(sys.argv) == 2\nLKHpy.par_file(sys.argv[1])\n"
    binary = executable(tmp_path / "LKH", text)
    instance = generate("portgen", 200, 1)
    expected, seen = (
        process.submit(trace, solver, instance, HASTY, incumbents=4).result() for solver in (Lkh(), Lkh(binary))
    )
    assert seen == expected


def test_the_binary_s_last_words(process, tmp_path):
    """When the binary fails, the error has what it said; also when it was ended by a signal, or is no program."""
    instance = generate("portgen", 8, 1)
    for text, message in (
        ("#!/bin/sh\necho '*** Error ***'; echo 'MOVE_TYPE: out of luck' >&2; exit 3\n", "status 3.*out of luck"),
        ("#!/bin/sh\nkill -SEGV $$\n", "SIGSEGV: it said nothing"),
        ("not a program", "Exec format error"),
    ):
        binary = executable(tmp_path / "LKH", text)
        with pytest.raises((ProgramError, ValueError), match=f"(?s){message}"):
            process.submit(trace, Lkh(binary), instance).result()


def test_the_binary_sees_little_of_the_environment(process, tmp_path):
    """What the user keeps in variables is not for a program that somebody's portfolio may name."""
    binary = executable(tmp_path / "LKH", '#!/bin/sh\necho "token=$SECRET_TOKEN path=$PATH"; exit 1\n')
    run = process.submit(trace, Lkh(binary), generate("portgen", 8, 1), environment={"SECRET_TOKEN": "x"})
    assert f"token= path={os.environ['PATH']}" in str(run.exception())


def test_the_binary_s_identity(tmp_path):
    """A binary's version follows its content."""
    one, same, other = (executable(tmp_path / str(i), text) for i, text in enumerate(("a", "a", "b")))
    assert Lkh(one).version.startswith("binary ")
    assert Lkh(one).version == Lkh(same).version != Lkh(other).version


def test_a_binary_that_cannot_run_is_told(tmp_path):
    """A missing or not executable binary is a user's error that names the setting."""
    with pytest.raises(UserError, match=r"\[solvers.lkh\] binary = .*there is no such file"):
        Lkh(tmp_path / "LKH").prepare()
    (tmp_path / "LKH").write_text("")
    with pytest.raises(UserError, match=r"\[solvers.lkh\] binary = .*chmod"):
        _ = Lkh(tmp_path / "LKH").version


SOLVE_UNTIL_KILLED = """
import sys
from ceps.problems.tsp.generate import generate
from ceps.solvers.lkh import Lkh
from ceps.solvers.program import ProgramError
Lkh(sys.argv[1]).solve(generate("portgen", 100, 1), {}, 1, None, None, print)
"""


def test_lkh_dies_with_the_process_that_runs_it(tmp_path):
    """A solving process that is killed without warning leaves no LKH behind."""
    os.mkfifo(tmp_path / "id")
    binary = executable(tmp_path / "LKH", "#!/bin/sh\necho $$ > id\nexec sleep 600\n")
    with subprocess.Popen([sys.executable, "-c", SOLVE_UNTIL_KILLED, binary], cwd=tmp_path) as solving:
        watched = os.pidfd_open(int((tmp_path / "id").read_text()))
        assert not select.select([watched], [], [], 0)[0]
        solving.send_signal(signal.SIGKILL)
        assert select.select([watched], [], [], GUARD)[0]  # readable means ended
        os.close(watched)


@pytest.fixture
def fresh_choice_of_binding():
    """Forget which binding was chosen, before and after."""
    lkh._binding.cache_clear()
    yield
    lkh._binding.cache_clear()


@pytest.mark.usefixtures("fresh_choice_of_binding")
def test_without_any_lkh(monkeypatch):
    """Where there is no LKH, preparing says how to get one."""
    monkeypatch.setitem(sys.modules, "LKHpy", None)
    monkeypatch.setitem(sys.modules, "elkai", None)
    with pytest.raises(UserError, match=r'pip install "ceps\[lkh\]".*\[solvers.lkh\] binary'):
        Lkh().prepare()


@pytest.mark.usefixtures("fresh_choice_of_binding")
def test_lkhpy_comes_first():
    """LKHpy is preferred, and the version says what runs."""
    pytest.importorskip("LKHpy")
    assert Lkh().version.startswith("LKHpy ")


def trace_with_elkai(instance: TspInstance, target: float | None):
    sys.modules["LKHpy"] = None  # type: ignore[assignment]
    assert Lkh().version.startswith("elkai ")
    return trace(Lkh(), instance, HASTY, target=target, incumbents=4 if target is None else None)


def test_elkai_is_the_other_binding():
    """Without LKHpy, elkai reports true tours and stops at the target."""
    pytest.importorskip("elkai")
    instance = generate("portgen", 200, 1)
    with spawned_process() as process:
        free = process.submit(trace_with_elkai, instance, None).result()
        seen = process.submit(trace_with_elkai, instance, free.costs[2]).result()
        small = process.submit(trace_with_elkai, generate("portgen", 6, 1), 0).result()
    assert free.costs == [Tsp().check(instance, tour) for tour in free.tours]
    assert len(free.costs) == 4
    assert seen.costs[-1] <= free.costs[2]
    assert Tsp().check(generate("portgen", 6, 1), small.answer) == shortest(generate("portgen", 6, 1))
