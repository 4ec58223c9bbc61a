"""Hosts of different speed."""

from __future__ import annotations

from ceps.execution.speed import Speeds, measured_here


def test_a_clearly_slower_host_is_told_once() -> None:
    """Both hosts are named, with how much they differ; those that come later are not told of again."""
    speeds = Speeds()
    assert speeds.meet("quick", 0.010) is None
    assert speeds.meet("usual", 0.014) is None
    told = speeds.meet("slow", 0.021)
    assert told is not None
    assert "slow needs 2.1 times as long as quick" in told
    assert speeds.meet("slower", 0.1) is None


def test_of_a_host_the_best_measurement_counts() -> None:
    """A worker that was held up while it was measured does not make its host a slow one."""
    speeds = Speeds()
    speeds.meet("a", 0.010)
    speeds.meet("b", 0.011)
    assert speeds.meet("a", 0.1) is None


def test_this_host_takes_some_time() -> None:
    """The piece of work is neither nothing nor a wait."""
    _, seconds = measured_here()
    assert 0.0 < seconds < 1.0
