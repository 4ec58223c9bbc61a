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

TestTsp = ProblemContract.of(
    problem=Tsp(), instances=TOURS, solutions=[list(range(1, instance.n + 1)) for instance in TOURS]
)
TestVrpspdtw = ProblemContract.of(
    problem=Vrpspdtw(),
    instances=DAYS,
    solutions=[[[customer] for customer in instance.ids[1:].tolist()] for instance in DAYS],
)
TestBits = ProblemContract.of(
    problem=Bits(),
    instances=(BitsInstance("three", 3), BitsInstance("five", 5)),
    solutions=(ones(1, 3), ones(2, 5)),
)
TestDescribed = ProblemContract.of(
    problem=described.problem(HERE),
    instances=(described.instance(3, "three"), described.instance(5, "five")),
    solutions=(described.answer("100"), described.answer("10101")),
)
