"""A store that something has happened to is told by its name: never a traceback, never silently another one."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.store import Reference, Store, StoredInstance
from tests.torture.scale import SEED, TRIED, scaled

SEEDS = range(SEED, SEED + scaled(60, 3000))
CONFIGURATIONS = [Configuration.of("s", {"a": number}) for number in range(10)]
INSTANCES = [StoredInstance(f"i{number}", "p", f"name {number}", f"content {number} " * 50) for number in range(5)]
RUNS = 400


def key(number: int) -> RunKey:
    configuration = CONFIGURATIONS[number % len(CONFIGURATIONS)]
    instance = INSTANCES[number % len(INSTANCES)]
    return RunKey("s", "1", configuration.id, instance.id, seed=number, target=5.0, memory=2**30)


def fill(store: Store) -> None:
    for configuration in CONFIGURATIONS:
        store.add_configuration(configuration)
    for instance in INSTANCES:
        store.add_instance(instance)
        store.put_reference(instance.id, Reference(5, 1.0, "given", 0.0))
    for number in range(RUNS):
        trace = tuple(Incumbent(0.1 * step, 100.0 / step) for step in range(1, number % 7 + 1))
        failed = number % 20 == 0
        outcome = Outcome(
            Ending.CRASHED if failed else Ending.SOLVED,
            cpu=0.01 * number,
            cost=5,
            solution=[number, 1, 2],
            trace=trace,
            reason="odd" if failed else "",
            output="printed " * 100 if failed else "",
            host="here",
        )
        store.record(key(number), 10.0, outcome)
    for number in range(40):
        store.journal_put("phase", {"number": number}, {"members": ["x"] * number}, charge=0.5)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a store that was closed."""
    directory = tmp_path_factory.mktemp("closed")
    with Store.open(directory, {"purpose": "damage"}) as store:
        fill(store)
    return directory


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a store as it lies there when its writer is killed: part of it is in the write-ahead log."""
    directory = tmp_path_factory.mktemp("killed")
    with Store.open(directory / "run", {"purpose": "damage"}) as store:
        fill(store)
        store._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for number in range(RUNS, RUNS + 50):
            store.record(key(number), 10.0, Outcome(Ending.SOLVED, cpu=0.01 * number, cost=5))
        return Path(shutil.copytree(directory / "run", directory / "kept"))


def everything(directory: Path) -> list[object]:
    """All that can be read of a store."""
    with Store.read_only(directory) as store:
        return [
            store.identity,
            store.totals(),
            store.totals_by_asker(),
            list(store.runs()),
            store.journal(),
            [store.configuration(each.id) for each in CONFIGURATIONS],
            [store.instance(each.id) for each in INSTANCES],
            [store.reference(each.id) for each in INSTANCES],
            [store.best_solution(each.id) for each in INSTANCES],
            [store.find(key(number), 10.0, 10.0) for number in range(RUNS)],
        ]


def cut(content: bytearray, rng: random.Random) -> None:
    """Cut short anywhere."""
    del content[rng.randrange(len(content)) :]


def flip(content: bytearray, rng: random.Random) -> None:
    """One to eight bits."""
    for _ in range(rng.randint(1, 8)):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def overwrite(content: bytearray, rng: random.Random) -> None:
    """A block of zeros or noise."""
    start, size = rng.randrange(len(content)), rng.choice([16, 512, 4096])
    block = bytes(size) if rng.random() < 0.5 else rng.randbytes(size)
    content[start : start + size] = block[: len(content) - start]


DAMAGES: list[Callable[[bytearray, random.Random], None]] = [cut, flip, overwrite]


def damaged(original: Path, copy: Path, name: str, seed: int) -> bool:
    """Copy a directory and damage one file of it; whether that has changed the file."""
    rng = random.Random(seed)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(original, copy)
    content = bytearray((copy / name).read_bytes())
    rng.choice(DAMAGES)(content, rng)
    (copy / name).write_bytes(content)
    TRIED["stores damaged"] += 1
    return bytes(content) != (original / name).read_bytes()


def told(directory: Path) -> str:
    """What opening and reading a store comes to: the message, or nothing."""
    message = ""
    try:
        everything(directory)
    except UserError as error:
        message = str(error)
    assert message == "" or "ceps.sqlite" in message
    return message


def test_any_change_of_a_closed_store_is_noticed(closed: Path, tmp_path: Path) -> None:
    """Wherever a closed file was cut, flipped or overwritten, it is refused by name, and left as it is."""
    for seed in SEEDS:
        if damaged(closed, tmp_path / "copy", "ceps.sqlite", seed):
            before = (tmp_path / "copy" / "ceps.sqlite").read_bytes()
            assert told(tmp_path / "copy"), f"seed {seed}"
            with pytest.raises(UserError):
                Store.open(tmp_path / "copy")
            assert (tmp_path / "copy" / "ceps.sqlite").read_bytes() == before


def test_a_damaged_seal_is_told_or_none(closed: Path, tmp_path: Path) -> None:
    """A seal that is damaged itself makes the file suspect or unsealed; nothing else happens."""
    content = everything(closed)
    for seed in SEEDS:
        damaged(closed, tmp_path / "copy", "ceps.seal", seed)
        assert told(tmp_path / "copy") or everything(tmp_path / "copy") == content


def test_a_killed_writer_s_file_that_was_cut_short_is_noticed(killed: Path, tmp_path: Path) -> None:
    """Cut anywhere, the file is refused, or nothing of it is missing: what was cut off is still in the log."""
    content = everything(killed)
    size = (killed / "ceps.sqlite").stat().st_size
    for seed in SEEDS:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(killed, copy)
        with (copy / "ceps.sqlite").open("r+b") as file:
            file.truncate(random.Random(seed).randrange(size))
        TRIED["stores damaged"] += 1
        assert told(copy) or everything(copy) == content, f"seed {seed}"


def test_a_killed_writer_s_damaged_file_is_no_traceback(killed: Path, tmp_path: Path) -> None:
    """Damage that SQLite sees is refused by name. A changed value it cannot see, and without a seal nobody can."""
    noticed = 0
    for seed in SEEDS:
        damaged(killed, tmp_path / "copy", "ceps.sqlite", seed)
        noticed += bool(told(tmp_path / "copy"))
        with suppress(UserError):
            Store.open(tmp_path / "copy").close()
    assert noticed > 0


def test_a_killed_writer_s_file_without_some_of_its_runs_is_noticed(killed: Path, tmp_path: Path) -> None:
    """Rows that another program has removed are missed, also where no seal tells of any change."""
    copy = Path(shutil.copytree(killed, tmp_path / "copy"))
    with closing(sqlite3.connect(copy / "ceps.sqlite")) as connection:
        connection.execute("DELETE FROM runs WHERE id % 50 = 7")
        connection.commit()
    for opened in (Store.open, Store.read_only):
        with pytest.raises(UserError, match=r"ceps\.sqlite: 9 runs are gone that were in it"):
            opened(copy)


@pytest.mark.parametrize(
    ("state", "traces"), [("closed", ["ceps.seal"]), ("killed", ["ceps.tally", "ceps.sqlite-wal"])]
)
def test_a_store_whose_file_was_removed_is_not_begun_anew(
    state: str, traces: list[str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """What lies beside the file tells that there was one: its history is missed, and there is a way out."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in traces:
        shutil.copy(request.getfixturevalue(state) / name, copy)
    while traces:
        with pytest.raises(UserError, match=rf"ceps\.sqlite is missing, .*beside it is {', '.join(traces)}\. Bring"):
            Store.open(copy)
        (copy / traces.pop()).unlink()
    with Store.open(copy, {"purpose": "other"}) as store:
        assert store.totals().runs == 0


