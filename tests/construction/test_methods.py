"""All methods keep the contract of methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from ceps.construction import ceps, clustering, eps, global_, parhydra, pcit, single
from ceps.construction.methods import METHODS, method_named
from ceps.errors import UserError
from ceps.testing.methods import MethodContract


class TestCeps(MethodContract):
    method = ceps
    options: ClassVar[Mapping[str, Any]] = {
        "iterations": 2,
        "sessions": 2,
        "candidates": 6,
        "batch": 2,
        "shares": {"initialisation": 30.0},
    }


class TestGlobal(MethodContract):
    method = global_
    options: ClassVar[Mapping[str, Any]] = {"sessions": 2, "batch": 2}


class TestParhydra(MethodContract):
    method = parhydra
    options: ClassVar[Mapping[str, Any]] = {"sessions": 2, "batch": 2}


class TestClustering(MethodContract):
    method = clustering
    options: ClassVar[Mapping[str, Any]] = {"sessions": 2, "batch": 2}


class TestEps(MethodContract):
    method = eps
    options: ClassVar[Mapping[str, Any]] = {**TestCeps.options, "new_instances": 3}


class TestPcit(MethodContract):
    method = pcit
    options: ClassVar[Mapping[str, Any]] = {"sessions": 2, "batch": 2, "phases": 3}


class TestSingle(MethodContract):
    method = single
    options: ClassVar[Mapping[str, Any]] = {"sessions": 2, "batch": 2}
    members = 1


def test_methods_are_found_by_name() -> None:
    """Every method has a name, and a name that is none is refused with the nearest one."""
    assert all(method_named(name) is METHODS[name] for name in METHODS)
    with pytest.raises(UserError, match=r"\[method\] name = 'singel' is unknown. Did you mean 'single'\?"):
        method_named("singel")
