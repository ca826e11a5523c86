"""Finished games get from nodes into the archive: each once, in order, whoever dies meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import create_engine, select
from sqlalchemy.exc import SQLAlchemyError

from e2e.conftest import Opener, Starter
from pierule_archive.database import FILE, parsed
from pierule_archive.game import game_of, unpack
from pierule_archive.schema import amendments, games, players
from pierule_protocol.messages import DeleteAccount, Register, Resign
from pierule_server.store.buckets import log_key, put_away_key
from support import forked, stores
from support.games import game, play, seat_both
from support.peer import Peer
from support.postgres import database_folder, running_postgres

KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)
BOUND = 60.0


@pytest.fixture
def store() -> Iterator[stores.Server]:
    with stores.single() as server:
        yield server


def rows(url: str, *columns: Any) -> list[tuple[Any, ...]]:
    """What the archive has, in the order of its feed; nothing while it has no tables."""
    engine = create_engine(parsed(url))
    try:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(select(*columns).order_by(columns[0]))]
    except SQLAlchemyError:
        return []
    finally:
        engine.dispose()


async def until_kept(url: str, rooms: set[str], bound: float = BOUND) -> list[str]:
    """Wait until the archive has these rooms; all that it has, in its order."""
    async with asyncio.timeout(bound):
        while True:
            found = [room for _, room in rows(url, games.c.feed, games.c.room)]
            if rooms <= set(found):
                return found
            await asyncio.sleep(0.1)


async def resigned(first: Peer, second: Peer, nonce: str = "r") -> str:
    """A room whose game is over."""
    room = await seat_both(first, second, LOOSE)
    await play(room, LOOSE, (first, second), end=4)
    await first.do(Resign, room=room, nonce=nonce)
    return room


async def test_a_game_is_in_the_file_within_seconds_and_its_players_can_be_forgotten(
    start: Starter, opener: Opener
) -> None:
    node = start()
    url = f"sqlite:///{node.data / FILE}"
    first, second = await opener(node.url, "Ada"), await opener(node.url, "Bob")
    await first.do(Register, name="Ada-Lovelace", nonce="n")
    room = await resigned(first, second)
    assert await until_kept(url, {room}) == [room]
    ((_, log, reason, signature),) = rows(
        url, games.c.feed, games.c.log, games.c.reason, games.c.signature
    )
    assert signature, "by a key of the data folder"
    assert reason == "resigned"
    assert game_of(room, unpack(log)).room == room
    assert node.measured("pierule_archive_games_total") == 1
    assert node.asked("/readyz") == (200, "ready\n")
    names = dict(rows(url, players.c.id, players.c.name))
    assert names[first.user] == "Ada-Lovelace"
    await first.send(DeleteAccount)
    async with asyncio.timeout(BOUND):
        while dict(rows(url, players.c.id, players.c.name))[first.user] is not None:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_the_archive_goes_on_where_a_killed_node_left_it(
    start: Starter, opener: Opener
) -> None:
    node = start()
    first, second = await opener(node.url, "Ada"), await opener(node.url, "Bob")
    room = await resigned(first, second)
    node.kill()
    node.start()
    assert await until_kept(f"sqlite:///{node.data / FILE}", {room}) == [room]


async def test_nodes_archive_each_game_once_while_they_are_killed(
    start: Starter, opener: Opener, store: stores.Server
) -> None:
    with running_postgres() as url:
        nodes = [start("--archive", url, store=store.url, keys=KEYS) for _ in range(3)]
        rooms: set[str] = set()
        for number in range(9):
            here = nodes[number % 3]
            first, second = await opener(here.url, "Ada"), await opener(here.url, "Bob")
            rooms.add(await resigned(first, second))
            if number % 2:
                here.kill()
                here.start()
        found = await until_kept(url, rooms)
        assert len(found) == len(rooms)
        feeds = [feed for feed, *_ in rows(url, games.c.feed)]
        assert feeds == list(range(1, len(rooms) + 1))
        for node in nodes:
            assert node.asked("/readyz") == (200, "ready\n")


async def test_a_backlog_is_written_in_order_when_the_database_comes_back(
    start: Starter, opener: Opener, store: stores.Server
) -> None:
    with database_folder() as folder, ExitStack() as stack:
        url = stack.enter_context(running_postgres(folder))
        node = start(
            "--archive", url, "--put-away-after", "0", "--retention", "1",
            store=store.url, keys=KEYS,
        )  # fmt: skip
        first, second = await opener(node.url, "Ada"), await opener(node.url, "Bob")
        rooms = [await resigned(first, second)]
        await until_kept(url, set(rooms))
        stack.close()
        rooms += [await resigned(first, second, f"r{number}") for number in range(5)]
        async with asyncio.timeout(BOUND):
            while "the archive is away" not in node.asked("/readyz")[1]:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        away = [each for each in node.logged if "archive is away" in each["event"]]
        assert len(away) == 1
        node.kill()
        node.start()
        assert "the archive is away" in node.asked("/readyz")[1]
        assert node.measured("pierule_archive_failures_total") > 0
        with running_postgres(folder) as again:
            assert again == url
            assert await until_kept(url, set(rooms)) == rooms
            async with asyncio.timeout(BOUND):
                while node.measured("pierule_archive_waiting"):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            assert node.asked("/readyz") == (200, "ready\n")


async def test_a_result_can_be_voided_when_only_the_archive_has_the_room(
    start: Starter, opener: Opener, tmp_path: Path
) -> None:
    """Also by the archive alone; `test_archive_writer` has the rest."""
    node = start("--put-away-after", "0", "--retention", "1")
    url = f"sqlite:///{node.data / FILE}"
    first, second = await opener(node.url, "Ada"), await opener(node.url, "Bob")
    room = await resigned(first, second)
    await until_kept(url, {room})
    with redis.Redis.from_url(node.store_url) as client:
        async with asyncio.timeout(BOUND):
            while client.exists(log_key(room), put_away_key(room)):  # noqa: ASYNC110
                await asyncio.sleep(0.1)

    def close(name: str) -> tuple[int, str, str]:
        where = ("--data", str(node.data), "--as", "olga", "--yes")
        return forked.run(
            "admin", "rooms", "close", name, *where, "--reason", "he cheated", timeout=BOUND
        )

    status, told, _ = await asyncio.to_thread(close, room)
    assert (status, "the archive" in told) == (0, True)
    voids = rows(url, amendments.c.feed, amendments.c.game, amendments.c.kind, amendments.c.text)
    assert voids == [(2, 1, "void", "he cheated")]
    status, _, errors = await asyncio.to_thread(close, "nosuchroom")
    assert (status, "no room with this id" in errors) == (1, True), errors
    assert (await asyncio.to_thread(close, room))[0] == 0, "it may be repeated"
    assert len(rows(url, amendments.c.feed)) == 1


async def test_a_store_can_be_without_an_archive_again(
    start: Starter, opener: Opener, store: stores.Server
) -> None:
    give_up = (
        "admin", "archive", "give-up", "--store", store.url, "--reason", "it is gone",
        "--after", "12h", "--yes", "--as", "olga", "--json",
    )  # fmt: skip
    with running_postgres() as url:
        archives = start("--archive", url, store=store.url, keys=KEYS)
        status, _, errors = await asyncio.to_thread(forked.run, *give_up, timeout=BOUND)
        assert (status, "nodes with an archive serve this store" in errors) == (1, True), errors
        archives.terminate()
    node = start("--put-away-after", "0", "--retention", "1", store=store.url, keys=KEYS)
    first, second = await opener(node.url, "Ada"), await opener(node.url, "Bob")
    room = await resigned(first, second)
    async with asyncio.timeout(BOUND):
        while store.command("KEYS", f"*arch:{room}") == []:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    (key,) = store.command("KEYS", f"*arch:{room}")
    assert store.command("PTTL", key) == -1
    told = await asyncio.to_thread(forked.run, *give_up, timeout=BOUND)
    assert told == (0, '{"given up":1}\n', "")
    assert 0 < store.command("PTTL", key) <= 12 * 3_600_000


def test_wrong_archives_are_refused_with_words(
    store: stores.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIERULE_KEYS", KEYS)

    def refused(*flags: str) -> str:
        where = ("--port", "0", "--data", str(tmp_path))
        status, _, errors = forked.run("serve", *where, *flags, timeout=BOUND)
        assert status == 2
        return errors

    assert "is not the URL of a database (see --archive)" in refused("--archive", "games")
    assert "neither postgresql://… nor sqlite:///FILE" in refused("--archive", "mysql://h/games")
    shared = refused("--store", store.url, "--archive", f"sqlite:///{tmp_path / 'a.sqlite'}")
    assert "SQLite is for a node with an embedded store" in shared


def test_a_shared_store_without_an_archive_warns_of_the_loss(
    start: Starter, store: stores.Server
) -> None:
    node = start("--archive", "auto", store=store.url, keys=KEYS)
    lost = "there is no --archive: finished games are forgotten after 30 days"
    assert node.asked("/readyz") == (200, f"ready\n{lost}\n")
    assert [each["level"] for each in node.logged if each["event"] == lost] == ["warning"]
