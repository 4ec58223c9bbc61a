"""Instances of a store, decoded, and their features: each when it is asked for, and once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ceps.commands import refuse_programs
from ceps.problems import Problem
from ceps.store import Store


@dataclass
class FeatureCache:
    """Features by the instance's id. They take a while; who makes a page again and again keeps one of these."""

    known: dict[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass
class Library:
    """The instances of a store."""

    store: Store
    problem: Problem
    cache: FeatureCache
    trust: bool
    """Whether a program that the store names may be started to tell features."""
    _decoded: dict[str, Any] = field(default_factory=dict, init=False)

    def instance(self, identifier: str) -> Any:
        if identifier not in self._decoded:
            stored = self.store.instance(identifier)
            assert stored is not None, "instances are never removed"
            self._decoded[identifier] = self.problem.decode(stored.content, stored.name)
        return self._decoded[identifier]

    def scale(self, identifier: str) -> float:
        return self.problem.scale(self.instance(identifier))

    def features(self, identifier: str) -> Mapping[str, float]:
        if not self.trust:
            refuse_programs("this run directory", [self.problem], "add --trust")
        if identifier not in self.cache.known:
            self.cache.known[identifier] = self.problem.features(self.instance(identifier))
        return self.cache.known[identifier]
