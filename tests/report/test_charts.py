"""Charts: ticks are round, marks stand where their values are, and everything is said in words too."""

from __future__ import annotations

import re
from math import inf, nan
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from ceps.report.charts import (
    Axis,
    Band,
    Bar,
    Box,
    Field,
    Key,
    Numbers,
    Point,
    Segment,
    Series,
    Words,
    bars,
    boxes,
    heat_map,
    plane,
)
from ceps.report.charts.figure import short
from ceps.report.charts.scale import fitted
from ceps.report.facts import Spread
from tests.report.made import HOSTILE

WORDS = Words("chart", "A title.", "What is seen, n = 3.")
FINITE = st.floats(-1e9, 1e9)


def parsed(markup: Markup) -> ElementTree.Element:
    """Charts are well-formed XML too; only the button's and details' attributes need HTML."""
    return ElementTree.fromstring(re.sub(r" open(?=>)", "", str(markup)))


def marks(markup: Markup) -> list[ElementTree.Element]:
    return [each for each in parsed(markup).iter("g") if "mark" in each.get("class", "").split()]


@given(st.lists(FINITE, max_size=6), st.booleans())
@settings(derandomize=True, deadline=None)
def test_a_scale_holds_all_values_and_has_round_ticks(values: list[float], from_zero: bool) -> None:
    """Every value lies between the ends, and there are two to twelve ticks, rising, within them."""
    scale = fitted(Axis("x", from_zero=from_zero), values, 0.0, 100.0)
    assert scale.low < scale.high
    room = 1e-6 * (scale.high - scale.low)
    assert all(scale.low - room <= value <= scale.high + room for value in values)
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 12
    assert ticks == sorted(set(ticks))
    assert all(-1e-6 <= scale.at(tick) <= 100.0 + 1e-6 for tick in ticks)


@given(st.lists(st.floats(1e-5, 1e8), min_size=1, max_size=6))
@settings(derandomize=True, deadline=None)
def test_a_logarithmic_scale_holds_all_values_and_has_round_ticks(values: list[float]) -> None:
    """Ticks have two digits at most, and are at least two and not too many."""
    scale = fitted(Axis("x", log=True), values, 0.0, 100.0)
    assert all(scale.low * (1 - 1e-6) <= value <= scale.high * (1 + 1e-6) for value in values)
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 12
    assert all(float(f"{tick:.1e}") == tick for tick in ticks)


def test_a_scale_is_straight_or_logarithmic() -> None:
    """Half of the way is the mean of the ends, or their geometric mean."""
    assert fitted(Axis("x"), [0.0, 10.0], 0.0, 100.0).at(5.0) == pytest.approx(50.0)
    assert fitted(Axis("x", log=True), [1.0, 100.0], 0.0, 100.0).at(10.0) == pytest.approx(50.0)


def test_what_is_not_finite_or_not_positive_does_not_break_a_scale() -> None:
    """Infinite values have no place, those below all logarithms stand at the end."""
    scale = fitted(Axis("x", log=True), [inf, nan, 0.0, 1.0], 0.0, 100.0)
    assert scale.at(0.0) == 0.0
    assert scale.at(inf) == 100.0
    assert fitted(Axis("x"), [inf, nan], 0.0, 1.0).high == 1.0


@pytest.mark.parametrize(
    ("tick", "text"), [(0.0, "0"), (0.5, "0.5"), (20000.0, "20,000"), (1e7, "1e7"), (2e-6, "2e-6"), (1e12, "1e12")]
)
def test_ticks_in_words(tick: float, text: str) -> None:
    """Plain as long as that is short."""
    assert fitted(Axis("x"), [0.0, 1.0], 0.0, 1.0).text(tick) == text


def test_points_stand_where_their_values_are_and_come_from_left_to_right() -> None:
    """The mark of a larger value stands farther right and higher, and what is not finite is left out."""
    points = [Point(9.0, 3.0, "right"), Point(1.0, 1.0, "left", opens="id"), Point(5.0, nan, "nowhere")]
    found = marks(plane(WORDS, Axis("x"), Axis("y"), [Series("series", points)]))
    assert [mark.get("data-tip") for mark in found] == ["left", "right"]
    (left, right) = ([float(each[0].get(axis, "")) for axis in ("cx", "cy")] for each in found)
    assert left[0] < right[0]
    assert left[1] > right[1]
    assert found[0].get("data-opens") == "id"
    assert found[0].get("tabindex") == "-1"


def test_a_figure_is_said_in_words() -> None:
    """The picture is named by its caption, and its numbers stand below it."""
    made = parsed(
        plane(WORDS, Axis("x"), Axis("y"), [Series("a", [Point(1, 1, "tip")])], numbers=Numbers(("x", "y"), [(1, 2)]))
    )
    (picture,) = made.iter("svg")
    assert picture.get("role") == "img"
    caption = next(made.iter("figcaption"))
    assert picture.get("aria-labelledby") == caption.get("id") == "chart-caption"
    assert "".join(caption.itertext()) == "A title. What is seen, n = 3."
    assert [cell.text for cell in made.iter("td")] == ["1", "2"]


