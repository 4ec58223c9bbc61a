"""Construction methods, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ceps.construction import ceps, clustering, eps, global_, parhydra, pcit, single
from ceps.construction.ceps import CepsSettings
from ceps.construction.eps import EpsSettings
from ceps.construction.method import Method
from ceps.construction.parhydra import ParhydraSettings
from ceps.construction.pcit import PcitSettings
from ceps.construction.shared_settings import SessionSettings, TwoPhaseSettings
from ceps.construction.single import SingleSettings
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

SETTINGS: Mapping[str, type[SessionSettings]] = {
    "ceps": CepsSettings,
    "clustering": TwoPhaseSettings,
    "eps": EpsSettings,
    "global": TwoPhaseSettings,
    "parhydra": ParhydraSettings,
    "pcit": PcitSettings,
    "single": SingleSettings,
}
"""What each of them may be told; the reference of all settings is made from it."""


def method_named(name: str) -> Method:
    """The method a scenario names."""
    if name not in METHODS:
        raise UserError(f"[method] name = '{name}' is unknown.{did_you_mean(name, METHODS)}")
    return METHODS[name]
