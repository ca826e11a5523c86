"""The games of a deleted account stay, unnamed, wherever they are looked at (SPEC 24.4)."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Starter
from pierule.archive import Archive, ArchiveError
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import LogEntry
from pierule_server.store.buckets import put_away_key
from pierule_terminal.commands.export import record_room
from support import forked, stores
from support.serving import Serving

KEYS = "k1:" + "0123456789abcdef" * 4
BOUND = 60.0


@pytest.fixture
def store() -> Iterator[stores.Server]:
    with stores.single() as server:
        yield server


@pytest.fixture
def nodes(start: Starter, store: stores.Server) -> list[Serving]:
    return [start("--put-away-after", "1", store=store.url, keys=KEYS) for _ in range(2)]


def linked(log: list[LogEntry]) -> list[tuple[int, str]]:
    return [(entry.chain, entry.record) for entry in log]


async def listed(client: pierule.Client, room: str) -> tuple[str | None, str | None]:
    return next(card.names for card in await client.rooms() if card.room == room)


async def put_away(store: stores.Server, room: str) -> None:
    async with asyncio.timeout(BOUND):
        while not store.command("EXISTS", put_away_key(room)):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)


async def test_a_deleted_users_name_is_gone_everywhere(
    nodes: list[Serving], store: stores.Server
) -> None:
    """Rooms that are open, running, over and put away, at another node than the user's."""
    here, there = nodes
    async with (
        pierule.connect(here.url, name="Guest") as owner,
        pierule.connect(there.url, name="Bert") as bert,
    ):
        await owner.register("Ada")
        opened = await owner.create("taugo", 6, seat=1)
        rooms = [await owner.create("loose", 5, seat=0, delay=delay) for delay in (0, 0, 1)]
        running, old, delayed = rooms
        followed = {room.id: await bert.join(room.id, seat=1) for room in rooms}
        await running.act("komi:12")
        await old.resign()
        await put_away(store, old.id)
        over = await owner.create("loose", 5, seat=0)
        followed[over.id] = await bert.join(over.id, seat=1)
        await followed[over.id].resign()

        nobody = f"guest-{owner.user[:4]}"
        called, gone = (
            pierule.Holder(owner.user, name, registered=True) for name in ("Ada", nobody)
        )
        everywhere = (opened.id, running.id, old.id, delayed.id, over.id)
        logs = {room: linked(await bert.log(room)) for room in everywhere}
        assert called in (await record_room(bert, followed[old.id])).seats
        assert await listed(bert, running.id) == ("Ada", "Bert")
        feed = followed[running.id].updates()

        await owner.delete_account()

        async with asyncio.timeout(BOUND):
            async for update in feed:
                if update.state.seats[0] == gone:
                    break
        assert await listed(bert, running.id) == (nobody, "Bert")
        assert await listed(bert, delayed.id) == (nobody, "Bert")
        assert await listed(bert, opened.id) == (None, nobody)
        async with pierule.connect(here.url, name="Carl") as carl:
            for client in (bert, carl):
                for room in everywhere:
                    joined = await client.join(room)
                    record = await record_room(client, joined)
                    assert verify(record) is None
                    assert linked(record.events) == logs[room][: len(record.events)]
                    assert gone in record.seats
                    assert "Ada" not in repr(record)
                    assert "Ada" not in repr(joined.state)
        # The game goes on under no name, and listings keep to that.
        await followed[running.id].act("black")
        assert await listed(bert, running.id) == (nobody, "Bert")
        assert (await owner.create("loose", 5, seat=0)).state.seats[0] == pierule.Holder(
            owner.user, nobody
        )


async def test_a_deleted_users_name_is_gone_from_the_archive(
    start: Starter, tmp_path: Path
) -> None:
    """From the API and from the file of players; the game stays, under the user's id."""
    node = start("--api-port", "0")
    (address,) = [str(line["archive"]) for line in node.logged if line["event"] == "serving"]

    def dumped() -> str:
        """All that `pierule archive dump` writes, in one text."""
        folder = tmp_path / "dump"
        command = ("archive", "dump", str(folder), "--data", str(node.data))
        assert forked.run(*command, timeout=BOUND)[0] == 0
        return "".join(gzip.decompress(path.read_bytes()).decode() for path in folder.glob("*.gz"))

    async with (
        pierule.connect(node.url, name="Guest") as owner,
        pierule.connect(node.url, name="Bert") as bert,
    ):
        await owner.register("Ada-Lovelace")
        room = await owner.create("loose", 5, seat=0)
        await bert.join(room.id, seat=1)
        await room.resign()
        archive = Archive(address)
        async with asyncio.timeout(BOUND):
            while True:  # another process
                with suppress(ArchiveError):  # nobody knows the player before
                    if [*archive.games_of(owner.user)]:
                        break
                await asyncio.sleep(0.1)
        assert archive.player("Ada-Lovelace")["id"] == owner.user
        assert "Ada-Lovelace" in await asyncio.to_thread(dumped)
        await owner.delete_account()
        async with asyncio.timeout(BOUND):
            while archive.player(owner.user)["name"] is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        with pytest.raises(ArchiveError):
            archive.player("Ada-Lovelace")
        (game,) = archive.games_of(owner.user)
        assert "Ada-Lovelace" not in str([game, archive.game(room.id)])
        text = await asyncio.to_thread(dumped)
        assert ("Ada-Lovelace" in text, owner.user in text, room.id in text) == (False, True, True)
