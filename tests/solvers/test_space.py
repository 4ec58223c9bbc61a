"""The joint space of several solvers: what is active where, what is forbidden, and configurations as points of it."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from typing import Any

import pytest
from ConfigSpace import (
    AndConjunction,
    Categorical,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenEqualsRelation,
    ForbiddenGreaterThanRelation,
    ForbiddenInClause,
    ForbiddenLessThanRelation,
    GreaterThanCondition,
    InCondition,
    Integer,
    LessThanCondition,
    NotEqualsCondition,
    OrConjunction,
    OrdinalHyperparameter,
)
from ConfigSpace import Configuration as Point
from ConfigSpace.exceptions import ForbiddenValueError
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.records import Configuration
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration, plain_configuration
from ceps.solvers.space import CHOICE, JointSpace, ProductSpace
from tests.solvers.made import Made
from tests.solvers.two_opt import TwoOpt


def rich() -> ConfigurationSpace:
    """Parameters of every kind, conditions of every kind, some of them on each other, and forbidden clauses."""
    space = ConfigurationSpace()
    kind = Categorical("kind", ["s", "t", "u"], default="t")
    size = OrdinalHyperparameter("size", ["small", "middle", "large"], default_value="middle")
    n, x, y = Integer("n", (0, 10), default=7), Float("x", (0.0, 1.0)), Float("y", (1e-3, 1e3), log=True)
    space.add(kind, size, n, x, y, Integer("a", (0, 5)), Integer("b", (0, 5)), Constant("c", 3))
    names = ("equal", "unequal", "among", "above", "below", "ordinal", "both", "either", "deep", "mixed")
    space.add([Float(name, (0.0, 1.0)) for name in names])
    space.add(Float("deeper", (0.0, 1.0)), Integer("rich:n", (1, 3), default=1), Float("rich", (0.0, 1.0)))
    space.add(
        EqualsCondition(space["equal"], kind, "t"),
        NotEqualsCondition(space["unequal"], kind, "s"),
        InCondition(space["among"], kind, ["s", "u"]),
        GreaterThanCondition(space["above"], n, 5),
        LessThanCondition(space["below"], n, 3),
        GreaterThanCondition(space["ordinal"], size, "small"),
        AndConjunction(EqualsCondition(space["both"], kind, "t"), GreaterThanCondition(space["both"], x, 0.5)),
        OrConjunction(EqualsCondition(space["either"], kind, "u"), LessThanCondition(space["either"], n, 8)),
        GreaterThanCondition(space["deep"], space["equal"], 0.5),
        OrConjunction(
            AndConjunction(NotEqualsCondition(space["mixed"], kind, "u"), LessThanCondition(space["mixed"], y, 1.0)),
            GreaterThanCondition(space["mixed"], space["unequal"], 0.7),
        ),
        LessThanCondition(space["deeper"], space["deep"], 0.5),
    )
    space.add(
        ForbiddenInClause(space["rich:n"], [2]),
        ForbiddenAndConjunction(ForbiddenEqualsClause(kind, "s"), ForbiddenEqualsClause(n, 4)),
        ForbiddenGreaterThanRelation(space["a"], space["b"]),
        ForbiddenAndConjunction(
            ForbiddenLessThanRelation(space["equal"], space["unequal"]), ForbiddenEqualsClause(size, "large")
        ),
        ForbiddenEqualsRelation(space["n"], space["a"]),
    )
    # In a space that was added to another, conditions and clauses have copies of the parameters.
    copied = ConfigurationSpace()
    copied.add_configuration_space("", space, delimiter="")
    assert copied == space
    return copied


SOLVERS = (Lkh(), TwoOpt(), Made("rich", rich), Made("bare"))
"""The last one has no parameters."""
JOINT = JointSpace(SOLVERS)


def values_in(point: Point, solver: Any) -> dict[str, Any]:
    """A joint point's values of one solver, by their own names."""
    prefix = f"{solver.name}:"
    return {name.removeprefix(prefix): value for name, value in point.items() if name.startswith(prefix)}


def test_one_solver_has_its_own_space() -> None:
    """Without company there is no choice and no prefix: the space is the solver's, but a copy of it."""
    alone = JointSpace((Lkh(),))
    assert alone.space == Lkh().space
    assert alone.space is alone.space
    assert alone.defaults == (default_configuration(Lkh()),)
    assert alone.configuration(alone.space.get_default_configuration()) == default_configuration(Lkh())
    shared = rich()
    shared.seed(1)
    expected, joint = rich(), JointSpace((Made("rich", lambda: shared),))
    expected.seed(1)
    joint.space.sample_configuration(10)
    joint.sample(10, seed=1)
    assert shared.sample_configuration(5) == expected.sample_configuration(5)


