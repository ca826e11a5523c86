"""A store that speaks RESP to the connections that it is given; they may be of any event loop.

What it did is kept as a list of units (a command, or all that a script wrote): from that list comes
what a disk or a replica has, and so what a restart or a fail-over forgets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeAlias

import hiredis

# The commands register themselves.
from simulation.model import hashes, sorted_sets, streams, strings  # noqa: F401
from simulation.model.cluster import Cluster, slot_of
from simulation.model.keyspace import COMMANDS, OK, Effect, Keyspace, RefusedCommand, Status
from simulation.model.scripts import Script, Scripts

Unit: TypeAlias = tuple[int, list[Effect]]

_MOST = 1_000_000_000
"""Bytes of its memory, as it tells them."""

SCRIPTS = Scripts()
"""Compiled once; which of them a store knows is kept by that store."""


class Store:
    """One server. `clock` gives microseconds since 1970."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.space = Keyspace()
        self.units: list[Unit] = []
        self.synced = 0
        """How many units the disk has."""
        self.always = True
        """Whether the disk has a unit before it is answered."""
        self.replicas: list[Replica] = []
        self.refusal = ""
        """What every command is refused with (LOADING), or every write (READONLY)."""
        self.cluster: Cluster | None = None
        self.wrote: Callable[[list[Effect], Session | None], None] = lambda *_: None
        """Told of each write, and for whom it was, right after it."""
        self.worked: Callable[[], None] = lambda: None
        """Called after each write: disks may be slow."""
        self.full = False
        self.published: Callable[[bytes, bytes], Sequence[float]] = lambda *_: (0.0,)
        """After how many seconds a publication is told, each time."""
        self.subscribers: dict[bytes, dict[Session, None]] = {}
        self.sessions: dict[Session, None] = {}
        self.asked = 0
        self._known: dict[bytes, None] = {}

    def accept(self, door: int = 0) -> Session:
        """A protocol for a new connection, to a member of the cluster if it is one."""
        return Session(self, door)

    def restart(self, kept: int | None = None) -> None:
        """Come up again with as many units; with all that the disk has if none is given. Nobody is
        connected."""
        self.units = self.units[: self.synced if kept is None else kept]
        self.synced = len(self.units)
        self.space = replayed(self.units)
        self._known.clear()
        self.subscribers.clear()
        self.sessions.clear()
        self.refusal = ""

    # --- commands ----------------------------------------------------------------------------

    def do(self, session: Session, command: list[bytes]) -> Any:
        """The reply to a command. Raises RefusedCommand."""
        name, args = command[0].upper(), command[1:]
        self.asked += 1
        if self.refusal and name not in (b"PING", b"INFO") and not self._reads(name, args):
            raise RefusedCommand(self.refusal)
        if self.cluster is not None:
            self.cluster.check(session.door, name, args)
        about = _ABOUT.get(name)
        if about is not None:
            return about(self, session, *args)
        space = self.space
        space.now, space.full = self.clock(), self.full
        try:
            if name in (b"EVALSHA", b"EVAL"):
                return self._script(name, args)
            return space.run(name, *args)
        finally:
            self._keep(session)

    def _reads(self, name: bytes, args: list[bytes]) -> bool:
        """Whether a store that only reads does this all the same."""
        if not self.refusal.startswith("READONLY"):
            return False
        if name == b"EVALSHA" and args[0] in self._known:
            return "no-writes" in SCRIPTS.known(args[0]).flags
        known = COMMANDS.get(name)
        return name in _ABOUT or (known is not None and not known.writes)

    def _keep(self, session: Session | None = None) -> None:
        """Note what was done, and tell what was published."""
        space = self.space
        if space.effects:
            effects, space.effects = space.effects, []
            self.units.append((space.now, effects))
            self.wrote(effects, session)
            if self.always:
                self.synced = len(self.units)
            for replica in self.replicas:
                replica.follow(len(self.units))
            self.worked()
        if space.published:
            published, space.published = space.published, []
            for channel, text in published:
                for late in self.published(channel, text):
                    if late:
                        loop = asyncio.get_running_loop()
                        loop.call_later(late, self._tell, channel, text)
                    else:
                        self._tell(channel, text)

    def _tell(self, channel: bytes, text: bytes) -> None:
        for session in list(self.subscribers.get(channel, ())):
            session.tell([b"smessage", channel, text])

    def leave(self, door: int, slot: int) -> None:
        """Send the subscribers away whose slot has moved from this member."""
        for channel, heard in list(self.subscribers.items()):
            if slot_of(channel) == slot:
                for session in [each for each in heard if each.door == door]:
                    self.forget(session, channel)
                    session.tell([b"sunsubscribe", channel, len(session.channels)])

    def _script(self, name: bytes, args: list[bytes]) -> Any:
        if name == b"EVAL":
            sha = SCRIPTS.load(args[0])
            self._known[sha] = None
        else:
            sha = args[0]
            if sha not in self._known:
                raise RefusedCommand("NOSCRIPT No matching script. Please use EVAL.")
        script: Script = SCRIPTS.known(sha)
        if self.full and not script.flags & {"allow-oom", "no-writes"}:
            raise RefusedCommand("OOM command not allowed when used memory > 'maxmemory'.")
        self.space.full = False
        count = int(args[1])
        return SCRIPTS.run(self.space, script, args[2 : 2 + count], args[2 + count :])

    def load(self, session: Session, what: bytes, text: bytes = b"") -> Any:
        if what.upper() == b"FLUSH":
            self._known.clear()
            return OK
        if what.upper() != b"LOAD":
            raise RefusedCommand("ERR unknown subcommand of SCRIPT")
        sha = SCRIPTS.load(text)
        self._known[sha] = None
        return sha

    def info(self, session: Session, *_: bytes) -> bytes:
        online = [replica for replica in self.replicas if replica.online]
        loading = int(self.refusal.startswith("LOADING"))
        lines = [
            "# Server", "redis_version:7.2.4", "valkey_version:9.0.0", f"loading:{loading}",
            "aof_enabled:1", "maxmemory_policy:noeviction",
            f"cluster_enabled:{int(self.cluster is not None)}",
            f"used_memory:{_MOST if self.full else _MOST // 100}", f"maxmemory:{_MOST}",
            "role:master", f"connected_slaves:{len(online)}",
            *(f"slave{n}:ip=10.0.0.9,port=6379,state=online,offset=0,lag=0"
              for n, _ in enumerate(online)),
        ]  # fmt: skip
        return "\r\n".join(lines).encode()

    def subscribe(self, session: Session, *channels: bytes) -> Any:
        for channel in channels:
            self.subscribers.setdefault(channel, {})[session] = None
            session.channels[channel] = None
            session.tell([b"ssubscribe", channel, len(session.channels)])
        return _TOLD

    def unsubscribe(self, session: Session, *channels: bytes) -> Any:
        for channel in channels or list(session.channels):
            self.forget(session, channel)
            session.tell([b"sunsubscribe", channel, len(session.channels)])
        return _TOLD

    def forget(self, session: Session, channel: bytes) -> None:
        session.channels.pop(channel, None)
        heard = self.subscribers.get(channel, {})
        heard.pop(session, None)
        if not heard:
            self.subscribers.pop(channel, None)

    def wait(self, session: Session, count: bytes, ms: bytes) -> Any:
        wanted, seconds = int(count), int(ms) / 1_000
        Waiting(session, self, len(self.units), wanted, seconds or inf).look()
        return _TOLD

    def publish(self, session: Session, channel: bytes, text: bytes) -> int:
        self.space.published.append((channel, text))
        heard = len(self.subscribers.get(channel, ()))
        self._keep()
        return heard

    def listeners(self, session: Session, what: bytes, *channels: bytes) -> list[Any]:
        return [each for name in channels for each in (name, len(self.subscribers.get(name, ())))]

    def fine(self, session: Session, *_: bytes) -> Status:
        return OK

    def ping(self, session: Session, *_: bytes) -> Any:
        return [b"pong", b""] if session.channels else Status(b"PONG")

    def hello(self, session: Session, version: bytes, *_: bytes) -> dict[bytes, Any]:
        """Only this reply is of the newer protocol, which has all the older ones."""
        return {b"server": b"valkey", b"proto": int(version), b"role": b"master"}

    def asked_of_cluster(self, session: Session, what: bytes, *_: bytes) -> Any:
        if self.cluster is None:
            raise RefusedCommand("ERR This instance has cluster support disabled")
        return self.cluster.slots() if what.upper() == b"SLOTS" else b"cluster_state:ok\r\n"