def restarted(directory: Path) -> None:
    """Let it be as if the machine was started again since: power may have failed."""
    file = directory / "ceps.tally"
    file.write_bytes(b"0" * 36 + file.read_bytes()[36:])


def test_a_damaged_log_of_a_killed_writer_is_told(killed: Path, tmp_path: Path) -> None:
    """Wherever its log was cut, flipped or overwritten, it is refused by name and left as it is, or nothing is lost."""
    content = everything(killed)
    for seed in SEEDS:
        copy = tmp_path / "copy"
        damaged(killed, copy, "ceps.sqlite-wal", seed)
        before = (copy / "ceps.sqlite").read_bytes()
        if message := told(copy):
            assert "are missing: its log (ceps.sqlite-wal) is damaged" in message
            with pytest.raises(UserError):
                Store.open(copy)
            assert (copy / "ceps.sqlite").read_bytes() == before
        else:
            assert everything(copy) == content, f"seed {seed}"


def empty(log: Path) -> None:
    log.write_bytes(b"")


def zero(log: Path) -> None:
    log.write_bytes(bytes(log.stat().st_size))


def flip_a_bit_of_its_header(log: Path) -> None:
    content = bytearray(log.read_bytes())
    content[17] ^= 1
    log.write_bytes(content)


@pytest.mark.parametrize("spoil", [Path.unlink, empty, zero, flip_a_bit_of_its_header])
@pytest.mark.parametrize("started_again", [False, True])
def test_a_log_that_is_lost_altogether_is_always_told(
    killed: Path, tmp_path: Path, spoil: Callable[[Path], None], started_again: bool
) -> None:
    """Without the log runs are missing, also when the machine was started again since; there is a way out."""
    copy = Path(shutil.copytree(killed, tmp_path / "copy"))
    spoil(copy / "ceps.sqlite-wal")
    if started_again:
        restarted(copy)
    for opened in (Store.open, Store.read_only):
        with pytest.raises(UserError, match=r"\d+ runs and decisions .* are missing.* remove ceps\.tally"):
            opened(copy)
    (copy / "ceps.tally").unlink()
    with Store.open(copy, {"purpose": "damage"}) as store:
        assert store.totals().runs == RUNS


