"""Settings of all tests, and what is made once for several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.comparing.pure_contest import Whole

pytest.register_assert_rewrite("ceps.testing.executor", "ceps.testing.problem", "ceps.testing.solver")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A finished comparison, for all who only look at it. Held once: it takes half a minute."""
    pytest.importorskip("LKHpy")
    from ceps.testing.pure_executor import PureExecutor
    from tests.comparing.pure_contest import SCALE, Listener, experiment, hold

    folder = tmp_path_factory.mktemp("contest")
    executor, listener = PureExecutor(SCALE), Listener()
    return hold(experiment(folder), folder / "run", executor, listener), folder / "run", executor, listener
