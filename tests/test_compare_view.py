"""What a comparison came to, on a terminal."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from rich.console import Console

from ceps.compare_view import print_results
from ceps.comparing.measured import Measured
from ceps.comparing.results import results_of
from tests.comparing.made import measured, with_virtual_best


def printed(of: Measured, width: int = 80) -> list[str]:
    page = StringIO()
    print_results(Console(file=page, width=width, soft_wrap=True, highlight=False), results_of(of))
    return [line.rstrip() for line in page.getvalue().splitlines()]


def rows(lines: list[str], title: str) -> list[list[str]]:
    """The cells of the table that begins with a title."""
    begin = next(index for index, line in enumerate(lines) if line.startswith(title))
    end = lines.index("", begin)
    rule = next(index for index in range(begin, end) if set(lines[index]) == {"─"})
    return [line.split() for line in lines[rule + 1 : end]]


def test_all_of_the_results_are_shown_in_80_columns() -> None:
    """Timeouts, scores and over-tuning by method; paired tests, families, members; what builds and test took."""
    lines = printed(measured())
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    assert rows(lines, "#timeouts, par10") == [
        ["CEPS", "0*,", "2.000", "0*,", "2.000*", "0*,", "2.000", "1.000"],
        ["A_1", "1,", "35.33", "0*,", "3.000", "0.5,", "19.17", "0.5000"],
        ["B", "0*,", "1.000*", "0*,", "2.000*", "0*,", "1.500*", "3.000"],
    ]
    assert rows(lines, "where CEPS is better") == [["A_1", "6", "0", "0.031", "0.062"], ["B", "0", "2", "0.5", "0.5"]]
    assert rows(lines, "par10 by family") == [
        ["city", "2", "1.500*", "2.500", "1.500*"],
        ["day", "4", "2.250", "27.50", "1.500*"],
    ]
    assert rows(lines, "members' shares") == [
        ["CEPS", "1", "67%", "+0.5", "33%", "+0.25"],
        ["B", "1", "67%", "33%"],
    ]
    assert lines[-6:] == [
        "CPU s of each build, of 60 granted; charged (really spent):",
        "  CEPS: 59 (40)",
        "  A_1: 60 (10)",
        "charges of builds differ by 1.7% of the budget at most",
        "CPU s of the test, really spent: 12",
        "0.8 min on 2 workers; 10.0% of their time was not solver CPU",
    ]


def test_many_methods_are_shown_in_80_columns() -> None:
    """Columns that have no room left stand in a further table below, with the same names of rows."""
    few = measured()
    copies = [f"LKH-default-{number}" for number in range(12)]
    extra = [replace(row, method=copy) for copy in copies for row in few.rows if row.method == "B"]
    lines = printed(replace(few, methods=(*few.methods, *copies), rows=(*few.rows, *extra)))
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("family") for line in lines) == 4
    told = [word for line in lines if line.startswith("family") for word in line.split()[2:]]
    assert told == ["CEPS", "A_1", "B", *copies]
    assert sum(line.startswith("city") for line in lines) == 4


def test_a_narrow_terminal_cuts_nothing_off() -> None:
    """The rows are those of a wide one: the terminal breaks them."""
    assert printed(with_virtual_best(measured()), 30)[1:] == printed(with_virtual_best(measured()), 80)[1:]
