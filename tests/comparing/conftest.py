"""A finished comparison, for all who only look at it."""

from __future__ import annotations

import pytest

from ceps.testing.pure_executor import PureExecutor
from tests.comparing.pure_contest import SCALE, Listener, Whole, experiment, hold


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Held once: it takes half a minute."""
    pytest.importorskip("LKHpy")
    folder = tmp_path_factory.mktemp("contest")
    executor, listener = PureExecutor(SCALE), Listener()
    return hold(experiment(folder), folder / "run", executor, listener), folder / "run", executor, listener
