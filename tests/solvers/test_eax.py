"""EAX, the project's own."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps._native import eax
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.tsp import EdgeWeight, Tsp, TspInstance
from ceps.problems.tsp.generate import generate
from ceps.records import Ending, Limits
from ceps.solvers.eax import Eax, reference_consensus
from ceps.solvers.solver import default_configuration, plain_configuration
from tests.solvers.spawned import trace

FEW = Eax(populations=3)
STYLES = [
    {"start": start, "improvement": improvement, "selection": selection}
    for start in ("random", "nearest", "greedy")
    for improvement in ("2-opt", "2-opt+or-opt")
    for selection in ("entropy", "greedy")
]


def shortest(instance: TspInstance) -> int:
    """The length of the best tour, by trying all."""
    order = np.array([(0, *rest) for rest in itertools.permutations(range(1, instance.n))])
    return int(instance.distance_matrix()[order, np.roll(order, -1, axis=1)].sum(axis=1).min())


def best(instance: TspInstance, configuration: dict[str, object] | None = None, seed: int = 1) -> int:
    """The verified cost of the tour that three populations come to."""
    seen = trace(FEW, instance, configuration, seed=seed)
    cost = Tsp().check(instance, seen.tours[-1])
    assert cost == seen.costs[-1]
    return cost


def clouds(largest: int, span: int) -> st.SearchStrategy[TspInstance]:
    """Few cities on a small lattice: many of them in the same place or on a line."""
    points = st.lists(st.tuples(*[st.integers(0, span)] * 2), min_size=4, max_size=largest)
    return points.map(lambda chosen: TspInstance("cloud", np.array(chosen, dtype=float)))


@settings(max_examples=60, deadline=None)
@given(instance=st.one_of(clouds(8, 1000), clouds(8, 3)), style=st.sampled_from(STYLES), seed=st.integers(0, 2**32))
def test_is_exact_for_few_cities(instance, style, seed):
    """Up to eight cities, duplicates and lines included, the best tour is found from every kind of start."""
    assert best(instance, style, seed) == shortest(instance)


@pytest.mark.parametrize("metric", list(EdgeWeight))
def test_is_exact_for_nine_cities_of_any_metric(metric):
    """Nine cities are solved to the optimum under every metric."""
    points = np.round(np.random.default_rng(5).uniform(-80.0, 80.0, (9, 2)), 2)
    instance = TspInstance("nine", points * (1.0 if metric is EdgeWeight.GEO else 100.0), metric)
    assert best(instance) == shortest(instance)


@pytest.mark.parametrize("n", [4, 5, 6, 9, 30, 300])
@pytest.mark.parametrize("shape", ["one place", "a line", "two places", "a lattice"])
def test_degenerate_instances(n, shape):
    """Cities in one place, in two, on a line or on a lattice neither loop nor fail, and short tours are found."""
    index = np.arange(n, dtype=float)
    side = int(np.ceil(np.sqrt(n)))
    cities = {
        "one place": np.zeros((n, 2)),
        "a line": np.column_stack([index, index]) * 3.0,
        "two places": np.column_stack([100.0 * (index % 2), np.zeros(n)]),
        "a lattice": np.column_stack([index % side, index // side]) * 10.0,
    }[shape]
    found = best(TspInstance(shape, cities))
    expected = {"one place": 0, "a line": None, "two places": 200, "a lattice": None}[shape]
    if expected is not None:
        assert found == expected
    elif n <= 9:
        assert found == shortest(TspInstance(shape, cities))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_up_to_three_cities(n):
    """One, two and three cities have one tour, and it is given."""
    instance = generate("portgen", n, 1)
    assert sorted(trace(Eax(), instance).answer) == list(range(1, n + 1))


def test_few_cities_end_by_themselves():
    """A run on a dozen cities without a target does not wait for its limit."""
    assert len(trace(Eax(), generate("portgen", 12, 1)).tours) >= 1


@pytest.mark.parametrize("style", STYLES, ids=lambda style: "-".join(style.values()))
def test_incumbents_are_true_and_improve(style):
    """Every reported tour is valid and has the reported cost, and each is better than the one before."""
    instance = generate("portgen", 150, 1)
    seen = trace(Eax(populations=1), instance, {**style, "population": 30})
    assert seen.costs == [Tsp().check(instance, tour) for tour in seen.tours]
    assert len(seen.costs) > 3
    assert all(later < earlier for earlier, later in itertools.pairwise(seen.costs))


def test_same_seed_same_course():
    """The course of a run depends on the seed and on nothing else."""
    instance = generate("portgen", 150, 2)
    first, second, other = (trace(Eax(populations=2), instance, seed=seed) for seed in (7, 7, 8))
    assert first == second
    assert first.costs != other.costs


def test_courses_are_the_same_everywhere():
    """A known instance and seed give a known course: own random numbers, exact lengths, no platform in between."""
    seen = trace(Eax(populations=1), generate("portgen", 200, 1), {"population": 20}, seed=1)
    assert (seen.costs[0], seen.costs[-1], len(seen.costs)) == (11118266, 10698691, 18)


def test_stops_at_the_target():
    """A run ends by itself with the first tour at or below the target, even one between two tours' lengths."""
    instance = generate("portgen", 200, 1)
    free = trace(Eax(populations=1), instance)
    target = (free.costs[4] + free.costs[5]) / 2
    seen = trace(Eax(), instance, target=target)
    assert seen.costs == free.costs[:6]


