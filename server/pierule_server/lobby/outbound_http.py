"""Sends requests to URLs that users have set, and to nothing else.

A user is a stranger. With their URL they must not reach what only this node can reach. So the node
resolves the name, checks the address, and connects to that very address, because a second look-up
could give another one. It follows no redirect, and reads only the first line of the answer.
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
"""The most seconds for a request, from the look-up of the name to the answer."""

ANSWER_BYTES = 1_024
"""Bytes within which the first line of an answer must end."""

RESOLVING = 128
"""Names to resolve in parallel. They have threads of their own: if a stranger's name takes longer
than `SECONDS`, no other work waits for it."""

Reach: TypeAlias = Literal["public", "any"]
Outcome: TypeAlias = Literal["delivered", "refused", "unreachable", "forbidden"]

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_BRACKETS = re.compile(r"\[[0-9A-Fa-f:.]+(?:%[^\]]+)?\](?::\d*)?")
"""An IPv6 address in brackets, and perhaps a port. Nothing else in brackets is a host (RFC
3986)."""
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")

_NOWHERE = {
    "alt", "arpa", "internal", "invalid", "local", "localdomain", "localhost", "onion", "test",
}  # fmt: skip
"""Top-level names whose hosts the world cannot reach (RFC 6761, 6762, 7686, 8375, 9476)."""


class Unfit(Exception):
    """The server may not send anything to this URL; the text says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL to which a request goes."""

    tls: bool
    host: str
    port: int
    authority: str
    path: str


def target_of(url: str, reach: Reach) -> Target:
    """The target of a URL. Raises Unfit if the URL is not allowed, as far as that is clear without
    resolving its name."""
    if not re.fullmatch(r"[!-~]{1,512}", url):
        raise Unfit("the URL must have 1 to 512 characters of ASCII, and no spaces")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Unfit("this is not a URL") from None
    schemes = ("https",) if reach == "public" else ("https", "http")
    if parts.scheme not in schemes:
        raise Unfit(f"the URL must begin with {' or '.join(f'{each}://' for each in schemes)}")
    if "@" in parts.netloc:
        raise Unfit("the URL must not contain a user or a password")
    if "#" in url:
        raise Unfit("the URL must not have a fragment (#)")
    bracketed = _BRACKETS.fullmatch(parts.netloc) and _is_address(host)
    if not (bracketed or _HOST.fullmatch(parts.netloc.partition(":")[0])) or port == 0:
        raise Unfit("the URL must name a host")
    if reach == "public" and not _may_be_public(host):
        raise Unfit("the URL must lead to a public address on the internet")
    tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(tls, host, port or (443 if tls else 80), parts.netloc, path)


_SPECIAL = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Networks in IANA's special-purpose registries (RFC 6890, 7526, 9637) for which, or for a part of
which, `is_global` is wrongly true in some versions of Python."""


def is_public(address: str) -> bool:
    """Whether an IP address leads to a single machine on the public internet. An address that
    contains another one (mapped, translated, 6to4) does not count: no webhook needs it."""
    ip = ip_address(address)
    if getattr(ip, "scope_id", None) or any(ip in network for network in _SPECIAL):
        return False
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return False
    return not isinstance(ip, IPv6Address) or not (ip.is_site_local or ip.sixtofour or ip.teredo)


@cache
def _trusted() -> ssl.SSLContext:
    """The system's authorities. They are read when first needed, because that takes a tenth of a
    node's start."""
    return ssl.create_default_context()


class OutboundHttp:
    """Posts to URLs of strangers. `resolve` works like `world.resolve`."""

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
        """A second instance, which resolves names in threads of its own."""
        return OutboundHttp(self._reach, self._trust, self._resolve)

    def target(self, url: str) -> Target:
        """The target of a URL. Raises Unfit if the server may not send anything there."""
        return target_of(url, self._reach)

    def close(self) -> None:
        """Stop resolving names."""
        self._resolvers.shutdown(wait=False, cancel_futures=True)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Send a body, and return the outcome: `delivered` for a status of 200 to 299, `refused`
        for any other answer, `unreachable` for no answer in `SECONDS`, `forbidden` if the server
        may not send there."""
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
        """Run work in a thread of the pool for names."""
        return await asyncio.get_running_loop().run_in_executor(self._resolvers, work)

    async def _exchange(self, target: Target, address: str, request: bytes) -> bytes:
        """Send the request, and return the first line of the answer."""
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
    """Whether a host can be on the public internet, as far as its text shows."""
    if _is_address(host):
        return is_public(host)
    try:  # the system takes other spellings for an IPv4 address, too: 127.1, 0x7f000001
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
