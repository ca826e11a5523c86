"""House bots as processes: against each other, through restarts, and as a node runs them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

import pierule
from e2e.conftest import Starter
from pierule_bots.player import is_content
from pierule_games import GAMES
from pierule_games.game import OTHER
from pierule_protocol.log.verify import verify
from pierule_protocol.state.position import parse_position, position_text
from pierule_terminal.commands.export import record_room
from support.preloaded import terminal
from support.serving import Serving
from support.stores import free_port

BOUND = 120.0
END_BOUND = 60.0
"""Seconds in which SIGTERM ends a bot."""

QUICK = ("--seconds", "0.02")

REFUSED = 'pierule_refusals_total{code="limit"}'


class Bot:
    """A running `pierule bot`; what it says comes line by line."""

    def __init__(self, process: Process) -> None:
        self.process = process

    async def line(self) -> str:
        """The next line."""
        assert self.process.stdout is not None
        async with asyncio.timeout(BOUND):
            return (await self.process.stdout.readline()).decode()

    async def room(self) -> str:
        """The room that it says it has opened."""
        room, _, rest = (await self.line()).partition(":")
        assert rest.endswith(", open\n"), rest
        return room

    async def end(self) -> tuple[int, str]:
        """Its exit status, and what else it said."""
        async with asyncio.timeout(BOUND):
            said, _ = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, said.decode()

    async def terminate(self) -> None:
        """SIGTERM, which it obeys."""
        self.process.terminate()
        async with asyncio.timeout(END_BOUND):
            assert await self.process.wait() == 0


StartBot: TypeAlias = Callable[..., Awaitable[Bot]]


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[StartBot]:
    """Start bots of one computer, ended in the end: `bot(url, *arguments)`."""
    started: list[Bot] = []

    async def start_bot(url: str, *arguments: str) -> Bot:
        process = await asyncio.create_subprocess_exec(
            *(*terminal(), "bot", "--server", url, *arguments),
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")},
            stdout=PIPE,
        )
        started.append(Bot(process))
        return started[-1]

    yield start_bot
    for each in started:
        if each.process.returncode is None:
            each.process.kill()
            await each.process.communicate()


async def check(url: str, room: str, reason: str = "played") -> None:
    """The room is over, and what the server keeps of it is true."""
    async with pierule.connect(url) as client:
        state = (await client.join(room)).state
        assert state.result is not None
        assert state.result.reason == reason
        assert verify(await record_room(client, await client.join(room))) is None


@pytest.mark.parametrize(
    ("game", "size", "levels"),
    [
        ("loose", 9, ("search", "one-step")),
        ("veletas", 7, ("one-step", "search")),
        ("veletas", 10, ("random", "one-step")),
        ("taugo", 8, ("search", "random")),
    ],
)
async def test_two_bots_finish_a_game(
    server: Serving, bot: StartBot, game: str, size: int, levels: tuple[str, str]
) -> None:
    host = await bot(server.url, game, "--size", str(size), "--once", "--level", levels[0], *QUICK)
    room = await host.room()
    guest = await bot(server.url, "--room", room, "--level", levels[1], "--profile", "g", *QUICK)
    for each in (host, guest):
        status, said = await each.end()
        assert status == 0
        assert f"{room}: over, " in said
    await check(server.url, room)


async def test_bots_go_on_after_the_server_is_killed(start: Starter, bot: StartBot) -> None:
    serving = start("--port", str(free_port()))
    host = await bot(serving.url, "taugo", "--size", "8", "--once", *QUICK)
    room = await host.room()
    guest = await bot(serving.url, "--room", room, "--profile", "guest", "--level", "one-step")
    due = True
    async with pierule.connect(serving.url) as client, asyncio.timeout(BOUND):
        async for state in await client.join(room):
            if due and state.turn >= 6:
                due = False
                await asyncio.to_thread(serving.kill)
                await asyncio.to_thread(serving.start)
    assert (await host.end())[0] == (await guest.end())[0] == 0
    await check(serving.url, room)


async def test_bots_go_on_after_the_server_drained(start: Starter, bot: StartBot) -> None:
    serving = start("--port", str(free_port()))
    host = await bot(serving.url, "loose", "--size", "5", "--once", *QUICK)
    room = await host.room()
    assert await asyncio.to_thread(serving.terminate) == 0
    await asyncio.to_thread(serving.start)
    guest = await bot(serving.url, "--room", room, "--profile", "guest", *QUICK)
    assert (await host.end())[0] == (await guest.end())[0] == 0
    await check(serving.url, room)


async def test_a_restarted_bot_goes_on_with_its_rooms(server: Serving, bot: StartBot) -> None:
    offer = ("loose", "--size", "7", "--games", "1", "--name", "Goes on", *QUICK)
    first = await bot(server.url, *offer)
    room = await first.room()
    again = await bot(server.url, *offer)
    assert (await again.end())[0] == 1, "one bot is not two processes"
    await first.terminate()
    second = await bot(server.url, *offer)
    assert await second.room() == room
    async with pierule.connect(server.url, name="Ada") as client:
        mine = await client.join(room, "any")
        await mine.resign()
    assert f"{room}: over, " in await second.line()
    assert await second.room() != room, "the slot is free for another room"
    await second.terminate()


async def test_a_bot_plays_no_more_games_at_once_than_told(server: Serving, bot: StartBot) -> None:
    host = await bot(server.url, "loose", "--size", "5", "--games", "2", "--name", "Two", *QUICK)
    async with pierule.connect(server.url, name="Ada") as client:
        mine = [await client.join(await host.room(), "any") for _ in range(2)]
        cards = [card for card in await client.rooms(100) if "Two" in card.names]
        assert {card.room for card in cards} == {room.id for room in mine}
        await mine[0].resign()
        assert f"{mine[0].id}: over, " in await host.line()
        assert await host.room() not in {room.id for room in mine}
        await mine[1].resign()
    await host.terminate()


async def test_a_bot_without_a_free_slot_declines_a_rematch(server: Serving, bot: StartBot) -> None:
    """There was one when the game ended."""
    host = await bot(server.url, "loose", "--size", "5", "--games", "2", "--name", "Two", *QUICK)
    async with (
        pierule.connect(server.url, name="Ada") as client,
        pierule.connect(server.url, name="Bert") as other,
        asyncio.timeout(BOUND),
    ):
        mine = await client.join(await host.room(), "any")
        second = await host.room()
        await mine.resign()
        assert f"{mine.id}: over, " in await host.line()
        theirs = await other.join(second, "any")
        await host.room()
        await mine.offer("rematch")
        assert await mine.rematch() is None
        await theirs.resign()
    await host.terminate()


async def test_a_rematch_that_the_server_refuses_holds_no_slot(
    start: Starter, bot: StartBot
) -> None:
    """Nor does one wait for it: its opponent has no room left for it. The bot stays after the game
    only while its opponent is there; a busy server says late that they have come."""
    serving = start("--port", str(free_port()), "--rooms-per-user", "2")
    host = await bot(serving.url, "loose", "--size", "5", "--games", "2", "--name", "Two", *QUICK)
    async with (
        pierule.connect(serving.url, name="Ada") as client,
        pierule.connect(serving.url, name="Bert") as other,
        asyncio.timeout(BOUND),
    ):
        mine = await client.join(await host.room(), "any")
        second = await host.room()
        while mine.presence is None or not all(mine.presence.players):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.05)
        await mine.resign()
        assert f"{mine.id}: over, " in await host.line()
        for _ in range(2):
            await client.create("loose", 5)
        await mine.offer("rematch")
        while not await asyncio.to_thread(serving.measured, REFUSED):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.05)
        theirs = await other.join(second, "any")
        assert await host.room() != second
        await theirs.resign()
    await host.terminate()


async def test_a_person_finds_a_house_bot(start: Starter, tmp_path: Path) -> None:
    """`pierule play GAME` on a server whose node runs bots; a bot that dies is started again, and
    none is left when the node has ended."""
    serving = start("--port", str(free_port()), "--bots", "one-step")
    async with asyncio.timeout(BOUND):
        pid = await started(serving, 1)
        await listed(serving, "Mira")
        process = await asyncio.create_subprocess_exec(
            *(*terminal(), "play", "loose", "--server", serving.url),
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}, stdin=PIPE, stdout=PIPE,
        )  # fmt: skip
        said, _ = await process.communicate(b"resign\nresign\n")
        assert b"Mira" in said
        os.kill(pid, signal.SIGKILL)
        other = await started(serving, 2)
        assert other != pid
    assert await asyncio.to_thread(serving.terminate) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


KEYS = "k1:" + "0123456789abcdef" * 4


async def test_house_bots_end_with_their_killed_node(start: Starter) -> None:
    """And the node that is started again has one set of them, which goes on with their rooms; those
    of another node stay as they are."""
    first = start(keys=KEYS)
    serving = start("--bots", "random,one-step", store=first.store_url, keys=KEYS)
    other = start("--bots", "random", store=first.store_url, keys=KEYS)
    async with asyncio.timeout(BOUND), pierule.connect(first.url, name="Ada") as client:
        await free(client, 3)
        # On the largest board, so that chance cannot end the game in these few turns.
        room = await client.seek("taugo", 19, bot_after=0)
        rival = rival_of(room)
        for life in (2, 3, 4):
            before = bots_of(serving)
            assert len(before) == 2
            await asyncio.to_thread(serving.kill)
            while any(map(lives, before)):  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)
            await asyncio.to_thread(serving.start)
            await started(serving, 2 * life)
            await free(client, 3)
            assert len(bots_of(serving)) == 2
            assert len(bots_of(other)) == 1
        async for _ in room.turns():
            await room.act(await pierule.random_action(room))
            if room.state.turn > 5:
                break
        assert rival_of(room) == rival
        mine = [card for card in await client.rooms(100) if card.bots != (False, False)]
        assert len([card for card in mine if card.status == "open"]) == 3 * OFFERS
        await room.resign()


async def test_a_house_bot_answers_a_seek_that_nobody_else_answers(start: Starter) -> None:
    """With one game, on what was sought. People come before bots, and nobody who has turned away
    gets a game."""
    serving = start("--bots", "random,one-step")
    async with (
        asyncio.timeout(BOUND),
        pierule.connect(serving.url, name="Ada") as ada,
        pierule.connect(serving.url, name="Bea") as bea,
        pierule.connect(serving.url, name="Cid") as cid,
    ):
        await free(ada, 2)
        away = asyncio.create_task(cid.seek("loose", 7, "5+3", bot_after=1))
        sought = [
            asyncio.create_task(client.seek("loose", size, "5+3", bot_after=1))
            for client, size in ((ada, 7), (bea, 5))
        ]
        pair = await asyncio.wait_for(asyncio.gather(away, sought[0]), BOUND)
        assert pair[0].id == pair[1].id
        room = await sought[1]
        assert rival_of(room).startswith("house-")
        assert (room.position.size, room.state.clock is not None) == (5, True)
        await free(ada, 2)
        turned = asyncio.create_task(cid.seek("taugo", 6, bot_after=10))
        async for view in ada.lobby():
            if view.pools:
                break
        turned.cancel()
        await asyncio.gather(turned, return_exceptions=True)
        alone = await bea.seek("taugo", 6, bot_after=2)
        assert rival_of(alone).startswith("house-")
        for level in ("random", "one-step"):
            chosen = await cid.seek("loose", 5, bot_level=level)
            assert rival_of(chosen).startswith(f"house-{level}-")
            await chosen.resign()
        assert len(await cid.my_rooms()) == len(await ada.my_rooms()) == 1


OFFERS = 6
"""Rooms that a house bot keeps open: three games in two sizes."""


def rival_of(room: pierule.Room) -> str:
    holder = room.state.seats[OTHER[room.seats[0]]]
    assert holder is not None
    return holder.user


async def free(client: pierule.Client, number: int) -> None:
    """Wait until so many house bots stand in and keep all of their rooms open."""
    async for view in client.lobby():
        offered = [each for each in view.rooms if each.card.status == "open"]
        if view.bots == number and len(offered) >= number * OFFERS:
            return


def bots_of(serving: Serving) -> set[int]:
    """The processes of the bots that play at a node."""
    listed = subprocess.run(("ps", "-ewwo", "pid,args"), capture_output=True, text=True, check=True)
    wanted = ("--until-eof", serving.url)
    return {
        int(line.split()[0])
        for line in listed.stdout.splitlines()
        if all(word in line.split() for word in wanted)
    }


def lives(pid: int) -> bool:
    """Whether there is such a process, other than one of which nobody has heard that it ended."""
    state = subprocess.run(("ps", "-o", "stat=", "-p", str(pid)), capture_output=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.startswith(b"Z")


async def test_play_without_an_open_room_suggests_a_house_bot(
    start: Starter, tmp_path: Path
) -> None:
    async def run(url: str, *words: str) -> tuple[int | None, bytes]:
        process = await asyncio.create_subprocess_exec(
            *(*terminal(), *words, "--server", url),
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
            stdin=PIPE, stdout=PIPE, stderr=STDOUT,
        )  # fmt: skip
        async with asyncio.timeout(BOUND):
            said, _ = await process.communicate()
        return process.returncode, said

    status, said = await run(start().url, "play", "taugo")
    assert status == 1
    assert b"or a house bot: pierule seek taugo; to create a room: pierule new taugo" in said
    url = start("--bots", "random").url
    async with asyncio.timeout(BOUND), pierule.connect(url) as client:
        await free(client, 1)
    status, said = await run(url, "seek", "taugo", "--bot-after", "0")
    assert (status, b", bot" in said) == (0, True), said


async def test_a_bot_retries_a_refused_room(start: Starter, bot: StartBot) -> None:
    serving = start("--rooms-per-user", "1")
    host = await bot(serving.url, "loose", "--size", "5", "--size", "7", *QUICK)
    lines = [await host.line(), await host.line()]
    said = dict(line.partition(": ")[::2] for line in lines)
    assert said.pop("loose").startswith("limit: ")
    ((room, opened),) = said.items()
    assert opened.endswith(", open\n")
    async with pierule.connect(serving.url, name="Ada") as client:
        await (await client.join(room, "any")).resign()
    while not (line := await host.line()).endswith(", open\n"):
        assert line.startswith((f"{room}: ", "loose: limit: "))
    await host.terminate()


async def test_a_bot_grants_takebacks_and_rematches(
    server: Serving, bot: StartBot, rng: random.Random
) -> None:
    """Takebacks, but no pause; a draw if it does not stand better; a rematch with seats swapped."""
    offer = ("taugo", "--size", "6", "--level", "one-step", "--name", "Kind", "--once")
    host = await bot(server.url, *offer, "--clock", "5+3", *QUICK)
    async with pierule.connect(server.url, name="Ada") as client, asyncio.timeout(BOUND):
        room = await client.join(await host.room(), "any")
        turns = room.turns()
        for _ in range(2):
            await anext(turns)
            await room.act(await a_stone(room, rng))
        await anext(turns)
        ply = room.state.ply
        await room.offer("takeback")
        await until(room, lambda: room.state.ply < ply)
        await room.offer("pause")
        await until(room, lambda: room.state.offers == (None, None))
        assert room.state.clock is not None
        assert room.state.clock.paused is None
        await _draw(room, rng)
        await room.offer("rematch")
        following = await room.rematch()
        assert following is not None
        again = await client.join(following)
        assert again.seats == [1 - room.seats[0]]
        await again.resign()
        await client.join(room.id)
    assert (await host.end())[0] == 0


async def a_stone(room: pierule.Room, rng: random.Random) -> str:
    """A random action, a pass only where there is nothing else: two in succession, one of them the
    bot's, would end the game of Taugo."""
    for _ in range(100):
        action = await pierule.random_action(room, rng)
        if action != "pass":
            break
    return action