def test_populations_follow_each_other_until_the_target():
    """A population that has converged short of the target is followed by another one, of the same size or larger."""
    instance = generate("portgen", 200, 3)
    hasty = {"population": 20, "selection": "greedy", "block": "no", "restart_after": 5}
    once, often = (trace(Eax(populations=count), instance, hasty).costs[-1] for count in (1, 10))
    assert often < once
    assert trace(Eax(), instance, {**hasty, "restart": "double-size"}, target=often).costs[-1] <= often


def test_blocks_change_the_course():
    """After stagnation the block strategy makes children that single cycles do not, and they are true tours too."""
    instance = generate("portgen", 300, 5)
    alone, followed = (
        trace(Eax(populations=1), instance, {"population": 30, "block": block, "block_after": after}, seed=2)
        for block, after in (("no", 5), ("yes", 0))
    )
    assert alone.costs != followed.costs
    assert followed.costs == [Tsp().check(instance, tour) for tour in followed.tours]


def test_holds_the_cpu_limit_itself():
    """Without anybody's help a run ends within 50 ms of its limit, at the start as in the middle of its course."""
    for size, limit in ((800, 0.3), (5000, 0.2), (20000, 0.5)):
        points = generate("portgen", size, 1).coordinates
        start = time.process_time()
        eax.solve(points, eax.Metric.EUC_2D, eax.Parameters(), 1, limit, None, 0, lambda tour, length: None)
        used = time.process_time() - start
        assert limit <= used <= limit + 0.05


def test_the_supervisor_sees_a_timeout():
    """A run that ends at its limit counts as stopped by it: with more time it would have gone on."""
    instance = generate("portgen", 200, 1)
    run = Run(Tsp(), Eax(), default_configuration(Eax()), instance, seed=1, limits=Limits(0.2), target=1)
    with LocalExecutor(workers=1) as executor:
        outcome = executor.submit(run).result()
    assert outcome.ending is Ending.TIMEOUT
    assert outcome.cost == Tsp().check(instance, outcome.solution)


def test_an_error_in_the_report_ends_the_run():
    """What on_incumbent raises comes out of solve."""

    def on_incumbent(tour, length):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        Eax().solve(generate("portgen", 50, 1), {}, 1, Limits(10.0), None, on_incumbent)


def test_every_sampled_configuration_runs():
    """Whatever the space allows gives tours."""
    space, instance = Eax().space, generate("portgen", 60, 1)
    space.seed(1)
    for point in space.sample_configuration(25):
        configuration = plain_configuration("eax", point).as_dict()
        assert trace(Eax(populations=1), instance, configuration).tours


def test_space_has_the_classic_defaults():
    """A population of a hundred, thirty offspring, entropy-preserving selection, single cycles and then blocks."""
    default = default_configuration(Eax()).as_dict()
    assert len(Eax().space) == 11
    assert {key: default[key] for key in ("population", "offspring", "selection", "block", "block_after")} == {
        "population": 100,
        "offspring": 30,
        "selection": "entropy",
        "block": "yes",
        "block_after": 50,
    }


def test_unknown_parameters_are_refused():
    """A parameter that the space does not have is named in the error, for any size of instance."""
    with pytest.raises(ValueError, match="populatoin"):
        trace(Eax(), generate("portgen", 2, 1), {"populatoin": 10})


def test_is_a_small_value():
    """Solvers that are set alike are equal and survive pickling; another number of populations is another version."""
    assert pickle.loads(pickle.dumps(Eax(populations=2))) == Eax(populations=2)
    assert Eax(populations=2).version != Eax().version


def test_distances_beyond_32_bits_are_refused():
    """Where its numbers would overflow the run is refused, and the error says so."""
    instance = TspInstance("huge", np.array([[0.0, 0.0], [3e9, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match="32-bit distances"):
        trace(Eax(), instance)


def test_references_come_from_populations_that_grow():
    """Every run of the consensus is one population, larger than the one before."""
    consensus = reference_consensus()
    sizes = [consensus.configuration(number).as_dict()["population"] for number in range(20)]
    assert consensus.solver == Eax(populations=1)
    assert sizes[:4] == [200, 250, 300, 350]
    assert sizes == sorted(sizes)


@pytest.mark.skipif("CEPS_DATA" not in os.environ, reason="needs the data folder that CEPS_DATA names")
def test_solves_real_instances():
    """Real 800-city instances are solved to their proven optimum, each in a fraction of the cut-off."""
    folder = Path(os.environ["CEPS_DATA"]) / "tsp"
    optima = json.loads((folder / "optima.json").read_text())
    for name in ("compression-18.tsp", "netgen-8_5.tsp", "portgen-38.tsp"):
        seen = trace(Eax(), Tsp().read(folder / name), target=optima[name])
        assert seen.costs[-1] == optima[name]
