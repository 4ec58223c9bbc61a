"""The map of the instance space, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ceps.report.space import draw_map


def test_two_equal_features_make_one_axis() -> None:
    """All variance is on the first axis, which grows with its features; constant ones have no say."""
    drawn = draw_map([{"a": value, "same": 7.0, "b": 10.0 * value} for value in (1.0, 2.0, 3.0)])
    assert drawn is not None
    assert drawn.axes[0] == "PC1 (100 % of the variance): a, b"
    assert drawn.axes[1].startswith("PC2 (0 % of the variance)")
    first, second = drawn.places.T
    assert first.tolist() == pytest.approx([-(3**0.5), 0.0, 3**0.5])
    assert second.tolist() == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_an_axis_tells_what_falls_along_it() -> None:
    """A feature that falls where the heaviest rises has a minus before it."""
    values = np.random.default_rng(1).normal(size=9)
    drawn = draw_map([{"up": value, "down": -value} for value in values.tolist()])
    assert drawn is not None
    assert drawn.axes[0] in {"PC1 (100 % of the variance): up, -down", "PC1 (100 % of the variance): down, -up"}


def test_what_only_some_have_has_no_say() -> None:
    """A program may tell more of one instance than of another."""
    drawn = draw_map([{"a": 1.0, "b": 2.0, "odd": 3.0}, {"b": 1.0, "a": 2.0}, {"a": 4.0, "b": 4.0, "odd": 9.0}])
    assert drawn is not None
    assert "odd" not in "".join(drawn.axes)


def test_one_feature_is_a_line() -> None:
    """The second axis is there, and nothing is on it."""
    drawn = draw_map([{"a": value} for value in (0.0, 1.0, 5.0, float("nan"))])
    assert drawn is not None
    assert drawn.places[:, 1].tolist() == [0.0] * 4
    assert drawn.places[0, 0] == drawn.places[3, 0]


def test_shares_are_of_the_whole_variance() -> None:
    """Three unrelated features share it, and places keep what the two axes have of it."""
    table = np.random.default_rng(2).normal(size=(200, 3))
    drawn = draw_map([dict(zip("abc", row, strict=True)) for row in table.tolist()])
    assert drawn is not None
    assert drawn.axes[0].startswith("PC1 (3")
    assert (drawn.places**2).sum() < 200 * 3
    assert drawn.places.std(axis=0)[0] >= drawn.places.std(axis=0)[1] > 0.9


@pytest.mark.parametrize("features", [[], [{"a": 1.0}, {"a": 2.0}], [{"a": 1.0}] * 5, [{}] * 5])
def test_where_nothing_differs_there_is_no_map(features: list[dict[str, float]]) -> None:
    """Too few instances, instances that are all alike, and instances of which nothing is known."""
    assert draw_map(features) is None
