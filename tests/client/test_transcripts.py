"""The client library lives through the whole sessions of the vectors, every request of them: the
server's part is replayed to it over a real socket. (How it comes back by itself, resume.json, is
tried with the example client that stands on it: tests/conform/test_example_transcripts.py.)"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Literal

import msgspec
import pytest

import pierule
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.state.position import position_text
from support.replaying import BOUND, Json, Replay, transcripts


class Driver:
    """Asks the library for each request of a transcript, and holds its answers against it."""

    def __init__(self, client: pierule.Client) -> None:
        self.client = client
        self._room: pierule.Room | None = None
        self._joining: asyncio.Task[Any] | None = None
        self._asked: dict[int, asyncio.Task[Any]] = {}

    def send(self, request: Json) -> None:
        """Have it send this, unless it does so by itself: `create` also joins."""
        if request["type"] == "join" and self._joining is not None:
            return
        task = asyncio.create_task(self._ask(request))
        if request["type"] in ("create", "join"):
            self._joining = task
        elif request["type"] != "hello":
            self._asked[request["id"]] = task

    async def receive(self, answer: Json) -> None:
        """What it makes of an answer. To act is to have seen the event, too: that comes later."""
        if answer.get("id") not in self._asked or (answer["type"] == "ok" and "place" in answer):
            return
        task = self._asked.pop(answer["id"])
        if answer["type"] == "error":
            with pytest.raises(pierule.Refused) as refused:
                await asyncio.wait_for(task, BOUND)
            assert refused.value.code == answer["code"]
            return
        made = msgspec.to_builtins(await asyncio.wait_for(task, BOUND))
        told = answer.get("legal") or answer.get("log")
        if isinstance(told, dict):  # `why` tells whether and why not
            told = {name: value for name, value in told.items() if name != "preview"}
        assert told is None or made == told

    async def shows(self, shown: Json) -> None:
        """Wait until the room is what it has to be, and nothing is left to wait for."""
        if self._joining is not None:
            self._room, self._joining = await asyncio.wait_for(self._joining, BOUND), None
        assert self._room is not None
        async with asyncio.timeout(BOUND):
            async for state in self._room:
                if (state.epoch, state.seq) == (shown["epoch"], shown["seq"]):
                    break
        state = self._room.state
        found = {**msgspec.to_builtins(state), "text": position_text(state.position)}
        assert {name: found[name] for name in shown} == shown

    async def settle(self) -> None:
        """Wait for all that was asked."""
        await asyncio.wait_for(asyncio.gather(*self._asked.values()), BOUND)

    async def _ask(self, request: Json) -> Any:
        if request["type"] == "create":
            clock: Any = msgspec.convert(request.get("clock"), ClockOptions | None)
            seat: Literal[0, 1] | None = request.get("seat")
            return await self.client.create(request["game"], request["size"], seat, clock)
        if request["type"] == "join":
            return await self.client.join(request["room"], request.get("seat"))
        if request["type"] == "log":
            return await self.client.log(request["room"])
        room = self._room
        assert room is not None
        match request["type"]:
            case "act":
                return await room.act(request["action"], request["turn"])
            case "legal" if request.get("action") or request.get("points"):
                why = await room.why(
                    request.get("action", ""),
                    points=request.get("points", []),
                    turn=request["turn"],
                )
                return pierule.Legal(turn=request["turn"], total=int(why is None), refusal=why)
            case "legal":
                return await room.legal(request.get("prefix", ""))
            case "resign":
                return await room.resign()
            case "offer" | "accept" | "decline" as word:
                return await getattr(room, word)(request["what"])
            case "leave":
                return await room.leave()
        raise AssertionError(request)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize(
    "transcript", transcripts("sessions.json"), ids=lambda transcript: str(transcript["name"])
)
async def test_the_client_lives_through_whole_sessions(
    transcript: Json, codec: Literal["msgpack", "json"]
) -> None:
    requests = [step["send"] for step in transcript["steps"] if "send" in step]
    pings = frozenset(one["id"] for one in requests if one["type"] == "ping")
    replay = Replay(transcript, pings)  # it measures the time by itself
    async with replay.listening(), AsyncExitStack() as stack:
        connecting = asyncio.create_task(
            stack.enter_async_context(pierule.connect(replay.url, name="Ada", codec=codec))
        )
        driver: Driver | None = None
        for step in transcript["steps"]:
            ((kind, what),) = step.items()
            if kind == "send" and what["type"] not in ("hello", "ping"):
                driver = driver or Driver(await asyncio.wait_for(connecting, BOUND))
                driver.send(what)
            if kind == "closed":
                assert driver is not None
                await driver.settle()
                await stack.aclose()
            if kind == "shows":
                assert driver is not None
                await driver.shows(what)
                replay.shown = what
            else:
                await getattr(replay, kind)(*([] if kind == "open" else [what]))
            if kind == "receive" and driver is not None:
                await driver.receive(what)
