"""A backup rebuilds an archive, whatever is in it, and whatever happens on the way."""

from __future__ import annotations

import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive.api.serving import all_counted, served
from archive.games import a_game
from archive.tools.scripts import (
    WHOLE,
    Fragile,
    Interrupted,
    Step,
    empty,
    play,
    quiet,
    steps,
    tables,
)
from pierule_archive.archive import Archive
from pierule_archive.database import opened
from pierule_archive.keys import new_signer
from pierule_archive.tools import folder as folders
from pierule_archive.tools.backup import back_up
from pierule_archive.tools.checking import flaws
from pierule_archive.tools.dump import dump
from pierule_archive.tools.folder import BadFolder, read_manifest
from pierule_archive.tools.importing import Import
from pierule_archive.tools.progress import Progress
from pierule_archive.tools.sources import sources_in
from pierule_protocol.log.digest import RANGE

some = settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def url_of(archive: Archive) -> str:
    return archive.engine.url.render_as_string(hide_password=False)


def restore(target: Archive, folder: Path, progress: Progress | None = None) -> Import:
    run = Import(target.engine, frozenset(), progress or quiet(), pytest.fail)
    run.run(sources_in([folder]))
    return run


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@some
@given(steps, steps, st.integers(1, 5))
def test_an_archive_comes_back_as_it_was(
    archive: Archive, target: Archive, first: list[Step], second: list[Step], numbers: int
) -> None:
    empty(archive)
    empty(target)
    with TemporaryDirectory() as name:
        grown, anew, again = (Path(name, each) for each in ("grown", "anew", "again"))
        play(archive, first)
        back_up(archive.engine, grown, quiet(), numbers)
        restore(target, grown)
        assert tables(target) == tables(archive)
        play(archive, second)
        back_up(archive.engine, grown, quiet(), numbers)
        back_up(archive.engine, anew, quiet(), numbers)
        assert contents(grown) == contents(anew), "a backup that grew is as one made at once"
        restore(target, grown)
        assert tables(target) == tables(archive)
        empty(target)
        restore(target, grown)
        assert tables(target) == tables(archive)
        assert restore(target, grown).added == 0
        assert tables(target) == tables(archive)
        back_up(target.engine, again, quiet(), numbers)
        assert contents(again) == contents(anew)
        assert list(flaws(target.engine, quiet())) == []


@some
@given(st.lists(st.integers(0, 12), max_size=4), st.integers(1, 6))
def test_a_backup_goes_on_where_it_was_interrupted(
    archive: Archive, at: list[int], numbers: int
) -> None:
    empty(archive)
    play(archive, WHOLE)
    with TemporaryDirectory() as name:
        folder, whole = Path(name, "folder"), Path(name, "whole")
        for lines in at:
            try:
                back_up(archive.engine, folder, Fragile(lines), numbers)
            except Interrupted:
                assert read_manifest(folder) is None
            else:
                break
        back_up(archive.engine, folder, quiet(), numbers)
        back_up(archive.engine, whole, quiet(), numbers)
        assert contents(folder) == contents(whole)


