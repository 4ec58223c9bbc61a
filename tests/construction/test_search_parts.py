"""The parts of the search: legal vectors, the table to learn from, the model."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    ForbiddenEqualsClause,
    GreaterThanCondition,
    Integer,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from smac import Scenario
from smac.runhistory.runhistory import RunHistory

import ceps.construction.surrogate as module
from ceps.construction.surrogate import Rows, Surrogate
from ceps.construction.vectors import Vectors
from ceps.solvers.lkh import Lkh
from ceps.solvers.space import JointSpace, ProductSpace
from tests.solvers.made import Made
from tests.solvers.two_opt import TwoOpt


def space() -> ConfigurationSpace:
    made = ConfigurationSpace()
    made.add(Categorical("kind", ["u", "v", "w"]), Integer("n", (0, 50)), Float("x", (1e-3, 1e3), log=True))
    made.add(Categorical("deep", ["a", "b"]), Float("deeper", (0.0, 1.0)))
    made.add(GreaterThanCondition(made["deep"], made["n"], 10), EqualsCondition(made["deeper"], made["deep"], "b"))
    made.add(ForbiddenEqualsClause(made["kind"], "w"))
    return made


SOLVER = Made("solver", space)
ALONE = ProductSpace(JointSpace((SOLVER,)))
JOINED = ProductSpace(JointSpace((Lkh(), SOLVER, TwoOpt(), Made("bare"))))
THREEFOLD = ProductSpace(JointSpace((SOLVER, TwoOpt())), 3)


@pytest.mark.parametrize("joint", [ALONE, JOINED, THREEFOLD], ids=["one", "four", "threefold"])
@given(seed=st.integers(0, 2**31 - 1), count=st.integers(1, 40))
@settings(derandomize=True, deadline=None, max_examples=30)
def test_vectors_are_legal(joint: ProductSpace, seed: int, count: int) -> None:
    """Whatever is drawn and varied is a legal configuration, and survives the way to values and back."""
    made = joint.space
    whole = [made.index_of[name] for name in ("n", "solver:n", "lkh:KICKS", "3:solver:n") if name in made]
    vectors = Vectors(joint, np.random.RandomState(seed))
    drawn = vectors.draw(count)
    for row in np.vstack([drawn, vectors.vary(drawn, 5)]):
        point = Configuration(made, vector=row)
        point.check_valid_configuration()
        back = Configuration(made, values=dict(point)).get_array()
        np.testing.assert_allclose(back, row, atol=1e-9)
        np.testing.assert_array_equal(back[whole], row[whole])


def test_variations_change_one_parameter() -> None:
    """A variation differs in at most one parameter from its centre, but for those that become active or inactive."""
    made = ALONE.space
    vectors = Vectors(ALONE, np.random.RandomState(1))
    centre = vectors.draw(1)
    while len(centre) == 0:
        centre = vectors.draw(1)
    near = vectors.vary(centre, 200)
    unconditional = [made.index_of[name] for name in ("kind", "n", "x")]
    changes = (near[:, unconditional] != centre[0, unconditional]).sum(axis=1)
    assert set(changes) == {0, 1}


def test_variations_are_of_the_chosen_solver_or_change_it() -> None:
    """Around a configuration of a small solver, every variation changes it: a value of its own, or the solver."""
    rng = np.random.RandomState(1)
    centre = JOINED.point(JOINED.joint.defaults[2:3]).get_array()
    near = Vectors(JOINED, rng).vary(centre[None, :], 400)
    others = near[near[:, 0] != centre[0]]
    assert {*others[:, 0]} == {0.0, 1.0, 3.0}
    # One of four columns is the choice, and one of four draws is the same solver again.
    assert 40 <= len(others) <= 110
    own = near[near[:, 0] == centre[0]]
    changed = (own != centre) & ~(np.isnan(own) & np.isnan(centre))
    names = [JOINED.space.at[column] for column in np.flatnonzero(changed.any(axis=0))]
    assert names == ["two-opt:kick", "two-opt:start", "two-opt:kicks"]


def test_variations_of_a_portfolio_change_one_member() -> None:
    """Every variation changes one member at most, and all members have their turn."""
    centre = THREEFOLD.joint.sample(9, seed=1)[-3:]
    point = THREEFOLD.point(centre)
    near = Vectors(THREEFOLD, np.random.RandomState(1)).vary(point.get_array()[None, :], 300)
    assert THREEFOLD.members(point) == tuple(centre)
    varied = [THREEFOLD.members(Configuration(THREEFOLD.space, vector=row)) for row in near]
    changes = [[old != new for old, new in zip(centre, members, strict=True)] for members in varied]
    assert max(map(sum, changes)) == 1
    assert all(sum(each) > 10 for each in zip(*changes, strict=True))


def test_the_model_tells_every_solver_from_the_others() -> None:
    """Of three solvers the one in the middle is fast: the model says so of configurations it has not seen."""
    joint = ProductSpace(JointSpace(tuple(Made(name, space) for name in ("a", "b", "c"))))
    vectors = Vectors(joint, np.random.RandomState(1))
    known, new = vectors.draw(150), vectors.draw(60)
    seconds = np.where(known[:, 0] == 1.0, 1.0, 10.0)[:, None]
    mean, _ = Surrogate(joint.space, None, seed=1).train(known, seconds).predict_marginalized(new)
    fast = new[:, 0] == 1.0
    assert 5 <= fast.sum() <= 55
    assert mean[fast].max() < mean[~fast].min()


def test_the_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many trials the table keeps the recent half and an even choice of the older ones, without repetition."""
    monkeypatch.setattr(module, "_MOST_ROWS", 20)
    made = ConfigurationSpace({"x": (0.0, 1.0)})
    encoder = Rows(Scenario(made, instances=["0"], n_trials=1000, seed=1))
    encoder.runhistory = RunHistory()
    for seed in range(100):
        encoder.runhistory.add(made.get_default_configuration(), float(seed), instance="0", seed=seed)
    rows, scores = encoder.transform()
    assert rows.shape == (20, 1)
    assert scores.ravel()[10:].tolist() == list(range(90, 100))
    assert sorted(set(scores.ravel()[:10])) == scores.ravel()[:10].tolist()


def test_the_model_ranks_by_the_mean_over_instances() -> None:
    """A configuration that is best on most instances but times out on one ranks behind an even one."""
    made = ConfigurationSpace({"x": (0.0, 1.0)})
    features = {str(i): [float(i)] for i in range(4)}
    rows = [(x, float(i)) for x in (0.0, 1.0) for i in range(4) for _ in range(5)]
    scores = [[100.0] if x == 0.0 and i == 3.0 else [0.0 if x == 0.0 else 5.0] for x, i in rows]
    model = Surrogate(made, features, seed=1).train(np.array(rows), np.array(scores))
    mean, variance = model.predict_marginalized(np.array([[0.0], [1.0]]))
    assert mean[0, 0] > mean[1, 0]
    assert np.all(variance > 0.0)
