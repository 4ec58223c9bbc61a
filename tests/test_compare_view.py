"""The tables of a comparison on a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from ceps.compare_view import results_table
from ceps.comparing.results import results_of
from ceps.console import print_whole
from tests.comparing.made import measured


def printed(width: int) -> list[str]:
    page = StringIO()
    print_whole(Console(file=page, width=width, soft_wrap=True, highlight=False), results_table(results_of(measured())))
    return page.getvalue().splitlines()


def test_all_of_the_results_are_shown_in_80_columns() -> None:
    """Each method's timeouts and scores on every split, their means, over-tuning and the paired test, in one row."""
    lines = printed(80)
    assert max(map(len, lines)) <= 80
    (row,) = [line.split() for line in lines if line.startswith("A_1")]
    assert row == ["A_1", "1,", "35.33", "0*,", "3.000", "0.5,", "19.17", "0.5000", "0.062", "(6:0)"]
    assert not any("…" in line for line in lines)


def test_a_narrow_terminal_cuts_nothing_off() -> None:
    """The rows are those of a wide one: the terminal breaks them."""
    assert [line.rstrip() for line in printed(30)[1:]] == [line.rstrip() for line in printed(80)[1:]]
