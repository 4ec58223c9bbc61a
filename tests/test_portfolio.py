"""A portfolio file is written whole, read back the same, and trusted in nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.portfolio import MetricChoice, Portfolio
from ceps.records import Configuration
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration
from tests import described

PORTFOLIO = Portfolio(
    problem="tsp",
    members=(default_configuration(Lkh()), Configuration.of("lkh", {"MOVE_TYPE": 3, "INITIAL_TOUR_FRACTION": 0.5})),
    metric=MetricChoice("panc", 10.0, penalty=7.5),
    solver_settings={"lkh": {"binary": "/opt/LKH"}},
    provenance={"method": "by hand", "seed": 1, "scores": [0.1, 1e-300]},
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def good() -> dict[str, Any]:
    return {
        "format": 1,
        "problem": "tsp",
        "metric": {"name": "par10", "cutoff": 10},
        "members": [{"solver": "lkh", "parameters": {"MOVE_TYPE": 3}}, {"solver": "lkh", "parameters": {}}],
        "solvers": {"lkh": {"binary": "/opt/LKH"}},
        "provenance": {"seed": 1},
    }


def load(folder: Path, content: object) -> Portfolio:
    path = folder / "p.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return Portfolio.load(path)


def refusal(folder: Path, content: object) -> str:
    """The message of the UserError that a content meets; nothing when it is read."""
    try:
        load(folder, content)
    except UserError as error:
        return str(error)
    return ""


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    """A portfolio survives its file, to the last bit and with all that comes with it."""
    PORTFOLIO.save(tmp_path / "p.json")
    assert Portfolio.load(tmp_path / "p.json") == PORTFOLIO
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


@given(st.integers(1, 2**31 - 1))
@settings(derandomize=True, deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_configuration_of_a_space_survives(tmp_path: Path, seed: int) -> None:
    """Whatever configuration a solver's space holds, a portfolio of it is read back the same."""
    space = Lkh().space
    space.seed(seed)
    values = {
        key: getattr(value, "item", lambda value=value: value)()
        for key, value in dict(space.sample_configuration()).items()
    }
    portfolio = Portfolio("tsp", (Configuration.of("lkh", values),), MetricChoice("par10", 1.0))
    portfolio.save(tmp_path / "p.json")
    assert Portfolio.load(tmp_path / "p.json") == portfolio


def test_solvers_have_the_settings_of_the_file() -> None:
    """The solvers of a portfolio are made with the settings that it brings."""
    assert PORTFOLIO.solvers() == {"lkh": Lkh(Path("/opt/LKH"))}


def test_a_whole_number_for_a_real_parameter_is_the_same_configuration(tmp_path: Path) -> None:
    """``1`` and ``1.0`` are one value of a real parameter, so they make one configuration."""
    ids = set()
    for fraction in (1, 1.0):
        ids.add(load(tmp_path, good() | {"members": [member({"INITIAL_TOUR_FRACTION": fraction})]}).members[0].id)
    assert len(ids) == 1


def test_description() -> None:
    """A description tells what differs from the defaults."""
    lines = PORTFOLIO.describe().splitlines()
    assert lines[0] == "Portfolio of 2 for tsp (panc, cut-off 10 s)"
    assert lines[1] == "  1. lkh: default configuration"
    assert lines[2] == "  2. lkh: INITIAL_TOUR_FRACTION=0.5, MOVE_TYPE=3"


def test_saving_where_nothing_can_be_saved(tmp_path: Path) -> None:
    """A place that cannot be written to is told by its name, and nothing half-written is left."""
    with pytest.raises(UserError, match=r"none/p\.json: cannot be written: No such file"):
        PORTFOLIO.save(tmp_path / "none" / "p.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(UserError, match=r"folder\.json: cannot be written: Is a directory"):
        PORTFOLIO.save(tmp_path / "folder.json")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.json"]


def member(parameters: object, **others: object) -> dict[str, object]:
    return {"solver": "lkh", "parameters": parameters, **others}


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in good().items() if name != key}


