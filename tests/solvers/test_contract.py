"""Our own solvers keep the contract that those of other people are held to."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from ceps.problems.tsp import Tsp
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.records import Limits
from ceps.solvers.coga import CoGa
from ceps.solvers.eax import Eax
from ceps.solvers.lkh import Lkh
from ceps.solvers.pyvrp_ils import PyVrp
from ceps.testing.bits import Bits, BitsInstance, BitSolver
from ceps.testing.solver import SolverContract
from tests import described

CITY = Tsp().generate("uniform", 30, 1)
DAY = Vrpspdtw().generate("city", 10, 1)
SHORT = Limits(cpu=0.5)
FOLDER = tempfile.TemporaryDirectory()
"""Of the descriptions: contracts have their values before there is any fixture."""
HERE = Path(FOLDER.name)
FILLS = """
import sys
size = int(open(sys.argv[1]).read())
for ones in range(size + 1):
    print("cost", size - ones)
    print("bits", "1" * ones + "0" * (size - ones), flush=True)
"""


TestEax = SolverContract.of(solver=Eax(), problem=Tsp(), instance=CITY, limits=SHORT)
TestCoGa = SolverContract.of(solver=CoGa(), problem=Vrpspdtw(), instance=DAY, limits=SHORT)
TestPyVrp = SolverContract.of(solver=PyVrp(), problem=Vrpspdtw(), instance=DAY)
TestBits = SolverContract.of(solver=BitSolver(), problem=Bits(), instance=BitsInstance("five", 5))
TestCommand = SolverContract.of(
    solver=described.solver(HERE, FILLS), problem=described.problem(HERE), instance=described.instance()
)


@pytest.mark.skipif(find_spec("LKHpy") is None and find_spec("elkai") is None, reason="LKH is not installed")
class TestLkh(SolverContract):
    solver, problem, instance, limits = Lkh(), Tsp(), CITY, SHORT


def test_a_word_that_no_contract_knows_is_refused() -> None:
    """A misspelt attribute is told, with those there are."""
    with pytest.raises(TypeError, match=r"SolverContract knows no 'limit', but: instance, limits, problem"):
        SolverContract.of(solver=Eax(), limit=SHORT)
