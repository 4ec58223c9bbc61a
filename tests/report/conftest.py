"""A finished build, for all who only look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceps.building import Built
from ceps.report.facts import Facts
from ceps.report.reading import read_facts
from tests.report.pure import build


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """What the build came to, and its directory."""
    out = tmp_path_factory.mktemp("build") / "run"
    return build(out), out


@pytest.fixture(scope="session")
def facts(finished: tuple[Built, Path]) -> Facts:
    return read_facts(finished[1])