def test_whose_directory_it_is_does_not_depend_on_the_log(tmp_path: Path) -> None:
    """A directory that was claimed stays claimed when all that was written since is lost."""
    with Store.open(tmp_path / "run", {"purpose": "damage"}) as store:
        fill(store)
        kept = Path(shutil.copytree(tmp_path / "run", tmp_path / "kept", ignore=shutil.ignore_patterns("*-wal")))
    (kept / "ceps.tally").unlink()
    with pytest.raises(UserError, match="it is the directory of a damage"):
        Store.open(kept, {"purpose": "other"})


def test_a_log_that_a_power_failure_has_cut_short_is_an_earlier_moment(killed: Path, tmp_path: Path) -> None:
    """When the machine was started again, what was committed before is there, and nothing else is ever read."""
    with Store.read_only(killed) as store:
        whole = [run.execution for run in store.runs()]
    log = (killed / "ceps.sqlite-wal").read_bytes()
    for seed in SEEDS:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(killed, copy)
        (copy / "ceps.sqlite-wal").write_bytes(log[: random.Random(seed).randrange(32, len(log))])
        restarted(copy)
        TRIED["stores damaged"] += 1
        assert told(copy) == ""
        with Store.read_only(copy) as store:
            read = [run.execution for run in store.runs()]
        assert len(read) >= RUNS
        assert read == whole[: len(read)], f"seed {seed}"
        with Store.open(copy, {"purpose": "damage"}) as store:
            assert store.totals().runs == len(read)
        assert not (copy / "ceps.tally").exists()


def test_a_damaged_tally_is_told_or_none(killed: Path, tmp_path: Path) -> None:
    """A tally that is damaged itself makes the log suspect or is none; nothing else happens."""
    content = everything(killed)
    for seed in SEEDS:
        damaged(killed, tmp_path / "copy", "ceps.tally", seed)
        assert told(tmp_path / "copy") or everything(tmp_path / "copy") == content
