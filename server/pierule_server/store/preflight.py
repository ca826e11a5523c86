"""What is checked once, before a store is used: that it can keep what we put in, and how.

A store that fails here would fail later, and worse: at a player's action, or by losing rooms.
"""

from __future__ import annotations

import msgspec

from pierule_server.store.buckets import BUCKETS, format_key
from pierule_server.store.log import StoreUnusable
from pierule_server.store.primary import Primary
from pierule_server.store.topology import Topology
from pierule_server.store.upgrade import index_names

FORMAT = 3
"""Of keys and values. A release that lays them out differently counts it up."""

EARLIER = (1, 2)
"""What can be served as well: in 1 entries had no names of their own, up to 2 registered names were
not found by their skeletons. From then on it is `FORMAT`, so that no node serves it that would not
understand what this one writes."""

LOADING = 0
"""The format of a store into which a dump is being loaded, or was in part: no release serves it."""

OLDEST = {"redis": (7, 0), "valkey": (7, 2)}
"""The first releases with all we need: sharded pub/sub, effects of scripts replicated."""


class _Layout(msgspec.Struct, frozen=True):
    format: int
    buckets: int


async def check(topology: Topology) -> None:
    """Raise `StoreUnusable` if the store is too old, forgets, or was laid out otherwise. Lays
    out a new store."""
    await check_servers(topology)
    kept = await topology.request(0, "SET", format_key(), _layout(FORMAT), "NX", "GET")
    if kept is not None and check_layout(kept) in EARLIER:
        await index_names(topology)
        await lay_out(topology, FORMAT)


async def check_servers(topology: Topology) -> None:
    """`check` for the servers, whatever they hold."""
    for primary in topology.primaries:
        check_server(str(primary), await info(primary))


async def lay_out(topology: Topology, number: int) -> None:
    """Write down in which format the store is."""
    await topology.request(0, "SET", format_key(), _layout(number))


def _layout(number: int) -> bytes:
    return msgspec.json.encode(_Layout(number, BUCKETS))


def check_server(name: str, info: dict[str, str]) -> None:
    """`check` for one server, from its INFO."""
    kind = "valkey" if "valkey_version" in info else "redis"
    version = info.get(f"{kind}_version", "0.0")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST[kind]:
        raise StoreUnusable(
            f"The store at {name} is {kind.title()} {version}. "
            "Pierule needs Redis 7.0 or later, or Valkey 7.2 or later."
        )
    policy = info.get("maxmemory_policy", "noeviction")
    if policy.startswith("allkeys") and info.get("maxmemory", "0") != "0":
        raise StoreUnusable(
            f"The store at {name} throws rooms away when its memory is full "
            f"(maxmemory-policy {policy}). Set maxmemory-policy to noeviction."
        )


def check_layout(kept: bytes) -> int:
    """`check` for what an earlier start has left under `format_key`: its format."""
    number = read_layout(kept)
    if number == LOADING:
        raise StoreUnusable(
            "A dump is being loaded into the store, or its load was broken off. "
            "Repeat `pierule admin load`."
        )
    return number


def read_layout(kept: bytes) -> int:
    """A format that this release knows, or `LOADING`."""
    try:
        layout = msgspec.json.decode(kept, type=_Layout)
    except msgspec.DecodeError as error:
        raise StoreUnusable(f"The store's key {format_key()} is not Pierule's: {error}") from None
    if layout.format not in (FORMAT, *EARLIER, LOADING) or layout.buckets != BUCKETS:
        raise StoreUnusable(
            f"The store was laid out with format {layout.format} and {layout.buckets} buckets; "
            f"this release of Pierule uses format {FORMAT} and {BUCKETS} buckets. "
            "Serve it with the release that made it, or take an empty store."
        )
    return layout.format


async def info(primary: Primary, *section: str) -> dict[str, str]:
    """A server's INFO, or a section of it. Raises `RedisError` or `OSError`."""
    text: bytes = await primary.ask("INFO", *section)
    lines = text.decode(errors="replace").splitlines()
    return {name: value for name, mark, value in (line.partition(":") for line in lines) if mark}