MISTAKES: dict[str, tuple[object, str]] = {
    "empty": ("", "p.json: not a JSON file"),
    "truncated": (json.dumps(good())[:-20], "p.json: not a JSON file"),
    "deeply nested": ("[" * 100_000, "p.json: not a JSON file"),
    "digits": ("9" * 5000, "p.json: not a JSON file"),
    "NaN": ('{"format": NaN}', "p.json: not a JSON file: NaN is not a JSON value"),
    "no object": ([good()], "p.json: must be a table, not [{"),
    "newer": (good() | {"format": 2, "new": 1}, "p.json: format 2 is not 1; is ceps up to date?"),
    "no format": (without("format"), "p.json: the key 'format' is missing"),
    "unknown key": (good() | {"metrics": 1}, "p.json: unknown key 'metrics'. Did you mean 'metric'?"),
    "no problem": (without("problem"), "p.json: the key 'problem' is missing"),
    "unknown problem": (good() | {"problem": "tps"}, "p.json: problem 'tps' is unknown. Did you mean 'tsp'?"),
    "no members": (without("members"), "p.json: the key 'members' is missing"),
    "many members": (good() | {"members": [member({})] * 257}, "must be a list of at most 256 configurations, not 257"),
    "empty members": (good() | {"members": []}, "p.json: members must be a list of at least one configuration"),
    "object for members": (good() | {"members": {}}, "p.json: members must be a list, not {}"),
    "no member": (good() | {"members": [3]}, "p.json: members[0] must be a table, not 3"),
    "member without solver": (good() | {"members": [{"parameters": {}}]}, "members[0] the key 'solver' is missing"),
    "unknown solver": (
        good() | {"members": [{"solver": "lhk", "parameters": {}}]},
        "p.json: solver 'lhk' is unknown. Did you mean 'lkh'?",
    ),
    "no parameters": (good() | {"members": [{"solver": "lkh"}]}, "members[0] the key 'parameters' is missing"),
    "parameters of no kind": (good() | {"members": [member(None)]}, "members[0] parameters must be a table, not None"),
    "more than a member": (good() | {"members": [member({}, code="x")]}, "p.json: members[0] unknown key 'code'"),
    "unknown parameter": (
        good() | {"members": [member({}), member({"MOVE_TYP": 3})]},
        "p.json: members[1] unknown parameter 'MOVE_TYP'. Did you mean 'MOVE_TYPE'?",
    ),
    "out of range": (good() | {"members": [member({"MOVE_TYPE": 9})]}, "members[0] MOVE_TYPE = 9 is not allowed"),
    "float for int": (good() | {"members": [member({"MOVE_TYPE": 3.0})]}, "MOVE_TYPE = 3.0 is not allowed"),
    "bool for int": (good() | {"members": [member({"KICKS": True})]}, "KICKS = True is not allowed"),
    "bool for a choice of ints": (good() | {"members": [member({"KICK_TYPE": False})]}, "= False is not allowed"),
    "bool for float": (good() | {"members": [member({"INITIAL_TOUR_FRACTION": True})]}, "= True is not allowed"),
    "text for int": (good() | {"members": [member({"KICKS": "3"})]}, "KICKS = '3' is not allowed"),
    "lists for int": (good() | {"members": [member({"KICKS": [3, 4]})]}, "KICKS = [3, 4] is not allowed"),
    "object for choice": (good() | {"members": [member({"GAIN23": {}})]}, "GAIN23 = {} is not allowed"),
    "null for int": (good() | {"members": [member({"KICKS": None})]}, "KICKS = None is not allowed"),
    "huge int": (good() | {"members": [member({"KICKS": 10**400})]}, "KICKS = 1000"),
    "huge int for float": (good() | {"members": [member({"INITIAL_TOUR_FRACTION": 10**400})]}, "is not allowed"),
    "line break in a choice": (good() | {"members": [member({"GAIN23": "yes\nRUNS = 1"})]}, "is not allowed"),
    "no metric": (without("metric"), "p.json: the key 'metric' is missing"),
    "metric of text": (good() | {"metric": "par10"}, "p.json: [metric] must be a table, not 'par10'"),
    "no cut-off": (good() | {"metric": {"name": "par10"}}, "p.json: [metric] the key 'cutoff' is missing"),
    "cut-off 0": (good() | {"metric": {"name": "par10", "cutoff": 0}}, "[metric] cutoff must be a number above 0"),
    "cut-off text": (good() | {"metric": {"name": "par10", "cutoff": "1"}}, "[metric] cutoff must be a number"),
    "cut-off huge": (good() | {"metric": {"name": "par10", "cutoff": 10**400}}, "[metric] cutoff must be finite"),
    "cut-off infinite": (json.dumps(good()).replace("10}", "1e999}"), "[metric] cutoff must be finite, not inf"),
    "penalty negative": (
        good() | {"metric": {"name": "panc", "cutoff": 1, "penalty": -1}},
        "[metric] penalty must be a number above 0, not -1",
    ),
    "metric unknown key": (
        good() | {"metric": {"name": "par10", "cutof": 1}},
        "p.json: [metric] unknown key 'cutof'. Did you mean 'cutoff'?",
    ),
    "settings of a stranger": (good() | {"solvers": {"shell": {}}}, "p.json: solver 'shell' is unknown"),
    "unknown setting": (
        good() | {"solvers": {"lkh": {"binry": "x"}}},
        "p.json: [solvers.lkh] unknown key 'binry'. Did you mean 'binary'?",
    ),
    "setting of wrong type": (good() | {"solvers": {"lkh": {"binary": 3}}}, "[solvers.lkh] binary must be a text"),
    "solvers of no kind": (good() | {"solvers": []}, "p.json: solvers must be a table, not []"),
    "provenance of no kind": (good() | {"provenance": "me"}, "p.json: provenance must be a table, not 'me'"),
}


