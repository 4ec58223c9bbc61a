"""Construction methods, by name."""

from __future__ import annotations

from collections.abc import Mapping

from ceps import plugins
from ceps.construction import ceps, clustering, eps, global_, parhydra, pcit, single
from ceps.construction.ceps import CepsSettings
from ceps.construction.eps import EpsSettings
from ceps.construction.method import Method
from ceps.construction.parhydra import ParhydraSettings
from ceps.construction.pcit import PcitSettings
from ceps.construction.shared_settings import SessionSettings, TwoPhaseSettings
from ceps.construction.single import SingleSettings
from ceps.errors import UserError, did_you_mean
from ceps.plugins import plugin, plugin_names

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
    """The method a scenario names: in the box, or a plug-in."""
    found: Method | None = METHODS.get(name) or plugin(plugins.METHODS, name)
    if found is None:
        raise UserError(f"[method] name = '{name}' is unknown.{did_you_mean(name, method_names())}")
    return found


def method_names() -> list[str]:
    return [*METHODS, *(name for name in plugin_names(plugins.METHODS) if name not in METHODS)]
