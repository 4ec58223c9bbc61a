"""Settings that several methods have."""

from __future__ import annotations

from dataclasses import dataclass

from ceps.construction.budget import Phase


def at_least_one(settings: SessionSettings, *keys: str) -> None:
    for key in keys:
        if getattr(settings, key) < 1:
            raise ValueError(f"{key} must be at least 1, not {getattr(settings, key)}")


def above_zero(*shares: float) -> None:
    if min(shares) <= 0.0:
        raise ValueError("every share must be above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Settings of every method, in a scenario beside its name."""

    sessions: int = 10
    """n: how often what is searched is searched for, independently; the best by validation is taken."""
    in_flight: int = 2
    """Trials of a session under way at a time. More keep more workers busy, also when few sessions are left."""
    batch: int = 10
    """Instances evaluated at a time in validation and breeding: a fixed number, so that results do not depend on
    the number of workers."""
    charge_references: bool = True
    """Whether finding the cost that counts as solved is paid from the budget. The paper did not count it."""

    def __post_init__(self) -> None:
        at_least_one(self, "sessions", "in_flight", "batch")

    def search_phase(self, weight: float, one_trial_each: float) -> Phase:
        """A phase of sessions; ``one_trial_each``: CPU seconds at worst of one trial of every session."""
        return Phase(weight, one_trial_each, self.in_flight * one_trial_each)


@dataclass(frozen=True, slots=True)
class Shares:
    """How the budget is shared: t_c and t_v of GLOBAL and PCIT in the paper, 7.5 h and 1 h."""

    configuration: float = 7.5
    """Searching."""
    validation: float = 1.0
    """Comparing what was found."""

    def __post_init__(self) -> None:
        above_zero(self.configuration, self.validation)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoPhaseSettings(SessionSettings):
    """Settings of a method that searches, and then chooses."""

    shares: Shares = Shares()

    def phases(self, one_run_each: float) -> list[Phase]:
        """``one_run_each``: CPU seconds at worst of one trial of every session, and of what all have found."""
        return [
            self.search_phase(self.shares.configuration, one_run_each),
            Phase(self.shares.validation, one_run_each),
        ]
