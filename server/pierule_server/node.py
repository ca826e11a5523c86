"""Puts one server process together: the store, the log, the hub, the listener and the operators'
port."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import urlsplit

from pierule_protocol import world
from pierule_server.connections.affinity import Affinity
from pierule_server.connections.connections import Connections
from pierule_server.gateway.admission import Admission
from pierule_server.gateway.budget import UNFINISHED
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.listener import PATH, Listener
from pierule_server.identity.bans import Bans
from pierule_server.identity.provider import Provider, check_keys, provider_of
from pierule_server.identity.tokens import Keys, kept_keys, read_keys
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.outbound_http import OutboundHttp
from pierule_server.lobby.webhooks import Webhooks
from pierule_server.operations import tracing
from pierule_server.operations.api_process import behind_proxy
from pierule_server.operations.health import Operations
from pierule_server.operations.keyring_member import KeyringMember
from pierule_server.operations.moderation_feed import ModerationFeed
from pierule_server.operations.ports import check_ports
from pierule_server.rooms.archive_writer import ArchiveWriter, Writer
from pierule_server.rooms.deadlines import DeadlineSweeper
from pierule_server.rooms.housekeeping import Housekeeper
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.settings import Settings
from pierule_server.store.address import archive_url, check_archive
from pierule_server.store.driver.disk import Disk
from pierule_server.store.driver.embedded import embedded_store
from pierule_server.store.driver.primary import DEFAULT_TIMEOUTS, Timeouts, trusting
from pierule_server.store.driver.topology import Topology
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.tables import Tables

if TYPE_CHECKING:
    from pierule_archive.keys import Signer

VERSION = version("pierule")

T = TypeVar("T", covariant=True)
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Node:
    """A serving node. `url` is for clients, `store` is the URL of its store, `operations` and `api`
    are the URLs for operators and of the archive's API (None: there is none). `keys` sign users'
    tokens; `drain` sends the clients away."""

    url: str
    store: str
    operations: str | None
    api: str | None
    keys: Keys
    drain: Callable[[], Awaitable[None]]
    listener: Listener
    health: Operations
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Host:
    """What a supervisor tells its workers: the `url` to which clients connect, and the URL of the
    store."""

    url: str
    store: str


@asynccontextmanager
async def running_node(
    settings: Settings, api: str | None = None, host: Host | None = None
) -> AsyncIterator[Node]:
    """Serve while the context lasts, then end in order. `api` is the URL of the archive's API that
    runs beside this node. `host` is set if this node is a worker of a supervisor.

    Raises ValueError for wrong settings, StoreUnavailable or StoreUnusable if the store cannot be
    used, and OSError if a port or a folder cannot be used.
    """
    async with AsyncExitStack() as stack:
        store = host.store if host else await store_of(stack, settings)
        keys = keys_of(settings)
        connections, name = Connections(_affinity(settings, host)), world.token_hex(4)
        log = await _log(stack, settings, store)
        provider = provider_of(settings, lambda: log.tables.secrets.ids)
        if provider is not None:
            await _started(stack, provider)
        keyring_member = _keyring_member(settings, log, name, keys)
        await _started(stack, keyring_member)
        tables = log.tables
        hub = Hub(name, log, tables, settings.rooms_cached, connections)
        log.listen(hub)
        _start(stack, hub)
        archive = await _archive(stack, settings, name, hub, log)
        standings = Standings(archive, log.now, rate_bots=settings.rate_bots == "on")
        rooms = _rooms(settings, hub, log, standings)
        deadline_sweeper = DeadlineSweeper(hub, log, rooms, tables.deadlines)
        _start(stack, deadline_sweeper)
        _start(stack, Housekeeper(hub, log, tables, settings))
        webhooks = _webhooks(settings, hub, tables, keys)
        lobby = _lobby(settings, hub, rooms, log, name, webhooks, standings)
        _start(stack, lobby)
        bans = Bans(log.now)
        await _started(stack, ModerationFeed(tables.moderation, tables.secrets, bans, connections))
        dispatch = _dispatch(settings, hub, rooms, lobby, log, keys, connections, bans, provider,
                             api, archive)  # fmt: skip
        tracing.trace(stack, name, dispatch, rooms, log, hub)
        listener = Listener(settings, hub, dispatch, connections, bans, _port_in(api),
                            passed=host is not None)  # fmt: skip
        operations = Operations(settings, VERSION, hub, log, deadline_sweeper, connections, lobby,
                                keyring_member, archive)  # fmt: skip
        told, port = await _ports(stack, operations, listener)
        url = host.url if host else url_of(settings.host, port)
        drain = partial(connections.drain, settings.drain_seconds)
        yield Node(url, store, told, api, keys, drain, listener, operations)


async def _ports(
    stack: AsyncExitStack, operations: Operations, listener: Listener
) -> tuple[str | None, int]:
    """Begin to listen. Returns the URL for operators, if there is one, and the port for clients."""
    with naming("--operations-host and --operations-port"):
        observed = await _started(stack, operations)
    with naming("--host and --port"):
        port = await _started(stack, listener)
    return observed and f"http://{authority(*observed)}", port


def check(settings: Settings) -> None:
    """Refuse settings that contradict each other or cannot be read, before anything starts. Raises
    ValueError."""
    if settings.store == "embedded" and settings.replicas:
        raise ValueError("--replicas needs --store: the embedded store has no replicas")
    if settings.keys or settings.store != "embedded":
        keys_of(settings)
    if settings.store != "embedded":
        with naming("--store"):
            Topology(trusting(settings.store, settings.store_ca), DEFAULT_TIMEOUTS)
    check_archive(settings.archive, settings.store, settings.data)
    if settings.archive_keys:
        with naming("PIERULE_ARCHIVE_KEYS"):
            _signer(settings)
    provider_of(settings, bytes)
    check_keys(settings)
    Admission(settings)
    check_ports(settings)


def spare_the_collector() -> None:
    """Make the garbage collector run rarely. Rooms and connections hold hardly any cycles, but each
    run looks through all of them, which took a fifth of the CPU time of an action. The collector
    never looks again at objects that exist now."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _port_in(api: str | None) -> int | None:
    return urlsplit(api).port if api else None


