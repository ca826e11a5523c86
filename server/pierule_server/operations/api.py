"""`pierule api`: serves the archive over HTTP, for reading, until SIGTERM or Ctrl-C (SPEC 27)."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import structlog
import uvicorn
import uvloop
from websockets.datastructures import Headers

from pierule_archive.api.application import Api
from pierule_archive.api.problems import Failure
from pierule_archive.api.reader import Reader
from pierule_archive.database import UnusableArchive
from pierule_archive.previews.site import Site
from pierule_protocol import world
from pierule_server import flags
from pierule_server.connections.limits import AddressCounts, Budget, TokenBuckets, draw, of_network
from pierule_server.gateway.admission import Admission
from pierule_server.gateway.page import BUILT, INDEX, SECURITY, one_down
from pierule_server.operations import logs
from pierule_server.operations.api_connections import KEPT, PER_ADDRESS, Bounds, connections
from pierule_server.operations.api_process import (
    NAMES,
    address_of,
    chosen_port,
    listen,
)
from pierule_server.operations.listed_rooms import ListedRooms
from pierule_server.settings import Settings
from pierule_server.store.address import archive_url

HELP = "serve the archive of finished games over HTTP, for reading"

AT_ONCE = 512
"""The most open connections. One address has few of them (`api_connections`)."""

NICENESS = 5
"""The niceness of an API that a node has started: the players on its machine come first."""

_logger = structlog.get_logger(__name__)


class Addresses:
    """The addresses of visitors, as a node would see them, and how many pages each may have."""

    def __init__(self, chosen: Settings) -> None:
        self._admission = Admission(chosen)
        self._buckets = TokenBuckets(chosen.api_rate, chosen.api_burst)

    def name(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        """The address to which a request counts."""
        return self._admission.origin_of(peer, _told(headers))

    def of_peer(self, peer: str) -> str | None:
        """The address to which a connection counts; None for a proxy of ours, which has the
        connections of many."""
        return None if self._admission.trusts(peer) else self._admission.origin_of(peer, Headers())

    def wait(self, name: str) -> float:
        """Pay for a page: 0 if that worked, otherwise the seconds until it will."""
        return draw([(Budget("page", of_network(name), self._buckets), 1)], world.monotonic())[0]

    def scheme(self, peer: str, headers: Mapping[str, list[str]]) -> str:
        """`https` if the visitor came by TLS, else `http`."""
        return self._admission.scheme_of(peer, _told(headers))


def _told(headers: Mapping[str, list[str]]) -> Headers:
    told = Headers()
    for name, texts in headers.items():
        for text in texts:
            told[name] = text
    return told


def _site(chosen: Settings) -> Site:
    """The built page, into which previews are written. Without a built page, previews have a head
    and no body."""
    index = BUILT / INDEX
    html = one_down(index.read_text("utf-8")) if index.exists() else ""
    return Site(html, SECURITY, chosen.page_url)


class _Server(uvicorn.Server):
    """A server that ends in order after a signal, with status 0."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.end)
        yield

    def end(self) -> None:
        """End soon."""
        self.should_exit = True

    def end_with_input(self) -> None:
        """End soon if standard input has ended: the process that started us is gone."""
        if not os.read(0, 4096):
            asyncio.get_running_loop().remove_reader(0)
            self.end()


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `pierule api`."""
    parser.description = (
        "Serve the archive of finished games over HTTP, for reading (SPEC 27). You may start it "
        "before there is an archive. The variable in brackets does the same as its flag."
    )
    flags.configure(parser, NAMES)
    parser.add_argument("--socket", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--until-eof", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Serve until the process is told to stop, and return the exit status: 0 after an orderly end,
    2 for wrong settings, 1 if the port or the archive cannot be used."""
    try:
        if args.until_eof:
            with suppress(OSError):  # systemd may forbid it
                os.nice(NICENESS)
        chosen = flags.from_arguments(args, os.environ)
        logs.configure(chosen.log_level, chosen.log_format)
        url, port = _what_and_where(chosen)
        reader = Reader(url)
        _look(reader)
        listening = (
            listen(chosen.host, port) if args.socket is None else _inherited(args.socket, chosen)
        )
        with listening:
            addresses = Addresses(chosen)
            api = Api(
                reader, addresses, _site(chosen), ListedRooms(chosen),
                evaluates=chosen.evaluations == "on",
            )  # fmt: skip
            bounds = Bounds(addresses.of_peer, AddressCounts(PER_ADDRESS if chosen.api_rate else 0))
            uvloop.run(_serve(api, bounds, listening, args.until_eof))
    except ValueError as error:
        return _complain(error, 2)
    except (UnusableArchive, OSError) as error:
        return _complain(error, 1)
    return 0


def _what_and_where(chosen: Settings) -> tuple[str, int]:
    url, port = archive_url(chosen.archive, chosen.store, chosen.data), chosen_port(chosen)
    if url is None or port is None:
        raise ValueError("there is nothing to serve: --archive or --api-port is `off`")
    return url, port


def _look(reader: Reader) -> None:
    """Log what is wrong with the archive at the start. A database that is away may come back, so
    this raises nothing for it. Raises UnusableArchive."""
    try:
        with reader.reading() as connection:
            if connection is None:
                _logger.info("there is no archive yet; waiting for a node to make it")
    except Failure as failure:
        _logger.warning(
            "the archive is away; trying again for each request",
            error=str(failure.__cause__ or failure),
        )


def _inherited(number: int, chosen: Settings) -> socket.socket:
    """The socket on which the node that started us listens."""
    family = socket.AF_INET6 if ":" in chosen.host else socket.AF_INET
    return socket.fromfd(number, family, socket.SOCK_STREAM)


async def _serve(api: Api, bounds: Bounds, listening: socket.socket, until_eof: bool) -> None:
    config = uvicorn.Config(
        api.application(), http=connections(bounds), ws="none", lifespan="on", log_config=None,
        log_level="warning", access_log=False, proxy_headers=False, server_header=False,
        limit_concurrency=AT_ONCE,
        timeout_keep_alive=KEPT, timeout_graceful_shutdown=3, h11_max_incomplete_event_size=16_384,
        headers=[("X-Content-Type-Options", "nosniff")],
    )  # fmt: skip
    server = _Server(config)
    if until_eof:
        asyncio.get_running_loop().add_reader(0, server.end_with_input)
    sys.stdout.write(f"The archive is served on {address_of(listening)}/games  (Ctrl-C stops)\n")
    sys.stdout.flush()
    await server.serve(sockets=[listening])


def _complain(error: Exception, status: int) -> int:
    sys.stderr.write(f"pierule api: {error}\n")
    return status
