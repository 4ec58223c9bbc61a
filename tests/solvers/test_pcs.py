"""Parameter spaces in .pcs files."""

from __future__ import annotations

import pytest

from ceps.solvers.pcs import read_pcs

NEW = """
late | size > 20 && mode in {a, b} || size == 3   # before its parents
mode categorical {a, b, c} [a]
effort ordinal {low, mid, high} [mid]
size integer [1, 1e3] [10] log
rate real [1e-3, 1] [0.5]log
late real [-1, 1] [0]
{mode=c, size=7}
{effort=high}
"""
OLD = """
heuristic{Berkmin,Vsids}[Vsids]
restarts [1, 1000] [100]il
depth [1, 9] [3]i
decay [0.1, 1.0] [0.5]l
bias [0.0, 1.0] [0.5]
Conditionals:
decay | depth in {3, 4}
decay | heuristic in {Vsids}
Forbidden:
{heuristic=Berkmin, depth=3}
"""


def test_the_new_format() -> None:
    """Types, ranges, scales, conditions of numbers, with and before or, and forbidden combinations are read."""
    space = read_pcs(NEW)
    assert space["effort"].sequence == ("low", "mid", "high")
    assert (space["size"].lower, space["size"].upper, space["size"].log) == (1, 1000, True)
    assert (space["rate"].lower, space["rate"].log, space["late"].log) == (0.001, True, False)
    assert dict(space.get_default_configuration()) == {"mode": "a", "effort": "mid", "size": 10, "rate": 0.5}
    space.seed(1)
    for point in space.sample_configuration(200):
        size, mode = point["size"], point["mode"]
        assert ("late" in point) == ((size > 20 and mode in ("a", "b")) or size == 3)
        assert (mode, size) != ("c", 7)
        assert point["effort"] != "high"


def test_the_old_format() -> None:
    """Letters after the default tell whole numbers and scales; several conditions of a child must all hold."""
    space = read_pcs(OLD)
    default = {"heuristic": "Vsids", "restarts": 100, "depth": 3, "decay": 0.5, "bias": 0.5}
    assert dict(space.get_default_configuration()) == default
    assert [space[name].log for name in ("restarts", "depth", "decay", "bias")] == [True, False, True, False]
    assert type(space["depth"].default_value) is int
    space.seed(1)
    for point in space.sample_configuration(100):
        assert ("decay" in point) == (point["depth"] in (3, 4) and point["heuristic"] == "Vsids")
        assert (point["heuristic"], point["depth"]) != ("Berkmin", 3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("what is this", "line 2: 'what is this': this is no parameter"),
        ("size integer [1, 9.5] [3]", "9.5 is no whole number"),
        ("size integer [1, 9] [30]", "the default 30 must be from 1 to 9"),
        ("size real [a, 9] [3]", "'a' is no number"),
        ("size [9, 1] [3]i", "the range ends at 1, which must be above its beginning, 9"),
        ("size [0, 1] [0.5]l", "a logarithmic scale needs a range that begins above 0, not at 0.0"),
        ("x categorical {a, b} [c]", "the default 'c' is none of the values; add it to them"),
        ("x categorical {a, b, a} [b]", "the value 'a' is there 2 times; keep one"),
        ("a | nobody == 3", "there is no parameter 'nobody'. Known: a, n"),
        ("nobody | a == x", "there is no parameter 'nobody'. Known: a, n"),
        ("a | a ~ 3", "'a ~ 3' is no condition; write one such as a == x"),
        ("a | a == x", "'a' cannot depend on itself"),
        ("n | a == z", "'a' is never 'z'. Known: x, y"),
        ("n | a > x", "the values of 'a' have no order; use ==, != or in"),
        ("a | n in {1, 50}", "'n' is never 50; it is from 1 to 9"),
        ("{a + b > 3}", "only combinations such as {a=1, b=x} can be forbidden"),
        (
            "{n > 5 && a == y}",
            "==, <, > or functions (SMAC's advanced form) are not supported: write out",
        ),
        ("{n=5 && a=y}", "only combinations such as {a=1, b=x} can be forbidden, with = and commas"),
        ("{n == 5}", "only combinations such as {a=1, b=x} can be forbidden, with = and commas"),
        ("{n>=5}", "only combinations such as {a=1, b=x} can be forbidden, with = and commas"),
        ("{b=x}", "there is no parameter 'b'. Known: a, n"),
        ("{a=x, n=3}", "this forbids the default values; forbid others, or change a default"),
        ("a categorical {x, y} [x]", "there is a parameter 'a' already; remove one of them"),
    ],
)
def test_lines_that_are_wrong(line: str, message: str) -> None:
    """A line that is not understood is never passed over: it is told with its number and what to mend."""
    with pytest.raises(ValueError, match=r"line 2: ") as caught:
        read_pcs(f"a categorical {{x, y}} [x]\n{line}\nn integer [1, 9] [3]\n")
    assert message in str(caught.value)


def test_conditions_in_a_circle() -> None:
    """Parameters that depend on each other are told with the line of one of their conditions."""
    with pytest.raises(ValueError, match=r"^line [34]: .*: conditions go round in a circle"):
        read_pcs("a {x, y} [x]\nb {x, y} [x]\na | b == x\nb | a == x\n")