async def _draw(room: pierule.Room, rng: random.Random) -> None:
    """Offer a draw where the bot stands better and where it does not, until one is agreed on or the
    game is over: whoever plays at random may never stand as well as the bot."""
    mine, declined = room.seats[0], 0
    async for _ in room.turns():
        fields = parse_position(position_text(room.position))
        fine = is_content(GAMES[fields.game].restore(fields), OTHER[mine])
        if fine or declined < 3:
            await room.offer("draw")
            await until(room, lambda: room.over or room.state.offers == (None, None))
            assert room.over == fine
            declined += 1
        if not room.over:
            await room.act(await a_stone(room, rng))
    assert room.result is not None
    assert room.result.reason in ("agreed", "played")


async def until(room: pierule.Room, holds: Callable[[], bool]) -> None:
    """Wait until an event of the room makes it so."""
    async for _ in room.updates(beyond=True):
        if holds():
            return


async def started(serving: Serving, number: int) -> int:
    """The process of the bot that was started as this one."""
    while True:
        bots = [entry["pid"] for entry in serving.logged if entry["event"] == "a house bot starts"]
        if len(bots) >= number:
            return int(bots[number - 1])
        await asyncio.sleep(0.05)


async def listed(serving: Serving, name: str) -> None:
    """Wait until somebody of this name offers a game of Loose of its own size."""
    async with pierule.connect(serving.url) as client:
        while True:
            for card in await client.rooms(100):
                if name in card.names and (card.game, card.size) == ("loose", 9):
                    return
            await asyncio.sleep(0.05)
