"""What a build will take, as it is told before anything is run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ceps.comparing import contest
from ceps.errors import UserError
from ceps.metrics import Par10
from ceps.planning import BudgetError, Plan, plan, strangers, twins
from ceps.problems.tsp import Tsp
from ceps.rehearsal import Cast, assemble
from ceps.settings import Scenario
from ceps.tables import read_table
from tests.comparing.pure_contest import EXPERIMENT, experiment

SCENARIO = {
    "seed": 1,
    "problem": {"name": "tsp", "train": ["*.tsp"]},
    "portfolio": {"size": 2, "solvers": ["eax"]},
    "metric": {"cutoff": 1.0},
}


def planned(folder: Path, known: dict[str, float] | None, budget: float = 1e6, **options: bool) -> Plan:
    """The plan for four instances, with costs given for some of them."""
    for number in range(4):
        Tsp().write(Tsp().generate("uniform", 12, number), folder / f"c{number}.tsp")
    references = {}
    if known is not None:
        (folder / "known.json").write_text(json.dumps(known))
        references = {"references": {"known": "known.json"}}
    method = {"name": "global", "options": {"sessions": 2, **options}}
    scenario = read_table(Scenario, {**SCENARIO, **references, "method": method, "budget": {"cpu": budget}}, "s.toml")
    made = plan(scenario, assemble(scenario, folder, "s.toml"), "s.toml", workers=2)
    assert made is not None
    return made


def test_references_that_are_not_given_are_counted(tmp_path: Path) -> None:
    """Known costs of some instances spare theirs only: the smallest budget has the others in it."""
    all_sought = planned(tmp_path, None).smallest_budget
    all_known = planned(tmp_path, {f"c{number}": 1.0 for number in range(4)}).smallest_budget
    one_known = planned(tmp_path, {"c2": 1.0, "another": 1.0}).smallest_budget
    assert all_sought - one_known == pytest.approx((all_sought - all_known) / 4)
    assert one_known > all_known


def test_references_that_are_not_charged_are_not_counted(tmp_path: Path) -> None:
    """As the paper has it: then the smallest budget is that of all references known."""
    known = planned(tmp_path, {f"c{number}": 1.0 for number in range(4)}).smallest_budget
    uncharged = planned(tmp_path, None, charge_references=False).smallest_budget
    assert uncharged == known


def test_instances_of_the_same_content_are_told() -> None:
    """Copies of a file under other names count as often as they are there: people are told which they are."""
    twin = Tsp().generate("uniform", 12, 1)
    instances = [twin, Tsp().generate("uniform", 12, 2), replace(twin, name="copy")]
    assert twins(instances) == [f"{twin.name}, copy have the same content: it counts 2 times in every mean"]
    assert twins(instances[:2]) == []


def test_costs_of_instances_that_are_not_there_are_told() -> None:
    """A name that was mistyped: its cost is given, and yet looked for. Costs for more than the training instances are
    no mistake."""
    city, other = (Tsp().generate("uniform", 12, number) for number in range(2))
    cast = Cast(Tsp(), [city, other], [], Par10(1.0), {city.name: 1.0, "mistyped": 1.0})
    assert strangers(cast) == [
        f"[references] known has costs of mistyped, which no training instance is called, and none of {other.name}: it "
        "is looked for"
    ]
    assert strangers(replace(cast, instances=[city])) == []
    assert strangers(replace(cast, known={city.name: 1.0})) == []


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({}, "references of 4 instances and the first runs"),
        ({"c2": 1.0}, "references of 3 instances and the first runs"),
        ({f"c{number}": 1.0 for number in range(4)}, "'global': the first runs"),
    ],
)
def test_a_budget_too_small_tells_what_it_would_go_into(tmp_path: Path, known: dict[str, float], said: str) -> None:
    """References only as far as they are sought; and the smallest budget that is told is enough."""
    with pytest.raises(BudgetError, match=said) as refused:
        planned(tmp_path, known, budget=2.0)
    needed = float(str(refused.value).split("give at least ")[1].split(" s")[0])
    planned(tmp_path, known, budget=needed)


def test_a_comparison_needs_what_its_most_demanding_split_does(tmp_path: Path) -> None:
    """Where references are known for some instances, splits lack different numbers of them."""
    pytest.importorskip("LKHpy")
    text = EXPERIMENT.replace("2min", "1s").replace("[budget]", '[references]\nknown = "known.json"\n[budget]')
    (tmp_path / "known.json").write_text("{}")
    settings = experiment(tmp_path, text)

    def smallest() -> float:
        with pytest.raises(UserError, match="give at least") as refused:
            contest.prepare(settings, tmp_path, "experiment.toml")
        return float(str(refused.value).split("give at least ")[1].split(" s")[0])

    none_known = smallest()
    spacious = experiment(tmp_path, text.replace('cpu = "1s"', 'cpu = "10min"'))
    prepared = contest.prepare(spacious, tmp_path, "experiment.toml")
    first, second = ({prepared.cast.instances[index].name for index in split.train} for split in prepared.splits)
    assert first - second
    (tmp_path / "known.json").write_text(json.dumps(dict.fromkeys(first - second, 1.0)))
    assert smallest() == none_known
    (tmp_path / "known.json").write_text(json.dumps(dict.fromkeys(first | second, 1.0)))
    assert smallest() < none_known
