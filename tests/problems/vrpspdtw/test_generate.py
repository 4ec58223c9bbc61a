"""The generators, and the statistics they imitate."""

from __future__ import annotations

import numpy as np
import pytest

from ceps.errors import UserError
from ceps.problems.problem import Infeasible
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.problems.vrpspdtw.check import check
from ceps.problems.vrpspdtw.city import make_city
from ceps.problems.vrpspdtw.feasibility import construct, unservable
from ceps.problems.vrpspdtw.generate import GENERATORS, generate

RANKS = [0.05, 0.25, 0.5, 0.75, 0.95]


def _nearest_neighbour_ratio(places: np.ndarray, area: float) -> float:
    gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    return float(gaps.min(axis=1).mean() / (0.5 * np.sqrt(area / len(places))))


@pytest.mark.parametrize("generator", sorted(GENERATORS))
def test_every_generator_is_a_function_of_its_seed(generator: str) -> None:
    """The same seed gives the same instance, another seed another one; one customer is enough."""
    assert generate(generator, 50, 3) == generate(generator, 50, 3)
    assert generate(generator, 50, 3) != generate(generator, 50, 4)
    assert generate(generator, 50, 3).name == f"{generator}-50-3"
    for seed in range(20):
        assert generate(generator, 1, seed).n == 1


@pytest.mark.parametrize(("generator", "size"), [("city", 400), ("solomon", 100), ("solomon", 25), ("solomon", 10)])
def test_generated_instances_can_be_served(generator: str, size: int) -> None:
    """What is generated has a solution: one is constructed and passes the judge."""
    for seed in range(12):
        instance = generate(generator, size, seed)
        assert unservable(instance) is None
        routes = [instance.ids[route].tolist() for route in construct(instance)]
        assert not isinstance(check(instance, routes), Infeasible)


def test_the_fleet_of_a_day() -> None:
    """Depot, horizon, fleet and costs are those of the real days; larger days get larger fleets."""
    day = generate("city", 400, 1)
    assert (day.vehicles, day.capacity, day.dispatching_cost, day.unit_cost) == (500, 40000.0, 100.0, 1.0)
    assert day.table[0].tolist() == [41, 23, 0, 0, 0, 960, 0]
    assert generate("city", 600, 1).vehicles == 600


def test_days_are_of_one_city() -> None:
    """All days of a city draw from its customers; days of another city do not."""

    def requests(day: VrpspdtwInstance) -> set[tuple[float, ...]]:
        return set(map(tuple, day.table[1:].tolist()))

    everyone = set(map(tuple, make_city(3000, 5).table.tolist()))
    days = [generate("city", 400, seed, {"city_seed": 5}) for seed in range(3)]
    assert all(requests(day) <= everyone for day in days)
    assert 20 < len(requests(days[0]) & requests(days[1])) < 150
    assert len(requests(generate("city", 400, 1, {"city_seed": 6})) & everyone) < 4
    assert days[0].name == "city-city_seed=5-400-0"


def test_a_day_has_one_customer_per_place_while_there_are_places() -> None:
    """Four hundred customers are at four hundred places; all three thousand are each once in the largest day."""
    assert len(np.unique(generate("city", 400, 1).coordinates[1:], axis=0)) == 400
    largest = generate("city", 3000, 1)
    assert sorted(largest.table[1:].tolist()) == sorted(make_city(3000, 1).table.tolist())


@pytest.mark.parametrize("city_seed", [1, 2])
def test_a_city_has_the_statistics_of_the_real_one(city_seed: int) -> None:
    """Places, demands, pickups, opening times and windows are distributed as the facts about the real city say."""
    table = make_city(3000, city_seed).table
    places = np.unique(table[:, :2], axis=0)
    delivery, pickup, ready, due, service = table[:, 2:].T
    assert len(places) == 1580
    assert places.min(axis=0) == pytest.approx([0, 0], abs=3)
    assert places.max(axis=0) == pytest.approx([200, 157], abs=3)
    assert (np.abs(places / [200, 157] - 0.5) < 0.25).all(axis=1).mean() > 0.3  # 0.25 when spread evenly
    assert np.quantile(delivery, RANKS) == pytest.approx([33, 274, 1538, 3330, 9982], rel=0.02)
    assert np.quantile(pickup[pickup > 0], RANKS) == pytest.approx([33, 274, 1538, 3330, 9982], rel=0.25)
    assert (np.log(delivery).mean(), np.log(delivery).std()) == pytest.approx((6.84, 1.74), abs=0.07)
    assert delivery.max() <= 15000
    assert delivery.min() > 0
    assert (pickup > 0).mean() == pytest.approx(0.5, abs=0.04)
    assert abs(np.corrcoef(delivery, pickup)[0, 1]) < 0.06
    assert service.tolist() == np.where(pickup > 0, 20.0, 10.0).tolist()
    assert set(ready % 30) == {0.0}
    assert ready.max() == 450
    shares = {0: 0.22, 120: 0.21, 60: 0.11, 30: 0.09, 90: 0.08, 150: 0.07, 180: 0.05, 300: 0.04}
    assert {time: (ready == time).mean() for time in shares} == pytest.approx(shares, abs=0.025)
    assert np.median(due - ready) == pytest.approx(124, abs=6)
    assert (due - ready).min() >= 60
    assert ((due - ready) <= 180).mean() > 0.9


