"""Algorithm 3 of the paper: a new instance near a given one, repaired so that it can be served.

As printed, the algorithm makes hardly any instance that can: some of its customers are out of reach. So places stay in
the parent's bounding box, demands in the ranges of its demands, windows inside the depot's, no narrower than the
parent's narrowest, and such that a vehicle can go to the customer and be back in time. All numbers use as many
decimals as the parent's. Depot and fleet are the parent's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum

import numpy as np

from ceps.errors import UserError
from ceps.problems.tsp import TspInstance
from ceps.problems.tsp.mutate import mutate as mutate_places
from ceps.problems.vrpspdtw.feasibility import unservable
from ceps.problems.vrpspdtw.instance import Floats, VrpspdtwInstance

STEP = 0.025
"""Standard deviation of a shift, as a share of the range of what is shifted."""
ATTEMPTS = 20
MOST_DECIMALS = 6

_MUTANT = re.compile(r"~[0-9a-f]{8}$")


class Demands(StrEnum):
    """How new demands come about."""

    REDRAW = "redraw"
    """Uniformly between the parent's smallest and largest, as the paper has it: they forget their distribution."""
    SHIFT = "shift"
    """The parent's, shifted by a normal step as its places are, and kept in their range."""


class Service(StrEnum):
    """What becomes of the service times."""

    BY_DEMAND = "by-demand"
    """A customer that gets a second demand, or loses one, gets the usual service time of such customers."""
    KEEP = "keep"
    """They stay."""


def mutate(
    instance: VrpspdtwInstance, rng: np.random.Generator, demands: Demands, service: Service
) -> VrpspdtwInstance:
    """New places, demands and windows for all customers.

    Raises :class:`~ceps.errors.UserError` when none of several mutants is known to be servable.
    """
    reason: str | None = None
    for _ in range(ATTEMPTS):
        mutant = _mutant(instance, rng, demands, service)
        reason = unservable(mutant)
        if reason is None:
            return mutant
    raise UserError(f"{instance.name}: none of {ATTEMPTS} mutants is known to be servable; of the last one, {reason}.")


def _mutant(parent: VrpspdtwInstance, rng: np.random.Generator, demands: Demands, service: Service) -> VrpspdtwInstance:
    # "The coordinate mutation used in CEPS-TSP is also used here": lines 7 to 17 are those of Algorithm 2.
    places = mutate_places(TspInstance("", parent.coordinates[1:]), rng).coordinates
    changed = replace(
        parent,
        # A mutant's mutant is named after the same ancestor: names must not grow with the generations.
        name=f"{_MUTANT.sub('', parent.name)}~{rng.integers(2**32):08x}",
        coordinates=np.vstack([parent.coordinates[:1], places]),
        delivery=_with_depot(parent.delivery, _new_demands(parent.delivery[1:], demands, rng)),
        pickup=_with_depot(parent.pickup, _new_demands(parent.pickup[1:], demands, rng)),
    )
    if service is Service.BY_DEMAND:
        changed = replace(changed, service=_service_by_demand(parent, changed))
    changed = _within_reach(parent, changed)
    ready, due = _new_windows(changed, rng)
    return replace(changed, ready=_with_depot(parent.ready, ready), due=_with_depot(parent.due, due))


def _with_depot(of_parent: Floats, of_customers: Floats) -> Floats:
    return np.concatenate([of_parent[:1], of_customers])


def _new_demands(old: Floats, demands: Demands, rng: np.random.Generator) -> Floats:
    low, high = old.min(), old.max()
    if demands is Demands.REDRAW:
        new = rng.uniform(low, high, size=len(old))
    else:
        new = old + STEP * (high - low) * rng.normal(size=len(old))
    return np.clip(_rounded(new, np.rint, _scale(old)), low, high)


def _service_by_demand(parent: VrpspdtwInstance, mutant: VrpspdtwInstance) -> Floats:
    had_both = (parent.delivery > 0) & (parent.pickup > 0)
    has_both = (mutant.delivery > 0) & (mutant.pickup > 0)
    service = parent.service.copy()
    for both in (True, False):
        usual = parent.service[1:][had_both[1:] == both]
        # When the parent has no such customers, nothing is known about their service.
        if len(usual):
            times, counts = np.unique(usual, return_counts=True)
            service[1:][(has_both == both)[1:] & (had_both != both)[1:]] = times[np.argmax(counts)]
    return service


def _within_reach(parent: VrpspdtwInstance, mutant: VrpspdtwInstance) -> VrpspdtwInstance:
    """Customers who have moved so far out that no vehicle is back in time stay where they were."""
    too_far = mutant.ready[0] + 2 * mutant.from_depot + mutant.service > mutant.due[0]
    return replace(mutant, coordinates=np.where(too_far[:, None], parent.coordinates, mutant.coordinates))


def _new_windows(mutant: VrpspdtwInstance, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The windows (still the parent's) of all customers, shifted at both ends."""
    opening, closing = mutant.ready[0], mutant.due[0]
    scale = _scale(np.concatenate([mutant.ready, mutant.due]))
    narrowest = min((mutant.due - mutant.ready)[1:].min(), closing - opening)
    ends = np.stack([mutant.ready[1:], mutant.due[1:]])
    ends = np.clip(ends + STEP * (closing - opening) * rng.normal(size=ends.shape), opening, closing)
    ready, due = np.sort(ends, axis=0)
    lacking = np.maximum(narrowest - (due - ready), 0.0)
    ready, due = _rounded(np.stack([ready - lacking / 2, due + lacking / 2]), np.rint, scale)
    # Rounded so that the vehicle that goes there first is there before the window closes, and back before the depot
    # does: rounding the other way makes most mutants unservable.
    latest = _rounded(closing - (mutant.from_depot + mutant.service)[1:], np.floor, scale)
    arrival = _rounded(opening + mutant.from_depot[1:], np.ceil, scale)
    ready = np.maximum(np.minimum(ready, latest), opening)
    due = np.minimum(np.maximum.reduce([due, arrival, ready + narrowest]), closing)
    ready = np.minimum(ready, due - narrowest)
    ready, due = _rounded(np.stack([ready, due]), np.rint, scale)
    return ready, due


def _scale(values: Floats) -> float | None:
    """Ten to the number of decimals that the values use; None when they use more than people write."""
    for decimals in range(MOST_DECIMALS + 1):
        if np.array_equal(np.round(values, decimals), values):
            return float(10**decimals)
    return None


def _rounded(values: Floats, rounding: np.ufunc, scale: float | None) -> Floats:
    if scale is None:
        return values
    # Whole numbers divided by a power of ten: the very doubles that reading those decimals gives.
    rounded: Floats = rounding(values * scale) / scale
    return rounded
