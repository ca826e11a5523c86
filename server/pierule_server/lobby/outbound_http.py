"""Sends requests to URLs that users have set, and to nothing else.

A user's URL comes from a stranger: it must not make this node reach what only this node can reach.
So the node checks the address after it resolved the name, connects to that very address (resolving
the name again could give another one), and follows no redirect. It reads only the first line of the
answer.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache, partial
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pierule_protocol import world

SECONDS = 5.0
"""The most time for all of it."""

ANSWER_BYTES = 1_024
"""Bytes within which the first line of an answer must end."""

RESOLVING = 128
"""Names that are resolved at the same time. They have threads of their own: a stranger's name that
takes longer than `SECONDS` to resolve keeps no other work waiting."""

Reach: TypeAlias = Literal["public", "any"]
Outcome: TypeAlias = Literal["delivered", "refused", "unreachable", "forbidden"]

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_BRACKETS = re.compile(r"\[[0-9A-Fa-f:.]+(?:%[^\]]+)?\](?::\d*)?")
"""An IPv6 address, and perhaps a port: nothing else in brackets leads anywhere (RFC 3986)."""
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")

_NOWHERE = {
    "alt", "arpa", "internal", "invalid", "local", "localdomain", "localhost", "onion", "test",
}  # fmt: skip
"""Top-level names whose hosts the world cannot reach (RFC 6761, 6762, 7686, 8375, 9476)."""


class Unfit(Exception):
    """Nothing may be sent there; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a URL says."""

    tls: bool
    host: str
    port: int
    authority: str
    path: str


def target_of(url: str, reach: Reach) -> Target:
    """The target of a URL, if it is allowed as far as can be told without resolving its name.
    Raises Unfit."""
    if not re.fullmatch(r"[!-~]{1,512}", url):
        raise Unfit("a URL has up to 512 characters of ASCII, and no spaces")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Unfit("this is no URL") from None
    schemes = ("https",) if reach == "public" else ("https", "http")
    if parts.scheme not in schemes:
        raise Unfit(f"the URL must begin with {' or '.join(f'{each}://' for each in schemes)}")
    if "@" in parts.netloc:
        raise Unfit("the URL must name no user and no password")
    if "#" in url:
        raise Unfit("the URL must have no fragment (#)")
    bracketed = _BRACKETS.fullmatch(parts.netloc) and _is_address(host)
    if not (bracketed or _HOST.fullmatch(parts.netloc.partition(":")[0])) or port == 0:
        raise Unfit("the URL names no host")
    if reach == "public" and not _may_be_public(host):
        raise Unfit("the URL must lead to an address that all the world can reach")
    tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(tls, host, port or (443 if tls else 80), parts.netloc, path)


_SPECIAL = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Networks of IANA's special-purpose registries (RFC 6890, 7526, 9637) that the tables of some
Python versions lack: `is_global` is True for them, or for a part."""


def is_public(address: str) -> bool:
    """Whether an IP address belongs to a single machine that all the world can reach by it.
    Addresses that contain another one (mapped, translated, 6to4) do not count: nobody needs them
    for a webhook."""
    ip = ip_address(address)
    if getattr(ip, "scope_id", None) or any(ip in network for network in _SPECIAL):
        return False
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return False
    return not isinstance(ip, IPv6Address) or not (ip.is_site_local or ip.sixtofour or ip.teredo)


@cache
def _trusted() -> ssl.SSLContext:
    """The system's authorities, read when they are first needed: that is a tenth of a node's
    start."""
    return ssl.create_default_context()


class OutboundHttp:
    """Posts to URLs of strangers. `resolve` is as `world.resolve`."""

    def __init__(
        self,
        reach: Reach,
        trust: ssl.SSLContext | None = None,
        resolve: Callable[[str, int], list[Any]] = world.resolve,
    ) -> None:
        self._reach = reach
        self._trust = trust
        self._resolve = resolve
        self._resolvers = ThreadPoolExecutor(RESOLVING, "resolve")

    def apart(self) -> OutboundHttp:
        """A second one, whose names do not wait for those resolved here."""
        return OutboundHttp(self._reach, self._trust, self._resolve)

    def target(self, url: str) -> Target:
        """The target of a URL. Raises Unfit if nothing may be sent there."""
        return target_of(url, self._reach)

    def close(self) -> None:
        """Resolve no more names."""
        self._resolvers.shutdown(wait=False, cancel_futures=True)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Send a body; returns the outcome. An answer of 200 to 299 means that it was accepted."""
        try:
            target = self.target(url)
            async with asyncio.timeout(SECONDS):
                address = await self._address(target)
                line = await self._exchange(target, address, _request(target, headers, body))
        except Unfit:
            return "forbidden"
        except (OSError, EOFError, asyncio.LimitOverrunError):
            return "unreachable"
        status = _STATUS.match(line)
        return "delivered" if status and 200 <= int(status[1]) < 300 else "refused"

    async def _address(self, target: Target) -> str:
        """The address to connect to. Raises Unfit, and OSError for a name that does not exist."""
        found = await self._elsewhere(
            partial(copy_context().run, self._resolve, target.host, target.port)
        )
        for *_, (address, *_) in found:
            if self._reach == "any" or is_public(address):
                return str(address)
        raise Unfit("all its addresses are private")

    async def _elsewhere(self, work: Callable[[], Any]) -> Any:
        """Work in a thread: nobody else waits for it."""
        return await asyncio.get_running_loop().run_in_executor(self._resolvers, work)

    async def _exchange(self, target: Target, address: str, request: bytes) -> bytes:
        """The first line of the answer."""
        secure: dict[str, Any] = {}
        if target.tls:
            trust = self._trust or await self._elsewhere(_trusted)
            secure = {"ssl": trust, "server_hostname": target.host}
        reader, writer = await asyncio.open_connection(
            address, target.port, limit=ANSWER_BYTES, **secure
        )
        try:
            writer.write(request)
            return await reader.readuntil(b"\n")
        finally:
            writer.transport.abort()


def _request(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [
        f"POST {target.path} HTTP/1.1", f"Host: {target.authority}", "Connection: close",
        f"Content-Length: {len(body)}", *(f"{name}: {text}" for name, text in headers.items()),
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode() + body


def _may_be_public(host: str) -> bool:
    """Whether a host can be on the internet, as far as can be told without asking anybody."""
    if _is_address(host):
        return is_public(host)
    try:  # Other spellings that the system takes for an IPv4 address: 127.1, 0x7f000001.
        return is_public(socket.inet_ntoa(socket.inet_aton(host)))
    except OSError:
        top = host.lower().rpartition(".")[2]
        return "." in host and top[0].isalpha() and top not in _NOWHERE


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