def _affinity(settings: Settings, host: Host | None) -> Affinity:
    """A worker has other workers beside it, and learns from the supervisor which buckets they
    serve. A node of its own knows only the hint with which a client came."""
    here = None if host else ()
    return Affinity(
        here, on=settings.affinity == "on" or (settings.affinity == "auto" and host is not None)
    )


def _rooms(settings: Settings, hub: Hub, log: RedisRoomLog, standings: Standings) -> Rooms:
    return Rooms(
        hub, log, log.tables, settings.rooms_per_user, settings.abandoned_per_address,
        UNFINISHED * settings.address_budget, standings,
    )  # fmt: skip


def _lobby(
    settings: Settings, hub: Hub, rooms: Rooms, log: RedisRoomLog, name: str,
    webhooks: Webhooks | None, standings: Standings,
) -> Lobby:  # fmt: skip
    return Lobby(
        hub, rooms, log, log.tables, name, standings, settings.seeks_per_user,
        settings.challenges_per_user, webhooks,
    )  # fmt: skip


def _dispatch(
    settings: Settings, hub: Hub, rooms: Rooms, lobby: Lobby, log: RedisRoomLog, keys: Keys,
    connections: Connections, bans: Bans, provider: Provider | None, api: str | None,
    finished: ArchiveWriter,
) -> Dispatch:  # fmt: skip
    return Dispatch(
        hub, rooms, lobby, log, log.tables, keys, settings.limits, f"pierule/{VERSION}",
        connections, bans, chat=settings.chat == "on", reportable=settings.messages_for_reports,
        provider=provider, guests=settings.guests == "on",
        archive=api is not None or behind_proxy(settings), finished=finished,
        rate_bots=settings.rate_bots == "on", evaluations=settings.evaluations == "on",
        signer=_signer(settings),
    )  # fmt: skip


