"""Contract suites and small test doubles for people who add problems, solvers, executors or methods."""

import pytest

pytest.register_assert_rewrite("ceps.testing.executor")
