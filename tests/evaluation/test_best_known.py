"""Costs beside the best known ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.evaluation.best_known import BestKnown, Comparison, Tally, compare, family, read_best_known
from ceps.evaluation.protocol import InstanceResult, Repeat
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.texts import best_known_table
from tests.problems.vrpspdtw.strategies import small

DATA = os.environ.get("CEPS_DATA")


def result(name: str, *costs: float | None) -> InstanceResult:
    repeats = tuple(Repeat(1.0, None if cost is None else 1, cost) for cost in costs)
    return InstanceResult(name, 1.0, False, None, repeats)


def compared(**costs: tuple[float | None, ...]) -> Comparison:
    """Instances of this name and cost; the best known cost of each of them is 2 · 100 + 1 · 50."""
    instances = [small(name=name, dispatching_cost=100.0) for name in costs]
    known = dict.fromkeys(["rdp101", "rdp102", "rdp103", "cdp201"], BestKnown(2, 50.0))
    return compare(instances, [result(name, *each) for name, each in costs.items()], known)


def test_better_not_worse_and_worse_by_family() -> None:
    """Costs within a hundredth are the same, better ones are also not worse, and strangers are counted apart."""
    made = compared(rdp101=(249.98,), RDP102=(249.995,), rdp103=(250.02,), cdp201=(250.0,), other=(1.0,))
    assert made.families == {"cdp2": Tally(1, 0, 1, 0), "rdp1": Tally(3, 1, 2, 1)}
    assert (made.total, made.unknown) == (Tally(4, 1, 3, 1), 1)
    assert list(made.families) == ["cdp2", "rdp1"]


@pytest.mark.parametrize(
    ("costs", "cost"),
    [
        ((251.0, 240.0, 250.0), 250.0),
        ((240.0, 260.0), 260.0),
        ((240.0, None, None), None),
        ((240.0, 241.0, None), 241.0),
        ((None,), None),
    ],
)
def test_the_median_of_the_repeats_counts(costs: tuple[float | None, ...], cost: float | None) -> None:
    """A solution that at least half of the repeats came to; without one, the instance is worse."""
    made = compared(rdp101=costs)
    assert made.per_instance[0].cost == cost
    assert made.total.worse == (cost is None or cost > 250.01)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rdp101", "rdp1"),
        ("cdp208", "cdp2"),
        ("RCdp108", "rcdp1"),
        ("rcdp1001", "rcdp10"),
        ("rcdp2504", "rcdp25"),
        ("rcdp5007", "rcdp50"),
        ("day-7", "day-7"),
        ("x", "x"),
    ],
)
def test_families(name: str, expected: str) -> None:
    """A family is a name without its running number, so that the small instances stay apart from the others."""
    assert family(name) == expected


def test_the_table() -> None:
    """As in the paper: a line per family with counts and shares, and one for all."""
    made = compared(rdp101=(249.0,), rdp102=(260.0,), cdp201=(250.0,), other=(1.0,))
    assert best_known_table(made, 3).splitlines() == [
        "best known   instances      better   not worse       worse",
        "cdp2                 1      0 (0%)    1 (100%)      0 (0%)",
        "rdp1                 2     1 (50%)     1 (50%)     1 (50%)",
        "all                  3     1 (33%)     2 (67%)     1 (33%)",
        "costs are medians of 3 repeats; 1 instance without a best known cost",
    ]


def test_a_file_with_all_there_may_be(tmp_path: Path) -> None:
    """Columns in any order, others beside them, spaces, a mark at its start, file endings and names of either case."""
    path = tmp_path / "best.csv"
    path.write_text("\ufeffDistance, source, instance, vehicles\n\n1.5, someone, Small.txt, 2\n3, else, b, 1\n")
    assert read_best_known(path, [small()]) == {"small": BestKnown(2, 1.5), "b": BestKnown(1, 3.0)}


HEAD = "instance,vehicles,distance\n"
MISTAKES = {
    "empty": ("", "best.csv: the file is empty; its first line must be instance,vehicles,distance"),
    "head only": (HEAD, "best.csv: there is nothing below the header"),
    "no column": ("instance,distance\nsmall,1\n", "best.csv, line 1, column 'vehicles': expected once"),
    "vehicles": (HEAD + "a,1,1\nsmall,2.5,1\n", "best.csv, line 3, column 'vehicles': must be a whole number above 0"),
    "no vehicles": (HEAD + "small,0,1\n", "best.csv, line 2, column 'vehicles': must be a whole number above 0"),
    "distance": (HEAD + "small,2,far\n", "best.csv, line 2, column 'distance': must be a number from 0 on, not 'far'"),
    "nan": (HEAD + "small,2,nan\n", "line 2, column 'distance'"),
    "negative": (HEAD + "small,2,-1\n", "line 2, column 'distance'"),
    "too few": (HEAD + "small,2\n", "line 2, column 'distance': the line has 2 values for 3 columns"),
    "too many": (HEAD + "small,2,1,5\n", "line 2, column 'distance': the line has 4 values for 3 columns"),
    "no name": (HEAD + ",2,1\n", "line 2, column 'instance': a name is missing"),
    "twice": (HEAD + "small,2,1\nSMALL,2,1\n", "line 3, column 'instance': 'small' is here twice"),
    "quotes": (HEAD + '"small,2,1\n', "best.csv: not a CSV file"),
    "strangers": (HEAD + "a,1,1\n", "best.csv: names none of the instances; it has a; they are small"),
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    """A bad file is told with its name, the line and the column."""
    (tmp_path / "best.csv").write_text(text)
    with pytest.raises(UserError) as caught:
        read_best_known(tmp_path / "best.csv", [small()])
    assert message in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    """A missing file and bytes that are no text."""
    (tmp_path / "best.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match=r"best\.csv: not a CSV file"):
        read_best_known(tmp_path / "best.csv", [small()])
    with pytest.raises(UserError, match=r"none\.csv: there is no such file"):
        read_best_known(tmp_path / "none.csv", [small()])


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_the_published_file() -> None:
    """Every benchmark instance we have is in it, and costs have the benchmark's 2000 per vehicle."""
    folder = Path(str(DATA)) / "vrpspdtw" / "wang_chen"
    instances = [Vrpspdtw().read(path) for path in sorted(folder.glob("*.txt"))]
    known = read_best_known(folder / "best_known.csv", instances)
    assert known.keys() == {instance.name for instance in instances}
    (rdp101,) = (instance for instance in instances if instance.name == "rdp101")
    assert known["rdp101"].cost(rdp101) == 19 * 2000 + 1653.53
