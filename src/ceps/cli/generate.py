"""``ceps generate``."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from ceps.cli.shared import answers, messages
from ceps.console import Steps
from ceps.errors import UserError, did_you_mean
from ceps.options import check_output_folder, chosen_generators, make_folder, parameter_values
from ceps.problems import PROBLEMS, Problem, problem_named, problem_names
from ceps.problems.described import DescribedProblem
from ceps.tables import naming
from ceps.texts import counted, generators_text


def generate(
    problem: Annotated[
        str, typer.Argument(help=f"The problem class: {', '.join(PROBLEMS)}; or the description of your own, sat.toml.")
    ],
    generator: Annotated[
        list[str] | None,
        typer.Option(
            help="Which one, or all; may be given several times. Default: uniform for tsp, city for vrpspdtw, else the "
            "first.",
            show_default=False,
        ),
    ] = None,
    instance_size: Annotated[
        int, typer.Option("--size", "--customers", min=1, help="How large: the number of cities, or of customers.")
    ] = 400,
    count: Annotated[int, typer.Option(min=1, help="How many instances of each generator.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the first instance; the next ones count up from it.")] = 1,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the generator: epsilon=0.2; may be given several times."),
    ] = None,
    city_seed: Annotated[
        int | None, typer.Option(help="The city that vrpspdtw's city draws its days from: --set city_seed=1.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="Show the generators and their parameters, and make nothing.")
    ] = False,
) -> None:
    """Make instances. `ceps generate tsp --list` shows the generators and their parameters.

    **Example:** `ceps generate tsp --generator uniform --size 400 --count 5 --seed 1 --out data/train`

    **Example:** `ceps generate tsp --generator all --size 800 --count 50 --out data/paper`

    **Example:** `ceps generate tsp --generator explosion --set epsilon=0.2 --set rate=5`

    **Example:** `ceps generate vrpspdtw --customers 400 --count 20 --city-seed 1 --out data/city`

    **Example:** `ceps generate sat.toml --size 200 --count 5 --out data/formulas`
    """
    chosen = _problem(problem)
    if listing:
        answers.print(generators_text(chosen))
        return
    given = [*(parameter or []), *([] if city_seed is None else [f"city_seed={city_seed}"])]
    check_output_folder(out)
    names, values = chosen_generators(chosen, generator or [chosen.default_generator]), parameter_values(given)
    with Steps(messages, {"Generating": len(names) * count, "Writing": len(names) * count}) as steps:
        instances = []
        for name, index in product(names, range(count)):
            with naming("--generator"):
                instances.append(chosen.generate(name, instance_size, seed + index, values))
            steps.done("Generating")
        paths = [out / f"{instance.name}{chosen.suffixes[0]}" for instance in instances]
        if existing := [path for path in paths if os.path.exists(path) and not force]:
            raise UserError(f"{existing[0]} exists; use another --out or --seed, or --force to overwrite")
        make_folder(out)
        for instance, path in zip(instances, paths, strict=True):
            chosen.write(instance, path)
            steps.done("Writing")
    answers.print(f"{counted(len(instances), 'instance')} in {out}")


def _problem(named: str) -> Problem:
    """A problem by its name, or by its description, whose programs are the user's own to name."""
    if named.endswith(".toml"):
        return DescribedProblem.described(Path(named))
    if named not in (known := problem_names()):
        raise UserError(
            f"problem '{named}' is unknown.{did_you_mean(named, known)} One of your own is given as the file that "
            f"describes it: ceps generate {named}.toml"
        )
    return problem_named(named)
