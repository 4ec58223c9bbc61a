"""ARCHITECTURE.md is about the code as it is."""

from __future__ import annotations

import re
import tomllib

import ceps
from tests.docs.blocks import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def first_cells(head: str) -> list[str]:
    """The first cells of the table with this head, from top to bottom."""
    table = TEXT.partition(f"| {head} |")[2].partition("\n\n")[0]
    return [line.split("|")[1] for line in table.splitlines()[2:]]


def test_the_list_of_rooms_is_that_of_the_layers() -> None:
    """Rooms stand in the order in which import-linter lets them know each other, and none is left out."""
    rooms = [name for cell in first_cells("room") for name in re.findall(r"`(\w+)/?`", cell)]
    (contract,) = PROJECT["tool"]["importlinter"]["contracts"]
    assert rooms == contract["layers"][::-1]


def test_every_room_is_there() -> None:
    """Whatever is in the package is a room, or what Python and the native core want there."""
    paths = [path for path in (ROOT / "src" / "ceps").iterdir() if path.suffix == ".py" or path.is_dir()]
    (contract,) = PROJECT["tool"]["importlinter"]["contracts"]
    assert {path.stem for path in paths} - {"__init__", "__pycache__", "_native"} == set(contract["layers"])


def test_every_dependency_has_its_reason() -> None:
    """What pyproject.toml asks for stands in the list of dependencies, whoever needs it."""
    project = PROJECT["project"]
    asked = [*PROJECT["build-system"]["requires"], *project["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    asked += [each for extra in project["optional-dependencies"].values() for each in extra]
    names = {re.split(r"[<>=;\[ ]", each, maxsplit=1)[0] for each in asked} - {"ceps"}
    listed = set(re.findall(r"[\w-]+", " ".join(first_cells("dependency"))))
    assert names - listed == set()


def test_the_version_is_one() -> None:
    """The package has the version that its modules tell each other and write into run directories."""
    assert PROJECT["project"]["version"] == ceps.__version__
