"""`pierule rooms`: list the open and running rooms."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import msgspec

from pierule.clocks import show_clock
from pierule_protocol.messages import Card, FreeSeat
from pierule_terminal.clockface import age
from pierule_terminal.commands.numbers import whole
from pierule_terminal.commands.online import add_server_options, connected, options_of, run_online
from pierule_terminal.screen import Screen, make_screen
from pierule_terminal.standings import players

HELP = "list the open and running rooms"

SEATS: dict[str, FreeSeat] = {"0": 0, "1": 1, "any": "any"}

MOST = 1_000_000
"""The most rooms to list."""

_EPILOG = """\
examples:
  pierule rooms
  pierule rooms --game GAME --free-seat any
  pierule rooms --json | grep '"open"'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule rooms`."""
    parser.description = (
        "List open rooms, then running rooms, then open rooms in which nobody waits (away), each "
        "kind with the latest first."
    )
    parser.epilog = _EPILOG
    parser.add_argument("--game", help="only rooms of this game")
    parser.add_argument(
        "--status", choices=("open", "running"), help="only open or only running rooms"
    )
    parser.add_argument(
        "--free-seat", choices=tuple(SEATS), help="only rooms in which this seat, or any, is free"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object per line")
    parser.add_argument(
        "--limit",
        type=whole(1, MOST),
        default=50,
        metavar="N",
        help="at most N [default 50]",
    )
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """List the rooms. Returns 0, or 1 if there is no server."""
    screen = make_screen("never")
    return run_online(screen, _rooms(args, screen))


async def _rooms(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        cards = await client.rooms(
            args.limit,
            game=args.game,
            status=args.status,
            free_seat=SEATS[args.free_seat] if args.free_seat else None,
        )
    if args.json:
        screen.say(*(msgspec.json.encode(card).decode() for card in cards))
    elif cards:
        screen.say(*table(cards, int(time.time() * 1000)))
    else:
        asked = args.game or args.status or args.free_seat
        screen.say(
            "No rooms match." if asked else "No room is open or running.",
            f"To create one: pierule new GAME{options_of(args)}",
        )
    return 0


def table(cards: Sequence[Card], now: int) -> list[str]:
    """The rooms in columns; `now` is the time in ms since 1970."""
    rows = [("ROOM", "GAME", "CLOCK", "STATE", "TURN", "LAST", "PLAYERS")]
    for card in cards:
        names = [name or "(free)" for name in players(card, 16)]
        game, ago = f"{card.game} {card.size}", age(now - card.at)
        clock = show_clock(card.control) if card.control else "-"
        state = "away" if card.away else card.status
        rows.append((card.room, game, clock, state, str(card.turn), ago, " - ".join(names)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
