"""A WebSocket connection that has said hello. It sends and receives messages, and remembers
nothing."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from dataclasses import dataclass, field
from importlib.metadata import version
from ssl import SSLContext
from typing import Any, Literal, TypeAlias

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_websocket
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
    NegotiationError,
    ProxyError,
)
from websockets.http11 import Response
from websockets.typing import Subprotocol

from pierule.backoff import may_pass, retry_delay
from pierule.errors import BadReply, Refused
from pierule_protocol import world
from pierule_protocol.buckets import bucket_of
from pierule_protocol.codec import BadMessage, Codec, client_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import PROTOCOL, Error, Hello, Ok, Request, ServerMessage, Welcome

logger = logging.getLogger(__name__)

_quiet = logging.getLogger("pierule.websocket")
_quiet.setLevel(logging.INFO)  # at DEBUG, websockets would log whole frames, including tokens

MAX_FRAME = 1 << 20
"""The largest accepted message, in bytes: far larger than any snapshot or list of actions."""
PING_SECONDS = 15.0
"""The longest time in seconds between two pings, and for their answers."""
CLOSE_SECONDS = 2.0
"""How many seconds the server may take to answer a closing handshake."""

NO_ADDRESS = "this is not the address of a server; write it as ws://HOST:PORT/ws or wss://HOST/ws"
SENTENCE = 300
"""The longest text of a refused handshake that is shown, in characters."""
LONGEST_BUSY = 30.0
"""The longest time in seconds that a busy server can make us wait before the next try."""

CodecName: TypeAlias = Literal["msgpack", "json"]


class Closed(Exception):
    """The connection has ended. `code` is None if there was no close code."""

    def __init__(self, code: int | None, reason: str) -> None:
        super().__init__(f"closed with {code}: {reason}" if code else "the connection broke off")
        self.code = code


class Unreachable(Exception):
    """No connection could be made. `final` says that trying again is useless. `busy` is in how many
    seconds a busy server allows another try (SPEC 1.13); None if it did not say that it is busy."""

    def __init__(self, text: str, final: bool, busy: float | None = None) -> None:
        super().__init__(text)
        self.final: bool = final
        self.busy = busy


@dataclass(slots=True)
class Address:
    """How to reach a server: the URLs of its nodes, the current one first, the codec, and the
    timeout in seconds. `ssl` replaces the default context for `wss://`. `room` is a room that the
    client wants to join there."""

    urls: deque[str]
    codec: CodecName
    timeout: float
    ssl: SSLContext | None = None
    room: str | None = None

    @property
    def url(self) -> str:
        return self.urls[0]

    @property
    def hinted(self) -> str:
        """The URL with a hint of the room, so that its clients meet at one process (SPEC 1.15)."""
        if self.room is None:
            return self.url
        return f"{self.url}{'&' if '?' in self.url else '?'}bucket={bucket_of(self.room)}"

    def turn(self) -> None:
        """Use the next node from now on."""
        self.urls.rotate(-1)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who you are: the user of a token, or a new guest; with a new name, if given."""

    token: str | None = field(default=None, repr=False)
    name: str | None = None
    bot: bool = False
    recovery: str | None = field(default=None, repr=False)


class Connection:
    """Messages over one WebSocket."""

    def __init__(self, socket: ClientConnection, codec: Codec[ServerMessage]) -> None:
        self._socket = socket
        self._codec = codec

    async def send(self, message: Request) -> None:
        """Send a request. Raises Closed."""
        try:
            await self._socket.send(self._codec.encode(message), text=self._codec.text)
        except ConnectionClosed as error:
            raise _closed(error) from None

    async def receive(self) -> ServerMessage:
        """The next message of a known type. Raises Closed, and BadMessage for a message of a known
        type that cannot be read."""
        while True:
            data = await self.frame()
            try:
                return self._codec.decode(data)
            except BadMessage as bad:
                if bad.code is not Code.UNKNOWN_TYPE:
                    raise
                logger.debug("ignored a message of an unknown type")

    async def frame(self) -> bytes:
        """The bytes of the next message. Raises Closed."""
        try:
            return await self._socket.recv(decode=False)
        except ConnectionClosed as error:
            raise _closed(error) from None

    def keep_alive(self, seconds: int) -> None:
        """Ping from now on, as often as the server does (`ping_seconds`), and treat the connection
        as lost if no answer comes (SPEC 1.4)."""
        often = min(seconds or PING_SECONDS, PING_SECONDS)
        self._socket.ping_interval = self._socket.ping_timeout = often
        self._socket.start_keepalive()

    async def close(self) -> None:
        """Close the connection with a closing handshake."""
        await self._socket.close()

    def abort(self) -> None:
        """Drop the connection without telling the server."""
        self._socket.transport.abort()


