"""The page: whole, harmless, in words, and below its limits."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from math import inf, nan

import numpy as np
import pytest

from ceps.problems.sketch import Sketch
from ceps.report.facts import Facts, Origin, Parameter, Spread
from ceps.report.page import page, page_that_waits
from ceps.report.sections.settings import flat
from ceps.report.sketches import LARGEST, drawn, packed
from ceps.report.words import change, cost, listed, number, percent, seconds
from tests.report.made import (
    HOSTILE,
    build,
    build_facts,
    comparison_facts,
    empty_facts,
    evaluation_facts,
    hostile_facts,
    instances,
    large_facts,
    routes,
    tour,
    unfinished_facts,
)

VOID = {"meta", "link", "br", "img", "input", "hr"}
ALL = (build_facts, unfinished_facts, empty_facts, hostile_facts, comparison_facts, evaluation_facts)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


class Reader(HTMLParser):
    """Tags, attributes and texts of a page; every tag must be closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


def unpacked(letters: str) -> list[int]:
    pairs = zip(letters[::2], letters[1::2], strict=True)
    return [LETTERS.index(high) * 64 + LETTERS.index(low) for high, low in pairs]


@pytest.mark.parametrize("made", ALL)
def test_a_page_is_whole(made: Callable[[], Facts]) -> None:
    """Tags are closed, ids are there once, and whatever names an id names one that is there."""
    read = Reader(page(made()))
    ids = Counter(read.values("id"))
    assert {name: count for name, count in ids.items() if count > 1} == {}
    assert set(read.values("aria-labelledby")) - ids.keys() == {"instance-name"}
    assert {link.removeprefix("#") for link in read.values("href") if link != "data:,"} <= ids.keys()