def test_long_tables_are_left_out() -> None:
    """A table of a hundred rows helps nobody."""
    many = Numbers(("x",), [(index,) for index in range(100)])
    assert "<table" not in plane(WORDS, Axis("x"), Axis("y"), [Series("a", [Point(1, 1, "tip")])], numbers=many)


def test_lines_have_bands_and_names_where_they_end() -> None:
    """Two lines that end together have names that do not lie upon each other."""
    line = [(1.0, 1.0), (2.0, 0.5)]
    both = [Series(name, (), number, line, [Band(1.0, 0.5, 2.0)]) for number, name in enumerate(("one", "two"))]
    made = parsed(plane(WORDS, Axis("x"), Axis("y"), both, keys=(), named_ends=True))
    paths = [each.get("class", "").split()[0] for each in made.iter("path")]
    assert (paths.count("line"), paths.count("band"), paths.count("lead")) == (2, 2, 2)
    heights = [float(each.get("y", "")) for each in made.iter("text") if each.text in ("one", "two")]
    assert abs(heights[0] - heights[1]) >= 13.0


def test_series_are_told_apart_by_shape_too() -> None:
    """Not by colour alone: five series have five shapes, in the chart and in its legend."""
    series = [Series(str(number), [Point(number, 1.0, "tip")], number) for number in range(5)]
    made = parsed(plane(WORDS, Axis("x"), Axis("y"), series))
    shapes = [each.get("class") for each in made.iter("path") if "symbol" in each.get("class", "")]
    assert len(set(shapes)) == 5
    assert shapes[:5] == shapes[5:]
    assert [button.get("data-series") for button in made.iter("button")] == list("01234")


def test_bars_add_up() -> None:
    """Segments follow each other, as long as their values; one of nothing is not drawn."""
    bar = Bar("row", [Segment(1.0, "one", 0), Segment(0.0, "none", 1), Segment(3.0, "three", 2)], full=8.0)
    made = bars(WORDS, Axis("n"), [bar], [Key("one", colour=0, series=0)])
    boxes_ = [mark[0] for mark in marks(made)]
    assert [mark.get("data-tip") for mark in marks(made)] == ["one", "three"]
    first, second = ([float(box.get(key, "")) for key in ("x", "width")] for box in boxes_)
    assert second[0] == pytest.approx(first[0] + first[1], abs=0.2)
    assert second[1] == pytest.approx(3.0 * first[1], abs=0.4)


def test_boxes_tell_how_many() -> None:
    """The number of values stands beside every box; a few values are shown one by one, many are not."""
    few = Box("few", Spread.of([1.0, 2.0, 4.0]), 0, [Point(value, 0.0, str(value), "id") for value in (1.0, 2.0, 4.0)])
    many = Box("many", Spread.of([1.0] * 100), 1, [Point(1.0, 0.0, "one", "id")] * 100)
    made = boxes(WORDS, Axis("score", log=True), [few, many])
    assert "few (n = 3)" in made
    assert "many (n = 100)" in made
    assert len(marks(made)) == 2 + 3


def test_a_heat_map_writes_its_values() -> None:
    """Every field has its value, its tip, a tint, and a frame where it is the best."""
    fields = {
        ("row", "a"): Field("1", 0.0, "the best", best=True),
        ("row", "b"): Field("3.5", 1.0, "worse"),
    }
    found = marks(heat_map(WORDS, ["row"], ["a", "b"], fields))
    assert [mark[1].text for mark in found] == ["1", "3.5"]
    assert ["best" in mark[0].get("class", "") for mark in found] == [True, False]
    assert found[1].get("style") == "--tint:1.00"


def test_names_stay_names() -> None:
    """Markup in a label, a tip or an id is text in the chart."""
    words = Words("chart", HOSTILE, HOSTILE)
    bar = Bar(HOSTILE, [Segment(1.0, HOSTILE, 0, HOSTILE)])
    point = Point(1.0, 1.0, HOSTILE, opens=HOSTILE, name=HOSTILE)
    field = {(HOSTILE, HOSTILE): Field(HOSTILE, 0.5, HOSTILE)}
    charts = (
        bars(words, Axis(HOSTILE), [bar], [Key(HOSTILE, series=0)], Numbers((HOSTILE,), [(HOSTILE,)])),
        plane(words, Axis(HOSTILE), Axis(HOSTILE), [Series(HOSTILE, [point], line=[(0, 0), (1, 1)])], named_ends=True),
        boxes(words, Axis(HOSTILE), [Box(HOSTILE, Spread.of([1.0]), 0, [point])]),
        heat_map(words, [HOSTILE], [HOSTILE], field),
    )
    for chart in charts:
        tags = {each.tag for each in parsed(chart).iter()}
        assert not tags & {"script", "img"}
        assert any(mark.get("data-tip") == HOSTILE for mark in marks(chart))


def test_labels_that_do_not_fit_are_cut() -> None:
    """With a sign that they are."""
    assert short("a long label indeed", 50.0) == "a lon…"
    assert short("short", 50.0) == "short"
