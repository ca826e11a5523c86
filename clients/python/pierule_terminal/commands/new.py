"""`pierule new`: create a room."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

import pierule
from pierule.clocks import FORMS, parse_clock, show_clock
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import Rated
from pierule_protocol.messages import Seat
from pierule_terminal.commands.online import (
    Failed,
    add_profile_option,
    add_server_options,
    identified,
    options_of,
    run_online,
    ticket_of,
    web_address,
)
from pierule_terminal.profile import Profile
from pierule_terminal.scene import rated_line
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "create a room and print how to play and watch it"

_EPILOG = """\
In a pipe, the output is only the room's id; the rest goes to stderr.

clocks:
  5+3          5 minutes, plus 3 seconds after each turn (Fischer)
  10m+3x30s    10 minutes, then 3 periods of 30 seconds (Japanese byo-yomi)
  30s/action   30 seconds for each turn
  3d           3 days for each turn

examples:
  pierule new GAME
  pierule new GAME --size 9 --seat 1      take the second seat immediately
  pierule new GAME --clock 10m+3x30s      10 minutes, then 3 periods of 30 seconds
  pierule new GAME --private              only for people with the printed invitation
  room=$(pierule new GAME)
"""

_SEATS: dict[str, Seat | Literal["random"] | None] = {
    "0": 0, "1": 1, "random": "random", "none": None,
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule new`."""
    parser.description = "Create a room for a game, and say how to go on."
    parser.epilog = _EPILOG
    add_game(parser)
    parser.add_argument(
        "--seat",
        choices=tuple(_SEATS),
        default="none",
        help="the seat to take: 0 cuts, 1 chooses a color [default none: `pierule play` takes one]",
    )
    found = parser.add_mutually_exclusive_group()
    found.add_argument(
        "--private", action="store_const", const="private", dest="access", default="public",
        help="only users with the printed invitation can join",
    )  # fmt: skip
    found.add_argument(
        "--unlisted", action="store_const", const="unlisted", dest="access",
        help="do not list the room",
    )  # fmt: skip
    parser.add_argument(
        "--delay", type=int, default=0, metavar="PLIES", help="how many plies spectators are behind"
    )
    add_profile_option(parser)
    add_server_options(parser)


def add_game(parser: argparse.ArgumentParser) -> None:
    """Add the arguments about the game: its id, size and clock, and whether it is rated."""
    parser.add_argument("game", metavar="GAME", help="one of the server's games")
    parser.add_argument(
        "--size", type=int, metavar="N", help="points along a side [default: the game's default]"
    )
    parser.add_argument(
        "--clock", type=_clock, metavar="CLOCK", help=f"{FORMS} [default: no time limit]"
    )
    parser.add_argument(
        "--rated", choices=get_args(Rated), default="either",
        help="whether the game counts for ratings [default either: if it can]",
    )  # fmt: skip


def _clock(text: str) -> ClockOptions:
    try:
        return parse_clock(text)
    except pierule.BadClock as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    """Create the room. Returns 0, or 1 if it was refused or there is no server."""
    screen = make_screen("auto")
    return run_online(screen, _new(args, screen))


async def _new(args: argparse.Namespace, screen: Screen) -> int:
    profile = Profile(args.profile)
    with profile.changing():
        async with identified(args, profile, 0, screen) as client:
            room = await _create(client, args)
    position, others = room.position, options_of(args)
    ticket = ticket_of(room)
    commands = [f"pierule play {ticket}{others}", f"pierule watch {ticket}{others}"]
    width = max(map(len, commands))
    clock = f", clock {show_clock(args.clock)}" if args.clock else ""
    game = f"{position.game.capitalize()} of size {position.size}{clock}"
    counts = f", {line}" if (line := rated_line(room.state)) else ""
    screen.say(room.id)
    tell = screen.say if sys.stdout.isatty() else screen.warn  # a program wants only the id
    tell(
        "",
        f"This is a room for {game}{counts}. Go on with",
        f"  {commands[0]:{width}}   for each of the two players, also in two terminals here",
        f"  {commands[1]:{width}}   for spectators",
        f"  {_link(args.server, ticket)}",
    )
    return 0


def _link(server: str, ticket: str) -> str:
    """The link to share (SPEC 20.4)."""
    return f"{web_address(server)}/#{ticket}"


async def _create(client: pierule.Client, args: argparse.Namespace) -> pierule.Room:
    with naming_games(client):
        return await client.create(
            args.game, args.size, _SEATS[args.seat], args.clock, access=args.access,
            delay=args.delay, rated=args.rated,
        )  # fmt: skip


@contextmanager
def naming_games(client: pierule.Client) -> Iterator[None]:
    """Name the existing games if the requested game does not exist. Raises Failed."""
    try:
        yield
    except pierule.Refused as error:
        if error.field not in ("game", "size"):
            raise
        there = "".join(
            f"\n  {options.game}: size {', '.join(map(str, sorted(options.sizes)))}"
            f" (default {options.default_size})"
            for options in client.welcome.games
        )
        raise Failed(f"{clean(error.text)}; the server has{there}") from None
