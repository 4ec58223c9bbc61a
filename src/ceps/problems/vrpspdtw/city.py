"""A synthetic city and its days, after the real ones of the paper's logistics company.

The paper draws 400 of a city's 3000 customers for each day, and for each of them one of its past demands. In the
files a day has 400 places, out of about 1580, and each place always shows one of the same few requests, mostly two:
demands and window together. So here a city is 3000 customers, each with a request, at 1580 places, and a day draws
places, then one of the customers of each.

What is matched: the box and the density of places, the quantiles of demands, the share of pickups, the grid of
opening times, the widths of windows, and the time that is left when a vehicle goes to a customer at once. What is
not: a few real requests without demands, at the depot itself, open all day.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ceps import seeds
from ceps.errors import UserError
from ceps.problems.vrpspdtw.instance import Floats, Integers, VrpspdtwInstance

VEHICLES, CAPACITY, DISPATCHING_COST = 500, 40000.0, 100.0
DEPOT = (41.0, 23.0)
CLOSING = 960.0
WIDTH, HEIGHT = 200, 157

PLACES_PER_CUSTOMER = 1580 / 3000
NEIGHBOURHOODS = 50
IN_NEIGHBOURHOODS = 0.5
"""The share of places that are near a neighbourhood's centre; the others are all over the city."""
NEIGHBOURHOOD_RADIUS = 4.0

DEMAND_RANKS = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
DEMAND_QUANTILES = (9.0, 13.0, 33.0, 274.0, 1538.0, 3330.0, 9982.0, 15000.0)
SAME_PLACE = 0.45
"""The correlation of the (log) deliveries of customers at one place; pickups have none."""
PICKUP_SHARE = 0.49

MORNING = {0: 0.22, 30: 0.09, 60: 0.11, 90: 0.08, 120: 0.21, 150: 0.07, 180: 0.05, 210: 0.02}
AFTERNOON = {300: 0.04, 330: 0.03, 360: 0.03, 390: 0.02, 420: 0.02, 450: 0.01}
"""When windows open, with the share of customers."""
SHIFT_ENDS = (300.0, 540.0)
"""Windows that open in the morning close by the first, those of the afternoon by the second."""
WINDOW = (60.0, 180.0)
TIME_LEFT = (30.0, 60.0)
"""No window closes earlier than this after the first possible arrival: a vehicle may come from another customer."""
SERVICE_ONE, SERVICE_BOTH = 10.0, 20.0


@dataclass(frozen=True)
class City:
    """All customers: the number of each one's place, and its row in an instance's table."""

    place: Integers
    table: Floats


def make_city(customers: int, seed: int) -> City:
    """The city of a seed."""
    rng = seeds.generator(seed, "city", customers)
    places = _places(max(1, round(customers * PLACES_PER_CUSTOMER)), rng)
    # Every place has a customer, and nine of ten have a second one.
    place = np.concatenate([np.arange(len(places)), rng.permutation(len(places))[: customers - len(places)]])
    usual = rng.normal(size=len(places))[place]
    taste = np.sqrt(SAME_PLACE) * usual + np.sqrt(1.0 - SAME_PLACE) * rng.normal(size=customers)
    delivery = _demands(taste)
    picked_up = rng.random(customers) < PICKUP_SHARE
    pickup = np.where(picked_up, _demands(rng.normal(size=customers)), 0.0)
    ready, due = _windows(np.hypot(*(places[place] - DEPOT).T), rng)
    service = np.where(picked_up, SERVICE_BOTH, SERVICE_ONE)
    return City(place, np.column_stack([places[place], delivery, pickup, ready, due, service]))


def _places(count: int, rng: np.random.Generator) -> Floats:
    """Distinct whole-numbered places, denser in the middle of the box and in neighbourhoods."""
    box = np.array([WIDTH, HEIGHT])
    centres = rng.beta(1.5, 1.5, size=(NEIGHBOURHOODS, 2)) * box
    found = np.empty((0, 2))
    while len(found) < count:
        anywhere = rng.beta(1.5, 1.5, size=(count, 2)) * box
        near = centres[rng.integers(NEIGHBOURHOODS, size=count)] + NEIGHBOURHOOD_RADIUS * rng.normal(size=(count, 2))
        drawn = np.rint(np.where(rng.random((count, 1)) < IN_NEIGHBOURHOODS, near, anywhere))
        inside = drawn[((drawn >= 0) & (drawn <= box)).all(axis=1)]
        both = np.vstack([found, inside])
        _, first = np.unique(both, axis=0, return_index=True)
        found = both[np.sort(first)]
    return found[:count]


def _demands(taste: Floats) -> Floats:
    """Demands whose quantiles are the real ones, ordered as ``taste`` is."""
    ranks = (np.argsort(np.argsort(taste)) + 0.5) / len(taste)
    return np.rint(np.exp(np.interp(ranks, DEMAND_RANKS, np.log(DEMAND_QUANTILES))))


def _windows(from_depot: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    openings = {**MORNING, **AFTERNOON}
    ready = rng.choice(np.array(list(openings), dtype=np.float64), p=list(openings.values()), size=len(from_depot))
    end = np.where(np.isin(ready, list(MORNING)), *SHIFT_ENDS)
    due = ready + rng.uniform(WINDOW[0], np.minimum(WINDOW[1], end - ready))
    reachable = from_depot + rng.uniform(*TIME_LEFT, size=len(from_depot))
    return ready, np.rint(np.where(due < from_depot + TIME_LEFT[0], reachable, due))


def day(name: str, size: int, seed: int, city_seed: float, city_customers: float) -> VrpspdtwInstance:
    """An instance of ``size`` customers of a city, at as many places as there are."""
    customers = int(city_customers)
    if size > customers:
        raise UserError(
            f"A day cannot have {size} customers in a city of {customers}. Ask for fewer, or raise city_customers."
        )
    city = make_city(customers, int(city_seed))
    rng = seeds.generator(seed, "day", size, int(city_seed), customers)
    chosen = _one_per_place(city.place, rng)[:size]
    depot = [*DEPOT, 0.0, 0.0, 0.0, CLOSING, 0.0]
    return VrpspdtwInstance.of_table(
        name,
        np.vstack([depot, city.table[chosen]]),
        ids=np.arange(size + 1),
        vehicles=max(VEHICLES, size),
        capacity=CAPACITY,
        dispatching_cost=DISPATCHING_COST,
    )


def _one_per_place(place: Integers, rng: np.random.Generator) -> Integers:
    """All customers in random order: first one of each place, places equally likely, then the rest."""
    shuffled = rng.permutation(len(place))
    _, first = np.unique(place[shuffled], return_index=True)
    rest = np.setdiff1d(np.arange(len(place)), first)
    order: Integers = shuffled[np.concatenate([rng.permutation(first), rest])]
    return order
