"""Chat over two real nodes: the sides apart, retries safe, nothing lost with a node."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

import pierule
from e2e.conftest import Starter
from pierule_protocol.codes import Code
from pierule_protocol.messages import Chat, ChatHistoryQuery, Join, Resign, Say
from support.games import game, seat_both
from support.peer import Peer, fresh_nonce
from support.serving import Serving

BOUND = 60.0
KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)


@pytest.fixture
def nodes(start: Starter) -> list[Serving]:
    """Two nodes over one embedded store, on which nobody has to hold their tongue."""
    flags = ("--chat-rate", "0", "--channel-rate", "0")
    first = start(*flags, keys=KEYS)
    return [first, start(*flags, store=first.store_url, keys=KEYS)]


class RecordingListener:
    """Collects what is said in a room."""

    def __init__(self, room: pierule.Room) -> None:
        self.heard: list[pierule.ChatEntry] = []
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._listen(room))

    async def _listen(self, room: pierule.Room) -> None:
        async for spoken in room.chat():
            self.heard.append(spoken)
            self._news.set()

    def texts(self, channel: str) -> list[str | None]:
        return [spoken.message.text for spoken in self.heard if spoken.channel == channel]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(BOUND):
            while not condition():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def crowd(
    nodes: list[Serving], spectators: int
) -> AsyncIterator[tuple[list[pierule.Client], list[pierule.Room], list[RecordingListener]]]:
    """Two players and some spectators, each at one node or the other, in one room that runs."""
    async with AsyncExitStack() as stack:
        urls = [node.url for node in nodes]
        clients = [
            await stack.enter_async_context(
                pierule.connect([urls[n % 2], urls[1 - n % 2]], name=f"User {n}",
                                codec="json" if n % 3 else "msgpack")
            )
            for n in range(2 + spectators)
        ]  # fmt: skip
        rooms = [await clients[0].create("loose", 5, seat=0)]
        rooms.append(await clients[1].join(rooms[0].id, seat=1))
        rooms += [await client.join(rooms[0].id) for client in clients[2:]]
        ears = [RecordingListener(room) for room in rooms]
        try:
            yield clients, rooms, ears
        finally:
            for ear in ears:
                ear.task.cancel()
            await asyncio.gather(*(ear.task for ear in ears), return_exceptions=True)


@pytest.mark.long(13)
async def test_the_channels_are_separate_until_the_game_is_over(
    nodes: list[Serving], rng: random.Random
) -> None:
    async with crowd(nodes, 4) as (_, rooms, ears):
        said: dict[str, list[str]] = {"players": [], "spectators": []}
        for number in range(60):
            who = rng.randrange(len(rooms))
            side = "players" if who < 2 else "spectators"
            text = f"{side} {number}"
            line = await rooms[who].say(text)
            said[side].append(text)
            assert line.seq == len(said[side])
        for who, ear in enumerate(ears):
            own, other = ("players", "spectators") if who < 2 else ("spectators", "players")
            await ear.until(lambda ear=ear, own=own: ear.texts(own) == said[own])  # type: ignore[misc]
            assert ear.texts(other) == []
        await rooms[0].resign()
        for ear in ears:
            for side, texts in said.items():
                await ear.until(lambda ear=ear, side=side, texts=texts: ear.texts(side) == texts)  # type: ignore[misc]
        await rooms[3].say("well played")  # it goes on behind the end
        await ears[0].until(lambda: ears[0].texts("spectators")[-1] == "well played")


@pytest.mark.long(11)
async def test_acknowledged_chat_messages_survive_a_killed_node(nodes: list[Serving]) -> None:
    """Law 4: what was acknowledged is heard, once, by all that come back, whatever dies."""
    async with crowd(nodes, 2) as (_, rooms, ears):
        said = []
        for number in range(10):
            await rooms[number % 2].say(f"before {number}")
            said.append(f"before {number}")
        talking = asyncio.create_task(talk(rooms[1], said))
        await ears[0].until(lambda: len(ears[0].heard) >= 15)
        nodes[1].kill()
        assert not talking.done()
        await talking
        await ears[0].until(lambda: ears[0].texts("players") == said)
        await ears[1].until(lambda: ears[1].texts("players") == said)
        for ear in ears[:2]:
            assert [spoken.message.seq for spoken in ear.heard] == list(range(1, len(said) + 1))


async def talk(room: pierule.Room, said: list[str]) -> None:
    for number in range(30):
        await room.say(f"line {number}")
        said.append(f"line {number}")


async def test_a_chat_message_is_kept_once_whichever_node_takes_it(nodes: list[Serving]) -> None:
    first, second = [await Peer.open(node.url, "Ada") for node in nodes]
    room = await seat_both(first, second, LOOSE)
    nonce = fresh_nonce()
    fields = {"room": room, "nonce": nonce, "text": "hello"}
    line = (await first.do(Say, **fields)).messages
    async with await first.again(nodes[1].url) as other:
        assert (await other.do(Say, **fields)).messages == line  # a seat needs no following
        lines = (await other.do(ChatHistoryQuery, room=room, channel="players")).messages
        assert lines == line
        await other.refused(Code.BAD_FIELD, Say, room=room, nonce=nonce, text="bye")
    for peer in (first, second):
        await peer.close()


async def test_chat_can_be_switched_off(start: Starter) -> None:
    node = start("--chat", "off")
    ada = await Peer.open(node.url, "Ada")
    room = await seat_both(ada, ada, LOOSE)
    assert "chat" not in ada.welcome.features
    await ada.refused(Code.CHAT_OFF, Say, room=room, nonce="n", text="hello")
    await ada.do(Resign, room=room, nonce="r", seat=0)
    await ada.do(Join, room=room)
    assert not [message for message in ada.received if isinstance(message, Chat)]
    await ada.close()
