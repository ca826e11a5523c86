"""The examples, run as a reader would run them, and the client under them in rough weather."""

import asyncio
import random
from functools import partial
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Starter
from support.preloaded import python
from support.serving import Serving
from support.stores import free_port

BOT = Path(__file__).parents[2] / "clients/examples/random_bot.py"
BOUND = 60.0


async def start_bot(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *python(),
        str(BOT),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def line_of(bot: asyncio.subprocess.Process) -> str:
    assert bot.stdout is not None
    return (await bot.stdout.readline()).decode()


@pytest.mark.parametrize("game", ["loose", "veletas", "taugo"])
async def test_two_random_bots_finish_a_game(server: Serving, game: str) -> None:
    async with asyncio.timeout(BOUND), pierule.connect(server.url) as client:
        first = await start_bot(server.url, "new", game)
        opening = await line_of(first)
        room_id = opening.split()[1].rstrip(",")
        watching = asyncio.create_task(watch(await client.join(room_id)))
        second = await start_bot(server.url, room_id)
        assert await line_of(second) == f"room {room_id}, seat 1\n"
        states = await watching
        endings = [(await bot.communicate())[0].decode() for bot in (first, second)]
        assert endings == [f"over: {states[-1].result}\n"] * 2
        assert [state.seq for state in states] == list(range(states[0].seq, states[-1].seq + 1))
        assert states[-1].result is not None
        assert states[-1].result.reason == "played"


async def watch(room: pierule.Room) -> list[pierule.RoomState]:
    return [state async for state in room]


async def play(room: pierule.Room, rng: random.Random) -> None:
    """Play seat by seat until about forty turns are over, then resign."""
    async for state in room.turns():
        legal = await room.legal()
        if legal.template:
            await room.act("komi:4")
        elif state.turn > 40:
            await room.resign()
        else:
            await room.act(rng.choice(legal.actions or []))


@pytest.mark.parametrize("codec", ["msgpack", "json"])
async def test_a_game_goes_on_though_the_server_dies_and_comes_back(
    start: Starter, codec: pierule.CodecName, rng: random.Random
) -> None:
    """Killed in the middle, later stopped in order: no event is lost, and none happens twice."""
    node = start("--port", str(free_port()))
    async with (
        asyncio.timeout(BOUND),
        pierule.connect(node.url, name="Ada", codec=codec) as ada,
        pierule.connect(node.url, name="Bob", codec=codec) as bob,
        pierule.connect(node.url, codec=codec) as eve,
    ):
        hers = await ada.create("loose", seat=0)
        his = await bob.join(hers.id, seat="any")
        watched = await eve.join(hers.id)
        watching = asyncio.create_task(watch(watched))
        playing = asyncio.gather(play(hers, rng), play(his, rng))
        for turn, end in ((10, node.kill), (25, partial(stop, node))):
            async for state in watched:
                if state.turn >= turn:
                    break
            await asyncio.to_thread(end)
            await asyncio.to_thread(node.start)
        await playing
        states = await watching
        assert [state.seq for state in states] == list(range(states[0].seq, states[-1].seq + 1))
        assert hers.state == his.state == states[-1]
        assert hers.result is not None


def stop(node: Serving) -> None:
    """SIGTERM, and wait for the orderly end."""
    assert node.process is not None
    node.process.terminate()
    assert node.process.wait(60) == 0


async def test_a_client_plays_more_games_than_it_may_follow(start: Starter) -> None:
    """Rooms that are over are left by themselves, but not while somebody iterates over them."""
    node = start("--rooms-followed", "4")
    async with pierule.connect(node.url, name="Ada") as ada:
        first = await ada.create("loose", 5, seat=0)
        await first.abort()
        beyond = first.updates(beyond=True)
        for _ in range(12):
            room = await ada.create("loose", 5, seat=0)
            await room.abort()
        assert (await anext(beyond)).state.status == "over"
        again = await ada.join(first.id)
        assert again.over
        for _ in range(2):
            await ada.create("loose", 5, seat=0)
        with pytest.raises(pierule.Refused) as caught:
            await ada.create("loose", 5, seat=0)
        assert caught.value.code == "limit"