@pytest.mark.parametrize("made", ALL)
def test_a_page_asks_nobody(made: Callable[[], Facts]) -> None:
    """It names no address, has no handler in its markup, and its policy forbids whatever it does not need."""
    text = page(made())
    read = Reader(text)
    assert [name for _, name, _ in read.attributes if name.startswith("on")] == []
    assert {name for _, name, _ in read.attributes} & {"src", "srcset", "action", "background"} == set()
    addresses = set(re.findall(r"https?://[^\s\"'<]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    policy = next(value for value in read.values("content") if "default-src" in value)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "connect-src" not in policy
    assert read.tags["script"] == 2
    assert "url(" not in text
    assert "@import" not in text


def test_only_a_live_page_may_ask_its_server() -> None:
    """And it says that it is one."""
    live, still = page(build_facts(), live=True), page(build_facts())
    assert "connect-src &#39;self&#39;" in live
    assert 'data-live="yes"' in live
    assert 'data-live="' not in still
    assert 'id="live"' not in still


def test_hostile_names_stay_text() -> None:
    """Whatever comes from outside is shown as it is, and is nothing else: no script, no picture, no attribute."""
    text = page(hostile_facts())
    read = Reader(text)
    assert read.tags["script"] == 2
    assert read.tags["img"] == 0
    assert HOSTILE in read.texts["h1"]
    assert HOSTILE in read.texts["td"]
    assert any(HOSTILE in tip for tip in read.values("data-tip"))
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[0])
    assert data[-1]["name"] == HOSTILE
    assert HOSTILE in "".join(read.texts["title"])


def test_data_cannot_end_their_script() -> None:
    """The JSON in the page has no sign of markup and no line separator in it."""
    text = page(hostile_facts())
    (data,) = re.findall(r'id="data">(.*)</script>\n</main>', text)
    assert not set("<>&\u2028\u2029") & set(data)


def test_a_name_that_no_file_can_hold_does_not_stop_the_page() -> None:
    """Half a surrogate, from a file name of another encoding, becomes a question mark."""
    text = page(replace(build_facts(), name="odd \udce4"))
    assert "<h1>odd ?</h1>" in text
    text.encode("utf-8")


@pytest.mark.parametrize(
    ("made", "anchors"),
    [
        (build_facts, "overview portfolio progress instances members runs settings"),
        (comparison_facts, "overview comparison portfolio progress instances members runs settings"),
        (evaluation_facts, "overview instances members runs settings"),
        (unfinished_facts, "overview progress instances runs settings"),
        (empty_facts, "overview"),
    ],
)
def test_sections_that_have_something_to_say(made: Callable[[], Facts], anchors: str) -> None:
    """In the order of reading; the others are left out, also of the navigation."""
    read = Reader(page(made()))
    assert [value for tag, name, value in read.attributes if (tag, name) == ("section", "id")] == anchors.split()
    links = [value for tag, name, value in read.attributes if (tag, name) == ("a", "href") and value != "#main"]
    assert links == [f"#{anchor}" for anchor in anchors.split()]


def test_charts_of_a_build() -> None:
    """Every figure there is to see of a build, with its marks."""
    read = Reader(page(build_facts()))
    names = [value for tag, name, value in read.attributes if (tag, name) == ("figure", "id")]
    assert names == [
        "scores-0",
        "budgets",
        "hardness",
        "map-winners",
        "map-hardness",
        "wins",
        "wins-families",
        "anytime",
        "endings",
    ]
    assert len(read.values("data-tip")) > 100


def test_charts_of_a_comparison() -> None:
    """Boxes for every split, training against test, families."""
    names = [
        value for tag, name, value in Reader(page(comparison_facts())).attributes if (tag, name) == ("figure", "id")
    ]
    assert names[:5] == ["boxes-1", "boxes-2", "boxes-3", "training", "families"]


def test_an_unfinished_build_tells_how_to_go_on() -> None:
    """And what is missing, in a note."""
    text = page(unfinished_facts())
    assert "ceps build … --out small-1" in text
    assert "There is no portfolio yet" in text
    assert "ceps build … --out" not in page(build_facts())


def test_changed_parameters_come_first_with_their_default_beside() -> None:
    """Those that are as by default are folded away."""
    text = page(build_facts())
    card = text.split('<article class="card">')[2]
    shown, folded = card.split("<details", 1)
    assert re.findall(r'<mark title="differs from the default">(\w+)</mark>', shown) == ["kicks", "strategy", "depth"]
    assert '<td class="number">3</td><td class="number">1</td>' in shown
    assert "candidates" in folded


def test_nothing_is_marked_where_the_default_is_not_known() -> None:
    """Of a solver that is not here any more, all parameters are told, and none is said to differ."""
    facts = build_facts()
    unknown = replace(facts.builds[0].members[1], parameters=(Parameter("kicks", 3, None, None),))
    text = page(replace(facts, builds=(replace(build(), members=(unknown,)),)))
    card = text.split('<article class="card">')[1].split("</article>")[0]
    assert "<mark" not in card
    assert "1 parameter: the solver&#39;s default is not known here" in card
    assert '<td>kicks</td><td class="number">3</td>' in card


def test_the_best_method_of_each_column_is_marked() -> None:
    """As in the results, by their scores and by their timeouts."""
    facts = comparison_facts()
    assert facts.comparison is not None
    cells = [*facts.comparison.table.values(), *facts.comparison.means.values()]
    text = page(facts)
    assert text.count('aria-label="the best in its column"') == sum(cell.best for cell in cells) >= 4
    assert text.count('aria-label="the fewest timeouts in its column"') == sum(cell.fewest for cell in cells) >= 4


def test_a_large_page_is_below_its_limit() -> None:
    """Two hundred and fifty thousand places with windows, visits and routes make less than 10 MB."""
    assert len(page(large_facts()).encode()) < 10e6


def test_sketches_survive_packing() -> None:
    """Coordinates are whole numbers that keep the aspect, y downwards; ways are indices."""
    sketch = Sketch(np.array([[10.0, 0.0], [30.0, 0.0], [10.0, 10.0]]), marked=(1,), ways=((1, 0, 2, 1),))
    data = packed(sketch)
    assert (data["width"], data["height"]) == (LARGEST, 2048)
    assert unpacked(str(data["places"])) == [0, 2048, 4095, 2048, 0, 0]
    assert (data["marked"], data["ways"]) == ([1], [[1, 0, 2, 1]])
    assert "windows" not in data


def test_windows_and_visits_share_a_scale() -> None:
    """A place that is never attended to has a visit that ends before it begins; a window without end has one."""
    windows = np.array([[0.0, inf], [50.0, 100.0]])
    visits = np.array([[nan, nan], [75.0, 100.0]])
    data = packed(Sketch(np.array([[0.0, 0.0], [1.0, 1.0]]), windows=windows, visits=visits))
    assert (data["begin"], data["end"]) == (0.0, 100.0)
    assert unpacked(str(data["windows"])) == [0, LARGEST, 2048, LARGEST]
    assert unpacked(str(data["visits"])) == [LARGEST, 0, 3071, LARGEST]


@pytest.mark.parametrize("sketch", [tour(1), routes(1), routes(1, solved=False), Sketch(np.zeros((1, 2)))])
def test_drawings_use_the_words_of_the_style_sheet(sketch: Sketch) -> None:
    """Python and the script draw with the same classes, all of which the style sheet knows."""
    classes = set(re.findall(r'class="([^"]+)"', drawn(sketch, "an instance")))
    words = {word for each in classes for word in each.split()} - {f"c{index}" for index in range(8)}
    style, script = (files("ceps.report").joinpath(name).read_text() for name in ("page.css", "drawings.js"))
    for word in words:
        assert f".{word}" in style
        assert re.search(rf'["`\s]{word}["`$\s]', script)


def test_pairs_are_the_hardest_bred_with_their_parents() -> None:
    """Eight at most, the hardest first."""
    text = page(build_facts())
    listed_ = re.search(r'<ul class="pairs">(.*?)</ul>', text, re.DOTALL)
    assert listed_ is not None
    shown = re.findall(r'data-opens="(\w+)"', listed_.group(1))
    assert len(shown) == 16
    known = {each.id: each for each in instances()}
    children = [known[key] for key in shown[1::2]]
    assert [child.parent for child in children] == shown[::2]
    scores = [child.hardness.mean for child in children if child.hardness]
    bred = [each.hardness.mean for each in instances() if each.origin is Origin.BRED and each.hardness]
    assert scores == sorted(bred, reverse=True)[:8]


def test_scores_on_the_way_tell_of_how_many() -> None:
    """In the caption, in tips, in the table and in the overview; those that did not write it down have a dash."""
    text = page(build_facts())
    assert "4 portfolios kept (n = 8, 16, 16 pairs of instance and seed)" in text
    assert "scores: mean 2.31, median 1.2, from 0.1 to 20 (n = 8)" in text
    assert '<td class="number">2.31</td><td class="number">8</td><td class="number">0.1</td>' in text
    assert '<td class="number">0.92</td><td class="number">–</td><td class="number">–</td>' in text
    assert "2.31 (0.1 to 20, n = 8)" in text


def test_what_nobody_was_tested_on_is_not_what_nobody_solved() -> None:
    """A comparison's bred instances are on both maps as not known, and are shown beside their parents."""
    facts = comparison_facts()
    text = page(facts)
    assert text.count("score not known (16)") == 2
    assert "nobody (" not in text
    assert "What was bred, and what it was bred from" in text
    assert "<b>score not known</b>" in text
    unsolved = replace(facts.instances[0], winner=None)
    assert page(replace(facts, instances=(unsolved, *facts.instances[1:]))).count("nobody (1)") == 1


def test_the_hardest_come_first_and_the_unknown_last() -> None:
    """An instance that takes no measurable time is easy, not unknown."""
    first, second, third = instances()[:3]
    easy, unknown = replace(second, hardness=Spread.of([0.0])), replace(third, hardness=None)
    text = page(replace(build_facts(), instances=(unknown, easy, first)))
    (rows,) = re.findall(r'<details id="instance-list">(.*?)</details>', text, re.DOTALL)
    assert re.findall(r'data-opens="(\w+)"', rows) == [first.id, easy.id, unknown.id]


def test_a_page_that_waits_says_why() -> None:
    """It renews itself, does not call itself live, and escapes the message as any other."""
    text = page_that_waits("runs/a", "no <store> yet")
    assert "no &lt;store&gt; yet" in text
    assert 'data-live="yes"' in text
    assert [re.findall(r'<p id="live".*>(.*)</p>', each) for each in (text, page(build_facts(), live=True))] == [
        ["waiting"],
        ["live"],
    ]
    Reader(text)


def contrast(one: str, other: str) -> float:
    """By the formula of the WCAG."""

    def light(colour: str) -> float:
        parts = [int(colour[index : index + 2], 16) / 255.0 for index in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_can_be_seen(scheme: int) -> None:
    """In both schemes texts and series have a contrast of 4.5 to what they stand on."""
    style = files("ceps.report").joinpath("page.css").read_text()
    palettes = [
        dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in re.findall(r":root \{(.*?)\}", style, re.S)
    ]
    colours = palettes[scheme]
    assert len(palettes) == 2
    assert palettes[0].keys() == palettes[1].keys()
    for name in ("ink", "soft", "accent", *(f"c{index}" for index in range(8))):
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for name in ("paper", "raised", "heat", "warning", "changed"):
        assert contrast(colours["ink"], colours[name]) >= 4.5, name
    assert contrast(colours["soft"], colours["raised"]) >= 4.5


def test_numbers_in_words() -> None:
    """Few digits, a unit that reads well, a dash for what is not there."""
    assert [number(value) for value in (None, nan, inf, 0.0, 0.12345, 123456.7)] == [
        "–",
        "–",
        "∞",
        "0",
        "0.1235",
        "123,457",
    ]
    assert [number(value) for value in (9999.4, 9999.6, -9999.6)] == ["9999", "10,000", "-10,000"]
    assert [seconds(value) for value in (None, 0.5, 119.0, 600.0, 7200.0)] == ["–", "0.5 s", "119 s", "10 min", "2 h"]
    assert [percent(value) for value in (None, 0.0, 0.0123, 0.5, 1.0)] == ["–", "0 %", "1.2 %", "50 %", "100 %"]
    assert [change(value) for value in (None, 0.5, -0.5)] == ["–", "+0.5", "-0.5"]
    assert cost(12345678.0) == "12,345,678"
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_quartiles() -> None:
    """As everybody reckons them."""
    spread = Spread.of([4.0, 1.0, 2.0, 3.0, 5.0])
    quartiles = (spread.lowest, spread.lower_quartile, spread.median, spread.upper_quartile, spread.highest)
    assert quartiles == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert (spread.count, spread.mean) == (5, 3.0)


def test_settings_are_dotted_keys() -> None:
    """Tables in tables and lists of tables alike; nothing is left out."""
    nested = {"seed": 1, "problem": {"instances": ["a", "b"]}, "methods": [{"name": "ceps"}], "none": {}}
    assert list(flat(nested)) == [
        ("seed", "1"),
        ("problem.instances", '["a", "b"]'),
        ("methods[1].name", '"ceps"'),
        ("none", "{}"),
    ]


def test_what_was_saved() -> None:
    """Against all members side by side; a dash before that is known."""
    facts = build_facts()
    assert '<td class="number">64 %</td>' in page(facts)
    assert '<td class="number">64 %</td>' not in page(replace(facts, builds=(replace(build(), saved=None),)))
