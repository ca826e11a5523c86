"""`pierule bot`: a bot that plays against anyone who comes."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Coroutine
from contextlib import ExitStack, closing, suppress
from random import Random
from threading import Thread

import pierule
from pierule.clocks import FORMS, parse_clock
from pierule_bots.house import BotOptions, House, Offer
from pierule_bots.player import LEVELS
from pierule_bots.thinking import Thinker
from pierule_games import GAMES
from pierule_protocol.log.controls import ClockOptions
from pierule_terminal.commands.numbers import real, whole
from pierule_terminal.commands.online import (
    Failed,
    add_profile_option,
    add_server_options,
    identified,
    run_online,
)
from pierule_terminal.profile import Profile
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "offer rooms in which a bot plays"

_EPILOG = """\
levels:
  random     any legal action, all equally likely
  one-step   the action that looks best one action ahead
  search     looks ahead for up to --seconds; alpha-beta over the most promising actions

The bot keeps a room open for each game and size, and plays against anyone who takes the other seat.
It grants rematches, takebacks, and draws unless it stands better, but no pauses. In a rated game,
it grants neither takebacks nor draws. It never resigns. It keeps its identity, and goes on in its
rooms after a restart. It ends if the server is away for more than five minutes, and within seconds
after SIGTERM or Ctrl-C.

examples:
  pierule bot
  pierule bot GAME --size 9 --size 13 --level one-step
  pierule bot --room kobadimutelosa --level one-step     in your own room
  pierule bot GAME --seconds 3 --clock 30m+5x30s --games 4

To write a bot of your own, read the handbook:
https://github.com/pierule/pierule/blob/main/clients/python/HANDBOOK.md
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule bot`."""
    parser.description = "Keep rooms open in which a bot plays against anyone who comes."
    parser.epilog = _EPILOG
    parser.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        choices=tuple(GAMES),
        help="an installed game [default: all, at their default and a small size]",
    )
    parser.add_argument(
        "--size",
        type=int,
        metavar="N",
        action="append",
        help="points along a side; repeatable [default: the game's default and a small one]",
    )
    _add_playing(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="seed of its choices, to repeat them")
    parser.add_argument("--once", action="store_true", help="play each game once, then end")
    parser.add_argument(
        "--room",
        metavar="ROOM",
        help="take a seat in this room instead, in any game, and end with it",
    )
    parser.add_argument(
        "--until-eof",
        action="store_true",
        help="end immediately when standard input ends: for a program that starts bots, gives each "
        "its token in PIERULE_TOKEN, and may be killed",
    )
    add_profile_option(parser)
    add_server_options(parser)


def _add_playing(parser: argparse.ArgumentParser) -> None:
    """Add the arguments about how well it plays, how many games, and with which clock."""
    parser.add_argument(
        "--level", choices=LEVELS, default="search", help="how well it plays [default search]"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=1.0, metavar="S",
        help="longest time to think about an action, less when its clock is low [default 1]",
    )  # fmt: skip
    parser.add_argument(
        "--games", type=whole(1, 50), default=12, metavar="N",
        help="the most rooms at the same time, including open ones, 1 to 50 [default 12]",
    )  # fmt: skip
    parser.add_argument(
        "--processes", type=whole(1, 50), default=1, metavar="N",
        help="processes that think [default 1]",
    )  # fmt: skip
    parser.add_argument(
        "--clock", type=_clock, default="20+10", metavar="CLOCK",
        help=f"clock of its rooms, {FORMS}, or `none` [default 20+10]",
    )  # fmt: skip


def _seconds(text: str) -> float:
    if not 0 < (seconds := real(text)) <= 60:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and at most 60")
    return seconds


def _clock(text: str) -> ClockOptions | None:
    try:
        return None if text == "none" else parse_clock(text)
    except pierule.BadClock as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    """Play until told to stop. Returns 0, 1 if there is no server or it went away, or 2 for wrong
    usage."""
    screen = make_screen("auto")
    try:
        offers = [] if args.room else offers_of(args.game, args.size)
    except ValueError as error:
        screen.warn(f"pierule: {error}")
        return 2
    args.name = args.name or name_of(args.level)
    args.profile = args.profile or f"bot-{args.level}"
    if args.until_eof:
        Thread(target=_end_with_owner, daemon=True).start()
    return run_online(screen, _until_told(_bot(args, offers, screen)))


def _end_with_owner() -> None:
    """End this process when the program that started it ends, even if that was killed: standard
    input ends then."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def name_of(level: str) -> str:
    """The name of a bot whose owner gives it none. Only house bots have the names of house bots."""
    return f"{level} bot"


def offers_of(game: str | None, sizes: list[int] | None) -> list[Offer]:
    """The games and sizes to offer. Raises ValueError for sizes that the game does not have."""
    if game is None:
        if sizes:
            raise ValueError("--size needs a game")
        return [offer for each in GAMES for offer in offers_of(each, None)]
    rules = GAMES[game]
    for size in sizes or []:
        if size not in rules.sizes:
            raise ValueError(f"{game} has the sizes {', '.join(map(str, rules.sizes))}, not {size}")
    small = dict.fromkeys((rules.default_size, min(rules.sizes)))
    return [(game, size) for size in sizes or small]


async def _until_told(work: Coroutine[None, None, None]) -> int:
    """Do the work until it ends or SIGTERM comes."""
    task = asyncio.create_task(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
    return 0


async def _bot(args: argparse.Namespace, offers: list[Offer], screen: Screen) -> None:
    profile = Profile(args.profile)
    if not (args.until_eof or profile.claim(args.server, "", 0)):  # an owner starts no bot twice
        raise Failed("this bot already plays there; use --profile NAME for another one")
    options = BotOptions(args.level, args.seconds, args.games, args.clock, args.once)
    with closing(Thinker(args.processes)) as thinker, ExitStack() as naming:
        naming.enter_context(profile.changing())
        async with identified(args, profile, 0, screen, bot=True) as client:
            naming.close()
            dice = Random(args.seed)  # noqa: S311 - no secret
            house = House(client, thinker, options, dice, lambda line: screen.say(clean(line)))
            await (house.visit(args.room) if args.room else house.run(offers))
