"""Features as rows of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from ceps.construction.features import feature_rows, feature_table
from ceps.errors import UserError
from ceps.testing.bits import Bits, BitsInstance


@dataclass(frozen=True)
class Told(Bits):
    """Its features are those that a table has for each size."""

    told: Mapping[int, Mapping[str, float]] = field(default_factory=dict)

    def features(self, instance: BitsInstance) -> Mapping[str, float]:
        return self.told[instance.size]


SMALL, LARGE = BitsInstance("small", 1), BitsInstance("large", 2)


def test_features_are_told_apart_by_their_names() -> None:
    """Columns are the same features, in whatever order a problem tells them."""
    problem = Told(told={1: {"a": 1.0, "b": 2.0}, 2: {"b": 4.0, "a": 3.0}})
    assert feature_rows(problem, [SMALL, LARGE]) == [(1.0, 2.0), (3.0, 4.0)]
    assert feature_table(problem, [SMALL, LARGE]).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("others", [{"a": 1.0}, {"a": 1.0, "c": 2.0}, {}])
def test_features_that_differ_are_refused(others: Mapping[str, float]) -> None:
    """Fewer of them, others, or none: the instances, and what only one of them has, are named."""
    problem = Told(told={1: {"a": 1.0, "b": 2.0}, 2: others})
    with pytest.raises(
        UserError, match=r"'bits' has other features for large than for small: only one of them has .*b"
    ):
        feature_rows(problem, [SMALL, LARGE])


def test_no_features_are_no_numbers() -> None:
    """A problem without features has empty rows, and there is no table for those who need one."""
    problem = Told(told={1: {}, 2: {}})
    assert feature_rows(problem, [SMALL, LARGE]) == [(), ()]
    assert feature_rows(problem, []) == []
    with pytest.raises(UserError, match="problem 'bits' has none"):
        feature_table(problem, [SMALL, LARGE])
