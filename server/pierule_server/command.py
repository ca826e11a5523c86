"""`pierule serve`: a node in the foreground, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import shutil
import signal
import sys

import structlog
import uvloop

from pierule_games import GAMES
from pierule_protocol.games.writing import documents
from pierule_server import settings
from pierule_server.gateway.page import BUILT, INDEX
from pierule_server.node import VERSION, Node, running_node
from pierule_server.operations import logs, systemd
from pierule_server.operations.api_process import running_api
from pierule_server.operations.bot_processes import Owner, house_bots, levels_of
from pierule_server.settings import Settings
from pierule_server.store.address import flag_of, without_password
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable

HELP = "serve rooms to clients, with an embedded store or one of your own"

logger = structlog.get_logger()


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `pierule serve`."""
    parser.description = f"{HELP}. Every flag can also be set by the variable in brackets."
    settings.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Serve; 0 after an orderly end, 2 for wrong settings, 1 if port or store cannot be used."""
    try:
        _begin_to_log(args)
        chosen = settings.from_arguments(args, os.environ)
        levels = levels_of(chosen.bots)
        for name, meant in settings.unknown(os.environ).items():
            hint = {"did_you_mean": meant} if meant else {}
            logger.warning("there is no such setting", variable=name, **hint)
        _find_games()
        uvloop.run(_serve(chosen, levels))
    except ValueError as error:
        return _complain(error, 2)
    except (StoreUnavailable, StoreUnusable) as error:
        return _complain(f"{error} (see {flag_of(chosen.store, chosen.data)})", 1)
    except OSError as error:
        return _complain(error, 1)
    return 0


def _find_games() -> None:
    """Load the games and their documents. Raises DuplicateGame."""
    documents()
    for name, error in GAMES.failures.items():
        logger.error("a game is left out", game=name, why=f"{type(error).__name__}: {error}")


def _begin_to_log(args: argparse.Namespace) -> None:
    """Do this first, so that errors appear in the requested form."""
    how = settings.from_arguments(
        argparse.Namespace(log_level=args.log_level, log_format=args.log_format),
        {name: os.environ[name] for name in _LOGGING if name in os.environ},
    )
    logs.configure(how.log_level, how.log_format)


_LOGGING = ("PIERULE_LOG_LEVEL", "PIERULE_LOG_FORMAT")


async def _serve(chosen: Settings, levels: list[str]) -> None:
    stopping, hurrying = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def signalled() -> None:
        (hurrying if stopping.is_set() else stopping).set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, signalled)
    async with running_api(chosen) as api, running_node(chosen, api) as node:
        _spare_the_collector()
        logger.info(
            "serving",
            url=node.url,
            operations=node.operations,
            archive=api,
            store=without_password(chosen.store),
            version=VERSION,
        )
        if chosen.log_format == "text":
            sys.stdout.write(_greeting(node, api, chosen))
            sys.stdout.flush()
        systemd.tell("READY=1")
        owner = Owner(node.url, node.keys, chosen.data, chosen.port)
        async with house_bots(levels, owner):
            await stopping.wait()
            systemd.tell("STOPPING=1")
        await _drain(node, hurrying)
        logger.info("stopping")
    logger.info("stopped")


def _spare_the_collector() -> None:
    """Look for cycles rarely. What a node keeps (rooms, connections) has hardly any, but each
    search goes through all of it, which took a fifth of an action's CPU. What exists by now is
    not searched again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


async def _drain(node: Node, hurrying: asyncio.Event) -> None:
    """Send the clients away, until a second signal asks to hurry."""
    draining = asyncio.ensure_future(node.drain())
    hurry = asyncio.create_task(hurrying.wait())
    await asyncio.wait([draining, hurry], return_when=asyncio.FIRST_COMPLETED)
    hurry.cancel()
    if not draining.done():
        draining.cancel()
        logger.info("stopping at once")
    await asyncio.gather(draining, hurry, return_exceptions=True)


def _greeting(node: Node, api: str | None, chosen: Settings) -> str:
    store = f"embedded Valkey, data in {chosen.data}" if chosen.store == "embedded" else "your own"
    program = "pierule"
    if shutil.which(program) is None:
        program = os.path.relpath(sys.argv[0])
    default = Settings()
    at = (
        ""
        if (chosen.host, chosen.port) == (default.host, default.port)
        else f" --server {node.url}"
    )
    address = "http" + node.url.removeprefix("ws").removesuffix("ws")
    page = f"Open {address} in a browser, or continue" if (BUILT / INDEX).exists() else "Continue"
    games = list(GAMES) or ["GAME"]
    operations = f"To monitor it: {node.operations}/metrics\n" if node.operations else ""
    archive = f"To read finished games: {api}/games\n" if api else ""
    return f"""
Pierule {VERSION} serves on {node.url}  (store: {store}; Ctrl-C stops)

{page} in another terminal:
  {program} new {games[0]}{at}       create a room (or: {", ".join(games[1:])})
  {program} rooms{at}           list open and running rooms
  {program} play ROOM{at}       take a seat (or: play {games[0]}, with whoever waits)
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
