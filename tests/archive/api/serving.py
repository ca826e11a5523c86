"""The API on a real port, in a thread, and questions to it."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import quote, urlencode

import uvicorn

from pierule_archive.api.application import Api, Visitors
from pierule_archive.api.reader import Reader
from pierule_archive.archive import Archive
from pierule_archive.previews.site import Listing, Site
from support.stores import wait_for

BOUND = 60.0


class Everybody:
    """Asks for as much as they like."""

    def name(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        return peer

    def wait(self, name: str) -> float:
        return 0.0

    def scheme(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        return "http"


@dataclass(frozen=True)
class Answer:
    """What the API said."""

    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass(frozen=True)
class Served:
    """A running API."""

    port: int

    def ask(
        self, path: str, method: str = "GET", headers: Mapping[str, str] | None = None,
        **query: object,
    ) -> Answer:  # fmt: skip
        """The answer to a request; `path` is below the root, or a whole one."""
        asked = urlencode(query)
        there = path if path.startswith("/") else f"/api/v1/{quote(path)}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND)
        try:
            connection.request(method, f"{there}?{asked}" if asked else there, None, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()


@contextmanager
def served(
    url: str, visitors: Visitors | None = None, site: Site | None = None,
    listing: Listing | None = None,
) -> Iterator[Served]:  # fmt: skip
    """The API over an archive, while the context lasts."""
    api = Api(Reader(url), visitors or Everybody(), site, listing)
    config = uvicorn.Config(
        api.application(), host="127.0.0.1", port=0, log_config=None, access_log=False,
        proxy_headers=False, ws="none", http="h11", timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Served(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(BOUND)
            assert not thread.is_alive()


def all_counted(api: Served, archive: Archive) -> None:
    """Wait until the API has counted every game."""

    def counted() -> bool:
        position = api.ask("positions/loose").json
        cuts = api.ask("cuts/loose").json
        return bool(position["counted"] == cuts["counted"] == archive.last)

    wait_for(counted, "the counts")
