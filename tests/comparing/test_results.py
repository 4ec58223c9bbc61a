"""Tables from rows, reckoned by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import pytest

from ceps.comparing.measured import Measured, Row
from ceps.comparing.results import FamilyCell, family, holm, largest_families, results_of, signed_rank_p, virtual_best
from tests.comparing.made import measured, row, with_virtual_best


def test_the_table_has_means_of_test_instances_and_marks_the_best() -> None:
    """Training instances do not count in scores and timeouts; they have a column of their own."""
    results = results_of(measured())
    first = {method: results.table[1, method] for method in ("CEPS", "A_1", "B")}
    assert [cell.score for cell in first.values()] == pytest.approx([2.0, 106.0 / 3.0, 1.0])
    assert [cell.timeouts for cell in first.values()] == [0, 1, 0]
    assert [cell.training_score for cell in first.values()] == [1.0, 0.5, 3.0]
    assert [cell.best for cell in first.values()] == [False, False, True]
    assert [results.table[2, method].best for method in ("CEPS", "A_1", "B")] == [True, False, True]
    assert results.means["CEPS"].score == pytest.approx(2.0)
    assert results.means["A_1"].timeouts == 0.5
    assert [method for method, cell in results.means.items() if cell.best] == ["B"]


def test_the_fewest_timeouts_are_marked_apart_from_the_best_score() -> None:
    """Who has the fewest need not have the best score, and several may have them."""
    results = results_of(measured())
    assert [results.table[1, method].fewest for method in ("CEPS", "A_1", "B")] == [True, False, True]
    assert all(results.table[2, method].fewest for method in ("CEPS", "A_1", "B"))
    assert [method for method, cell in results.means.items() if cell.fewest] == ["CEPS", "B"]


@pytest.mark.parametrize("baseline", ["CEPS", None])
def test_a_virtual_best_takes_nobodys_place(baseline: str | None) -> None:
    """With it, the same cells are marked as without, and the baseline is the same; it is measured all the same."""
    alone, results = results_of(measured(baseline=baseline)), results_of(with_virtual_best(measured(baseline=baseline)))
    assert {where: cell for where, cell in results.table.items() if where[1] != "VBS"} == alone.table
    assert {method: cell for method, cell in results.means.items() if method != "VBS"} == alone.means
    assert tuple(cell for cell in results.families if cell.method != "VBS") == alone.families
    assert results.baseline == alone.baseline
    assert results.means["VBS"].score == pytest.approx(0.75)
    marked = [*results.table.items(), *((("mean", method), cell) for method, cell in results.means.items())]
    assert not any(cell.best or cell.fewest for (_, method), cell in marked if method == "VBS")
    assert not any(cell.best for cell in results.families if cell.method == "VBS")
    assert "VBS" in {duel.method for duel in results.duels}


def test_families_have_ratios_to_the_best_contender() -> None:
    """1 for the best, more for the others, and less where a virtual best does better."""
    families = results_of(with_virtual_best(measured())).families
    ratios = {(cell.family, cell.method): cell.ratio for cell in families}
    assert (ratios["city", "CEPS"], ratios["city", "B"], ratios["city", "VBS"]) == (1.0, 1.0, 0.5)
    assert ratios["city", "A_1"] == pytest.approx(2.5 / 1.5)
    assert ratios["day", "CEPS"] == pytest.approx(2.25 / 1.5)


def test_methods_are_held_against_ceps_instance_by_instance() -> None:
    """The baseline wins where its score is smaller; six wins in a row have p = 2/64, two losses p = 1/2."""
    results = results_of(measured())
    assert results.baseline == "CEPS"
    against = {duel.method: duel for duel in results.duels}
    assert (against["A_1"].better, against["A_1"].worse) == (6, 0)
    assert (against["B"].better, against["B"].worse) == (0, 2)
    assert against["B"].p == pytest.approx(0.5)
    assert against["A_1"].corrected == pytest.approx(min(1.0, 2 * against["A_1"].p))


def test_without_ceps_the_best_is_the_baseline() -> None:
    """The method with the smallest mean score is who the others are held against."""
    assert results_of(measured(baseline=None)).baseline == "B"


def test_the_signed_rank_test_is_wilcoxons() -> None:
    """Five differences of one sign and different sizes have p = 2/32; none at all has p = 1."""
    assert signed_rank_p([1.0, 2.0, 3.0, 4.0, 5.0, 0.0]) == pytest.approx(2.0 / 32.0)
    assert signed_rank_p([0.0, 0.0]) == 1.0


def test_holms_correction_multiplies_and_never_falls() -> None:
    """The smallest p times three, the next times two but no less than the one before, never above 1."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_families_pool_all_splits() -> None:
    """A family's score is the mean over its test instances of all splits."""
    cells = {(cell.family, cell.method): cell for cell in results_of(measured()).families}
    assert cells["city", "CEPS"].score == pytest.approx(1.5)
    assert cells["day", "A_1"].instances == 4
    assert cells["day", "A_1"].timeouts == 1
    assert cells["day", "B"].best
    assert not cells["day", "CEPS"].best


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uniform-300-17", "uniform"),
        ("rcdp2504", "rcdp25"),
        ("rdp101", "rdp1"),
        ("berlin", "berlin"),
        ("0", "numbered"),
        ("118", "numbered"),
    ],
)
def test_the_family_is_the_generator_or_the_name_without_its_number(name: str, expected: str) -> None:
    """Generated instances by their generator, others by their name; those that only have a number are of one family."""
    assert family(name) == expected