def test_parameters_are_kept_as_they_are() -> None:
    """Every parameter of every solver is there once, under its solver's name, with its own domain and default."""
    space = JOINT.space
    assert len(space) == 1 + sum(len(solver.space) for solver in SOLVERS)
    assert tuple(space[CHOICE].choices) == ("lkh", "two-opt", "rich", "bare")
    for solver in SOLVERS:
        for name, parameter in solver.space.items():
            joint = copy.copy(space[f"{solver.name}:{name}"])
            joint.name = name
            assert joint == parameter


@given(seed=st.integers(0, 2**31 - 1))
@settings(derandomize=True, deadline=None, max_examples=25)
def test_points_are_those_of_the_chosen_solver(seed: int) -> None:
    """Whatever is drawn from the joint space is a legal configuration of the chosen solver alone, and of no other."""
    JOINT.space.seed(seed)
    for point in JOINT.space.sample_configuration(12):
        point.check_valid_configuration()
        chosen = next(solver for solver in SOLVERS if solver.name == point[CHOICE])
        own = values_in(point, chosen)
        assert len(own) + 1 == len(dict(point))
        Point(chosen.space, values=own).check_valid_configuration()
        assert JOINT.configuration(point) == plain_configuration(chosen.name, own)


@given(seed=st.integers(0, 2**31 - 1), solver=st.sampled_from(SOLVERS))
@settings(derandomize=True, deadline=None, max_examples=50)
def test_every_configuration_has_its_point(seed: int, solver: Any) -> None:
    """Whatever a solver's own space holds is a legal point of the joint space, and comes back from it unchanged."""
    own = solver.space
    own.seed(seed)
    configuration = plain_configuration(solver.name, own.sample_configuration())
    point = JOINT.point(configuration)
    point.check_valid_configuration()
    assert JOINT.configuration(point) == configuration
    assert {type(value) for value in JOINT.configuration(point).as_dict().values()} <= {int, float, str, bool}


@given(seed=st.integers(0, 2**31 - 1))
@settings(derandomize=True, deadline=None, max_examples=50)
def test_what_is_forbidden_to_a_solver_is_forbidden_where_it_is_chosen(seed: int) -> None:
    """Values drawn without regard to clauses are refused by the joint space if, and only if, by the solver's own."""
    clauses = rich()
    free = ConfigurationSpace()
    free.add(*clauses.values(), *clauses.conditions)
    free.seed(seed)
    values = plain_configuration("rich", free.sample_configuration())

    def refused(space: ConfigurationSpace, given: dict[str, Any]) -> bool:
        try:
            Point(space, values=given)
        except ForbiddenValueError:
            return True
        return False

    joint = {CHOICE: "rich", **{f"rich:{name}": value for name, value in values.as_dict().items()}}
    assert refused(JOINT.space, joint) == refused(rich(), values.as_dict())


def test_a_configuration_may_have_values_that_are_not_active() -> None:
    """They are left out of its point; a value that is active and missing is an error."""
    point = JOINT.point(Configuration.of("two-opt", {"start": "random", "kick": "none", "kicks": 5}))
    assert dict(point) == {CHOICE: "two-opt", "two-opt:start": "random", "two-opt:kick": "none"}
    with pytest.raises(ValueError, match="kicks"):
        JOINT.point(Configuration.of("two-opt", {"start": "random", "kick": "swap"}))


def test_defaults_are_the_solvers_own() -> None:
    """One default per solver, in their order; the joint space's own default is that of the first."""
    assert JOINT.defaults == tuple(default_configuration(solver) for solver in SOLVERS)
    assert JOINT.configuration(JOINT.space.get_default_configuration()) == JOINT.defaults[0]
    for default in JOINT.defaults:
        assert JOINT.configuration(JOINT.point(default)) == default


def test_columns_are_the_places_of_values() -> None:
    """A vector has values in the columns of its solver only, and the first tells the solver's number."""
    JOINT.space.seed(1)
    columns, seen = JOINT.columns, set()
    for point in JOINT.space.sample_configuration(400):
        vector, chosen = point.get_array(), point[CHOICE]
        assert SOLVERS[int(vector[0])].name == chosen
        filled = {column for column, value in enumerate(vector) if not math.isnan(value)}
        assert filled <= set(columns[int(vector[0])])
        seen |= {(int(vector[0]), column) for column in filled}
    assert seen == {(number, column) for number, own in enumerate(columns) for column in own}
    assert JointSpace((Lkh(),)).columns == (tuple(range(23)),)


