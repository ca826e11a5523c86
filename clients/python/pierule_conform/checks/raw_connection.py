"""One raw WebSocket: maps out, maps in, with any content. Nothing is validated here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.typing import Origin, Subprotocol

from pierule_protocol.messages import PROTOCOL
from pierule_protocol.packing import pack, unpack

CodecName = Literal["msgpack", "json"]
CODECS: tuple[CodecName, ...] = ("msgpack", "json")
BUSY = (429, 503)
"""HTTP statuses that ask a client to try again: too many connections, or the node drains."""

_quiet = logging.getLogger("pierule_conform")
_quiet.setLevel(logging.ERROR)


class Watched(ClientConnection):
    """A connection that notices when it is pinged."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.pings = 0
        self.pinged = asyncio.Event()

    def process_event(self, event: Any) -> None:
        if isinstance(event, Frame) and event.opcode is Opcode.PING:
            self.pings += 1
            self.pinged.set()
        super().process_event(event)


async def dial(
    url: str, seconds: float, subprotocols: Sequence[str] | None, origin: str | None = None
) -> Watched:
    """Open a connection. Asks a busy server again; any other refusal raises the library's
    InvalidHandshake."""
    offered = None if subprotocols is None else [Subprotocol(name) for name in subprotocols]
    for pause in (0.1, 0.3, 1.0, None):
        try:
            opened = await connect(
                url,
                subprotocols=offered,
                origin=None if origin is None else Origin(origin),
                ping_interval=None,
                open_timeout=seconds,
                close_timeout=2.0,
                max_size=None,
                max_queue=None,
                logger=_quiet,
                create_connection=Watched,
            )
        except InvalidStatus as error:
            if pause is None or error.response.status_code not in BUSY:
                raise
            await asyncio.sleep(pause)
        else:
            assert isinstance(opened, Watched)
            return opened
    raise AssertionError("unreachable")


def encoded(codec: CodecName, message: Any) -> bytes:
    """Any value as the bytes of a frame."""
    return msgspec.json.encode(message) if codec == "json" else pack(message)


class RawConnection:
    """A WebSocket with one of the codecs."""

    def __init__(self, socket: Watched, codec: CodecName) -> None:
        self.socket = socket
        self.codec = codec

    @classmethod
    async def open(cls, url: str, codec: CodecName, seconds: float) -> RawConnection:
        return cls(await dial(url, seconds, [f"{PROTOCOL}.{codec}"]), codec)

    async def send(self, message: Any) -> None:
        """Encode and send."""
        await self.raw(encoded(self.codec, message))

    async def raw(self, data: bytes, text: bool | None = None) -> None:
        """Send bytes as a frame of the codec's kind, or of the other."""
        await self.socket.send(data, text=self.codec == "json" if text is None else text)

    async def fragments(self, parts: list[bytes]) -> None:
        """Send a message in several frames."""
        text = self.codec == "json"
        await self.socket.send([part.decode() for part in parts] if text else parts)

    async def frame(self, data: bytes, opcode: Opcode) -> None:
        """Send a frame that the library would refuse to send."""
        self.socket.transport.write(Frame(opcode, data).serialize(mask=True))

    def read(self, data: bytes | str) -> Any:
        """What a frame holds. Raises ValueError if it is not of this codec."""
        if isinstance(data, str) is not (self.codec == "json"):
            raise ValueError(f"a {'text' if isinstance(data, str) else 'binary'} frame")
        try:
            return unpack(data) if isinstance(data, bytes) else msgspec.json.decode(data)
        except msgspec.DecodeError as error:
            raise ValueError(str(error)) from None
