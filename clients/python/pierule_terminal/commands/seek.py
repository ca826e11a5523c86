"""`pierule seek`: wait for anyone who wants the same game."""

from __future__ import annotations

import argparse
from contextlib import AsyncExitStack

from pierule import RatingRange
from pierule_terminal.commands.new import add_game, naming_games
from pierule_terminal.commands.numbers import whole
from pierule_terminal.commands.online import (
    add_profile_option,
    add_server_options,
    identified,
    options_of,
    run_online,
)
from pierule_terminal.profile import Profile
from pierule_terminal.scene import named, rated_line
from pierule_terminal.screen import Screen, make_screen

HELP = "wait for anyone who wants the same game, size and clock"

PATIENCE, LONGEST = 15, 3600
"""Seconds until a house bot may play: the default, as on the page, and the server's maximum."""

MOST_POINTS = 2_000
"""The widest range of ratings that a server accepts."""

_EPILOG = """\
The first line of the output is only the room's id, once there is an opponent. Seats are drawn by
lot. Ctrl-C stops waiting.

exit status: 0 if there is a room, 1 if nobody came within half an hour, 130 on Ctrl-C.

examples:
  pierule seek GAME --clock 10+5
  pierule seek GAME --bot random
  pierule seek GAME --below 200 --above 200
  room=$(pierule seek GAME | head -1)
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule seek`."""
    parser.description = "Wait for anyone who wants the same game, size and clock."
    parser.epilog = _EPILOG
    add_game(parser)
    bots = parser.add_mutually_exclusive_group()
    bots.add_argument(
        # The default is text, because argparse then cannot confuse it with a given value.
        "--bot-after", type=_patience, default=str(PATIENCE), metavar="SECONDS",
        help="seconds after which a free house bot may play, or never [default: %(default)s]",
    )  # fmt: skip
    bots.add_argument(
        "--bot", metavar="LEVEL",
        help="play a house bot of this level immediately, for example `random`",
    )  # fmt: skip
    for name, than in (("--below", "weaker"), ("--above", "stronger")):
        parser.add_argument(
            name, type=whole(0, MOST_POINTS), metavar="POINTS",
            help=f"how many points {than} than you an opponent may be; you need a registered name, "
            "and guests are left out [default: any number]",
        )  # fmt: skip
    add_profile_option(parser)
    add_server_options(parser)


def _patience(text: str) -> int | None:
    if text == "never":
        return None
    if text.isdecimal() and int(text) <= LONGEST:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text} is neither `never` nor a number up to {LONGEST}")


def _range(args: argparse.Namespace) -> RatingRange | None:
    given = args.below is not None or args.above is not None
    return RatingRange(args.below, args.above) if given else None


def _between(args: argparse.Namespace) -> str:
    """The range in words, to show while waiting."""
    bounds = (args.below, "weaker"), (args.above, "stronger")
    given = [f"{points} points {than}" for points, than in bounds if points is not None]
    return f" at most {' or '.join(given)} than you" if given else ""


def run(args: argparse.Namespace) -> int:
    """Wait for a room. Returns 0, or 1 if there is none."""
    screen = make_screen("auto")
    return run_online(screen, _seek(args, screen))


async def _seek(args: argparse.Namespace, screen: Screen) -> int:
    profile = Profile(args.profile)
    async with AsyncExitStack() as stack:
        with profile.changing():
            client = await stack.enter_async_context(identified(args, profile, 0, screen))
        # A house bot cannot play a game that must be rated.
        patience = None if args.rated == "yes" else args.bot_after
        if args.bot is not None:
            patience, whom = 0, f"a house bot of the level {args.bot}"
        else:
            bot = "" if patience is None else f", or a house bot in {patience} s"
            whom = f"an opponent{_between(args)}{bot}"
        screen.warn(f"waiting for {whom}; Ctrl-C to stop")
        with naming_games(client):
            room = await client.seek(
                args.game,
                args.size,
                args.clock,
                bot_after=patience,
                rated=args.rated,
                bot_level=args.bot,
                range=_range(args),
            )
        seat = room.seats[0]
        other = room.state.seats[1 - seat]
        whom = named(other) if other else "nobody"
        counts = f"; the game is {line}" if (line := rated_line(room.state)) else ""
        screen.say(
            room.id,
            "",
            f"You have seat {seat} against {whom}{counts}. Go on with",
            f"  pierule play {room.id}{options_of(args)}",
        )
    return 0
