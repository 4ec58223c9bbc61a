"""Settings of all tests."""

import pytest

pytest.register_assert_rewrite("ceps.testing.executor", "ceps.testing.problem", "ceps.testing.solver")
