"""`pierule serve`: a node in the foreground, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Protocol

import structlog
import uvloop

from pierule_games import GAMES
from pierule_protocol.games.writing import documents
from pierule_server import flags
from pierule_server.gateway.page import BUILT, INDEX
from pierule_server.identity.tokens import Keys
from pierule_server.node import VERSION, check, running_node, spare_the_collector
from pierule_server.operations import logs, systemd
from pierule_server.operations.api_process import running_api
from pierule_server.operations.bot_processes import Owner, house_bots, levels_of
from pierule_server.operations.ports import check_free
from pierule_server.operations.stopping import Stopping
from pierule_server.settings import Settings
from pierule_server.store.address import flag_of, without_password
from pierule_server.store.driver.disk import Disk
from pierule_server.store.driver.machine import usable_cores
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable
from pierule_server.workers.crew import WorkersEnded
from pierule_server.workers.supervisor import running_supervisor
from pierule_server.workers.worker import work

HELP = "serve rooms to clients, with an embedded store or one of your own"

logger = structlog.get_logger()


class Server(Protocol):
    """One node, or a supervisor with several."""

    @property
    def url(self) -> str: ...

    @property
    def operations(self) -> str | None: ...

    @property
    def api(self) -> str | None: ...

    @property
    def keys(self) -> Keys: ...

    @property
    def workers(self) -> int: ...

    def drain(self) -> Awaitable[None]: ...


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `pierule serve`."""
    parser.description = f"{HELP}. Every flag can also be set by the variable in brackets."
    flags.configure(parser)
    for flag in ("--worker", "--channel"):
        parser.add_argument(flag, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--until-eof", action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Serve until the process is told to stop, and return the exit status: 0 after an orderly end,
    2 for wrong settings, 1 if the port or the store cannot be used; or what a worker gave."""
    try:
        _begin_to_log(args)
        chosen = flags.from_arguments(args, os.environ)
        levels = levels_of(chosen.bots)
        check(chosen)
        if args.channel is None:  # a worker gets its connections from the supervisor
            check_free(chosen)
        for name, meant in flags.unknown(os.environ).items():
            hint = {"did_you_mean": meant} if meant else {}
            logger.warning("there is no such setting; ignoring it", variable=name, **hint)
        _find_games()
        if args.channel is not None:
            structlog.contextvars.bind_contextvars(worker=args.worker)
            uvloop.run(work(chosen, args.channel))
        else:
            uvloop.run(_serve(chosen, levels))
    except WorkersEnded as error:
        return _complain(error, error.status)
    except ValueError as error:
        return _complain(error, 2)
    except (StoreUnavailable, StoreUnusable) as error:
        why = f"{error} (see {flag_of(chosen.store, chosen.data)})"
        return _complain(_blaming_disk(chosen, why), 1)
    except OSError as error:
        return _complain(_blaming_disk(chosen, str(error)), 1)
    return 0


def _blaming_disk(chosen: Settings, why: str) -> str:
    """Why the server cannot start. On a full disk the store and the archive say that in many ways,
    or only go away."""
    disk = Disk(chosen.data).trouble if chosen.store == "embedded" else None
    return why if disk is None else f"{disk}. Meanwhile: {why}"


def _find_games() -> None:
    """Load the games and their documents. Raises DuplicateGame."""
    documents()
    for name, error in GAMES.failures.items():
        why = f"{type(error).__name__}: {error}"
        logger.error("this game cannot be loaded; serving without it", game=name, why=why)


def _begin_to_log(args: argparse.Namespace) -> None:
    """Read the settings of the log before all others, so that errors in those appear in the
    requested form."""
    how = flags.from_arguments(
        argparse.Namespace(log_level=args.log_level, log_format=args.log_format),
        {name: os.environ[name] for name in _LOGGING if name in os.environ},
    )
    logs.configure(how.log_level, how.log_format)


_LOGGING = ("PIERULE_LOG_LEVEL", "PIERULE_LOG_FORMAT")


async def _serve(chosen: Settings, levels: list[str]) -> None:
    stopping = Stopping()
    async with _running(chosen, stopping) as server:
        logger.info(
            "serving",
            url=server.url,
            operations=server.operations,
            archive=server.api,
            store=without_password(chosen.store),
            version=VERSION,
            workers=server.workers,
        )
        if chosen.log_format == "text":
            sys.stdout.write(_greeting(server, chosen))
            sys.stdout.flush()
        systemd.tell("READY=1")
        owner = Owner(server.url, server.keys, chosen.data, chosen.port)
        async with house_bots(levels, owner):
            await stopping.asked()
            systemd.tell("STOPPING=1")
        await stopping.drain(server.drain())
        logger.info("stopping")
    logger.info("stopped")


@asynccontextmanager
async def _running(chosen: Settings, stopping: Stopping) -> AsyncIterator[Server]:
    """One node, or a supervisor with several."""
    count = max(1, usable_cores() - 1) if chosen.workers == "auto" else int(chosen.workers)
    if count > 1:
        async with running_supervisor(chosen, count, stopping.ask) as supervisor:
            yield supervisor
        return
    async with running_api(chosen) as api, running_node(chosen, api) as node:
        spare_the_collector()
        yield node


def _greeting(server: Server, chosen: Settings) -> str:
    store = f"embedded Valkey, data in {chosen.data}" if chosen.store == "embedded" else "your own"
    program = "pierule"
    if shutil.which(program) is None:
        program = os.path.relpath(sys.argv[0])
    default = Settings()
    at = (
        ""
        if (chosen.host, chosen.port) == (default.host, default.port)
        else f" --server {server.url}"
    )
    address = "http" + server.url.removeprefix("ws").removesuffix("ws")
    page = f"Open {address} in a browser, or continue" if (BUILT / INDEX).exists() else "Continue"
    games = list(GAMES) or ["GAME"]
    operations = f"To monitor it: {server.operations}/metrics\n" if server.operations else ""
    archive = f"To read finished games: {server.api}/games\n" if server.api else ""
    return f"""
Pierule {VERSION} serves on {server.url}  (store: {store}; Ctrl-C stops)

{page} in another terminal:
  {program} new {games[0]}{at}       create a room (or: {", ".join(games[1:])})
  {program} rooms{at}           list open and running rooms
  {program} play ROOM{at}       take a seat (or: play {games[0]}, against anyone who waits)
  {program} watch ROOM{at}      watch a game
To write a client, start with protocol/GUIDE.md and this address.
{archive}{operations}
"""


def _complain(error: Exception | str, status: int) -> int:
    if logs.as_json():
        logger.critical("cannot serve", error=str(error))
    else:
        sys.stderr.write(f"pierule serve: {error}\n")
    return status
