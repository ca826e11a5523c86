"""The watches pass what the server says, name what is wrong with anything else, and never fall."""

from __future__ import annotations

import asyncio
import copy
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

from pierule_conform.checks.peer import Peer
from pierule_conform.checks.watch import Watcher
from pierule_protocol.log.controls import Fischer
from pierule_protocol.messages import Presence, Snapshot
from support.story import Story

JUNK: list[Any] = [None, 0, 1, -1, 2**40, 1.5, "", "junk", True, [], [1], [[1, 2]], {}, {1: 2},
                   {"seq": None}, [None, None], ["a"] * 25, "-" * 100]  # fmt: skip


class Silence:
    """A socket on which nothing comes, until it is closed."""

    def __init__(self) -> None:
        self._closed = asyncio.Event()

    async def recv(self) -> bytes:
        await self._closed.wait()
        raise ConnectionClosed(None, None)

    async def close(self) -> None:
        self._closed.set()


class Quiet:
    """A line that reads JSON, and sends to nobody."""

    codec = "json"

    def __init__(self) -> None:
        self.socket = Silence()

    async def send(self, message: Any) -> None:
        """Lost."""

    def read(self, data: Any) -> Any:
        return json.loads(data)


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    line: Any = Quiet()
    made = Peer(line, Watcher(), 0.1)
    yield made
    await made.close()


def plain(message: Any) -> dict[str, Any]:
    return dict(msgspec.json.decode(msgspec.json.encode(message)))


def conversation() -> list[dict[str, Any]]:
    """What a client hears that joins an open room and sees a game."""
    story = Story(clock=Fischer(main=60, increment=2), open=False)
    first = story.states[0]
    story.act("komi:12", "black", "c3", "b2", "pass", lag=20)
    story.resign(0)
    joined = {"type": "ok", "id": 1, "room": first.room, "seats": [0], "turn": 0,
              "place": plain(first.place), "resumed": False}  # fmt: skip
    presence = Presence(room=first.room, players=(True, False), spectators=0)
    return [joined, plain(Snapshot(state=first)), plain(presence), *map(plain, story.events)]


async def hear(peer: Peer, messages: list[Any]) -> dict[str, str]:
    """Let a peer hear them; the expectations that were not met, by watch."""
    await peer.send("join", room="kobadimu")
    for message in messages:
        peer.inbound.take(json.dumps(message))
    found = peer.inbound._watcher.findings()
    return {one.name: str(one.expected) for one in found if one.status == "failed"}


async def test_a_right_conversation_passes_all_watches(peer: Peer) -> None:
    assert await hear(peer, conversation()) == {}
    assert len(peer.states["kobadimu"]) == 8


def wrong(*path: Any, to: Any) -> list[dict[str, Any]]:
    """The conversation with one value changed; the first of the path counts messages."""
    messages = conversation()
    inner: Any = messages
    for step in path[:-1]:
        inner = inner[step]
    if to is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return messages


@pytest.mark.parametrize(
    ("messages", "watch"),
    [
        (wrong(0, "place", to=KeyError), "every-ok-complete"),
        (wrong(0, "id", to=7), "every-answer-once"),
        (wrong(1, "state", "ply", to=KeyError), "every-snapshot-complete"),
        (wrong(1, "state", "position", "passes", to=None), "every-position-complete"),
        (wrong(1, "state", "position", "cells", to=[0] * 24), "every-board-full"),
        (wrong(1, "state", "digest", to=1), "every-digest-right"),
        (wrong(2, "spectators", to=-1), "every-presence-complete"),
        (wrong(3, "chain", to=1), "every-chain-right"),
        (wrong(4, "diff", "turn", to=KeyError), "every-turn-counted"),
        (wrong(4, "diff", "ply", to=None), "every-diff-exact"),
        (wrong(5, "diff", "status", to="running"), "every-diff-exact"),
        (wrong(6, "diff", "position", "cells", to=[[25, 1]]), "every-diff-exact"),
        (wrong(6, "record", to="{}"), "every-record-known"),
        (wrong(6, "at", to=10**12), "every-event-next"),
        (wrong(6, "seq", to=99), "every-event-next"),
        (wrong(6, "digest", to=0), "every-digest-right"),
        (wrong(6, "seq", to=5.0), "every-message-a-map"),
        (wrong(6, to=[]), "every-message-a-map"),
        (conversation()[1:], "every-join-in-order"),
        ([conversation()[0], *conversation()[2:]], "every-join-in-order"),
    ],
)
async def test_a_wrong_message_fails_its_watch(
    peer: Peer, messages: list[dict[str, Any]], watch: str
) -> None:
    assert watch in await hear(peer, messages)


async def test_two_different_states_at_one_place_are_found() -> None:
    watcher = Watcher()
    for messages in (conversation(), wrong(1, "state", "seats", 0, "user", to="someone")):
        line: Any = Quiet()
        peer = Peer(line, watcher, 0.1)
        broken = await hear(peer, messages)
        await peer.close()
    assert set(broken) == {"every-state-one"}


def test_unknown_fields_and_omitted_nulls_pass() -> None:
    messages = conversation()
    state = messages[1]["state"]
    state["weather"] = {"rain": True}
    for name in ("result",):
        del state[name]
    for name in ("komi", "black", "winner"):
        del state["position"][name]
    watcher = Watcher()
    assert watcher.snapshot(messages[1]) is not None
    assert not [one for one in watcher.findings() if one.status == "failed"]


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places within a message."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for step, one in inner:
        found.append((*path, step))
        if isinstance(one, dict | list):
            found += spots(one, (*path, step))
    return found


@pytest.mark.parametrize("seed", range(300))
async def test_no_message_crashes_the_checking_peer(peer: Peer, seed: int) -> None:
    chance = random.Random(seed)
    messages = json.loads(json.dumps(conversation()))
    for _ in range(chance.randint(1, 4)):
        path = chance.choice(spots(messages))
        inner = messages
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = copy.deepcopy(chance.choice(JUNK))
    await hear(peer, messages)
