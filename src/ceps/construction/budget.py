"""CPU-second accounts. The currency is charged CPU: what runs cost by the rules, made now or found in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Account:
    """What one session or phase may still be charged."""

    granted: float
    charged: float = 0.0

    def pay(self, charge: float) -> None:
        self.charged += charge

    @property
    def left(self) -> float:
        return self.granted - self.charged


class Budget:
    """One total, granted to phases in order by their weights.

    A phase is granted its share of what is left, among the phases still to come: so what a phase leaves over, or
    overdraws by its last runs, is spread over the later ones.
    """

    def __init__(self, total: float, weights: Sequence[float]) -> None:
        self.total = total
        self.charged = 0.0
        self._weights = list(weights)

    @property
    def left(self) -> float:
        return self.total - self.charged

    def charge(self, amount: float) -> None:
        """Pay for something outside the phases."""
        self.charged += amount

    @property
    def next_grant(self) -> float:
        """CPU seconds that the next phase is granted."""
        share = self._weights[0] / sum(self._weights)
        return max(0.0, self.left) * share

    def open_phase(self) -> Account:
        """The account of the next phase."""
        return Account(self.next_grant)

    def close_phase(self, account: Account) -> None:
        self._weights.pop(0)
        self.charged += account.charged


def smallest_total(weights: Sequence[float], needs: Sequence[float]) -> float:
    """The total that grants every phase what it needs."""
    return max(need * sum(weights) / weight for weight, need in zip(weights, needs, strict=True))
