"""Plays the server's part of the transcripts of `protocol/vectors` to a client over a real socket.

Requests that the client under test has no reason to make (see `elsewhere`) count as made by the
same user on another connection: they are not waited for or answered, but their effects arrive.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias
from zlib import crc32

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from pierule_protocol.codec import server_codecs
from support.story import START
from support.vectors.files import FOLDER

Json: TypeAlias = dict[str, Any]

BOUND = 60.0
"""Seconds for the client's next step, back-off included."""

COMPARED = ("type", "room", "turn", "action", "since", "epoch", "seq", "problem", "seat", "game",
            "size", "clock", "prefix", "first")  # fmt: skip
"""Fields of a request that must be those of the transcript: each client has its own ids, nonces and
names."""


def transcripts(*files: str) -> list[Json]:
    """The transcripts of these files."""
    return [
        transcript
        for file in files
        for transcript in json.loads((FOLDER / file).read_text("utf-8"))["transcripts"]
    ]


class Replay:
    """One transcript under way. `shown` is the last state that the client must have; `over` says
    whether the room is over."""

    def __init__(self, transcript: Json, elsewhere: frozenset[int] = frozenset()) -> None:
        self.url = ""
        self.steps: list[Json] = transcript["steps"]
        self.shown: Json = {}
        self.over = False
        self._elsewhere = elsewhere
        self._ids: dict[int, int] = {}
        self._dialed: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self._heard: asyncio.Queue[Json] = asyncio.Queue()
        self._socket: ServerConnection | None = None

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Take connections, on a free port."""
        protocols = [Subprotocol(name) for name in server_codecs()]
        async with serve(self._serve, "127.0.0.1", 0, subprotocols=protocols, compression=None,
                         ping_interval=None) as server:  # fmt: skip
            self.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/ws"
            yield
            for socket in server.connections:
                socket.transport.abort()

    async def open(self) -> None:
        """The client connects."""
        self._socket = await _soon(self._dialed.get(), "a connection")

    async def send(self, wanted: Json) -> None:
        """Expect this request, or nothing if it is made elsewhere."""
        if wanted["id"] in self._elsewhere:
            return
        sent = await _soon(self._heard.get(), str(wanted))
        self._ids[wanted["id"]] = sent["id"]
        assert self._meant(sent, wanted) == _compared(wanted)

    async def receive(self, message: Json) -> None:
        """Send this to the client."""
        if message.get("id") in self._elsewhere:
            return
        if "id" in message:
            message = {**message, "id": self._ids[message["id"]]}
        self.over |= message.get("diff", {}).get("status") == "over"
        await self._say(message)

    async def closed(self, code: int | None) -> None:
        """End the connection; in good order, the client ends it."""
        socket = self._socket
        assert socket is not None
        if code == 1000:
            await _soon(socket.wait_closed(), "the client's own close")
            assert self._heard.empty(), self._heard.get_nowait()
        elif code is None:
            socket.transport.abort()
        else:
            await socket.close(code)

    async def finish(self) -> None:
        """End the room, unless it is over; the client goes and sends nothing more."""
        if not self.over:
            self.over = True
            await self._say(_resigned(self.shown))
        await self.closed(1000)

    def _meant(self, sent: Json, wanted: Json) -> Json:
        """The request without what a client may add: it may take a seat again that it has (2.9),
        resume while taking it, and name the epoch in which it acts (6.3)."""
        meant = _compared(sent)
        if "epoch" not in wanted and meant.get("epoch") == self.shown.get("epoch", 1):
            meant.pop("epoch", None)
        if wanted["type"] == "join":
            if "seat" not in wanted:
                meant.pop("seat", None)
            elif _place(meant.get("since")) == _place(self.shown):
                meant.pop("since", None)
        return meant

    async def _say(self, message: Json) -> None:
        assert self._socket is not None
        codec = server_codecs()[str(self._socket.subprotocol)]
        with suppress(ConnectionClosed):  # a client that has seen the end may be gone
            await self._socket.send(codec.encode(message), text=codec.text)

    async def _serve(self, socket: ServerConnection) -> None:
        """Read a connection: everything must be a request (`refused` in codec.json). Requests that
        a client may make at any time are answered at once."""
        codec = server_codecs()[str(socket.subprotocol)]
        self._dialed.put_nowait(socket)
        with suppress(ConnectionClosed):
            async for data in socket:
                request = codec.decode(data)
                message: Json = msgspec.to_builtins(request)
                if self._unasked(message):
                    ok = {"type": "ok", "id": message["id"], "now": START, "log": []}
                    await socket.send(codec.encode(ok), text=codec.text)
                else:
                    self._heard.put_nowait(message)

    def _unasked(self, message: Json) -> bool:
        """Whether the transcript leaves this out: pings, and places behind a log's end."""
        return message["type"] == "ping" or bool(message.get("first", 1) > 1)


def _place(at: Json | None) -> tuple[int, ...]:
    return tuple(at[name] for name in ("epoch", "seq", "chain")) if at else ()


def elsewhere(transcript: Json) -> tuple[frozenset[int], int | None, list[str]]:
    """For a client that only follows and plays one seat: the ids of requests that are made
    elsewhere, the seat (None: it watches) and its actions."""
    steps = transcript["steps"]
    answers = {step["receive"]["id"]: step["receive"] for step in steps if "id" in
               step.get("receive", {})}  # fmt: skip
    mine = {diff_turn - 1 for diff_turn in _turns_of_seat(steps)}
    left, done, actions = set(), set(), {}
    for request in (step["send"] for step in steps if "send" in step):
        answer = answers.get(request["id"])
        match request["type"]:
            case "hello" | "board_mismatch":
                needed = True
            case "join":
                needed = "seat" not in request
            case "act":
                turn = request["turn"]
                refused = answer is not None and answer["type"] == "error"
                needed = turn in mine and turn not in done and not refused
                if needed:
                    actions[turn] = request["action"]
                    done |= {turn} if answer else set()
            case _:
                needed = False
        if not needed:
            left.add(request["id"])
    return frozenset(left), 0 if actions else None, list(actions.values())


def _turns_of_seat(steps: list[Json], seat: int = 0) -> Iterator[int]:
    """The turns after each action of a seat."""
    for event in (step["receive"] for step in steps if "record" in step.get("receive", {})):
        record = json.loads(event["record"])
        if record["kind"] == "acted" and record["seat"] == seat:
            yield event["diff"]["turn"]


def _resigned(shown: Json) -> Json:
    """An event that ends the room in its last shown state."""
    place = {"epoch": shown["epoch"], "seq": shown["seq"] + 1, "at": START + 1_000_000}
    record = '{"kind":"resigned","seat":1,"nonce":"end"}'
    line = f"{place['epoch']} {place['seq']} {record} {place['at']}"
    return {
        "type": "event", "room": "kobadimu", **place, "record": record,
        "chain": crc32(line.encode(), shown["chain"]), "digest": shown["digest"],
        "diff": {"status": "over", "result": {"winner": 0, "reason": "resigned"}},
    }  # fmt: skip


def _compared(message: Json) -> Json:
    """The compared fields of a request. Null counts as absent."""
    return {name: message[name] for name in COMPARED if message.get(name) not in (None, "")}


async def _soon(awaited: Any, what: str) -> Any:
    try:
        return await asyncio.wait_for(awaited, BOUND)
    except TimeoutError:
        raise AssertionError(f"waited {BOUND} s in vain for {what}") from None
