"""What is checked before a store is used, and now and then afterwards: whether and how it can keep
our data.

A store that fails here would fail later, and worse: at a player's action, or by losing rooms.
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
"""The format of keys and values. A release that lays them out differently increments it."""

LOADING = 0
"""The format of a store into which a dump is being loaded, or was loaded in part: no release serves
it."""

OLDEST = {"redis": (7, 0), "valkey": (7, 2)}
"""The first releases with everything we need: sharded pub/sub, replicated effects of scripts."""


class _Layout(msgspec.Struct, frozen=True):
    format: int
    buckets: int


class Finding(NamedTuple):
    """What is wrong with a server of the store: it cannot be used at all, it may forget what it has
    acknowledged, or it does not say."""

    grade: Literal["unfit", "volatile", "silent"]
    text: str


async def check(topology: Topology, *, accept_volatile: bool) -> None:
    """Raise `StoreUnusable` if the store is too old, forgets, or has another layout. Lays out a new
    store."""
    await check_servers(topology, accept_volatile=accept_volatile)
    await keep_layout(topology)


async def check_servers(topology: Topology, *, accept_volatile: bool) -> None:
    """`check` for the servers, whatever they contain."""
    for finding in await inspect(topology):
        if finding.grade == "unfit":
            raise StoreUnusable(finding.text)
        if finding.grade == "volatile" and not accept_volatile:
            raise StoreUnusable(f"{finding.text}, or accept that with --accept-volatile-store.")


async def lay_out(topology: Topology, number: int) -> None:
    """Record the format of the store."""
    await topology.request(0, "SET", format_key(), _layout(number))


def _layout(number: int) -> bytes:
    return msgspec.json.encode(_Layout(number, BUCKETS))


async def inspect(topology: Topology) -> list[Finding]:
    """What is wrong with the servers of the store. Raises `RedisError` or `OSError`, also if one is
    still loading its data: until then its INFO says that it keeps nothing."""
    found = []
    for primary in sorted(topology.primaries, key=str):
        try:
            told = await info(primary)
        except ResponseError as error:  # An ACL forbids it, or a provider has taken it out.
            text = f"The store at {primary} does not tell how it keeps data (INFO: {error})"
            found.append(Finding("silent", f"{text}: see to appendonly yes and noeviction"))
        else:
            if told.get("loading", "0") != "0":
                text = f"the store at {primary} is still loading its data; try again when it has"
                raise BusyLoadingError(text, status_code="LOADING")
            found += inspect_server(str(primary), told)
    return found


async def keep_layout(topology: Topology) -> bool:
    """Make sure that the store says how it is laid out; whether it did not. If several nodes do
    this at once, one of them is told so. Raises `StoreUnusable` if it has another layout."""
    kept = await topology.request(0, "GET", format_key())  # A full store can be asked, too.
    if kept is None:
        new = _layout(FORMAT)
        kept = await topology.request(0, "SET", format_key(), new, "NX", "GET", write=True)
    if kept is None:
        return True
    check_layout(kept)
    return False


def inspect_server(name: str, info: dict[str, str]) -> list[Finding]:
    """`inspect` for one server, from its INFO."""
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
        text = f"The store at {name} throws rooms away when it is full (maxmemory-policy {policy})"
        found.append(Finding("volatile", f"{text}: set maxmemory-policy to noeviction"))
    if not {"aof_enabled", "maxmemory_policy"} <= info.keys():
        text = f"The store at {name} does not tell how it keeps data (its INFO lacks it)"
        found.append(Finding("silent", f"{text}: see to appendonly yes and noeviction"))
    return found


def check_layout(kept: bytes) -> None:
    """`check` for the format that an earlier start has left under `format_key`."""
    if read_layout(kept) == LOADING:
        raise StoreUnusable(
            "A dump is being loaded into the store, or its load was broken off. "
            "Repeat `pierule admin load`."
        )


def read_layout(kept: bytes) -> int:
    """`FORMAT` or `LOADING`."""
    try:
        layout = msgspec.json.decode(kept, type=_Layout)
    except msgspec.DecodeError as error:
        raise StoreUnusable(f"The store's key {format_key()} is not Pierule's: {error}") from None
    if layout.format not in (FORMAT, LOADING) or layout.buckets != BUCKETS:
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