@pytest.mark.parametrize("step", range(1, 12, 2))
def test_a_crash_between_two_renames_loses_nothing(
    archive: Archive, tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(archive, WHOLE[:8])
    folder, whole = tmp_path / "folder", tmp_path / "whole"
    back_up(archive.engine, folder, quiet(), 3)
    play(archive, WHOLE[8:])
    left = step

    def crash(_: Path) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(folders, "_sync_folder", crash)
        try:
            back_up(archive.engine, folder, quiet(), 3)
        except Interrupted:
            through = Archive(archive.engine).last
            manifest = read_manifest(folder)
            assert manifest is not None
            if manifest.through < through:
                assert {file.name for file in manifest.files} <= set(contents(folder))
    back_up(archive.engine, folder, quiet(), 3)
    back_up(archive.engine, whole, quiet(), 3)
    assert contents(folder) == contents(whole)


@some
@given(st.lists(st.integers(0, 12), max_size=4))
def test_an_import_goes_on_where_it_was_interrupted(
    archive: Archive, target: Archive, at: list[int]
) -> None:
    empty(archive)
    empty(target)
    play(archive, WHOLE)
    with TemporaryDirectory() as name:
        back_up(archive.engine, Path(name), quiet(), 4)
        for lines in at:
            try:
                restore(target, Path(name), Fragile(lines))
            except Interrupted:
                assert list(flaws(target.engine, quiet())) == []
        restore(target, Path(name))
        assert tables(target) == tables(archive)


def test_writers_go_on_while_a_backup_is_made(
    archive: Archive, target: Archive, url: str, tmp_path: Path
) -> None:
    archive.add([a_game(f"early{number}", plies=3) for number in range(20)])
    begun, several = threading.Event(), [a_game(f"room{number}", plies=3) for number in range(40)]

    def write() -> None:
        own = Archive(opened(url))
        for game in several:
            own.add([game])
            begun.set()
        own.engine.dispose()

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(60)
    for _ in range(3):
        manifest = back_up(archive.engine, tmp_path / "backup", quiet(), 7)
        restore(target, tmp_path / "backup")
        assert target.last == manifest.through
        assert list(flaws(target.engine, quiet())) == []
    writer.join(60)
    back_up(archive.engine, tmp_path / "backup", quiet(), 7)
    restore(target, tmp_path / "backup")
    assert tables(target) == tables(archive)


def test_missing_and_damaged_files_are_written_again(archive: Archive, tmp_path: Path) -> None:
    play(archive, WHOLE)
    back_up(archive.engine, tmp_path / "backup", quiet(), 4)
    whole = contents(tmp_path / "backup")
    lost, cut, *_ = sorted(name for name in whole if name.startswith("feed"))
    (tmp_path / "backup" / lost).unlink()
    (tmp_path / "backup" / cut).write_bytes(whole[cut][:-9])
    back_up(archive.engine, tmp_path / "backup", quiet(), 4)
    assert contents(tmp_path / "backup") == whole


def test_a_folder_of_another_archive_is_left_alone(
    archive: Archive, target: Archive, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    play(archive, WHOLE)
    back_up(archive.engine, folder, quiet())
    whole = contents(folder)
    target.add([a_game(f"other{number}", plies=3) for number in range(30)])
    with pytest.raises(BadFolder, match=r"is from another archive: number \d+ differs"):
        back_up(target.engine, folder, quiet())
    empty(target)
    with pytest.raises(BadFolder, match="is from another archive"):
        back_up(target.engine, folder, quiet())
    assert contents(folder) == whole


def test_a_folder_takes_one_backup_at_a_time(archive: Archive, tmp_path: Path) -> None:
    with (
        folders.writing_into(tmp_path, "pierule.backup", private=True),
        pytest.raises(BadFolder, match="another process writes"),
    ):
        back_up(archive.engine, tmp_path, quiet())


def test_a_backup_is_readable_only_by_its_owner(archive: Archive, tmp_path: Path) -> None:
    play(archive, WHOLE)
    back_up(archive.engine, tmp_path / "backup", quiet())
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700
    files = (tmp_path / "backup").glob("*.*")
    assert {path.stat().st_mode & 0o777 for path in files if path.name != ".lock"} == {0o600}


def test_a_backup_restores_proofs(archive: Archive, target: Archive, tmp_path: Path) -> None:
    """Signatures, keys and digests."""
    signed = Archive(archive.engine, new_signer())
    signed.add([a_game(f"room{number}", plies=1) for number in range(RANGE + 1)])
    signed.void("room5", 5, "cheating")
    back_up(archive.engine, tmp_path / "backup", quiet())
    restore(target, tmp_path / "backup")
    assert tables(target) == tables(archive)
    assert len(tables(target)["digests"]) == 1
    dump(archive.engine, tmp_path / "dump", quiet())
    empty(target)
    restore(target, tmp_path / "dump")
    for name in ("games", "amendments", "digests", "signing_keys", "feed"):
        assert tables(target)[name] == tables(archive)[name]


def test_a_rebuilt_archive_serves_the_same_answers(
    archive: Archive, target: Archive, tmp_path: Path
) -> None:
    play(Archive(archive.engine, new_signer()), WHOLE)
    back_up(archive.engine, tmp_path / "backup", quiet())
    restore(target, tmp_path / "backup")
    with served(url_of(archive)) as first, served(url_of(target)) as second:
        all_counted(first, archive)
        all_counted(second, target)
        lines = first.ask("games", format="ndjson").lines
        people = {player["id"] for line in lines for player in line.get("players", ())}
        assert len(people) > 2
        for path in (
            "games", "games?order=desc", "games?format=ndjson", "cuts/loose", "positions/loose",
            *(f"games/{line['feed']}" for line in lines),
            *(f"players/{name}{what}" for name in people for what in ("", "/games")),
        ):  # fmt: skip
            one, other = (api.ask(f"/api/v1/{path}") for api in (first, second))
            assert (one.status, one.body) == (other.status, other.body), path
            assert one.headers["etag"] == other.headers["etag"]
