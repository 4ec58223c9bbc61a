"""From an outcome to a score, and from a bound on the score to a cap on the time. Smaller scores are better."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import Protocol

from ceps.errors import UserError, did_you_mean
from ceps.records import FAILURES, Ending, Outcome


class PenaltyError(UserError):
    """A penalty for having no solution that a solution is worse than."""


class Metric(Protocol):
    """A performance indicator f(s, θ)."""

    @property
    def name(self) -> str:
        """What scenarios call it."""

    @property
    def cutoff(self) -> float:
        """CPU seconds after which a run is stopped."""

    @property
    def penalty(self) -> float:
        """The score of a run that failed; no success scores worse."""

    @property
    def uses_target(self) -> bool:
        """Whether runs need a cost that counts as solved."""

    @property
    def exact_limit(self) -> bool:
        """Whether only a run with exactly the requested limit can answer a request."""

    def score(self, outcome: Outcome, scale: float) -> float:
        """The score of a run on an instance of this scale; :class:`PenaltyError` where that exceeds the penalty."""

    def cap(self, bound: float) -> float:
        """CPU seconds after which a run can no longer score below ``bound``."""


@dataclass(frozen=True, slots=True)
class Par10:
    """Penalised average runtime: CPU seconds to the target; ten times the cut-off when it was not reached."""

    cutoff: float
    name: str = "par10"
    uses_target: bool = True
    exact_limit: bool = False

    @property
    def penalty(self) -> float:
        return 10.0 * self.cutoff

    def score(self, outcome: Outcome, scale: float) -> float:
        return outcome.cpu if outcome.ending is Ending.SOLVED else self.penalty

    def cap(self, bound: float) -> float:
        return min(bound, self.cutoff)


@dataclass(frozen=True, slots=True)
class Panc:
    """Penalised average normalised cost: cost at the cut-off, divided by the instance's scale.

    The penalty when there is no valid solution by then; its default is the paper's.
    """

    cutoff: float
    penalty: float = 2000.0
    name: str = "panc"
    uses_target: bool = False
    exact_limit: bool = True

    def score(self, outcome: Outcome, scale: float) -> float:
        if outcome.ending in FAILURES or outcome.cost is None:
            return self.penalty
        score = outcome.cost / scale
        if score > self.penalty:
            raise PenaltyError(
                f"[metric] penalty: a solution scores {score:.5g}, worse than the penalty {self.penalty:g} for having "
                f"none; give a penalty that no solution reaches, such as {10.0 ** ceil(log10(score) + 0.5):.0f}, in "
                "the scenario (and another --out, for that is another build), or by --penalty on the command line"
            )
        return score

    def cap(self, bound: float) -> float:
        return self.cutoff


METRICS = ("par10", "panc")


def metric_named(name: str, cutoff: float, penalty: float | None = None) -> Metric:
    """The metric a scenario or a portfolio names."""
    if not cutoff > 0.0:
        raise UserError(f"[metric] cutoff = {cutoff:g}: a run needs some CPU time; give a number of seconds above 0")
    match name:
        case "par10":
            if penalty is not None:
                raise UserError("[metric] penalty: PAR-10 has none to set, it is ten times the cut-off; remove the key")
            return Par10(cutoff)
        case "panc":
            return Panc(cutoff) if penalty is None else Panc(cutoff, penalty)
    raise UserError(f"[metric] name = '{name}' is unknown.{did_you_mean(name, METRICS)}")