def test_days_have_the_statistics_of_the_real_ones() -> None:
    """Mean distances are between 74 and 88, and neighbours nearer than by chance: 0.9 of it on average."""
    days = [generate("city", 400, seed, {"city_seed": seed}).coordinates[1:] for seed in range(10)]
    ratios = [_nearest_neighbour_ratio(places, 200 * 157) for places in days]
    assert np.mean(ratios) == pytest.approx(0.9, abs=0.03)
    for places in days:
        gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        assert 74 < gaps.sum() / (400 * 399) < 88


@pytest.mark.parametrize(
    ("geometry", "horizon", "closing", "capacity", "service", "neighbours", "distance"),
    [
        (0, 1, 230, 200, 10, 1.5, 34.1),
        (0, 2, 1000, 1000, 10, 1.5, 34.1),
        (1, 1, 1236, 200, 90, 0.61, 39.7),
        (1, 2, 3390, 700, 90, 0.94, 40.6),
        (2, 1, 240, 200, 10, 1.05, 45.0),
        (2, 2, 960, 1000, 10, 1.05, 45.0),
    ],
)
def test_benchmarks_have_the_statistics_of_their_families(
    geometry: int, horizon: int, closing: float, capacity: float, service: float, neighbours: float, distance: float
) -> None:
    """Horizon, capacity, service, fleet and costs are those of the classic files; how places spread is near theirs."""
    chosen = {"geometry": geometry, "horizon": horizon}
    made = [generate("solomon", 100, seed, chosen) for seed in range(5)]
    for instance in made:
        assert (instance.due[0], instance.capacity, instance.dispatching_cost) == (closing, capacity, 2000.0)
        assert set(instance.service[1:].tolist()) == {service}
        assert instance.vehicles == 25
        assert len(np.unique(instance.coordinates[1:], axis=0)) == 100
    deliveries, pickups = {0: (1458, 1257), 1: (1810, 1810), 2: (1724, 1544)}[geometry]
    assert np.mean([each.delivery.sum() for each in made]) == pytest.approx(deliveries, rel=0.15)
    assert np.mean([each.pickup.sum() for each in made]) == pytest.approx(pickups, rel=0.15)
    ratios = [
        _nearest_neighbour_ratio(each.coordinates[1:], float(np.ptp(each.coordinates[1:], axis=0).prod()))
        for each in made
    ]
    assert np.mean(ratios) == pytest.approx(neighbours, rel=0.2)
    gaps = [np.hypot(*(each.coordinates[1:, None] - each.coordinates[None, 1:]).transpose(2, 0, 1)) for each in made]
    assert np.mean(gaps) == pytest.approx(distance, rel=0.12)


def test_clustered_pickups_are_the_deliveries_dealt_anew() -> None:
    """In clusters both demands are tens and the same numbers in another order."""
    instance = generate("solomon", 100, 1, {"geometry": 1})
    assert sorted(instance.delivery.tolist()) == sorted(instance.pickup.tolist())
    assert instance.delivery.tolist() != instance.pickup.tolist()
    assert set(instance.delivery % 10) == {0.0}


def test_the_parameters_of_benchmarks() -> None:
    """Windows and their width are as asked for; by default the seed chooses, and seeds choose differently."""
    asked = generate("solomon", 200, 1, {"geometry": 0, "windows": 0.5, "width": 0.1})
    free = asked.ready[1:] == 0
    assert free.mean() == pytest.approx(0.5, abs=0.1)
    assert (asked.due - asked.ready)[1:][~free].mean() == pytest.approx(0.1 * asked.due[0], rel=0.05)
    assert asked.name == "solomon-geometry=0-windows=0.5-width=0.1-200-1"
    closings = {float(generate("solomon", 10, seed).due[0]) for seed in range(40)}
    assert closings == {230, 1000, 1236, 3390, 240, 960}


@pytest.mark.parametrize(
    ("generator", "size", "parameters", "message"),
    [
        ("citty", 10, {}, r"no VRPSPDTW generator 'citty'\. Did you mean 'city'"),
        ("uniform", 10, {}, r"no VRPSPDTW generator 'uniform'\. Known: city, solomon"),
        ("city", 0, {}, "at least 1, not 0"),
        ("solomon", -3, {}, "at least 1, not -3"),
        ("city", 3001, {}, "cannot have 3001 customers in a city of 3000"),
        ("city", 10, {"city_customers": 9}, "cannot have 10 customers in a city of 9"),
        ("solomon", 1001, {}, "up to 1000 customers, not 1001"),
        ("solomon", 10, {"geometry": 3}, "geometry"),
        ("solomon", 10, {"geometri": 1}, "no parameter 'geometri'"),
        ("city", 10, {"city_seed": 1.5}, "city_seed"),
    ],
)
def test_what_cannot_be_made_is_told(generator: str, size: int, parameters: dict[str, float], message: str) -> None:
    """Unknown generators and parameters, and sizes they cannot make, are refused with what there is."""
    with pytest.raises(UserError, match=message):
        generate(generator, size, 1, parameters)


@pytest.mark.parametrize("customers", [1, 2, 3, 10])
def test_tiny_cities(customers: int) -> None:
    """A city of a few customers has days of all of them."""
    assert generate("city", customers, 1, {"city_customers": customers}).n == customers
