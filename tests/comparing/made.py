"""Results of a small comparison, made up so that every figure can be reckoned by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from ceps.comparing.measured import TEST, TRAIN, Construction, Given, Measured, Row, Work
from ceps.comparing.results import virtual_best

SCORES = {
    # method: by split, the scores of the instances 0 (trained on), 1, 2 and 3
    "CEPS": {1: (1.0, 1.0, 2.0, 3.0), 2: (1.0, 2.0, 2.0, 2.0)},
    "A_1": {1: (0.5, 2.0, 4.0, 100.0), 2: (0.5, 3.0, 3.0, 3.0)},
    "B": {1: (3.0, 1.0, 1.0, 1.0), 2: (3.0, 2.0, 2.0, 2.0)},
}
NAMES = ("city-9-1", "city-9-2", "day-9-3", "day-9-4")


def row(split: int, method: str, number: int, score: float) -> Row:
    return Row(
        split=split,
        method=method,
        part=TRAIN if number == 0 else TEST,
        number=number,
        instance=NAMES[number],
        family=NAMES[number].split("-")[0],
        score=score,
        timeout=score >= 100.0,
        components=(None,) if score >= 100.0 else (2 if number == 1 else 1,),
    )


def measured(metric: str = "par10", baseline: str | None = "CEPS") -> Measured:
    rows = [
        row(split, method, number, score)
        for method, splits in SCORES.items()
        for split, scores in splits.items()
        for number, score in enumerate(scores)
    ]
    return Measured(
        metric=metric,
        cutoff=10.0,
        repeats=1,
        budget=60.0,
        methods=tuple(SCORES),
        baseline=baseline,
        rows=tuple(rows),
        constructions=(
            Construction(
                1, "CEPS", ("eax: default configuration", "lkh: KICKS=2"), 1.5, (0.5, 0.25), 59.0, 9.0, 40.0, 7
            ),
            Construction(1, "A_1", ("lkh: default configuration",), 0.5, (inf,), 60.0, 9.0, 10.0, 0),
        ),
        given=(Given(1, "B", ("eax: default configuration", "lkh: default configuration")),),
        spent_on_tests=12.0,
        work=Work(workers=2, wall=50.0, spent=90.0, spent_before=0.0),
        warnings=("beware",),
    )


def with_virtual_best(given: Measured) -> Measured:
    """The same with a virtual best, made better than anybody: half of the best score on every instance."""
    best = [replace(row, score=row.score / 2.0) for row in virtual_best(given.rows, "VBS", given.methods)]
    return replace(given, methods=(*given.methods, "VBS"), rows=(*given.rows, *best))
