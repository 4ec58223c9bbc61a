"""PyVRP as a solver of the VRPSPDTW."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from importlib import metadata

import pytest
import pyvrp
from pyvrp.search import OPERATORS
from pyvrp.stop import MaxIterations

from ceps.problems.vrpspdtw.generate import generate
from ceps.solvers.pyvrp_ils import PyVrp, tables
from ceps.solvers.pyvrp_search import Search, problem_data
from ceps.solvers.solver import default_configuration
from tests.problems.vrpspdtw.strategies import small
from tests.solvers.spawned import trace

DEFAULT = default_configuration(PyVrp()).as_dict()
MOVES = ("Relocate1", "Relocate2", "Relocate3", "Swap11", "Swap21", "Swap22", "Swap31", "Swap32", "Swap33", "SwapTails")


def test_the_course_is_that_of_pyvrp_alone():
    """By default a run does what PyVRP's own solve does with its own defaults, iteration by iteration."""
    instance = generate("city", 100, 3)
    alone = pyvrp.solve(problem_data(instance), MaxIterations(400), seed=5, collect_stats=False)
    costs: list[float] = []
    search = Search(instance, None, math.inf, 400, lambda routes, cost: costs.append(cost))
    ours = search.run(tables(DEFAULT), seed=5)
    assert (ours.num_iterations, ours.best) == (alone.num_iterations, alone.best)
    assert len(costs) > 3


@pytest.mark.parametrize("move", MOVES)
def test_every_move_is_enough(move):
    """A configuration with a single move of PyVRP's runs, and improves."""
    only = {**dict.fromkeys(MOVES, "no"), move: "yes"}
    assert len(trace(PyVrp(), generate("city", 40, 1), only, incumbents=2).costs) == 2


def test_some_move_is_needed():
    """The space forbids a configuration without moves, and a run refuses it."""
    none = dict.fromkeys(MOVES, "no")
    assert not any(all(point[move] == "no" for move in MOVES) for point in PyVrp().space.sample_configuration(3000))
    with pytest.raises(ValueError, match="at least one of Relocate1"):
        trace(PyVrp(), small(), none)


def test_defaults_are_those_of_pyvrp(tmp_path):
    """The default configuration, as PyVRP reads it, is PyVRP's own, but for moves that say nothing to this problem."""
    (tmp_path / "default.toml").write_text(PyVrp().describe(DEFAULT))
    ours, theirs = pyvrp.SolveParams.from_file(tmp_path / "default.toml"), pyvrp.SolveParams()
    assert len(PyVrp().space) == 25
    for section in ("ils", "penalty", "neighbourhood", "perturbation"):
        assert getattr(ours, section) == getattr(theirs, section)
    data = problem_data(small())
    assert ours.operators == [move for move in OPERATORS if move.supports(data)]


def test_what_is_described_is_what_runs(tmp_path):
    """PyVRP reads from the described parameter file what the configuration says."""
    changed = {**DEFAULT, "history_length": 17, "symmetric_proximity": "no", "min_perturbations": 3, "Swap33": "yes"}
    (tmp_path / "changed.toml").write_text(PyVrp().describe(changed))
    read = pyvrp.SolveParams.from_file(tmp_path / "changed.toml")
    assert read.ils.history_length == 17
    assert read.neighbourhood.symmetric_proximity is False
    assert (read.perturbation.min_perturbations, read.perturbation.max_perturbations) == (3, 27)
    assert pyvrp.search.Swap33 in read.operators


def test_unknown_parameters_are_refused():
    """A parameter that the space does not have is named in the error, even where there is nothing to solve."""
    with pytest.raises(ValueError, match="histroy_length"):
        trace(PyVrp(), small(capacity=3.0), {"histroy_length": 10})


def test_is_a_small_value():
    """Solvers are equal, survive pickling, and tell which PyVRP they run."""
    assert pickle.loads(pickle.dumps(PyVrp())) == PyVrp()
    assert metadata.version("pyvrp") in PyVrp().version


def test_pyvrp_is_imported_only_to_be_run():
    """Who only names solvers does not pay for PyVRP, and its runs do not pay for pictures."""
    code = (
        "import sys, ceps.solvers as s; assert 'pyvrp' not in sys.modules; "
        "s.solver_named('pyvrp', {}).prepare(); assert 'pyvrp' in sys.modules and 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
