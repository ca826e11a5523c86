"""What an import does with damage, with lies, with records of all kinds, and with names."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from archive.games import START, a_game, log_of, rechained
from archive.tools.scripts import WHOLE, empty, play, quiet, tables
from archive.tools.test_backup import restore
from pierule_archive.archive import Archive
from pierule_archive.schema import games, players
from pierule_archive.tools.backup import back_up
from pierule_archive.tools.checking import flaws
from pierule_archive.tools.folder import MANIFEST, BadFolder
from pierule_archive.tools.importing import Import
from pierule_archive.tools.sources import Flaw, sources_in
from pierule_protocol.log.events import Entry
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import RoomRecord, record_of, write_record
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import Room, room_digest, room_state


def brought(
    archive: Archive, *paths: Path, deleted: frozenset[str] = frozenset()
) -> tuple[int, list[str]]:
    """How many games were imported, and what was said of those that were not."""
    told: list[str] = []
    run = Import(archive.engine, deleted, quiet(), told.append)
    run.run(sources_in(paths))
    assert run.refused == len(told)
    return run.added, told


def record(room_id: str, entries: tuple[Entry, ...]) -> RoomRecord:
    """What `pierule export` and `--export-file` write, with names beside the events."""
    room: Room | None = None
    events = []
    for entry in entries:
        room = fold(room, room_id, entry)
        events.append(LogEntry.of(entry, room_digest(room)))
    assert room is not None
    return record_of(room_state(room), events)


def line(room: str, **how: Any) -> bytes:
    return msgspec.json.encode(record(room, log_of(room, **how)))


def rooms(archive: Archive) -> list[str]:
    with archive.engine.connect() as connection:
        return list(connection.scalars(select(games.c.room).order_by(games.c.feed)))


def names(archive: Archive) -> dict[str, str | None]:
    with archive.engine.connect() as connection:
        return {row.id: row.name for row in connection.execute(select(players))}


def unzipped(file: Path) -> list[bytes]:
    return gzip.decompress(file.read_bytes()).splitlines(keepends=True)


def plain(folder: Path, name: str = "lines.ndjson") -> tuple[Path, list[bytes]]:
    """A backup's lines in one file without a manifest."""
    files = sorted(folder.glob("feed-*"))
    lines = [line for file in files for line in unzipped(file)]
    (folder / name).write_bytes(b"".join(lines))
    return folder / name, lines


CUT: list[Callable[[bytes], bytes]] = [
    lambda data: data[: len(data) // 2] + b"\n",
    lambda data: b"\xff" + data,
    lambda _: b"[]\n",
    lambda _: b"{}\n",
    lambda _: b'{"format":"pierule.room","version":2,"new":true}\n',
    lambda data: data.replace(b'"version":1', b'"version":"1"') if b"version" in data else b"1\n",
]


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 13), st.sampled_from(CUT))
def test_an_import_stops_at_a_damaged_line_and_names_it(
    archive: Archive, target: Archive, tmp_path_factory: pytest.TempPathFactory,
    at: int, damage: Callable[[bytes], bytes],
) -> None:  # fmt: skip
    empty(archive)
    empty(target)
    folder = tmp_path_factory.mktemp("backup")
    play(archive, WHOLE)
    back_up(archive.engine, folder, quiet(), 5)
    path, lines = plain(folder)
    path.write_bytes(b"".join([*lines[:at], damage(lines[at]), *lines[at + 1 :]]))
    with pytest.raises(Flaw) as caught:
        brought(target, path)
    assert str(caught.value).startswith(f"{path}:{at + 1}: ")
    assert target.last == at
    assert list(flaws(target.engine, quiet())) == []
    path.write_bytes(b"".join(lines))
    brought(target, path)
    assert tables(target)["games"] == tables(archive)["games"]
    assert tables(target)["amendments"] == tables(archive)["amendments"]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_short_is_read_as_far_as_it_goes(
    archive: Archive, target: Archive, tmp_path: Path, part: float
) -> None:
    play(archive, WHOLE)
    back_up(archive.engine, tmp_path, quiet())
    (file,) = tmp_path.glob("feed-*")
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(Flaw, match=rf"{file.name}:\d+: is damaged"):
        restore(target, tmp_path)
    file.write_bytes(whole)
    restore(target, tmp_path)
    assert tables(target) == tables(archive)


def test_a_changed_file_is_not_read(archive: Archive, target: Archive, tmp_path: Path) -> None:
    play(archive, WHOLE)
    back_up(archive.engine, tmp_path, quiet(), 5)
    file = sorted(tmp_path.glob("feed-*"))[1]
    lines = unzipped(file)
    other = msgspec.json.decode(line("another"))
    lines[1] = msgspec.json.encode({**other, "feed": 7}) + b"\n"
    file.write_bytes(gzip.compress(b"".join(lines)))
    with pytest.raises(Flaw, match=f"{file.name}: is not the file that the manifest names"):
        restore(target, tmp_path)
    assert target.last == 5


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"seat\\":0', b'"seat\\":1', "its chain is recorded as"),
        (b'"digest":', b'"digest":1', "the digest of the position is recorded as"),
        (b'"reason":"', b'"reason":"x', "the result is recorded as|is not a record of a game"),
        (b'"user":"ada","name":""', b'"user":"ada","name":"Ada"', "seat . is recorded as"),
    ],
)
def test_a_game_that_breaks_the_rules_is_not_imported(
    archive: Archive, target: Archive, tmp_path: Path, old: bytes, new: bytes, why: str
) -> None:
    archive.add([a_game("first", plies=3), a_game("second", plies=3)])
    back_up(archive.engine, tmp_path, quiet())
    path, lines = plain(tmp_path)
    assert old in lines[1]
    path.write_bytes(lines[0] + lines[1].replace(old, new))
    with pytest.raises(Flaw, match=why):
        brought(target, path)
    assert rooms(target) == ["first"]