def test_of_many_families_the_largest_are_shown() -> None:
    """So many as there is room for, with the most instances, in their order; how many there are is said."""
    cells = [FamilyCell(f"f{number}", "CEPS", number % 7, 0, 1.0, 1.0, True) for number in range(12)]
    shown = largest_families(cells, most=4)
    assert dict(shown.counts) == {"f4": 4, "f5": 5, "f6": 6, "f11": 4}
    assert shown.note == " (the 4 largest of 12 families)"
    assert len(largest_families(cells).counts) == 12
    assert largest_families(cells).note == ""


def test_what_was_measured_survives_json() -> None:
    """As it was, the infinite loss of an only member included, through JSON that has no infinity."""
    text = json.dumps(measured().as_json(), allow_nan=False)
    assert Measured.from_json(json.loads(text)) == measured()
    assert measured().constructions[1].losses == (inf,)


def test_components_have_their_losses_and_wins() -> None:
    """The share of test runs each member has won, runs that nobody solved included."""
    made = {(each.method, each.number): each for each in results_of(measured()).components}
    assert made["CEPS", 1].loss == 0.5
    assert made["CEPS", 1].wins == pytest.approx(2.0 / 3.0)
    assert made["CEPS", 2].wins == pytest.approx(1.0 / 3.0)
    assert made["A_1", 1].wins == pytest.approx(1.0 / 3.0)
    assert made["A_1", 1].loss == inf


def test_portfolios_that_nobody_built_here_have_wins_only() -> None:
    """First portfolios and fixed ones were tested as well: their members have their shares, and no training score."""
    made = {(each.method, each.number): each for each in results_of(measured()).components}
    assert (made["B", 1].member, made["B", 1].loss) == ("eax: default configuration", None)
    assert (made["B", 1].wins, made["B", 2].wins) == (pytest.approx(2.0 / 3.0), pytest.approx(1.0 / 3.0))
    assert [method for method, _ in made] == ["CEPS", "CEPS", "A_1", "B", "B"]


def test_run_directories_from_before_can_be_read() -> None:
    """They do not tell the members of portfolios that nobody built."""
    content = measured().as_json()
    del content["given"]
    assert Measured.from_json(content) == replace(measured(), given=())


def test_how_far_charges_lie_apart() -> None:
    """At most, as a share of the budget: 59 and 60 of 60; a single build is as far from nobody."""
    assert measured().charge_spread == pytest.approx(1.0 / 60.0)
    assert replace(measured(), constructions=measured().constructions[:1]).charge_spread is None


def test_the_virtual_best_has_the_smallest_score_on_every_instance() -> None:
    """Of the named ones only, and a timeout only where all of them have one."""
    rows = [row(1, "a", 1, 100.0), row(1, "b", 1, 5.0), row(1, "a", 2, 100.0), row(1, "b", 2, 100.0)]
    best: list[Row] = virtual_best([*rows, row(1, "c", 1, 1.0)], "VBS", ["a", "b"])
    assert [(each.method, each.number, each.score, each.timeout) for each in best] == [
        ("VBS", 1, 5.0, False),
        ("VBS", 2, 100.0, True),
    ]


def test_overhead_is_what_is_not_solver_time() -> None:
    """90 CPU seconds on two workers in 50 s: a tenth was something else; without runs there is nothing to tell."""
    work = measured().work
    assert work.overhead == pytest.approx(0.1)
    assert replace(work, spent=0.0).overhead is None
