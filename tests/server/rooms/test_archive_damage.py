"""A damaged archive is found although nobody reads it, and gets no more games."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pierule_archive.database import damage, opened, parsed
from pierule_archive.writer import Writer
from pierule_server.metrics import REGISTRY
from support.archiving import Time, resigned, rooms_in, writing
from support.model_store import ModelStore
from support.nodes import running


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "archive.sqlite"


def spoil(file: Path) -> None:
    """Overwrite some pages in the middle, as a failing disk does; the file can still be opened."""
    with file.open("r+b") as opened_file:
        opened_file.seek(8 * 4_096)
        opened_file.write(b"\xa5" * 8 * 4_096)


def test_damage_is_put_into_words(file: Path) -> None:
    url = parsed(f"sqlite:///{file}")
    assert damage(url) == f"its file {file} is gone"
    opened(f"sqlite:///{file}").dispose()
    assert damage(url) is None
    spoil(file)
    assert str(damage(url)).startswith(f"its file {file} is damaged: ")
    file.write_text("a letter to the editor")
    assert damage(url) == f"its file {file} is damaged: file is not a database"
    assert damage(parsed("postgresql://nobody@nowhere/none")) is None


def test_a_look_for_damage_ends_when_the_node_does(file: Path) -> None:
    opened(f"sqlite:///{file}").dispose()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE many (number INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO many VALUES (?)", ((n,) for n in range(50_000)))
        connection.commit()
    asked: list[bool] = []

    def over() -> bool:
        asked.append(True)
        return True

    assert damage(parsed(f"sqlite:///{file}"), over) is None
    assert asked


async def test_a_damaged_archive_is_told_and_its_games_wait(file: Path) -> None:
    store, url = ModelStore(Time()), f"sqlite:///{file}"

    def gauge() -> float | None:
        return REGISTRY.get_sample_value("pierule_archive_damaged")

    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        first = await resigned(node)
        assert await writer.look() == 1
        await writer.look_for_damage()
        assert (writer.troubles, gauge()) == ([], 0)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        copy = file.with_name("copy")
        shutil.copy(file, copy)
        spoil(file)
        await writer.look_for_damage()
        (trouble,) = writer.troubles
        assert trouble.startswith(f"the archive is away: its file {file} is damaged: ")
        assert gauge() == 1
        second = await resigned(node)
        assert await writer.look() == 0
        assert len(writer.troubles) == 1, "it is still told"
        for beside in ("-wal", "-shm"):
            file.with_name(f"{file.name}{beside}").unlink()
        copy.replace(file)
        await writer.look_for_damage()
        assert await writer.look() == 1
        assert (writer.troubles, gauge()) == ([], 0)
    assert rooms_in(url) == [first, second]


async def test_a_node_looks_for_damage_by_itself(file: Path) -> None:
    opened(f"sqlite:///{file}").dispose()
    spoil(file)
    async with (
        running(1, ModelStore(Time())) as (node,),
        writing(node, Writer(f"sqlite:///{file}")) as writer,
    ):
        await writer.start()
        async with asyncio.timeout(60):
            while not writer.troubles:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert "is damaged" in str(writer.troubles)
