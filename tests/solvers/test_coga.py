"""Co-GA, the project's own: what it does beside what every solver of the VRPSPDTW must."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

import pytest

from ceps.evaluation.best_known import read_best_known
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.problems.vrpspdtw.generate import generate
from ceps.records import Limits
from ceps.solvers.coga import CoGa
from ceps.solvers.solver import default_configuration
from tests.problems.vrpspdtw.strategies import small
from tests.solvers.spawned import trace


def test_courses_are_the_same_everywhere():
    """A known instance and seed give a known course: own random numbers, no platform in between."""
    seen = trace(CoGa(rounds=1), generate("city", 60, 1), {"ConvergenceCountLimit": 10}, seed=1)
    assert (seen.costs[0], seen.costs[-1]) == (pytest.approx(5238.928726916561), pytest.approx(3853.475350000475))
    assert len(seen.costs) == 11


def test_rounds_follow_each_other():
    """Populations that stagnate start again: more rounds find more, and the first round is the same."""
    instance, hasty = generate("city", 60, 2), {"PopSize": 30, "ConvergenceCountLimit": 1}
    once, often = (trace(CoGa(rounds=rounds), instance, hasty) for rounds in (1, 10))
    assert often.costs[: len(once.costs)] == once.costs
    assert often.costs[-1] < once.costs[-1]


def test_a_first_solution_comes_soon():
    """A run of 0.3 s has a solution of 400 customers, the time for distances and neighbours included."""
    instance, seen = generate("city", 400, 1), []
    start = time.process_time()
    CoGa().solve(instance, {}, 1, Limits(10.0), 1e9, lambda routes, cost=None: seen.append(routes))
    assert time.process_time() - start <= 0.3
    assert isinstance(Vrpspdtw().check(instance, seen[0]), float)


def test_scarce_vehicles_come_first():
    """Where starts need more vehicles than there are, solutions for as many as there are are found all the same."""
    instance = generate("city", 100, 3)
    free = trace(CoGa(), instance, incumbents=30)
    fleet = min(map(len, free.tours))
    assert len(free.tours[0]) > fleet
    scarce = VrpspdtwInstance.of_table("scarce", instance.table, instance.ids, fleet, instance.capacity, 0.0)
    assert len(trace(CoGa(), scarce, incumbents=1).tours[0]) <= fleet


def test_space_is_that_of_the_experiment():
    """The twelve parameters of the paper's experiment, with its defaults."""
    assert default_configuration(CoGa()).as_dict() == {
        "PopSize": 50,
        "Num_MPCIH": 7,
        "Num_RSCIM": 7,
        "ConvergenceCountLimit": 200,
        "mutation_rate": 0.5,
        "Num_Elitism": 7,
        "isolated_lower": 2,
        "isolated_upper": 10,
        "beta_start": 0.2,
        "beta_increment": 0.2,
        "reinsertion_thresh": 3,
        "swap_thresh": 6,
    }


def test_unknown_parameters_are_refused():
    """A parameter that the space does not have is named in the error."""
    with pytest.raises(ValueError, match="PopSzie"):
        trace(CoGa(), small(), {"PopSzie": 10})


def test_is_a_small_value():
    """Solvers that are set alike are equal and survive pickling; another number of rounds is another version."""
    assert pickle.loads(pickle.dumps(CoGa(rounds=2))) == CoGa(rounds=2)
    assert CoGa(rounds=2).version != CoGa().version


@pytest.mark.skipif("CEPS_DATA" not in os.environ, reason="needs the data folder that CEPS_DATA names")
@pytest.mark.parametrize("name", ["cdp201", "rcdp1001", "rcdp2504", "rcdp5001"])
def test_real_instances_are_solved_to_the_best_known(name):
    """Benchmark instances that are easy are solved to their best-known cost."""
    folder = Path(os.environ["CEPS_DATA"]) / "vrpspdtw" / "wang_chen"
    instance = Vrpspdtw().read(folder / f"{name}.txt")
    best = read_best_known(folder / "best_known.csv", [instance])[name].cost(instance)
    seen = trace(CoGa(), instance, target=best + 0.01)
    assert seen.costs[-1] <= best + 0.01
