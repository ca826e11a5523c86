"""Asks Sentinels which server is the primary of a replicated store.

A Sentinel that is cut off may still name an old primary. So we ask all of them, and believe the one
that knows of the latest fail-over.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from redis.exceptions import ConnectionError as StoreConnectionError
from redis.exceptions import RedisError

from pierule_server.store.driver.primary import Primary, Timeouts

SCHEMES = {"redis+sentinel": "redis", "rediss+sentinel": "rediss"}
PORT = 26379

ANSWER = 1.0
"""Seconds after which a Sentinel is ignored."""

FORM = "redis+sentinel://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT],.../SERVICE"


class Sentinels:
    """The Sentinels of one service, and how to reach the servers of the service."""

    def __init__(self, url: str, timeouts: Timeouts) -> None:
        """Read a URL of the form `FORM`. Its user and password are for the servers; those for the
        Sentinels are the options `sentinel_username` and `sentinel_password`. Other options go to
        redis-py and count for both. Raises `ValueError` for another form."""
        parts = urlsplit(url)
        self.service = unquote(parts.path.strip("/"))
        login, _, hosts = parts.netloc.rpartition("@")
        if parts.scheme not in SCHEMES or not self.service or not hosts:
            raise ValueError(f"the URL of a store behind Sentinel has the form {FORM}")
        options = dict(parse_qsl(parts.query))
        user = quote(options.pop("sentinel_username", ""), safe="")
        password = quote(options.pop("sentinel_password", ""), safe="")
        own_login = f"{user}:{password}" if password else ""
        self.template = Primary.of_url(_url(parts, login, "primary", options), timeouts)
        """A server without an address. Its `at` gives the real servers."""
        bound = Timeouts(request=min(ANSWER, timeouts.request), connect=ANSWER / 2)
        self._asked = [
            Primary.of_url(_url(parts, own_login, _with_port(host), options), bound)
            for host in hosts.split(",")
        ]

    async def primary(self) -> tuple[str, int]:
        """Host and port of the primary. Raises `RedisError` if no Sentinel knows them."""
        answers = await asyncio.gather(*map(self._ask, self._asked))
        known = [answer for answer in answers if isinstance(answer, tuple)]
        if not known:
            reasons = "; ".join(str(answer) for answer in answers)
            raise StoreConnectionError(f"no Sentinel knows {self.service}: {reasons}")
        _, host, port = max(known)
        return host, port

    async def close(self) -> None:
        await asyncio.gather(*(sentinel.close() for sentinel in self._asked))

    async def _ask(self, sentinel: Primary) -> tuple[int, str, int] | str:
        """The epoch of the latest fail-over that a Sentinel knows of, and the host and port of the
        primary; or a text that says why there is no answer."""
        try:
            state, address = await sentinel.run(
                ("SENTINEL", "MASTER", self.service),
                ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.service),
            )
        except (RedisError, OSError) as error:
            return f"{sentinel}: {error or 'no answer'}"
        match state, address:
            case list(), [bytes(host), bytes(port)]:
                return _epoch(state), host.decode(), int(port)
        return f"{sentinel}: {state}"


def _epoch(state: list[Any]) -> int:
    """The `config-epoch` in the names and values that SENTINEL MASTER lists."""
    return next((int(value) for name, value in pairwise(state) if name == b"config-epoch"), 0)


def _with_port(host: str) -> str:
    named = ":" in host.rpartition("]")[2]
    return host if named else f"{host}:{PORT}"


def _url(parts: SplitResult, login: str, host: str, options: dict[str, str]) -> str:
    at = f"{login}@" if login else ""
    query = f"?{urlencode(options)}" if options else ""
    return f"{SCHEMES[parts.scheme]}://{at}{host}{query}"
