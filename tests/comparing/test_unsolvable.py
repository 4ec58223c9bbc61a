"""Comparisons with instances that nobody solves, for all kinds of contenders."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

import pytest

from ceps.comparing import contest, holding
from ceps.comparing.measured import TEST, TRAIN
from ceps.comparing.results import results_of
from ceps.comparing.writing import write_results
from ceps.testing.pure_executor import PureExecutor
from tests.comparing.pure_contest import SCALE, Listener, experiment

pytest.importorskip("LKHpy")

BUILDERS = ("ceps", "eps", "global", "parhydra", "pcit", "clustering", "single")
EXPERIMENT = """
seed = 3
[problem]
name = "tsp"
generate = { generator = "all", size = 20, count = 1 }
[splits]
count = 1
train = 4
[portfolio]
size = 2
solvers = ["eax"]
[metric]
cutoff = 1.0
[references]
cpu = "0.1s"
[budget]
cpu = "100s"
[test]
repeats = 1
[[methods]]
name = "default"
solver = "lkh"
[[methods]]
name = "portfolio"
file = "box"
[[methods]]
name = "vbs"
of = ["LKH-default", "CEPS"]
"""


def text(metric: str) -> str:
    settings = "sessions = 2\nin_flight = 1\n"
    own = {"ceps": f"{settings}iterations = 2\ncandidates = 6\n", "eps": f"{settings}iterations = 1\ncandidates = 6\n"}
    methods = [f'[[methods]]\nname = "{name}"\n{own.get(name, settings)}' for name in BUILDERS]
    return EXPERIMENT.replace("cutoff =", f'name = "{metric}"\ncutoff =') + "".join(methods)


@pytest.mark.parametrize(("metric", "trained", "tested"), [("par10", 1, 2), ("panc", 3, 6)])
def test_what_nobody_solves_is_a_timeout_for_everybody(tmp_path: Path, metric: str, trained: int, tested: int) -> None:
    """Trained on or tested: who builds, who is given and the best of them have the penalty there and finite scores
    elsewhere, and all tables and figures are made of that."""
    prepared = contest.prepare(experiment(tmp_path, text(metric)), tmp_path, "experiment.toml")
    (split,) = prepared.splits
    unsolvable = {*split.train[:trained], *split.test[:tested]}
    ids = [prepared.cast.instances[index].id for index in unsolvable]
    measured = holding.hold(prepared, PureExecutor(SCALE, unsolvable=ids), tmp_path / "run", Listener())
    penalty = prepared.cast.metric.penalty
    assert len(measured.methods) == len(BUILDERS) + 4
    for label in measured.methods:
        rows = {row.number: row for row in measured.rows if row.method == label}
        assert sorted(rows) == list(range(10))
        for number, row in rows.items():
            assert row.part == (TRAIN if number in split.train else TEST)
            if number in unsolvable:
                assert (row.score, row.timeout) == (penalty, True)
                assert not any(row.components)
            else:
                assert isfinite(row.score)
        assert label in ("LKH-default", "EAX-tuned") or any(row.score < penalty for row in rows.values())
    for built in measured.constructions:
        assert built.charged <= 100.0 + 1.0
    assert (write_results(results_of(measured), tmp_path) / "families.png").exists()
