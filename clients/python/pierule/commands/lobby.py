"""`pierule lobby`: who waits, and what is being played."""

from __future__ import annotations

import argparse
import time

import msgspec

from pierule.clocks import show_clock
from pierule.commands.online import add_server_options, connected, options_of, run_online
from pierule.commands.rooms import table
from pierule.lobby import LobbyView
from pierule.terminal.screen import Screen, make_screen
from pierule_protocol.messages import Pool

HELP = "watch who waits for an opponent and which rooms there are"

_EPILOG = """\
Shows the lobby as it is, then again whenever it changes, until Ctrl-C.

examples:
  pierule lobby
  pierule lobby --once
  pierule lobby --json | head -1
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule lobby`."""
    parser.description = "Watch the lobby: who waits for an opponent, and which rooms there are."
    parser.epilog = _EPILOG
    parser.add_argument("--once", action="store_true", help="show it as it is, and end")
    parser.add_argument("--json", action="store_true", help="write each state as a line of JSON")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Watch; 0 with --once."""
    screen = make_screen("never")
    return run_online(screen, _lobby(args, screen))


async def _lobby(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        async for view in client.lobby():
            screen.say(*([msgspec.json.encode(view).decode()] if args.json else _show(view, args)))
            if args.once:
                break
    return 0


def _show(view: LobbyView, args: argparse.Namespace) -> list[str]:
    lines = [_pool(pool, args) for pool in view.pools] or ["Nobody waits for an opponent."]
    watched = [room.card for room in view.rooms]
    rooms = table(watched, int(time.time() * 1000)) if watched else ["No room is open or running."]
    counts = ["WATCHING", *(str(room.spectators) for room in view.rooms)]
    width = max(map(len, rooms))
    if watched:
        pairs = zip(rooms, counts, strict=True)
        rooms = [f"{row:{width}}  {count}" for row, count in pairs]
    return [*lines, "", *rooms, ""]


def _pool(pool: Pool, args: argparse.Namespace) -> str:
    clock = f" --clock {show_clock(pool.control)}" if pool.control else ""
    command = f"pierule seek {pool.game} --size {pool.size}{clock}{options_of(args)}"
    return f"{pool.waiting} waiting: {command}"