class _Part(Protocol[T]):
    """A part of the node that you start and stop."""

    def start(self) -> T: ...

    async def stop(self) -> None: ...


def _start(stack: AsyncExitStack, part: _Part[None]) -> None:
    """Start a part. It stops when the stack closes."""
    part.start()
    stack.push_async_callback(part.stop)


async def _started(stack: AsyncExitStack, part: _Part[Awaitable[U]]) -> U:
    """Start a part whose start must be awaited, and return what it gives. It stops when the stack
    closes."""
    begun = await part.start()
    stack.push_async_callback(part.stop)
    return begun


async def store_of(stack: AsyncExitStack, settings: Settings) -> str:
    """The store's URL. An embedded store runs until the stack closes."""
    if settings.store != "embedded":
        return trusting(settings.store, settings.store_ca)
    with naming("--data"):
        return await stack.enter_async_context(
            embedded_store(settings.data, settings.fsync, settings.store_memory)
        )


async def _log(stack: AsyncExitStack, settings: Settings, store: str) -> RedisRoomLog:
    with naming("--store"):
        log = await RedisRoomLog.open(
            store,
            timeouts=Timeouts(request=settings.store_seconds),
            replicas=settings.replicas,
            accept_volatile=settings.accept_volatile_store == "on",
            disk=Disk(settings.data) if settings.store == "embedded" else None,
        )
    stack.push_async_callback(log.close)
    return log


def _keyring_member(settings: Settings, log: RedisRoomLog, name: str, keys: Keys) -> KeyringMember:
    archives = archive_url(settings.archive, settings.store, settings.data) is not None
    return KeyringMember(log.tables.keyring, name, keys, archives=archives)


async def _archive(
    stack: AsyncExitStack, settings: Settings, name: str, hub: Hub, log: RedisRoomLog
) -> ArchiveWriter:
    archive = ArchiveWriter(name, hub, log, log.tables.archive_queue, settings, _writer(settings))
    with naming("--archive"):
        await _started(stack, archive)
    return archive


def _signer(settings: Settings) -> Signer | None:
    """The key that signs games and receipts, if there is one. Raises ValueError for wrong keys, and
    OSError if the folder cannot be used."""
    folder = settings.data if settings.store == "embedded" else None
    if not settings.archive_keys and folder is None:
        return None
    from pierule_archive.keys import (
        first_signer,
    )  # a server that signs nothing needs no `cryptography`

    with naming("--archive"):
        return first_signer(settings.archive_keys, folder)


def _writer(settings: Settings) -> Writer | None:
    """The writer to the archive, if there is one. Raises ValueError for a wrong URL."""
    url = archive_url(settings.archive, settings.store, settings.data)
    if url is None:
        return None
    from pierule_archive import writer  # see `archive_url`

    return writer.Writer(url, _signer(settings))


@contextmanager
def naming(flags: str) -> Iterator[None]:
    """Add the flags to check to the text of an OSError or ValueError."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise OSError(f"{where}{error.strerror or error} (see {flags})") from error
    except ValueError as error:
        raise ValueError(f"{error} (see {flags})") from error


def url_of(host: str, port: int) -> str:
    """Where clients connect."""
    return f"ws://{authority(host, port)}{PATH}"


def authority(host: str, port: int) -> str:
    """Host and port, as they stand in a URL."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _webhooks(settings: Settings, hub: Hub, tables: Tables, keys: Keys) -> Webhooks | None:
    if settings.webhooks == "off":
        return None
    return Webhooks(hub, tables, keys, OutboundHttp(settings.webhooks), settings.page_url)


def keys_of(settings: Settings) -> Keys:
    """The keys that sign tokens. Raises ValueError, and OSError for a folder without access."""
    if settings.keys:
        return read_keys(settings.keys)
    if settings.store == "embedded":
        return kept_keys(settings.data)
    raise ValueError(
        "--store needs the keys that sign tokens, the same for every node: "
        'PIERULE_KEYS="k1:$(openssl rand -hex 32)"'
    )
