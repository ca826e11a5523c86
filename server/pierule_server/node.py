"""One server process, put together: the store, the log, the hub, the listener and the port for
operators."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version

from pierule_protocol import world
from pierule_protocol.messages import Limits
from pierule_server.connections.connections import Connections
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.listener import PATH, Listener
from pierule_server.identity.bans import Bans
from pierule_server.identity.provider import provider_of
from pierule_server.identity.tokens import Keys, kept_keys, read_keys
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.outbound_http import OutboundHttp
from pierule_server.lobby.webhooks import Webhooks
from pierule_server.operations.health import Operations
from pierule_server.operations.keyring_member import KeyringMember
from pierule_server.operations.moderation_feed import ModerationFeed
from pierule_server.rooms.archive import Archiver
from pierule_server.rooms.deadlines import DeadlineSweeper
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.settings import Settings
from pierule_server.store.driver.embedded import embedded_store
from pierule_server.store.driver.primary import Timeouts, trusting
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.tables import Tables

VERSION = version("pierule")


@dataclass(frozen=True, slots=True)
class Node:
    """A serving node: its address, its store, and the operators' address (None: there is none). Its
    `keys` sign users' tokens; `drain` sends its clients away."""

    url: str
    store: str
    operations: str | None
    keys: Keys
    drain: Callable[[], Awaitable[None]]


@asynccontextmanager
async def running_node(settings: Settings) -> AsyncIterator[Node]:
    """Serve while the context lasts; end in order.

    Raises ValueError for wrong settings, StoreUnavailable or StoreUnusable for a store that cannot
    be used, OSError for a port or a folder that cannot be used.
    """
    async with AsyncExitStack() as stack:
        if settings.store == "embedded":
            if settings.replicas:
                raise ValueError("--replicas needs --store: the embedded store has no replicas")
            with _naming("--data"):
                store = await stack.enter_async_context(
                    embedded_store(settings.data, settings.fsync)
                )
        else:
            store = trusting(settings.store, settings.store_ca)
        keys = _keys(settings)
        provider = provider_of(settings)
        if provider is not None:
            await provider.start()
            stack.push_async_callback(provider.stop)
        connections = Connections()
        name = world.token_hex(4)
        with _naming("--store"):
            log = await RedisRoomLog.open(
                store,
                timeouts=Timeouts(request=settings.store_seconds),
                replicas=settings.replicas,
                accept_volatile=settings.accept_volatile_store == "on",
            )
        stack.push_async_callback(log.close)
        keyring_member = KeyringMember(log.keyring, name, keys)
        await keyring_member.start()
        stack.push_async_callback(keyring_member.stop)
        tables = log.tables
        hub = Hub(name, log, tables, settings.rooms_cached, connections)
        log.listen(hub)
        hub.start()
        stack.push_async_callback(hub.stop)
        rooms = Rooms(hub, log, tables, settings.rooms_per_user, settings.abandoned_per_address)
        deadline_sweeper = DeadlineSweeper(rooms, log)
        deadline_sweeper.start()
        stack.push_async_callback(deadline_sweeper.stop)
        archivist = Archiver(hub, log, tables.memberships, settings)
        archivist.start()
        stack.push_async_callback(archivist.stop)
        lobby = Lobby(
            hub, rooms, log, tables, name, settings.seeks_per_user,
            settings.challenges_per_user,
            _webhooks(settings, hub, tables, keys),
        )  # fmt: skip
        lobby.start()
        stack.push_async_callback(lobby.stop)
        bans = Bans(log.now)
        moderation_feed = ModerationFeed(log.moderation, tables.secrets, bans, connections)
        await moderation_feed.start()
        stack.push_async_callback(moderation_feed.stop)
        dispatch = Dispatch(
            hub, rooms, lobby, log, tables, keys, _limits(settings),
            f"pierule/{VERSION}", connections, bans, chat=settings.chat == "on",
            reportable=settings.messages_for_reports, provider=provider,
            guests=settings.guests == "on",
        )  # fmt: skip
        listener = Listener(settings, hub, dispatch, connections, bans)
        operations = Operations(
            settings, VERSION, hub, log, deadline_sweeper, connections, lobby, keyring_member
        )
        with _naming("--operations-host and --operations-port"):
            observed = await operations.start()
        stack.push_async_callback(operations.stop)
        with _naming("--host and --port"):
            port = await listener.start()
        stack.push_async_callback(listener.stop)
        yield Node(
            url=f"ws://{_address(settings.host, port)}{PATH}",
            store=store,
            operations=observed and f"http://{_address(*observed)}",
            keys=keys,
            drain=lambda: connections.drain(settings.drain_seconds),
        )


@contextmanager
def _naming(flags: str) -> Iterator[None]:
    """Name the flags to which an error is due."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise OSError(f"{where}{error.strerror or error} (see {flags})") from error
    except ValueError as error:
        raise ValueError(f"{error} (see {flags})") from error


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _webhooks(settings: Settings, hub: Hub, tables: Tables, keys: Keys) -> Webhooks | None:
    if settings.webhooks == "off":
        return None
    return Webhooks(hub, tables, keys, OutboundHttp(settings.webhooks), settings.page_url)


def _keys(settings: Settings) -> Keys:
    if settings.keys:
        return read_keys(settings.keys)
    if settings.store == "embedded":
        return kept_keys(settings.data)
    raise ValueError(
        "--store needs the keys that sign tokens, the same for every node: "
        'PIERULE_KEYS="k1:$(openssl rand -hex 32)"'
    )


def _limits(settings: Settings) -> Limits:
    return Limits(
        frame_bytes=settings.frame_bytes,
        rooms_followed=settings.rooms_followed,
        errors=settings.errors,
        hello_seconds=settings.hello_seconds,
        ping_seconds=settings.ping_seconds,
        connection_rate=settings.connection_rate,
        connection_burst=settings.connection_burst,
        user_rate=settings.user_rate,
        user_burst=settings.user_burst,
        address_budget=settings.address_budget,
        address_budget_burst=settings.address_budget_burst,
        user_budget=settings.user_budget,
        user_budget_burst=settings.user_budget_burst,
        connections_per_user=settings.connections_per_user,
        rooms_per_user=settings.rooms_per_user,
        seeks_per_user=settings.seeks_per_user,
        challenges_per_user=settings.challenges_per_user,
        chat_rate=settings.chat_rate,
        chat_burst=settings.chat_burst,
        messages_kept=settings.messages_kept,
        channel_rate=settings.channel_rate,
        channel_burst=settings.channel_burst,
    )
