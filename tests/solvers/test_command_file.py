"""Descriptions of solvers: what they may say, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from ConfigSpace import Categorical, ConfigurationSpace, InCondition, Integer

from ceps.errors import UserError
from ceps.solvers.command import Command

MINIMAL = """
name = "clasp"
problems = ["sat"]
command = ["sh", "{instance}", "{parameters}"]
[output]
solution = '^v (.*)$'
"""
SPACE = """
[space]
heuristic = { type = "categorical", values = ["Berkmin", "Vsids"], default = "Vsids" }
restarts = { type = "integer", low = 1, high = 1000, log = true, default = 100, when = { heuristic = ["Vsids"] } }
decay = { type = "float", low = 0, high = 1, default = 0.5, when = { heuristic = ["Vsids"] } }
level = { type = "categorical", values = [0, 2, 3], default = 2 }
"""
OLD_PCS = """
# the format of 2009
heuristic {Berkmin, Vsids} [Vsids]
restarts [1, 1000] [100]il
decay [0.0, 1.0] [0.5]
Conditionals:
restarts | heuristic in {Vsids}
Forbidden:
{heuristic=Berkmin, decay=0.5}
"""
NEW_PCS = """
heuristic categorical {Berkmin, Vsids} [Vsids]
restarts integer [1, 1000] [100]log
decay real [0.0, 1.0] [0.5]
restarts | heuristic in {Vsids}
"""


def described(folder: Path, text: str) -> Command:
    path = folder / "clasp.toml"
    path.write_text(text)
    return Command.described(path)


def test_a_space_that_is_written_out(tmp_path: Path) -> None:
    """Types, ranges, scales, defaults and conditions are those of the description."""
    space = described(tmp_path, MINIMAL + SPACE).space
    assert dict(space.get_default_configuration()) == {"heuristic": "Vsids", "restarts": 100, "decay": 0.5, "level": 2}
    assert (space["restarts"].lower, space["restarts"].upper, space["restarts"].log) == (1, 1000, True)
    space.seed(1)
    for point in space.sample_configuration(50):
        assert ("restarts" in point) == ("decay" in point) == (point["heuristic"] == "Vsids")


@pytest.mark.parametrize("text", [OLD_PCS, NEW_PCS], ids=["old", "new"])
def test_pcs_files(tmp_path: Path, text: str) -> None:
    """A space may be a .pcs file of the old or of the new format."""
    (tmp_path / "clasp.pcs").write_text(text)
    space = described(tmp_path, MINIMAL + '[space]\nfile = "clasp.pcs"').space
    assert dict(space.get_default_configuration()) == {"heuristic": "Vsids", "restarts": 100, "decay": 0.5}
    assert space["restarts"].log


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_files_of_configspace(tmp_path: Path, ending: str) -> None:
    """A space may be a file that ConfigSpace has written."""
    written = described(tmp_path, MINIMAL + SPACE).space
    getattr(written, f"to_{ending}")(tmp_path / f"space.{ending}")
    read = described(tmp_path, MINIMAL + f'[space]\nfile = "space.{ending}"').space
    assert dict(read.get_default_configuration()) == dict(written.get_default_configuration())


def test_values_that_conditions_share(tmp_path: Path) -> None:
    """A list of values that several conditions have in common is an alias where ConfigSpace writes YAML; it is read."""
    written = ConfigurationSpace()
    written.add(Categorical("a", ["x", "y", "z"], default="x"), Integer("b", (1, 9)), Integer("c", (1, 9)))
    shared = ["x", "y"]
    written.add(*(InCondition(written[name], written["a"], shared) for name in "bc"))
    written.to_yaml(tmp_path / "space.yaml")
    assert "*id001" in (tmp_path / "space.yaml").read_text()
    read = described(tmp_path, MINIMAL + '[space]\nfile = "space.yaml"').space
    assert [condition.values for condition in read.conditions] == [shared, shared]


def test_another_space_is_another_version(tmp_path: Path) -> None:
    """What is in the description, and in the file of its space, is part of the version."""
    (tmp_path / "clasp.pcs").write_text(NEW_PCS)
    text = MINIMAL + '[space]\nfile = "clasp.pcs"'
    first, same = described(tmp_path, text), described(tmp_path, text)
    assert (first.version, first) == (same.version, same)
    (tmp_path / "clasp.pcs").write_text(NEW_PCS.replace("1000", "2000"))
    assert described(tmp_path, text).version != first.version
    assert described(tmp_path, "# changed\n" + text).version != first.version


FILED = MINIMAL.replace("{parameters}", "{parameter_file}")
MISTAKES = {
    "unknown key": (MINIMAL.replace("problems", "problem"), "unknown key 'problem'. Did you mean 'problems'?"),
    "missing key": (MINIMAL.replace('name = "clasp"', ""), "clasp.toml: the key 'name' is missing"),
    "name": (MINIMAL.replace('"clasp"', '"cl asp"'), "clasp.toml: name must be a name of letters, digits"),
    "a shell's text": (MINIMAL.replace('["sh", "{instance}", "{parameters}"]', '"sh"'), "command must be a list"),
    "placeholder": (MINIMAL.replace("{instance}", "{instanec}"), "command has the unknown placeholder {instanec}. D"),
    "no instance": (MINIMAL.replace("{instance}", "x"), "command must have the placeholder {instance}"),
    "glued": (MINIMAL.replace("{parameters}", "-p={parameters}"), "must stand alone"),
    "no parameters": (MINIMAL.replace(', "{parameters}"', "") + SPACE, "must have the placeholder {parameters}"),
    "both": (MINIMAL.replace('"{parameters}"', '"{parameters}", "{parameter_file}"'), "give either"),
    "nothing to read": (MINIMAL.replace("solution = '^v (.*)$'", ""), "must tell how to read an answer"),
    "expression": (MINIMAL.replace("(.*)", "(.*"), "[output] solution is no regular expression"),
    "no group": (MINIMAL.replace("(.*)", ".*"), "[output] solution must have one group"),
    "json and more": (MINIMAL + "json = true", "json = true reads everything"),
    "nothing to join": (MINIMAL.replace("solution", "cost") + "join_lines = true", "join_lines is for a solution"),
    "exit codes": (MINIMAL + "exit_codes = [300]", "exit_codes must be a list of numbers from 0 to 255"),
    "parameter": ('parameter = "--{name}"\n' + MINIMAL, "parameter must have the placeholder {value}"),
    "environment": (MINIMAL + "[environment]\nA = 1", "environment must have texts: A = 1 is none"),
    "type": (MINIMAL + SPACE.replace('"float"', '"real"'), "[space.decay] type = 'real' is unknown"),
    "default": (MINIMAL + SPACE.replace("default = 100", "default = 0"), "[space.restarts] default = 0 must be from"),
    "whole": (MINIMAL + SPACE.replace("default = 100", "default = 1.5"), "default must be a whole number, not 1.5"),
    "choice": (MINIMAL + SPACE.replace('default = "Vsids"', 'default = "Unit"'), "default = 'Unit' is none of values"),
    "mixed": (MINIMAL + SPACE.replace("[0, 2, 3]", '[0, "a", 2]'), "[space.level] values must be of one kind"),
    "twice": (MINIMAL + SPACE.replace("[0, 2, 3]", "[0, 2, 2]"), "[space.level] values has a value twice"),
    "boolean": (MINIMAL + SPACE.replace("[0, 2, 3]", "[true]"), "must not be true or false"),
    "parent": (MINIMAL + SPACE.replace("{ heuristic =", "{ heurstic ="), "when names 'heurstic', which is no other"),
    "its value": (MINIMAL + SPACE.replace('= ["Vsids"]', '= ["Unit"]'), "heuristic is never 'Unit'"),
    "log": (MINIMAL + SPACE.replace("low = 1,", "low = 0,"), "log = true needs a low above 0"),
    "parameter's name": (MINIMAL + SPACE.replace("decay", '"a b"'), "[space.a b] must be a name of letters"),
    "parameter's key": (MINIMAL + SPACE.replace("high", "hihg"), "unknown key 'hihg'. Did you mean 'high'?"),
    "no space": (MINIMAL + "[space]\nx = 3", "[space.x] must be a table, not 3"),
    "switch": ('switches = { decay = { a = "-a" } }\n' + MINIMAL + SPACE, "[switches] decay is no categorical"),
    "switch's value": (
        'switches = { heuristic = { Vsids = "-v" } }\n' + MINIMAL + SPACE,
        "[switches.heuristic] has nothing for 'Berkmin'",
    ),
    "deep expression": (MINIMAL.replace("(.*)", "(" * 3000 + ")" * 3000), "[output] solution is no regular expression"),
    "large expression": (MINIMAL.replace("(.*)", "(a{99999999999999})"), "[output] solution is no regular expression"),
    "home": (MINIMAL.replace('"sh"', '"~no-such-user/sh"'), "a command names the home of an unknown user"),
    "no end": (MINIMAL + SPACE.replace("high = 1,", "high = inf,"), "[space.decay] high must be a number between"),
    "too large": (MINIMAL + SPACE.replace("1000", "1" + 400 * "0"), "[space.restarts] high must be a number between"),
    "too near": (MINIMAL + SPACE.replace("high = 1,", "high = 1e-320,").replace("0.5", "0"), "[space]: not a "),
    "NUL": (MINIMAL + SPACE.replace("Berkmin", "a\\u0000b"), "[space.heuristic] values has a word with a NUL"),
    "line break": (FILED + SPACE.replace("Berkmin", "a\\nb"), "[space]: 'a\\nb' has a line break"),
    "switch with a line break": (
        'switches = { heuristic = { Berkmin = "-b\\r-l", Vsids = "" } }\n' + FILED + SPACE,
        "'-b\\r-l' has a line break",
    ),
    "switch with a NUL": (
        'switches = { heuristic = { Berkmin = "\\u0000", Vsids = "" } }\n' + MINIMAL + SPACE,
        "switches has a word with a NUL",
    ),
    "circle": (
        MINIMAL + SPACE.replace("default = 2 }", 'default = 2, when = { more = ["a"] } }')
        + 'more = { type = "categorical", values = ["a", "b"], default = "a", when = { level = [2] } }',
        "[space]: not a parameter space: conditions go round in a circle",
    ),
    "number's value": (
        MINIMAL + SPACE.replace('when = { heuristic = ["Vsids"] } }\nlevel', "when = { restarts = [5000] } }\nlevel"),
        "illegal value '5000'",
    ),
    "boxed": (MINIMAL.replace('"sat"', '"tsp"'), "solutions of problem 'tsp' are read from {solution_file}"),
    "boxed among others": (MINIMAL.replace('"sat"', '"sat", "tsp"'), "problems: 'tsp' must be the only one"),
    "not TOML": ("name = ", "clasp.toml: not valid TOML"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    """Every mistake in a description is told with its file, its key and the fix."""
    with pytest.raises(UserError) as caught:
        _ = described(tmp_path, text).space
    assert "clasp.toml: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.pcs", None, "none.pcs: there is no such file"),
        ("a.txt", "x", "a.txt: not a parameter space: such a file ends in .json"),
        ("b.json", "{}", "b.json: not a parameter space"),
        (
            "c.json",
            '{"hyperparameters": [{"type": "uniform_float", "name": "a", "lower": 0, "upper": 1e999, '
            '"default_value": 1}]}',
            "c.json: not a parameter space: the range of a must be between",
        ),
        ("d.json", '{"hyperparameters": [{"type": "constant", "name": "a\\u0000", "value": 1}]}', "a word with a NUL"),
        ("a.json", "[", "a.json: not a parameter space"),
        ("a.pcs", "\nwhat is this", "a.pcs: not a parameter space: line 2: 'what is this': this is no parameter"),
    ],
)
def test_spaces_that_are_none(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    """A file that has no space in it is named, with what is wrong in words and not in names of Python's classes."""
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match=r".") as caught:
        _ = described(tmp_path, MINIMAL + f'[space]\nfile = "{name}"').space
    assert message in str(caught.value)
    assert "Error" not in str(caught.value)


