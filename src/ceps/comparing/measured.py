"""What a comparison has measured: who did what on which instance, and what was built at which price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from math import inf, isfinite
from typing import Any

TRAIN, TEST = "train", "test"


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one instance of one split: the median of its repeats."""

    split: int
    method: str
    part: str
    """``train`` or ``test``. Training instances are tested as well, with seeds the methods have not seen."""
    number: int
    """The instance's position in the whole set, which tells instances of equal names apart."""
    instance: str
    family: str
    score: float
    timeout: bool
    components: tuple[int | None, ...]
    """For every repeat the member (from 1) that was the best, if any had a solution; none of a virtual best."""


@dataclass(frozen=True, slots=True)
class Construction:
    """What a method built on one split, and what that took in CPU seconds."""

    split: int
    method: str
    members: tuple[str, ...]
    """In words."""
    training_score: float
    """By the method's own last comparison; instances that were made are included."""
    losses: tuple[float, ...]
    """By how much that score would rise without each member; infinite for an only one."""
    charged: float
    references: float
    """Of that, for the costs that count as solved."""
    spent: float
    """Runs really made for it. Those made before for others came from the store, and are charged all the same."""
    made_instances: int
    """New instances it trained on."""


@dataclass(frozen=True, slots=True)
class Given:
    """A portfolio that took part on a split and was not what a build came to: a first one, or a fixed one."""

    split: int
    method: str
    members: tuple[str, ...]
    """In words."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the machine did, since the last start of the comparison."""

    workers: int
    wall: float
    spent: float
    spent_before: float
    """CPU seconds of runs that were made before the last start."""

    @property
    def overhead(self) -> float | None:
        """The share of the workers' time that was not solver CPU; None where nothing was run."""
        return 1.0 - self.spent / (self.workers * self.wall) if self.spent > 0.0 else None


@dataclass(frozen=True, slots=True)
class Measured:
    """All that a comparison has measured."""

    metric: str
    cutoff: float
    repeats: int
    budget: float
    methods: tuple[str, ...]
    """Labels, in the order of the table."""
    baseline: str | None
    """Whom the others are held against: CEPS; without it, the best contender."""
    rows: tuple[Row, ...]
    constructions: tuple[Construction, ...]
    given: tuple[Given, ...]
    spent_on_tests: float
    """CPU seconds, references of test instances included."""
    work: Work
    warnings: tuple[str, ...]

    @property
    def contenders(self) -> tuple[str, ...]:
        """Who may be the best: all but virtual bests, which are nobody's method, so that none of their rows names a
        member."""
        named = {row.method for row in self.rows if row.components}
        return tuple(method for method in self.methods if method in named)

    @property
    def charge_spread(self) -> float | None:
        """How far charges of builds lie apart at most, as a share of the budget; None where less than two were made."""
        charges = [built.charged for built in self.constructions]
        return (max(charges) - min(charges)) / self.budget if len(charges) > 1 else None

    def as_json(self) -> dict[str, Any]:
        """What :meth:`from_json` makes the same of. JSON has no infinity: the loss of an only member is None."""
        content = asdict(self)
        content["rows"] = [list(astuple(row)) for row in self.rows]  # many: their keys would be most of the text
        for built in content["constructions"]:
            built["losses"] = [loss if isfinite(loss) else None for loss in built["losses"]]
        return content

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Measured:
        constructions = [
            {
                **built,
                "members": tuple(built["members"]),
                "losses": tuple(inf if loss is None else loss for loss in built["losses"]),
            }
            for built in content["constructions"]
        ]
        return cls(
            **{
                **content,
                "methods": tuple(content["methods"]),
                "rows": tuple(_row(row) for row in content["rows"]),
                "constructions": tuple(Construction(**built) for built in constructions),
                # Run directories from before do not tell their members.
                "given": tuple(
                    Given(**{**each, "members": tuple(each["members"])}) for each in content.get("given", ())
                ),
                "work": Work(**content["work"]),
                "warnings": tuple(content["warnings"]),
            }
        )


def _row(values: Sequence[Any]) -> Row:
    row = Row(*values)
    return replace(row, components=tuple(row.components))
