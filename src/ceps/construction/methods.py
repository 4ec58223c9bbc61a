"""Construction methods, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ceps.construction import ceps, clustering, eps, global_, parhydra, pcit, single
from ceps.construction.method import Method
from ceps.errors import UserError, did_you_mean

METHODS: Mapping[str, Method] = {
    "ceps": ceps,
    "clustering": clustering,
    "eps": eps,
    "global": global_,
    "parhydra": parhydra,
    "pcit": pcit,
    "single": single,
}


def method_named(name: str) -> Method:
    """The method a scenario names."""
    if name not in METHODS:
        raise UserError(f"[method] name = '{name}' is unknown.{did_you_mean(name, METHODS)}")
    return METHODS[name]
