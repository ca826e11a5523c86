"""Ratings that anybody can recompute: whatever is killed while games are played, archived and
rated, the server's ratings are those of its public dump, to the last digit (SPEC 30)."""

from __future__ import annotations

import asyncio
import math
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from chaos.database import Database
from e2e.conftest import Opener, Starter
from e2e.test_archiving import KEYS, LOOSE, until_kept
from pierule import connect, random_action
from pierule.archive import Archive, ArchiveError
from pierule_archive.database import url_in
from pierule_games.game import OTHER
from pierule_protocol.log.events import Standing
from pierule_protocol.messages import Abort, Create, MyRoomsQuery, Register, Resign, RoomsQuery
from pierule_protocol.state.unrated import SHORTEST
from pierule_terminal.rating_news import rating_news
from support import stores
from support.games import play, seat_both
from support.peer import Gone, Peer, fresh_nonce
from support.postgres import database_folder
from support.preloaded import terminal
from support.serving import Serving

BOUND = 90.0
GAMES = 60


def pierule(*arguments: str) -> str:
    """What a command says; it must succeed."""
    done = subprocess.run(
        [*terminal(), *arguments], capture_output=True, text=True, timeout=BOUND, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@contextmanager
def api(url: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`pierule api` over an archive, which rates its games."""
    command = [*terminal(), "api", "--archive", url, "--api-port", "0", "--api-rate", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[5].removesuffix("/games"), process
        finally:
            process.kill()


@pytest.mark.long(14)
async def test_ratings_match_the_dump_whatever_dies(start: Starter, opener: Opener) -> None:
    rng, numbers, rooms = random.Random(16), count(), list[str]()
    with ExitStack() as stack:
        store = stack.enter_context(stores.single())
        folder = stack.enter_context(database_folder())
        database = Database(folder)
        stack.callback(database.close)
        await asyncio.to_thread(database.make)
        nodes = [start("--archive", database.url, store=store.url, keys=KEYS) for _ in range(3)]

        async def table(node: Serving, names: list[str]) -> None:
            """Four who play each other until enough was played, or their node dies."""
            people = [await named(opener, node, name) for name in names]
            early = Counter[str]()  # for more than two such games, nobody may enter rated ones
            with suppress(*(Gone, AssertionError) if node is nodes[2] else ()):
                while len(rooms) < GAMES:
                    one, other = rng.sample(people, 2)
                    room = await seat_both(one, other, LOOSE)
                    loser = rng.choice([one, other])
                    end = rng.choice([3, 4, 5, 6] if early[loser.user] < 2 else [4, 5, 6])
                    early[loser.user] += end < 4
                    await play(room, LOOSE, (one, other), end=end)
                    await loser.do(Resign, room=room, nonce=f"r{next(numbers)}")
                    rooms.append(room)

        tables = [
            asyncio.create_task(table(node, [f"Player-{letter}{at}" for letter in "abcd"]))
            for at, node in enumerate(nodes)
        ]
        while len(rooms) < GAMES // 4:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        with api(database.url) as (_, first), api(database.url) as (url, _):
            nodes[2].kill()
            await asyncio.to_thread(database.kill)
            await asyncio.sleep(1)
            await asyncio.to_thread(database.start)
            while len(rooms) < GAMES // 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            first.kill()
            await asyncio.gather(*tables)
            await until_kept(database.url, set(rooms), BOUND)
            dump = str(folder.parent / "dump")
            pierule("archive", "dump", dump, "--archive", database.url)
            said = await until_rated(dump, url)
    assert f"up to number {len(rooms)}: all to the last digit" in said
    assert len(set(rooms)) == len(rooms) >= GAMES


async def test_a_game_against_a_house_bot_changes_the_person_alone(
    start: Starter, tmp_path: Path
) -> None:
    """Where the operators want it; and outsiders compute the same from the dump."""
    node = start("--api-port", "0", "--bots", "random", "--rate-bots", "on")
    (url,) = [str(entry["archive"]) for entry in node.logged if entry["event"] == "serving"]
    async with connect(node.url) as ada, asyncio.timeout(BOUND):
        await ada.register("Ada")
        async for view in ada.lobby():
            if view.bots:
                break
        room = await ada.seek("loose", 5, bot_level="random")
        mine, its = room.seats[0], OTHER[room.seats[0]]
        seats = room.state.seats
        archive = Archive(url)
        bots = (await asyncio.to_thread(archive.top, "loose"))["bots"]
        assert [each["name"] for each in bots] == ["Otto", "Mira", "Pip"]
        fixed = Standing(bots[-1]["rating"], 30)
        assert [seat and seat.standing for seat in (seats[mine], seats[its])] == [None, fixed]
        async for state in room.turns():
            if state.ply >= SHORTEST:
                break
            await room.act(await random_action(room))
        await room.resign()
        assert room.state.unrated is None
        while True:
            with suppress(ArchiveError):
                told = (await asyncio.to_thread(archive.game, room.id))["ratings"]
                if told is not None:
                    break
            await asyncio.sleep(0.2)
    assert told[its]["before"] == told[its]["after"]
    assert float(told[mine]["after"]["rating"]) < 1500 == float(told[mine]["before"]["rating"])
    _, everybody = archive.leaderboard("loose")
    assert [row["player"]["name"] for row in everybody.values()] == ["Ada"]
    dump = str(tmp_path / "dump")
    pierule("archive", "dump", dump, "--archive", url_in(node.data))
    assert "1 ratings up to number 1: all to the last digit" in await until_rated(dump, url)
    assert f"is always {fixed.rating} (SPEC 30.9)" in pierule("ratings", "explain", room.id, dump)


async def named(opener: Opener, node: Serving, name: str) -> Peer:
    """Somebody with a name of their own."""
    peer = await opener(node.url)
    await peer.do(Register, name=name, nonce="n")
    return peer


async def until_rated(dump: str, url: str) -> str:
    """What `pierule ratings verify` says once the server has rated all that the dump has."""
    async with asyncio.timeout(BOUND):
        while True:
            said = await asyncio.to_thread(pierule, "ratings", "verify", dump, "--api", url)
            games = said.split("up to number ")[1].split(":")[0]
            told = pierule("ratings", "compute", dump).split("up to number ")[1].split(",")[0]
            if games == told:
                return said
            await asyncio.sleep(0.2)


async def until_shown(peer: Peer) -> None:
    """Wait until a seat of theirs shows a rating: their game is archived and rated, and the node
    has asked for it again."""
    standing = None
    while standing is None:
        made = await peer.do(Create, nonce=fresh_nonce(), game=LOOSE.game, size=LOOSE.size, seat=0)
        assert made.room is not None
        await peer.follow(made.room)
        holder = peer.state(made.room).seats[0]
        standing = holder and holder.standing
        await peer.do(Abort, room=made.room, nonce="a")
        await asyncio.sleep(0.5)


@pytest.mark.long(11)
async def test_a_second_game_shows_the_ratings_after_the_first(
    start: Starter, opener: Opener
) -> None:
    """In the state of the room, in its log, and in cards: on any node what the archive says."""
    node = start("--api-port", "0")
    (url,) = [str(entry["archive"]) for entry in node.logged if entry["event"] == "serving"]
    ada, bob = [await named(opener, node, name) for name in ("Ada", "Bob")]
    first = await seat_both(ada, bob, LOOSE)
    assert [seat and seat.standing for seat in bob.state(first).seats] == [None, None]
    await play(first, LOOSE, (ada, bob), end=4)
    await bob.do(Resign, room=first, nonce="r")
    async with asyncio.timeout(BOUND):
        for peer in (ada, bob):
            await until_shown(peer)
    room = await seat_both(ada, bob, LOOSE)
    standings = [seat.standing if seat else None for seat in bob.state(room).seats]
    async with connect(node.url) as client:
        news = await rating_news(client, bob.state(first))
    assert re.fullmatch(r"ratings: Ada: \d+±\d+, [-+]\d+, Bob: \d+±\d+, [-+]\d+", news)
    archive = Archive(url)
    for name, standing in zip(("Ada", "Bob"), standings, strict=True):
        (told,) = archive.ratings_of(name)["ratings"]
        assert standing is not None
        assert standing.rating == round(float(told["rating"])) != 1500
        assert standing.deviation == math.ceil(float(told["deviation"]))
    for peer in (ada, bob):
        mine = (await peer.do(MyRoomsQuery)).my_rooms or []
        assert [list(each.card.standings) for each in mine] == [standings]
    cards = (await ada.do(RoomsQuery)).rooms or []
    assert [list(card.standings) for card in cards] == [standings]
