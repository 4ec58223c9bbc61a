"""A solver as far as spaces and searches see one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ConfigSpace import ConfigurationSpace


@dataclass(frozen=True)
class Made:
    """A name and a space. It cannot solve anything."""

    name: str
    make: Callable[[], ConfigurationSpace] = ConfigurationSpace

    @property
    def space(self) -> ConfigurationSpace:
        return self.make()