def test_solvers_make_the_same_space_on_the_other_side() -> None:
    """Solvers that have travelled make a space of equal points."""
    here, there = JointSpace((Lkh(), TwoOpt())), JointSpace(pickle.loads(pickle.dumps((Lkh(), TwoOpt()))))
    assert here == there
    assert here.space == there.space
    assert [here.point(each) for each in here.sample(5, 1)] == [there.point(each) for each in there.sample(5, 1)]


LKH_SAMPLE = [
    "24bc2412ba737d4f8d18e058fedb6e16",
    "b703a38ea5ec9edb7484e8364b8ff711",
    "e616873b83b151a00502590e5dc7dd5b",
    "1be1f9885959c3e87a15c927bcfe63c5",
    "4541c4edbca644b80d49229dfd00d6e0",
    "1f4dc5e5f51ceb10cf279ec7137649d7",
]


def test_the_sample_of_one_solver_is_what_it_was() -> None:
    """Builds from LKH alone have always begun with these configurations."""
    assert [configuration.id for configuration in JointSpace((Lkh(),)).sample(6, seed=1)] == LKH_SAMPLE


@pytest.mark.parametrize("solvers", [SOLVERS[:1], SOLVERS], ids=["one", "four"])
def test_a_larger_sample_begins_with_a_smaller_one(solvers: tuple[Any, ...]) -> None:
    """Whatever the count; with fewer than there are solvers, only the first ones' defaults are there."""
    joint = JointSpace(solvers)
    large = joint.sample(30, seed=5)
    assert len(large) == 30
    for count in (0, 1, 2, 4, 5, 17):
        assert joint.sample(count, seed=5) == large[:count]
    assert tuple(large[: len(solvers)]) == joint.defaults
    assert joint.sample(30, seed=6)[len(solvers) :] != large[len(solvers) :]


def test_a_sample_is_of_all_solvers_alike() -> None:
    """Also where one forbids most of what it has; its configurations are those it has alone."""

    def strict() -> ConfigurationSpace:
        space = ConfigurationSpace([Categorical("k", list(range(20)), default=0), Float("x", (0.0, 1.0))])
        space.add(ForbiddenInClause(space["k"], list(range(1, 20))))
        return space

    solvers = (Lkh(), Made("strict", strict))
    drawn = JointSpace(solvers).sample(402, seed=1)[2:]
    counts = Counter(configuration.solver for configuration in drawn)
    assert 160 <= counts["strict"] <= 240
    alone = JointSpace((Lkh(),)).sample(1 + counts["lkh"], seed=1)[1:]
    assert [each for each in drawn if each.solver == "lkh"] == alone


def test_one_member_alone_has_its_joint_space() -> None:
    """A product of one is the space itself, with the same points and columns."""
    product = ProductSpace(JOINT)
    assert product.space is JOINT.space
    assert product.columns == (JOINT.columns,)
    (drawn,) = JOINT.sample(20, seed=1)[19:]
    assert product.point([drawn]) == JOINT.point(drawn)
    assert product.members(product.point([drawn])) == (JOINT.configuration(JOINT.point(drawn)),)


def test_points_of_a_product_are_portfolios() -> None:
    """Whatever configurations come together, of whatever solvers, come back as they were; every point is legal."""
    product = ProductSpace(JOINT, 3)
    assert len(product.space) == 3 * len(JOINT.space)
    drawn = [JOINT.configuration(JOINT.point(each)) for each in JOINT.sample(33, seed=2)]
    for first in range(0, 33, 3):
        members = tuple(drawn[first : first + 3])
        point = product.point(members)
        point.check_valid_configuration()
        assert product.members(point) == members


def test_drawn_points_of_a_product_are_portfolios_of_legal_configurations() -> None:
    """Conditions and forbidden clauses hold for every member by itself."""
    product = ProductSpace(JOINT, 2)
    product.space.seed(1)
    for point in product.space.sample_configuration(50):
        for member in product.members(point):
            JOINT.point(member).check_valid_configuration()


def test_columns_of_a_product_are_its_members_own() -> None:
    """No column belongs to two members, and all together are all columns."""
    product = ProductSpace(JOINT, 3)
    own = [{column for columns in member for column in columns} for member in product.columns]
    assert sum(map(len, own)) == len(set().union(*own)) == len(product.space)
    names = [product.space.at[member[0][0]] for member in product.columns]
    assert names == [f"{number}:{CHOICE}" for number in (1, 2, 3)]


def test_vectors_are_numbers_for_models() -> None:
    """Of the same length for all solvers, and never NaN."""
    rows = [JOINT.vector(each) for each in JOINT.sample(20, seed=3)]
    assert {len(row) for row in rows} == {len(JOINT.space)}
    assert min(min(row) for row in rows) == -1.0
