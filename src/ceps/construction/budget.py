"""CPU-second accounts. The currency is charged CPU: what runs cost by the rules, made now or found in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf


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

    def covers(self, at_worst: float) -> float:
        """How many things can be paid for that take so many CPU seconds at worst."""
        # Sums of seconds are rounded: what was granted for exactly so many is enough for them.
        return max(0, floor(self.left / at_worst + 1e-9)) if at_worst > 0.0 else inf


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a method, and what it claims of the budget."""

    weight: float
    """Its share, against the weights of the other phases."""
    need: float = 0.0
    """CPU seconds that it takes at worst where it is granted nothing: those of its first runs."""
    overrun: float = 0.0
    """CPU seconds by which it exceeds a grant at worst: those of runs under way when its account is empty."""


class Budget:
    """One total, granted to phases in order by their weights.

    A phase is granted its share of what is left, among the phases still to come: so what a phase leaves over, or
    overdraws by its last runs, is spread over the later ones. It is granted less where, at worst, too little would be
    left for what the later ones cannot do without: so the total is kept if it covers the needs of all.
    """

    def __init__(self, total: float, phases: Sequence[Phase]) -> None:
        self.total = total
        self.charged = 0.0
        self._phases = list(phases)

    @property
    def left(self) -> float:
        return self.total - self.charged

    def charge(self, amount: float) -> None:
        """Pay for something outside the phases."""
        self.charged += amount

    @property
    def next_grant(self) -> float:
        """CPU seconds that the next phase is granted."""
        phase, *later = self._phases
        share = self.left * phase.weight / sum(each.weight for each in self._phases)
        return max(0.0, min(share, self.left - phase.overrun - sum(each.need for each in later)))

    def open_phase(self) -> Account:
        """The account of the next phase."""
        return Account(self.next_grant)

    def close_phase(self, account: Account) -> None:
        self._phases.pop(0)
        self.charged += account.charged


def smallest_total(phases: Sequence[Phase]) -> float:
    """The total of which every phase's share is what it needs."""
    return max(phase.need / phase.weight for phase in phases) * sum(phase.weight for phase in phases)


def rows_to_take(charges: Sequence[float], one_pass: int, most: float, at_worst: float, account: Account) -> int:
    """How many further rows a comparison takes, after rows of these charges: at least one in all.

    A row is one instance with one seed; ``one_pass`` of them have all instances once. It ends when one more row could
    overdraw the account. Where a whole pass costs nothing it ends too: it would never empty the account.
    """
    if len(charges) >= one_pass and sum(charges[-one_pass:]) == 0.0:
        return 0
    return int(max(not charges, min(most, account.covers(at_worst))))
