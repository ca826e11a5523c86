"""A client that says what it is told, from an address that it is told: for attackers and for those
whom they must not hurt."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import count
from typing import Any, Self, TypeAlias

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

Answer: TypeAlias = dict[str, Any]

BOUND = 30.0
"""Seconds after which an answer counts as never coming."""

_nonces = count(1)


class Refused(Exception):
    """The server will not do what it was asked."""


def fresh_nonce() -> str:
    return f"a{next(_nonces)}"


class RawConnection:
    """One connection. `tally` counts what was answered: `ok`, or the error's code."""

    def __init__(self, socket: ClientConnection, tally: Counter[str]) -> None:
        self._socket = socket
        self._tally = tally
        self._ids = count(1)

    @classmethod
    async def open(cls, url: str, source: str, tally: Counter[str] | None = None) -> Self:
        """Connect from the address `source`."""
        socket = await connect(
            url, subprotocols=[Subprotocol("pierule.1.msgpack")], compression=None, max_size=None,
            local_addr=(source, 0), proxy=None,
        )  # fmt: skip
        return cls(socket, Counter() if tally is None else tally)

    async def ask(self, kind: str, **fields: Any) -> Answer:
        """The answer to one request."""
        (answer,) = await self.ask_all([{"type": kind, **fields}])
        return answer

    async def done(self, kind: str, **fields: Any) -> Answer:
        """The answer, which must be `ok`; a request that is refused for its rate is repeated."""
        try:
            return await self.patiently(kind, **fields)
        except Refused as refused:
            raise AssertionError(refused) from None

    async def patiently(self, kind: str, **fields: Any) -> Answer:
        """The answer `ok`; a request that is refused for its rate is repeated. Raises Refused."""
        while True:
            answer = await self.ask(kind, **fields)
            if answer["type"] == "ok":
                return answer
            if answer["code"] != "rate":
                raise Refused(answer)
            await asyncio.sleep(answer["retry_ms"] / 1_000)

    async def ask_all(self, requests: list[dict[str, Any]]) -> list[Answer]:
        """The answers to requests that are sent at once."""
        ids = [next(self._ids) for _ in requests]
        for number, request in zip(ids, requests, strict=True):
            await self._socket.send(msgspec.msgpack.encode({**request, "id": number}))
        answers: dict[int, Answer] = {}
        async with asyncio.timeout(BOUND):
            while len(answers) < len(ids):
                message = msgspec.msgpack.decode(await self._socket.recv(decode=False))
                if message["type"] in ("ok", "error") and message.get("id") is not None:
                    answers[message["id"]] = message
                    self._tally[message.get("code", "ok")] += 1
        return [answers[number] for number in ids]

    async def close(self) -> None:
        await self._socket.close()
