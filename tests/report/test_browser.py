"""The page in a real browser: quiet, without a network, and usable by pointer and by keyboard."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ceps.report.facts import Facts
from ceps.report.live import Server, Watch
from ceps.report.page import page
from tests.report.browser import Browser, require_browser
from tests.report.made import (
    HOSTILE,
    build_facts,
    comparison_facts,
    empty_facts,
    evaluation_facts,
    hostile_facts,
    large_facts,
    unfinished_facts,
)

PAGES = {
    "build": build_facts,
    "comparison": comparison_facts,
    "evaluation": evaluation_facts,
    "unfinished": unfinished_facts,
    "empty": empty_facts,
    "hostile": hostile_facts,
}
TIP = "return document.getElementById('tip').hidden ? null : document.getElementById('tip').textContent"
ACTIVE_TIP = "return document.activeElement.dataset.tip || null"
OPENED = "return document.getElementById('instance').open"
TAB, RIGHT, LEFT, DOWN, UP, END, HOME, ENTER, ESCAPE = (
    "\ue004", "\ue014", "\ue012", "\ue015", "\ue013", "\ue010", "\ue011", "\ue007", "\ue00c"
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    require_browser()
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, made in PAGES.items():
        (folder / f"{name}.html").write_text(page(made()), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in PAGES}


def first_mark(browser: Browser, figure: str) -> Any:
    return browser.find(f"#{figure} .mark")[0]


def focus(browser: Browser, figure: str) -> None:
    browser.run(f"document.querySelector('#{figure} .mark[tabindex=\"0\"]').focus()")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_quietly_and_alone(browser: Browser, files: dict[str, Path], name: str) -> None:
    """Nothing is logged, nothing but the page itself is asked for, and it is no wider than its window."""
    for size in ((1280, 900), (390, 800)):
        browser.open(files[name], size)
        assert browser.find("h1")[0].is_displayed()
        assert browser.requests() == [files[name].as_uri()]
        assert browser.console() == []
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", ["build", "comparison"])
def test_every_chart_can_be_pointed_at(browser: Browser, files: dict[str, Path], name: str) -> None:
    """Each figure is drawn with a size, and a mark of it that is pointed at shows its tooltip."""
    browser.open(files[name])
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    figures = browser.find("figure.chart")
    assert len(figures) >= 9
    for figure in figures:
        assert figure.find_element("css selector", ".plot svg").size["height"] > 50
        mark = figure.find_elements("css selector", ".mark")[-1]
        browser.point_at(mark)
        assert browser.run(TIP) == mark.get_attribute("data-tip")
    assert browser.console() == []


def test_arrow_keys_go_from_mark_to_mark(browser: Browser, files: dict[str, Path]) -> None:
    """One mark of a chart is reached by Tab; from there the arrow keys go on, and the tooltip goes with them."""
    browser.open(files["build"])
    for figure in ("scores-0", "budgets", "hardness", "map-winners", "endings"):
        assert len(browser.find(f'#{figure} .mark[tabindex="0"]')) == 1
        tips = [mark.get_attribute("data-tip") for mark in browser.find(f"#{figure} .mark")]
        focus(browser, figure)
        seen = [browser.run(ACTIVE_TIP)]
        for key in (RIGHT, RIGHT, LEFT, END, HOME):
            browser.press(key)
            assert browser.run(TIP) == browser.run(ACTIVE_TIP)
            seen.append(browser.run(ACTIVE_TIP))
        assert seen == [tips[0], tips[1], tips[2], tips[1], tips[-1], tips[0]]
        assert len(browser.find(f'#{figure} .mark[tabindex="0"]')) == 1
        browser.press(ESCAPE)
        assert browser.run(TIP) is None


def test_up_and_down_go_to_the_next_row(browser: Browser, files: dict[str, Path]) -> None:
    """In a heat map, down and up come back to where they began, in the same column."""
    browser.open(files["comparison"])
    focus(browser, "families")
    first = browser.run(ACTIVE_TIP)
    browser.press(DOWN)
    assert browser.run(ACTIVE_TIP).split(" on ")[0] == first.split(" on ")[0]
    assert browser.run(ACTIVE_TIP) != first
    browser.press(UP)
    assert browser.run(ACTIVE_TIP) == first


def test_tab_leaves_a_chart(browser: Browser, files: dict[str, Path]) -> None:
    """A chart of many marks is one stop on the way."""
    browser.open(files["build"])
    focus(browser, "map-winners")
    browser.press(TAB)
    assert browser.run("return document.activeElement.closest('#map-winners .plot')") is None


@pytest.mark.parametrize("key", [ENTER, " "])
def test_an_instance_opens_and_closes_by_the_keyboard(browser: Browser, files: dict[str, Path], key: str) -> None:
    """Drawn, with its facts; Escape closes it, and the focus is where it was."""
    browser.open(files["build"])
    focus(browser, "map-winners")
    browser.press(RIGHT)
    tip = browser.run(ACTIVE_TIP)
    browser.press(key)
    assert browser.run(OPENED)
    assert browser.find("#instance-name")[0].text == tip.split("\n")[0]
    assert browser.find("#instance .sketch .way")[0].size["width"] > 100
    assert "cost that counts as solved" in browser.find("#instance dl")[0].text
    browser.press(ESCAPE)
    assert not browser.run(OPENED)
    assert browser.run(ACTIVE_TIP) == tip
    assert browser.console() == []


def test_an_instance_opens_and_closes_by_the_pointer(browser: Browser, files: dict[str, Path]) -> None:
    """From a map and from a picture; the button closes it."""
    browser.open(files["build"])
    for selector in ("#map-hardness .mark", ".pairs .opens"):
        browser.point_at(browser.find(selector)[0])
        browser.find(selector)[0].click()
        assert browser.run(OPENED)
        browser.find("#instance .close")[0].click()
        assert not browser.run(OPENED)


def test_parents_and_children_are_followed(browser: Browser, files: dict[str, Path]) -> None:
    """From a child to its parent and back, within the dialog."""
    browser.open(files["build"])
    browser.run("document.querySelectorAll('.pairs .opens')[1].click()")
    child = browser.find("#instance-name")[0].text
    browser.find("#instance .opens")[0].click()
    parent = browser.find("#instance-name")[0].text
    assert parent != child
    back = [each for each in browser.find("#instance .opens") if each.text == child]
    back[0].click()
    assert browser.find("#instance-name")[0].text == child


def test_routes_are_drawn_with_their_windows(browser: Browser, files: dict[str, Path]) -> None:
    """Six routes in colours and numbers, a depot, a strip of windows with visits; routes can be pointed at."""
    browser.open(files["evaluation"])
    browser.run("document.querySelector('#instance-list .opens').click()")
    assert len(browser.find("#instance .sketch .mark .way")) == 6
    assert len(browser.find("#instance .sketch .leg")) == 6
    assert [label.text for label in browser.find("#instance .sketch text")] == list("123456")
    assert len(browser.find("#instance .sketch .depot")) == 1
    assert len(browser.find("#instance .windows .window")) == 6
    assert len(browser.find("#instance .windows .visit")) == 6
    assert browser.run("return document.querySelector('#instance .sketch .mark').getAttribute('tabindex')") == "0"
    browser.run("document.querySelector('#instance .sketch .mark').focus()")
    assert browser.run(TIP) == "way 1: 10 places"
    assert browser.console() == []


def test_a_legend_brings_a_series_out(browser: Browser, files: dict[str, Path]) -> None:
    """All others become faint, until it is pressed again."""
    browser.open(files["build"])
    key = browser.find("#map-winners button.key")[0]
    key.click()
    marks = [
        (mark.get_attribute("data-series"), mark.get_attribute("class")) for mark in browser.find("#map-winners .mark")
    ]
    assert {series for series, classes in marks if "faint" not in classes} == {key.get_attribute("data-series")}
    assert any("faint" in classes for _, classes in marks)
    assert key.get_attribute("aria-pressed") == "true"
    key.click()
    assert browser.find("#map-winners .faint") == []


def test_a_hostile_name_stays_text(browser: Browser, files: dict[str, Path]) -> None:
    """In the page, in a tooltip and in the dialog; nothing of it is executed."""
    browser.open(files["hostile"])
    shown = browser.run("return document.querySelector('h1').textContent")
    assert shown == HOSTILE
    browser.run("document.querySelector('.pairs li .opens:last-child').click()")
    assert browser.run("return document.getElementById('instance-name').textContent") == HOSTILE
    assert browser.run("return document.querySelectorAll('img, h1 script, dialog script').length") == 0
    assert browser.run("return document.scripts.length") == 2
    browser.press(ESCAPE)
    assert browser.console() == []
    assert browser.requests() == [files["hostile"].as_uri()]


def test_dark_and_light(browser: Browser, files: dict[str, Path]) -> None:
    """The page follows the scheme of the system."""
    seen = {}
    for scheme in ("dark", "light"):
        browser.scheme(scheme)
        browser.open(files["build"])
        seen[scheme] = browser.run(
            "return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, "
            "getComputedStyle(document.querySelector('#budgets .segment')).fill]"
        )
    assert seen["dark"][0] == "rgb(20, 23, 28)"
    assert seen["light"][0] == "rgb(255, 255, 255)"
    assert all(dark != light for dark, light in zip(seen["dark"], seen["light"], strict=True))


def test_it_can_be_printed(browser: Browser, files: dict[str, Path]) -> None:
    """As a PDF of several pages."""
    browser.open(files["comparison"])
    printed = base64.b64decode(browser.driver.print_page())
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page") > 3


def test_a_large_page_is_painted_before_its_data_are_read(browser: Browser, tmp_path: Path) -> None:
    """It is quiet and painted, and its instances, which are read when one is opened, open."""
    file = tmp_path / "page.html"
    file.write_text(page(large_facts()), encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    assert text.index("</style>") < text.index("<h1>") < text.index('id="data"')
    browser.open(file)
    assert browser.first_paint() > 0.0
    browser.run("document.querySelector('#instance-list .opens').click()")
    assert len(browser.find("#instance .sketch .mark .way")) == 40
    assert browser.console() == []


@pytest.fixture
def live(tmp_path: Path) -> Iterator[tuple[Server, list[Facts]]]:
    """A server whose facts can be replaced."""
    facts = [unfinished_facts()]
    clock = iter(range(0, 10**9, 1000))
    server = Server(Watch(tmp_path, lambda: facts[0], lambda: float(next(clock))), "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server, facts
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_that_waits_becomes_the_real_one(
    browser: Browser, live: tuple[Server, list[Facts]], tmp_path: Path
) -> None:
    """All of it, its header too, which says that it is live when it is."""
    from selenium.webdriver.support.ui import WebDriverWait

    server, facts = live
    begun = facts.pop()
    browser.open(server.url)
    assert (browser.find(".kind")[0].text, browser.find("#live")[0].text) == ("WAITING", "waiting")
    facts.append(begun)
    (tmp_path / "ceps.sqlite").write_text("changed")
    WebDriverWait(browser.driver, 60).until(lambda driver: driver.find_elements("css selector", "#instances"))
    assert browser.find(".kind")[0].text == "A BUILD"
    assert browser.find("h1")[0].text == begun.name
    WebDriverWait(browser.driver, 60).until(lambda _: browser.find("#live")[0].text.startswith("live, renewed at"))


def test_a_live_page_renews_itself(browser: Browser, live: tuple[Server, list[Facts]], tmp_path: Path) -> None:
    """What was unfolded and where one was stays; only the page's own server is asked."""
    from selenium.webdriver.support.ui import WebDriverWait

    server, facts = live
    browser.open(server.url)
    assert browser.find("#portfolio") == []
    browser.run("document.getElementById('instance-list').open = true; scrollTo({top: 300, behavior: 'instant'})")
    browser.run("document.querySelector('#instance-list summary').focus({preventScroll: true})")
    facts[0] = build_facts()
    (tmp_path / "ceps.sqlite").write_text("changed")
    WebDriverWait(browser.driver, 60).until(lambda driver: driver.find_elements("css selector", "#portfolio"))
    assert browser.run("return document.getElementById('instance-list').open")
    assert browser.run("return document.activeElement === document.querySelector('#instance-list summary')")
    assert browser.run("return scrollY") == 300
    assert len(browser.find('#map-winners .mark[tabindex="0"]')) == 1
    focus(browser, "map-winners")
    browser.press(ENTER)
    assert browser.run(OPENED)
    browser.press(ESCAPE)
    assert {url.removeprefix(server.url) for url in browser.requests()} == {"", "version"}
    assert browser.console() == []