def test_missing_or_foreign_files_are_refused(
    archive: Archive, target: Archive, tmp_path: Path
) -> None:
    play(archive, WHOLE)
    back_up(archive.engine, tmp_path, quiet())
    path, lines = plain(tmp_path)
    path.write_bytes(b"".join(lines[:3] + lines[4:]))
    with pytest.raises(Flaw, match=f"{path}:4: number 5 comes after 3; lines are missing"):
        brought(target, path)
    assert target.last == 3
    empty(target)
    target.add([a_game("other", plies=3)])
    before = tables(target)
    with pytest.raises(Flaw, match="number 1 differs in this archive"):
        restore(target, tmp_path)
    assert tables(target) == before


def test_records_are_imported_in_the_order_of_their_ends(archive: Archive, tmp_path: Path) -> None:
    """Those without numbers; of each no more than its game."""
    late, early = line("late", plies=4, at=START + 9), line("early", plies=4)
    (tmp_path / "rooms.jsonl").write_bytes(b"\n".join([late, early, late]) + b"\n")
    single = record("single", log_of("single", plies=4, at=START + 5))
    (tmp_path / "single.json").write_bytes(write_record(single))
    paths = tmp_path / "rooms.jsonl", tmp_path / "single.json"
    assert brought(archive, *paths) == (3, [])
    assert rooms(archive) == ["early", "single", "late"]
    assert names(archive) == {"ada": "Ada", "bob": "Bob"}
    assert brought(archive, *paths) == (0, [])


def test_bad_records_are_left_out(archive: Archive, tmp_path: Path) -> None:
    good, cut = line("good", plies=4), line("cut", plies=4)[:-30]
    path = tmp_path / "rooms.jsonl"
    false = line("false", plies=4).replace(b'\\"seat\\":1', b'\\"seat\\":0')
    running = msgspec.json.encode(record("running", log_of("running")[:3]))
    long = line("r" * 40, plies=4)
    path.write_bytes(b"\n".join([cut, false, b'{"feed":"3"}', running, long, good]))
    added, told = brought(archive, path)
    assert added == 1
    assert rooms(archive) == ["good"]
    for number, (said, why) in enumerate(
        zip(
            told,
            ["is not a line of an archive", "is not true", "is not a line of an archive",
             "is not over", "its room is not a text of at most 32"],
            strict=True,
        ), 1
    ):  # fmt: skip
        assert said.startswith(f"{path}:{number}: ")
        assert why in said


def test_names_inside_events_are_refused(archive: Archive, tmp_path: Path) -> None:
    told = [
        msgspec.structs.replace(entry, record=entry.record.replace('"name":""', '"name":"Ada"'))
        for entry in log_of("named", plies=4)
    ]
    path = tmp_path / "named.jsonl"
    path.write_bytes(msgspec.json.encode(record("named", rechained(told))))
    assert brought(archive, path)[1] == [f"{path}:1: room named has names inside its events"]


def test_forgotten_names_do_not_come_back(
    archive: Archive, target: Archive, tmp_path: Path
) -> None:
    archive.add([a_game("first", plies=3)])
    back_up(archive.engine, tmp_path / "backup", quiet())
    (tmp_path / "rooms.jsonl").write_bytes(line("second", plies=3))
    brought(target, tmp_path / "backup", deleted=frozenset({"ada"}))
    assert names(target) == {"ada": None, "bob": "Bob"}
    brought(target, tmp_path / "rooms.jsonl", tmp_path / "backup", deleted=frozenset({"bob"}))
    assert names(target) == {"ada": None, "bob": None}
    brought(target, tmp_path / "rooms.jsonl", tmp_path / "backup")
    assert names(target) == {"ada": None, "bob": None}


def test_a_newer_or_unfinished_folder_is_refused_with_words(
    archive: Archive, tmp_path: Path
) -> None:
    with pytest.raises(BadFolder, match=r"has no manifest\.json"):
        sources_in([tmp_path])
    back_up(archive.engine, tmp_path / "backup", quiet())
    manifest = tmp_path / "backup" / MANIFEST
    told = manifest.read_bytes()
    for wrong, why in (
        (told.replace(b'"version": 1', b'"version": 2'), "version 2, from a newer Pierule"),
        (told[:40], "is not a manifest"),
        (told.replace(b'"players.', b'"../players.'), "a file outside its folder"),
    ):
        manifest.write_bytes(wrong)
        with pytest.raises(BadFolder, match=why):
            sources_in([tmp_path / "backup"])
