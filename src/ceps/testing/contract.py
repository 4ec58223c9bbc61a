"""What the contracts have in common: a test class is made of one in one line, or by subclassing it."""

from __future__ import annotations

from typing import Any, Self


class Contract:
    """Base of the contracts. What a contract is about are its attributes."""

    @classmethod
    def of(cls, **about: Any) -> type[Self]:
        """The contract, of what is given by the names of its attributes: a test class, for a name that begins with
        ``Test``."""
        known = {name for base in cls.__mro__ for name in vars(base).get("__annotations__", {})}
        for name in about:
            if name not in known:
                raise TypeError(f"{cls.__name__} knows no '{name}', but: {', '.join(sorted(known))}")
        return type(cls.__name__, (cls,), about)