async def dial(address: Address, who: Identity) -> tuple[Connection, Welcome]:
    """Connect and say hello. Repeats a hello that may be repeated (SPEC 7), within the timeout.
    Raises Unreachable, Closed, Refused or BadReply."""
    codec = client_codecs()[f"{PROTOCOL}.{address.codec}"]
    try:
        async with asyncio.timeout(address.timeout) as limit:
            socket = await _opened(address, codec.subprotocol)
            connection = Connection(socket, codec)
            try:
                welcome = await _say_hello(connection, who, limit.when() or 0)
            except BaseException:
                socket.transport.abort()
                raise
            connection.keep_alive(welcome.limits.ping_seconds)
            return connection, welcome
    except TimeoutError:
        raise Unreachable(f"{address.url}: no answer in {address.timeout} s", False) from None
    except InvalidStatus as error:
        text, final = _said(error.response), _is_final(error)
        raise Unreachable(f"{address.url}: {text}", final, _busy(error.response)) from error
    except (OSError, InvalidHandshake) as error:
        # A server without TLS hangs up on a client with TLS, and that error has no words.
        why = str(error) or "the server hung up"
        raise Unreachable(f"{address.url}: {why}", _is_final(error)) from error


async def _opened(address: Address, subprotocol: str) -> ClientConnection:
    """A WebSocket without a hello. Raises Unreachable if the address or a proxy's makes no sense,
    and what the library raises for what the network does."""
    own: dict[str, Any] = {}
    if address.ssl is not None and address.url.startswith("wss:"):
        own["ssl"] = address.ssl
    try:
        return await connect_websocket(
            address.hinted,
            subprotocols=[Subprotocol(subprotocol)],
            compression=None,
            logger=_quiet,
            max_size=MAX_FRAME,
            ping_interval=None,
            open_timeout=None,
            close_timeout=CLOSE_SECONDS,
            **own,
        )
    except (InvalidURI, ValueError) as error:
        raise Unreachable(f"{address.url}: {NO_ADDRESS}", True) from error
    except (InvalidProxy, ImportError) as error:  # a SOCKS proxy needs a package of its own
        raise Unreachable(f"{address.url}: {error}", True) from error


def is_final(failure: Closed | Unreachable | Refused | BadReply) -> bool:
    """Whether trying again is useless, whatever the close code says."""
    match failure:
        case Closed():
            return False
        case Unreachable(final=final):
            return final
        case Refused():
            return not may_pass(failure)
        case BadReply():
            return True


async def _say_hello(connection: Connection, who: Identity, deadline: float) -> Welcome:
    clock = asyncio.get_running_loop().time
    agent = f"pierule-python/{version('pierule')}"
    hello = Hello(
        id=0, token=who.token, name=who.name, agent=agent, bot=who.bot, recovery=who.recovery
    )
    latest: Refused | None = None
    for attempt in itertools.count():
        try:
            await connection.send(hello)
            return await _welcomed(connection)
        except Closed:
            if latest is None:
                raise
            raise latest from None  # the server does not wait long for a hello that it accepts
        except Refused as refused:
            latest = refused
            wait = (refused.retry_ms or 0) / 1_000 + retry_delay(attempt, world.random())
            if not may_pass(refused) or clock() + wait > deadline:
                raise
        await asyncio.sleep(wait)
    raise AssertionError("unreachable: the loop ends with an answer or an exception")


async def _welcomed(connection: Connection) -> Welcome:
    while True:
        try:
            answer = await connection.receive()
        except BadMessage as bad:
            raise BadReply(f"cannot read the answer to hello: {bad.text}") from None
        if isinstance(answer, Error):
            raise Refused(answer)
        if isinstance(answer, Ok) and answer.welcome is not None:
            return answer.welcome


def _closed(error: ConnectionClosed) -> Closed:
    frame = error.rcvd or error.sent
    return Closed(frame.code, frame.reason) if frame else Closed(None, "")


def _is_final(error: Exception) -> bool:
    """Whether the same handshake would fail again. After a 5xx, 408 or 429, it may succeed."""
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        return 400 <= status < 500 and status not in (408, 429)
    return isinstance(error, NegotiationError) and not isinstance(error, ProxyError)


def _said(response: Response) -> str:
    """Why a server refuses a handshake: its own words, if its body is a short plain text."""
    if 200 <= response.status_code < 300:
        text = "something other than a server answers; the address of a server ends in /ws"
        return f"{text} (HTTP {response.status_code})"
    body = bytes(response.body or b"")
    text = " ".join(body.decode(errors="replace").split())
    plain = ",".join(response.headers.get_all("Content-Type")).startswith("text/plain")
    if not plain or not 0 < len(text) <= SENTENCE or not text.isprintable():
        return f"the server refuses the connection (HTTP {response.status_code})"
    return f"{text} (HTTP {response.status_code})"


def _busy(response: Response) -> float | None:
    """In how many seconds to try a busy server again; None if it is not busy."""
    if response.status_code not in (429, 503):
        return None
    after = ",".join(response.headers.get_all("Retry-After"))
    return min(float(after), LONGEST_BUSY) if after.isascii() and after.isdigit() else 1.0