_TOLD = object()
"""The reply has been told already, or comes later."""

_ABOUT: dict[bytes, Callable[..., Any]] = {
    b"PING": Store.ping, b"INFO": Store.info, b"SCRIPT": Store.load, b"WAIT": Store.wait,
    b"SSUBSCRIBE": Store.subscribe, b"SUNSUBSCRIBE": Store.unsubscribe,
    b"SPUBLISH": Store.publish, b"PUBSUB": Store.listeners, b"CLIENT": Store.fine,
    b"SELECT": Store.fine, b"HELLO": Store.hello, b"CLUSTER": Store.asked_of_cluster,
    b"CONFIG": Store.fine,
}  # fmt: skip


class Session(asyncio.Protocol):
    """One connection to a store."""

    def __init__(self, store: Store, door: int = 0) -> None:
        self.door = door
        self.channels: dict[bytes, None] = {}
        self.waiting: Waiting | None = None
        self._store = store
        self._reader = hiredis.Reader()
        self._transport: Any = None
        self._out: list[bytes] = []
        self._busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._store.sessions[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._store.sessions.pop(self, None)
        for channel in list(self.channels):
            self._store.forget(self, channel)

    @property
    def peer(self) -> Any:
        """The process at the other end."""
        return self._transport.link.near

    def abort(self) -> None:
        """Break the connection off."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        self._work()

    def tell(self, reply: Any) -> None:
        """Send a reply, or what is not asked for."""
        _encode(reply, self._out)
        if not self._busy:
            self._flush()

    def go_on(self, reply: Any) -> None:
        """The reply that held the connection up is here."""
        self.waiting = None
        self.tell(reply)
        self._work()

    def _work(self) -> None:
        self._busy = True
        while self.waiting is None:
            command = self._reader.gets()
            if command is False:
                break
            try:
                reply = self._store.do(self, command)
            except RefusedCommand as error:
                reply = error
            if reply is not _TOLD:
                _encode(reply, self._out)
        self._busy = False
        self._flush()

    def _flush(self) -> None:
        if self._out:
            data = b"".join(self._out)
            self._out.clear()
            self._transport.write(data)


class Replica:
    """What a replica has: `has` of the primary's units."""

    def __init__(self, primary: Store, lag: Callable[[], float]) -> None:
        self.has = len(primary.units)
        self.online = True
        self._primary = primary
        self._lag = lag

    def follow(self, units: int) -> None:
        """The primary has so many units."""
        if self.online:
            asyncio.get_running_loop().call_later(self._lag(), self._take, units)

    def _take(self, units: int) -> None:
        if self.online and units > self.has:
            self.has = units
            for session in list(self._primary.sessions):
                if session.waiting is not None:
                    session.waiting.look()


class Waiting:
    """A WAIT that holds its connection up."""

    def __init__(
        self, session: Session, store: Store, units: int, wanted: int, seconds: float
    ) -> None:
        self._session, self._store = session, store
        self._units, self._wanted = units, wanted
        session.waiting = self
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, self._end) if seconds < inf else None

    def look(self) -> None:
        if self._confirmed() >= self._wanted:
            self._end()

    def _confirmed(self) -> int:
        return sum(each.online and each.has >= self._units for each in self._store.replicas)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._session.waiting is self:
            self._session.go_on(self._confirmed())


def replayed(units: list[Unit]) -> Keyspace:
    """The keyspace to which these units lead."""
    space = Keyspace()
    for now, effects in units:
        space.now = now
        for effect in effects:
            space.run(*effect)
        space.published.clear()
    space.effects.clear()
    return space


def _encode(reply: Any, out: list[bytes]) -> None:
    if isinstance(reply, bytes):
        out.append(b"$%d\r\n%b\r\n" % (len(reply), reply))
    elif isinstance(reply, int):
        out.append(b":%d\r\n" % reply)
    elif reply is None:
        out.append(b"$-1\r\n")
    elif isinstance(reply, Status):
        out.append(b"+%b\r\n" % reply.text)
    elif isinstance(reply, list):
        out.append(b"*%d\r\n" % len(reply))
        for each in reply:
            if type(each) is bytes:
                out.append(b"$%d\r\n%b\r\n" % (len(each), each))
            else:
                _encode(each, out)
    elif isinstance(reply, dict):
        out.append(b"%%%d\r\n" % len(reply))
        for each in (each for pair in reply.items() for each in pair):
            _encode(each, out)
    else:
        out.append(b"-%b\r\n" % str(reply).replace("\r\n", " ").encode())
