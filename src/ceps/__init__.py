"""ceps: parallel algorithm portfolios by co-evolution of parameterised search.

>>> import ceps
>>> ceps.load("portfolio.json").solve("city.tsp", time=10)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

_ROOMS = {"boxed": "ceps.solve", "load": "ceps.solve", "Portfolio": "ceps.portfolio", "UserError": "ceps.errors"}
__all__ = ["Portfolio", "UserError", "__version__", "boxed", "load"]


def __getattr__(name: str) -> Any:
    # On demand: a keeper process imports this package too, and needs none of it.
    if name in _ROOMS:
        return getattr(import_module(_ROOMS[name]), name)
    raise AttributeError(f"module 'ceps' has no attribute '{name}'")