def test_switches_are_held_against_a_space_in_a_file(tmp_path: Path) -> None:
    """A switch of a parameter that the file does not have, or without one of its values, is told."""
    (tmp_path / "clasp.pcs").write_text(NEW_PCS)
    text = MINIMAL + '[space]\nfile = "clasp.pcs"\n[switches]\n'
    for switches, message in {
        'heurstic = { Vsids = "" }': "[switches] heurstic is no categorical parameter in [space]",
        'decay = { "0.5" = "" }': "[switches] decay is no categorical parameter in [space]",
        'heuristic = { Vsids = "" }': "[switches.heuristic] has nothing for 'Berkmin'",
    }.items():
        with pytest.raises(UserError) as caught:
            _ = described(tmp_path, text + switches).space
        assert message in str(caught.value)
    assert len(described(tmp_path, text + 'heuristic = { Vsids = "", Berkmin = "-b" }').space) == 3


def test_a_program_that_cannot_be_read(tmp_path: Path) -> None:
    """A script whose content cannot be had is told: nobody could say later what was run."""
    (tmp_path / "s.sh").symlink_to("/proc/self/mem")
    with pytest.raises(UserError, match=r"cannot be read: .*; its content is part of what a run is"):
        _ = described(tmp_path, MINIMAL.replace('"sh", ', '"sh", "{here}/s.sh", ')).version
