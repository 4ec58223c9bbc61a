"""The page of all settings is the code's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ceps.construction.methods import METHODS, SETTINGS
from ceps.errors import UserError
from ceps.problems.tsp.generators import ALIASES, GENERATORS
from ceps.settings import MetricSettings
from ceps.settings_reference import attribute_docs, settings_of, settings_reference
from ceps.solvers import SOLVERS
from ceps.tables import read_table

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"


def test_the_page_is_that_of_the_code() -> None:
    """docs/settings.md is what the code says now; make docs makes it anew."""
    assert PAGE.read_text() == settings_reference()


def test_every_key_says_what_it_means() -> None:
    """No line of any table, of settings or of parameters, is without its meaning."""
    empty = [line for line in settings_reference().splitlines() if line.startswith("| `") and line.endswith("|  |")]
    assert [line for line in empty if not line.startswith("| `portgen`")] == []


def test_every_parameter_of_every_solver_has_a_meaning() -> None:
    """A solver's space explains exactly the parameters it has."""
    for kind in SOLVERS.values():
        space = kind().space
        assert set(space.meta or {}) == set(space)


def test_every_method_has_its_settings_listed() -> None:
    """A method that scenarios can name is one that the page describes."""
    assert SETTINGS.keys() == METHODS.keys()


@pytest.mark.parametrize("method", SETTINGS)
def test_counts_are_at_least_one_and_shares_above_zero(method: str) -> None:
    """What the page says of all counts and shares of methods is true; a number of new instances may be 0."""
    required = {"new_instances": 1} if method == "eps" else {}
    for setting in settings_of(SETTINGS[method]):
        if setting.kind in ("whole number", "number") and setting.key != "new_instances":
            table, _, key = setting.key.rpartition(".")
            given: dict[str, Any] = {table: {key: 0}} if table else {key: 0}
            with pytest.raises(UserError):
                read_table(SETTINGS[method], {**required, **given}, "[method]")


def test_keys_are_written_as_in_a_file() -> None:
    """Required ones are told, defaults are TOML, units are told, and a table's keys stand after a dot."""
    cutoff, name, penalty = settings_of(MetricSettings)
    assert (cutoff.default, name.default, penalty.default) == ("required", '`"par10"`', "")
    assert cutoff.kind.startswith("seconds: a number, or a text such as")
    assert name.kind == '`"par10"`, `"panc"`'
    shares = {each.key: each.default for each in settings_of(SETTINGS["parhydra"]) if "." in each.key}
    assert shares == {"shares.configuration": "`2`", "shares.validation": "`1`"}


def test_what_a_comparison_fills_in_is_told() -> None:
    """The number of EPS's instances may be left out in an experiment with CEPS, and the page says so."""
    (new,) = [setting for setting in settings_of(SETTINGS["eps"]) if setting.key == "new_instances"]
    assert new.default == "required; in an experiment with CEPS, as many as CEPS came to"


def test_generators_are_listed_with_all_their_names() -> None:
    """Every name that a TSP generator has stands in the table, with its parameters."""
    page = settings_reference()
    for name in (*GENERATORS, *ALIASES):
        assert f"`{name}`" in page
    assert "\n| `netgen`, also `ClusteredNetwork` | `clusters` |" in page


@dataclass
class _Base:
    first: int = 1
    """What ``first`` is,
    on two lines."""
    second: int = 2


@dataclass
class _Derived(_Base):
    second: int = 3
    """Said later."""


def test_docstrings_below_attributes_are_found() -> None:
    """Those of the class and of its bases, as one line of Markdown."""
    assert attribute_docs(_Derived) == {"first": "What `first` is, on two lines.", "second": "Said later."}
