"""Numbers, times and names in the words of the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import isfinite, isnan

from ceps.report.facts import InstanceFacts, Origin, Spread

NONE = "–"

METRICS = {"par10": "PAR-10 (CPU s)", "panc": "PANC"}
"""What axes call them."""
MEANINGS = {
    "par10": "PAR-10: CPU seconds to the cost that counts as solved, ten times the cut-off where it was not reached",
    "panc": "PANC: the cost at the cut-off divided by the instance's scale, the penalty where there was no solution",
}


def number(value: float | None, digits: int = 4) -> str:
    """Some significant digits; a dash where there is no number."""
    if value is None or isnan(value):
        return NONE
    if not isfinite(value):
        return "∞" if value > 0.0 else "-∞"
    # What would be rounded up to a power of ten would be written as one.
    return f"{value:,.0f}" if abs(value) >= 10**digits - 0.5 else f"{value:.{digits}g}"


def cost(value: float | None) -> str:
    """To the last digit that counts."""
    return NONE if value is None else f"{value:,.10g}"


def seconds(value: float | None) -> str:
    """In the unit that reads best."""
    if value is None:
        return NONE
    if abs(value) < 120.0:
        return f"{number(value, 3)} s"
    return f"{number(value / 60.0, 3)} min" if value < 7200.0 else f"{number(value / 3600.0, 3)} h"


def percent(share: float | None) -> str:
    if share is None or not isfinite(share):
        return NONE
    return f"{100.0 * share:.0f} %" if abs(share) >= 0.1 or share == 0.0 else f"{100.0 * share:.2g} %"


def change(value: float | None) -> str:
    """With its sign."""
    return NONE if value is None else f"{'+' if value > 0.0 else ''}{number(value, 3)}"


def moment(seconds_since_1970: float) -> str:
    return datetime.fromtimestamp(seconds_since_1970, UTC).strftime("%Y-%m-%d %H:%M UTC")


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def spread_text(spread: Spread) -> str:
    """Never without the number of values."""
    if spread.count == 1:
        return f"{number(spread.mean)} (n = 1)"
    return (
        f"mean {number(spread.mean)}, median {number(spread.median)}, "
        f"from {number(spread.lowest)} to {number(spread.highest)} (n = {spread.count})"
    )


def short_spread(spread: Spread) -> str:
    """Where there is little room."""
    if spread.count == 1:
        return spread_text(spread)
    return f"{number(spread.mean, 3)} ({number(spread.lowest, 3)} to {number(spread.highest, 3)}, n = {spread.count})"


def origin_text(instance: InstanceFacts) -> str:
    match instance.origin:
        case Origin.GIVEN:
            return "given, for training"
        case Origin.TEST:
            return "given, for the test"
    return f"bred, generation {instance.generation}"
