"""Checks whether a store can keep our data, before a node uses it and now and then afterwards.

A store that fails here would otherwise fail later and do more harm: at a player's action, or by
losing rooms.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec
from redis.exceptions import BusyLoadingError, ResponseError

from pierule_server.store.buckets import BUCKETS, format_key
from pierule_server.store.driver.primary import Primary
from pierule_server.store.driver.topology import Topology
from pierule_server.store.room_log import StoreUnusable

FORMAT = 3
"""The format of keys and values. A release with another layout increments it."""

LOADING = 0
"""The format of a store into which a dump is being loaded, or was only loaded in part. No release
serves it."""

OLDEST = {"redis": (7, 0), "valkey": (7, 2)}
"""The oldest releases with everything that we need: sharded pub/sub, replicated effects of
scripts."""


class _Layout(msgspec.Struct, frozen=True):
    format: int
    buckets: int


class Finding(NamedTuple):
    """What is wrong with a server of the store. `unfit`: it cannot be used; `volatile`: it may
    forget what it has acknowledged; `silent`: it does not tell how it keeps data."""

    grade: Literal["unfit", "volatile", "silent"]
    text: str


async def check(topology: Topology, *, accept_volatile: bool) -> None:
    """Check a store, and lay out a new one. Raises `StoreUnusable` if it is too old, may forget
    data, or has another layout."""
    await check_servers(topology, accept_volatile=accept_volatile)
    await keep_layout(topology)


async def check_servers(topology: Topology, *, accept_volatile: bool) -> None:
    """Check the servers of a store, but not what they contain. Raises as `check` does."""
    for finding in await inspect(topology):
        if finding.grade == "unfit":
            raise StoreUnusable(finding.text)
        if finding.grade == "volatile" and not accept_volatile:
            raise StoreUnusable(f"{finding.text}, or accept the risk with --accept-volatile-store.")


async def lay_out(topology: Topology, number: int) -> None:
    """Record the format of the store."""
    await topology.request(0, "SET", format_key(), _layout(number))


def _layout(number: int) -> bytes:
    return msgspec.json.encode(_Layout(number, BUCKETS))


async def inspect(topology: Topology) -> list[Finding]:
    """What is wrong with the servers of the store. Raises `RedisError` or `OSError`; also if a
    server still loads its data, because its INFO then says that it keeps nothing."""
    found = []
    for primary in sorted(topology.primaries, key=str):
        try:
            told = await info(primary)
        except ResponseError as error:  # an ACL forbids INFO, or a provider has removed it
            text = f"The store at {primary} does not tell how it keeps data (INFO: {error})"
            found.append(Finding("silent", f"{text}: make sure of appendonly yes and noeviction"))
        else:
            if told.get("loading", "0") != "0":
                text = f"the store at {primary} is still loading its data; try again later"
                raise BusyLoadingError(text, status_code="LOADING")
            found += inspect_server(str(primary), told)
    return found


async def keep_layout(topology: Topology) -> bool:
    """Make sure that the store has its format key. Returns True if it lacked the key; if several
    nodes do this at the same time, only one gets True. Raises `StoreUnusable` if the store has
    another layout."""
    kept = await topology.request(0, "GET", format_key())  # works even if the store is full
    if kept is None:
        new = _layout(FORMAT)
        kept = await topology.request(0, "SET", format_key(), new, "NX", "GET", write=True)
    if kept is None:
        return True
    check_layout(kept)
    return False


def inspect_server(name: str, info: dict[str, str]) -> list[Finding]:
    """What is wrong with one server, read from its INFO."""
    kind = "valkey" if "valkey_version" in info else "redis"
    version = info.get(f"{kind}_version", "0.0")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST[kind]:
        text = (
            f"The store at {name} is {kind.title()} {version}. "
            "Pierule needs Redis 7.0 or later, or Valkey 7.2 or later."
        )
        return [Finding("unfit", text)]
    found = []
    if info.get("aof_enabled") == "0":
        text = f"The store at {name} forgets everything when it restarts (appendonly no)"
        found.append(Finding("volatile", f"{text}: set appendonly to yes"))
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and info.get("maxmemory", "0") != "0":
        text = f"The store at {name} deletes rooms when it is full (maxmemory-policy {policy})"
        found.append(Finding("volatile", f"{text}: set maxmemory-policy to noeviction"))
    if not {"aof_enabled", "maxmemory_policy"} <= info.keys():
        text = f"The store at {name} does not tell how it keeps data (its INFO lacks it)"
        found.append(Finding("silent", f"{text}: make sure of appendonly yes and noeviction"))
    return found


def check_layout(kept: bytes) -> None:
    """Check the value of the format key. Raises `StoreUnusable`."""
    if read_layout(kept) == LOADING:
        raise StoreUnusable(
            "A dump is being loaded into the store, or a load was interrupted. "
            "Wait for it, or repeat `pierule admin load`."
        )


def read_layout(kept: bytes) -> int:
    """The format in the value of the format key: `FORMAT` or `LOADING`. Raises `StoreUnusable` for
    any other."""
    try:
        layout = msgspec.json.decode(kept, type=_Layout)
    except msgspec.DecodeError as error:
        raise StoreUnusable(f"The store's key {format_key()} is not Pierule's: {error}") from None
    if layout.format not in (FORMAT, LOADING) or layout.buckets != BUCKETS:
        raise StoreUnusable(
            f"The store was laid out with format {layout.format} and {layout.buckets} buckets; "
            f"this release of Pierule uses format {FORMAT} and {BUCKETS} buckets. "
            "Serve it with the release that made it, or use an empty store."
        )
    return layout.format


async def info(primary: Primary, *section: str) -> dict[str, str]:
    """A server's INFO, or a section of it. Raises `RedisError` or `OSError`."""
    text: bytes = await primary.ask("INFO", *section)
    lines = text.decode(errors="replace").splitlines()
    return {name: value for name, mark, value in (line.partition(":") for line in lines) if mark}
