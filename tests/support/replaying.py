"""Transcripts of `protocol/vectors`, replayed to a client over a real socket: the server's part.

Requests that the client under test has no reason to make (see `elsewhere`) count as made by the
same user on another connection: they are neither waited for nor answered, but their effects come.
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
"""Seconds for whatever the client has to do next, back-off included."""

COMPARED = ("type", "room", "turn", "action", "since", "epoch", "seq", "problem", "seat", "game",
            "size", "clock", "prefix", "first")  # fmt: skip
"""What of a request has to be that of the transcript: ids, nonces and names are one's own."""


def transcripts(*files: str) -> list[Json]:
    """The transcripts of these files."""
    return [
        transcript
        for file in files
        for transcript in json.loads((FOLDER / file).read_text("utf-8"))["transcripts"]
    ]


class Replay:
    """One transcript under way. `shown` is the last state that the client had to have; `over` says
    whether the room has come to its end."""

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
        """The client sends this, or in its stead nothing, if it is done elsewhere."""
        if wanted["id"] in self._elsewhere:
            return
        sent = await _soon(self._heard.get(), str(wanted))
        self._ids[wanted["id"]] = sent["id"]
        assert self._meant(sent, wanted) == _compared(wanted)

    async def receive(self, message: Json) -> None:
        """The client is sent this."""
        if message.get("id") in self._elsewhere:
            return
        if "id" in message:
            message = {**message, "id": self._ids[message["id"]]}
        self.over |= message.get("diff", {}).get("status") == "over"
        await self._say(message)

    async def closed(self, code: int | None) -> None:
        """The connection ends: by the client itself if it is in good order."""
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
        """The room ends, unless it has; the client goes and has said nothing more."""
        if not self.over:
            self.over = True
            await self._say(_resigned(self.shown))
        await self.closed(1000)

    def _meant(self, sent: Json, wanted: Json) -> Json:
        """What was sent, but for what a client may add: it may sit again in a seat that it has
        (2.9), and take the seat from where it is."""
        meant = _compared(sent)
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
        """Hear a connection: all it says must be requests (`refused` in codec.json). What a client
        may ask at any time is answered at once."""
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
        """Whether the transcript leaves this out: pings, and what lies behind a log's end."""
        return message["type"] == "ping" or bool(message.get("first", 1) > 1)


def _place(at: Json | None) -> tuple[int, ...]:
    return tuple(at[name] for name in ("epoch", "seq", "chain")) if at else ()


def elsewhere(transcript: Json) -> tuple[frozenset[int], int | None, list[str]]:
    """For a client that only follows and plays in one seat: the ids of requests that are done
    elsewhere, the seat (None: it watches) and the actions that it plays."""
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
    """An event that ends the room as it was shown last."""
    place = {"epoch": shown["epoch"], "seq": shown["seq"] + 1, "at": START + 1_000_000}
    record = '{"kind":"resigned","seat":1,"nonce":"end"}'
    line = f"{place['epoch']} {place['seq']} {record} {place['at']}"
    return {
        "type": "event", "room": "kobadimu", **place, "record": record,
        "chain": crc32(line.encode(), shown["chain"]), "digest": shown["digest"],
        "diff": {"status": "over", "result": {"winner": 0, "reason": "resigned"}},
    }  # fmt: skip


def _compared(message: Json) -> Json:
    """What of a request is compared. Null is as good as absent."""
    return {name: message[name] for name in COMPARED if message.get(name) not in (None, "")}


async def _soon(awaited: Any, what: str) -> Any:
    try:
        return await asyncio.wait_for(awaited, BOUND)
    except TimeoutError:
        raise AssertionError(f"waited {BOUND} s in vain for {what}") from None
