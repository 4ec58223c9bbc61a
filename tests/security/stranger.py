"""Run directories and portfolios as strangers send them."""

from __future__ import annotations

from pathlib import Path

from ceps.problems.tsp import Tsp
from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.store import Store, StoredInstance

TSP = Tsp()
CITY = TSP.generate("uniform", 10, 1)
CONFIGURATION = Configuration.of("lkh", {"MOVE_TYPE": 3})
SCENARIO = {
    "problem": {"name": "tsp", "settings": {}},
    "metric": {"name": "par10", "cutoff": 1.0, "penalty": None},
}
PORTFOLIO = {
    "format": 1,
    "problem": "tsp",
    "metric": {"name": "par10", "cutoff": 0.2},
    "members": [{"solver": "lkh", "parameters": {}}],
}


def stored(run: Path, name: str = "fine", phase: str = "breeding", admitted: object = None, **identity: object) -> None:
    """The run directory of a build, with something of every kind in its store."""
    with Store.open(run, {"purpose": "build", "scenario": SCENARIO, **identity}) as store:
        store.add_configuration(CONFIGURATION)
        store.add_instance(StoredInstance(CITY.id, "tsp", name, TSP.encode(CITY)))
        key = RunKey("lkh", "1", CONFIGURATION.id, CITY.id, seed=1, target=5, memory=2**30)
        store.record(key, 1.0, Outcome(Ending.SOLVED, cpu=0.5, cost=5, solution=[], trace=(Incumbent(0.5, 5),)))
        store.journal_put(phase, {}, {"admitted": [CITY.id] if admitted is None else admitted}, charge=0.0)
