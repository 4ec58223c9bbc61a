"""Progress in plain lines. What a terminal shows is tested with the command line's processes."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from ceps import console
from ceps.console import PlainConsole, RaceView, Steps, number, print_whole
from ceps.portfolio import MetricChoice, Portfolio
from ceps.records import Configuration, Incumbent


@pytest.fixture
def page() -> StringIO:
    return StringIO()


@pytest.fixture
def plain(page: StringIO) -> Console:
    return Console(file=page, soft_wrap=True, highlight=False, markup=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), (3.0, "3"), (2.5, "2.5"), (1e15, "1000000000000000"), (1 / 3, "0.3333333333"), (float("inf"), "inf")],
)
def test_numbers(value: float, text: str) -> None:
    """Whole costs have no decimals, others ten digits, and a claim of infinity is shown as such."""
    assert number(value) == text


def test_stages_in_plain_lines(plain: Console, page: StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stage counts for itself, empty ones are left out, and names are printed as they are."""
    monkeypatch.setattr(console, "PLAIN_LINE_EVERY", 0.0)
    with Steps(plain, {"Nothing": 0, "References": 1, "Evaluating": 2}) as steps:
        steps.done("References", "a[b]: 7")
        steps.done("Evaluating", "a[b]: 0.1")
        steps.done("Evaluating")
    assert page.getvalue().splitlines() == [
        "References: 1 of 1. a[b]: 7",
        "Evaluating: 1 of 2, about 0 s left. a[b]: 0.1",
        "Evaluating: 2 of 2.",
    ]


def test_texts_do_not_steer_the_terminal(page: StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control characters, directions of writing and bytes that are no text are shown as escapes, in tables too; ends of
    lines and colours of our own are what they are."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = PlainConsole()
    shown.file = page
    shown.print("é [b]\x1b[2K\x9b1A\u202e\udcff\nend", style="red")
    table = Table("head")
    table.add_row("cell\x1b]0;title")
    shown.print(table)
    first, second, *rows = page.getvalue().splitlines()
    assert "\x1b[31m" in first
    assert r"é [b]\x1b[2K\x9b1A\u202e\udcff" in first
    assert "end" in second
    assert any(r"cell\x1b]0;" in row for row in rows)
    assert re.sub(r"\x1b\[[0-9;]*m", "", page.getvalue()).replace("\n", "").isprintable()


def test_a_table_wider_than_the_terminal_is_printed_whole() -> None:
    """Every cell is there to its end, in its own row."""
    page = StringIO()
    table = Table("method", *(f"split {split}" for split in range(9)))
    table.add_row("EAX-tuned", *(f"{split}, 123.4*" for split in range(9)))
    print_whole(Console(file=page, width=40), table)
    (row,) = [line for line in page.getvalue().splitlines() if "EAX-tuned" in line]
    assert all(f" {split}, 123.4* " in row for split in range(9))
    assert "…" not in page.getvalue()


def test_plain_lines_are_few(plain: Console, page: StringIO) -> None:
    """Many quick steps are told in one line at the end of their stage."""
    with Steps(plain, {"Running": 1000}) as steps:
        for _ in range(1000):
            steps.done("Running")
    assert page.getvalue() == "Running: 1000 of 1000.\n"


def test_more_steps_than_were_known(plain: Console, page: StringIO) -> None:
    """Steps beyond the last one are counted, and the first stage need not have been completed."""
    with Steps(plain, {"References": 5, "Evaluating": 1}) as steps:
        steps.done("Evaluating")
        steps.done("Evaluating")
    assert page.getvalue().splitlines() == ["Evaluating: 1 of 1.", "Evaluating: 2 of 2."]


def test_a_race_in_plain_lines(plain: Console, page: StringIO) -> None:
    """A race tells every improvement in a line, with its component."""
    members = (Configuration.of("lkh", {}), Configuration.of("eax", {}))
    with RaceView(plain, Portfolio("tsp", members, MetricChoice("par10", 1.0)), 1.0) as view:
        view.show(2, Incumbent(0.5, 12.0))
        view.show(1, Incumbent(0.6, float("inf")))
    first, second = page.getvalue().splitlines()
    assert first.endswith(" s  component 2 (eax): 12")
    assert second.endswith(" s  component 1 (lkh): inf")
