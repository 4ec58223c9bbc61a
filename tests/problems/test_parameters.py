"""Parameters of generators."""

from __future__ import annotations

import numpy as np
import pytest

from ceps.errors import UserError
from ceps.problems.parameters import Parameter, settled

PARAMETERS = {
    "fixed": Parameter(0.5, 0.0, 1.0),
    "drawn": Parameter((2.0, 3.0), 0.0, 10.0),
    "count": Parameter((4, 8), 1, 9, whole=True),
}


def values(given: dict[str, float], seed: int = 1) -> dict[str, float]:
    return settled("it", PARAMETERS, given, np.random.default_rng(seed))


def test_defaults() -> None:
    """What nobody says is fixed or drawn from its range, whole numbers with both ends."""
    many = [values({}, seed) for seed in range(100)]
    assert {each["fixed"] for each in many} == {0.5}
    assert {each["count"] for each in many} == {4.0, 5.0, 6.0, 7.0, 8.0}
    assert len({each["drawn"] for each in many}) == 100
    assert all(2.0 <= each["drawn"] <= 3.0 for each in many)


def test_what_is_given_changes_no_other() -> None:
    """Given values are taken, ends of the ranges included, and the drawn ones stay what they were."""
    assert values({"drawn": 10}) == values({}) | {"drawn": 10.0}
    assert values({"count": 9, "fixed": 0}) == values({}) | {"count": 9.0, "fixed": 0.0}


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), 10**400, True, "0.5", None])
def test_values_out_of_range(value: object) -> None:
    """What is no number in the range is refused with the range."""
    with pytest.raises(UserError, match=r"it cannot have fixed = .* It has: fixed \(default 0.5; from 0 to 1\), drawn"):
        values({"fixed": value})  # type: ignore[dict-item]


def test_unknown_parameters() -> None:
    """What nobody knows is refused with what there is."""
    with pytest.raises(UserError, match=r"it has no parameter 'fixd'. It has: fixed \(default 0.5"):
        values({"fixd": 0.1})
    with pytest.raises(UserError, match=r"it has no parameter 'fixed'\. It has none\."):
        settled("it", {}, {"fixed": 1.0}, np.random.default_rng(1))