@pytest.mark.parametrize(("content", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes(tmp_path: Path, content: object, message: str) -> None:
    """Whatever is wrong with a file is told with the file's name and the key."""
    told = refusal(tmp_path, content)
    assert told.startswith(f"{tmp_path / 'p.json'}: ")
    assert message in told


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder and a binary are told as such."""
    with pytest.raises(UserError, match=r"none\.json: there is no such file"):
        Portfolio.load(tmp_path / "none.json")
    with pytest.raises(UserError, match="this is a directory"):
        Portfolio.load(tmp_path)
    (tmp_path / "b.json").write_bytes(bytes(range(256)))
    with pytest.raises(UserError, match=r"b\.json: not a JSON file"):
        Portfolio.load(tmp_path / "b.json")


@given(ANYTHING)
@settings(
    derandomize=True, deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_json_is_refused_by_name(tmp_path: Path, content: object) -> None:
    """Arbitrary JSON is no portfolio, and is told so with the file's name."""
    assert refusal(tmp_path, json.dumps(content)).startswith(f"{tmp_path / 'p.json'}: ")


PLACES: list[tuple[str | int, ...]] = [
    *((key,) for key in good()),
    ("metric", "name"),
    ("metric", "cutoff"),
    ("metric", "penalty"),
    ("members", 0),
    ("members", 0, "solver"),
    ("members", 0, "parameters"),
    ("members", 0, "parameters", "MOVE_TYPE"),
    ("members", 0, "parameters", "GAIN23"),
    ("members", 0, "parameters", "KICK_TYPE"),
    ("members", 0, "parameters", "INITIAL_TOUR_FRACTION"),
    ("members", 0, "other"),
    ("solvers", "lkh"),
    ("solvers", "lkh", "binary"),
    ("solvers", "other"),
    ("provenance", "seed"),
]


@given(st.sampled_from(PLACES), ANYTHING)
@example(("solvers", "lkh", "binary"), "~\0")
@example(("solvers", "lkh", "binary"), "~\ud800")
@example(("provenance", "seed"), "\ud800")
@settings(
    derandomize=True, deadline=None, max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_portfolio_with_anything_in_it_is_read_or_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: object
) -> None:
    """A good file with an arbitrary value at any place is a portfolio that can be saved again, or refused by name."""
    content: Any = good()
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    told = refusal(tmp_path, json.dumps(content))
    if told:
        assert told.startswith(f"{tmp_path / 'p.json'}: ")
    else:
        read = load(tmp_path, json.dumps(content))
        read.save(tmp_path / "again.json")
        assert Portfolio.load(tmp_path / "again.json") == read
        assert read.describe()


def test_programs_are_named_and_never_contained(tmp_path: Path) -> None:
    """A portfolio of a described solver has the path of its description; a command in the file is refused."""
    described.solver(tmp_path, "print()")
    described.problem(tmp_path)
    content = {
        "format": 1,
        "problem": "zeros",
        "problem_settings": {"file": "zeros.toml"},
        "metric": {"name": "par10", "cutoff": 1},
        "members": [{"solver": "filler", "parameters": {"ones": 3}}],
        "solvers": {"filler": {"file": "filler.toml"}},
    }
    portfolio = load(tmp_path, content)
    assert portfolio.solver_settings == {"filler": {"file": str(tmp_path / "filler.toml")}}
    assert portfolio.problem_class.name == "zeros"
    assert portfolio.solvers()["filler"].name == "filler"
    embedded = {**content, "solvers": {"filler": {"file": "filler.toml", "command": ["rm", "-rf", "/"]}}}
    assert "[solvers.filler] unknown key 'command'" in refusal(tmp_path, embedded)
    missing = {**content, "solvers": {"filler": {"file": "no-such.toml"}}}
    assert "no-such.toml: there is no such file" in refusal(tmp_path, missing)


def test_descriptions_are_looked_for_beside_the_portfolio(tmp_path: Path) -> None:
    """A description that is no longer where it was may stand beside the portfolio."""
    described.solver(tmp_path, "print()")
    described.problem(tmp_path)
    content = {
        "format": 1,
        "problem": "zeros",
        "problem_settings": {"file": "/no/such/zeros.toml"},
        "metric": {"name": "par10", "cutoff": 1},
        "members": [{"solver": "filler", "parameters": {}}],
        "solvers": {"filler": {"file": "/no/such/filler.toml"}},
    }
    assert load(tmp_path, content).solver_settings == {"filler": {"file": str(tmp_path / "filler.toml")}}


def test_a_combination_that_the_solver_forbids_is_refused(tmp_path: Path) -> None:
    """Each value is allowed, and both together are not: the file is told, the member and the combination."""
    described.problem(tmp_path)
    space = "a {0,1} [1]\nb {0,1} [1]\n{a=0, b=0}\n"
    (tmp_path / "filler.pcs").write_text(space)
    table = described.SOLVER[described.SOLVER.index("[space]") : described.SOLVER.index("[output]")]
    described.solver(tmp_path, "", described.SOLVER.replace(table, '[space]\nfile = "filler.pcs"\n'))
    for values, refused in (({"a": "0", "b": "1"}, False), ({"a": "0"}, False), ({"a": "0", "b": "0"}, True)):
        members = [{"solver": "filler", "parameters": values}]
        (tmp_path / "p.json").write_text(json.dumps({**described.PORTFOLIO, "members": members}))
        if refused:
            with pytest.raises(
                UserError, match=r"p\.json: members\[0\] has a combination that its solver forbids: .*a"
            ):
                Portfolio.load(tmp_path / "p.json")
        else:
            Portfolio.load(tmp_path / "p.json")
