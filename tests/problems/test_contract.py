"""Our own problems keep the contract that those of other people are held to."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ceps.problems.tsp import Tsp
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.testing.bits import Bits, BitsInstance, ones
from ceps.testing.problem import ProblemContract
from tests import described

TOURS = tuple(Tsp().generate("uniform", size, 1) for size in (5, 9))
DAYS = tuple(Vrpspdtw().generate("city", size, 1) for size in (3, 6))
FOLDER = tempfile.TemporaryDirectory()
"""Of the descriptions: contracts have their values before there is any fixture."""
HERE = Path(FOLDER.name)


class TestTsp(ProblemContract):
    problem = Tsp()
    instances = TOURS
    solutions = tuple(list(range(1, instance.n + 1)) for instance in TOURS)


class TestVrpspdtw(ProblemContract):
    problem = Vrpspdtw()
    instances = DAYS
    solutions = tuple([[customer] for customer in instance.ids[1:].tolist()] for instance in DAYS)


class TestBits(ProblemContract):
    problem = Bits()
    instances = (BitsInstance("three", 3), BitsInstance("five", 5))
    solutions = (ones(1, 3), ones(2, 5))


class TestDescribed(ProblemContract):
    problem = described.problem(HERE)
    instances = (described.instance(3, "three"), described.instance(5, "five"))
    solutions = (described.answer("100"), described.answer("10101"))
