"""A build to compare with, and how much was tried."""

from __future__ import annotations

import pytest

from tests.torture.builds import Whole, finish, start
from tests.torture.scale import LONG, SEED, TRIED


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A build that nobody disturbs."""
    pytest.importorskip("LKHpy")
    out = tmp_path_factory.mktemp("whole")
    return Whole(out, *finish(start(out)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LONG and TRIED:
        terminalreporter.section(f"tried, with seed {SEED}")
        for what, count in sorted(TRIED.items()):
            terminalreporter.write_line(f"{count:>9,} {what}")
