"""`pierule watch`: look on."""

from __future__ import annotations

import argparse
import asyncio
import sys

import pierule
from pierule.commands.online import (
    add_color_option,
    add_plain_option,
    add_room,
    add_server_options,
    connected,
    follow,
    run_online,
    takes_terminal,
)
from pierule.terminal.gone import Absences
from pierule.terminal.keyboard import Pieces
from pierule.terminal.offers import tell_offer
from pierule.terminal.parlour import HELP as HELP_ON_CHAT
from pierule.terminal.parlour import Parlour
from pierule.terminal.prompts import Action, Word, understand
from pierule.terminal.scene import draw_room, outcome
from pierule.terminal.screen import Screen, clean, make_screen

HELP = "look on at a room until its game is over"

_EPILOG = """\
On a terminal, with pierule[tui] installed, the room takes the whole screen; ? shows the keys.
Elsewhere, and with --plain, shows the board as it is, then again after every event; points of the
last action stand in brackets, clocks beside the names. A connection that breaks off is made again
by itself. The last line is the result. At a terminal you can chat with the other spectators: say
TEXT, mute NAME, block NAME, report NUMBER TEXT; the players read it when the game is over.

exit status: 0 when the game is over or after q, 1 if the room cannot be followed, 130 on Ctrl-C.

example:
  pierule watch kobadimu --color always | less -R
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule watch`."""
    parser.description = "Look on at a room until its game is over."
    parser.epilog = _EPILOG
    add_room(parser)
    add_plain_option(parser)
    add_color_option(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Look on; 0 when the game is over."""
    screen = make_screen(args.color)
    look_on = _whole if takes_terminal(args, screen) else _watch
    return run_online(screen, look_on(args, screen))


async def _whole(args: argparse.Namespace, screen: Screen) -> int:
    from pierule.fullscreen.stage import Stage

    stage = Stage(screen.style)
    async with connected(args, stage) as client:
        room = await follow(client, args)
        status, room = await stage.show(client, room)
    _end(room, screen)
    return status


async def _tell_absences(client: pierule.Client, room: pierule.Room, screen: Screen) -> None:
    """Until cancelled."""
    absences = Absences(room)
    while True:
        screen.say(*absences.news(client.server_time()))
        await asyncio.sleep(1)


async def _watch(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        room = await follow(client, args)
        parlour = Parlour(client, room, screen)
        tasks = [
            asyncio.create_task(parlour.listen()),
            asyncio.create_task(_tell_absences(client, room, screen)),
        ]
        if sys.stdin.isatty():
            tasks.append(asyncio.create_task(_obey(parlour, screen)))
        try:
            async for update in room.updates():
                now = client.server_time()
                screen.say(*draw_room(update.state, (), screen.style, now), "")
                screen.say(*tell_offer(update.record, update.state, ()))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    _end(room, screen)
    return 0


def _end(room: pierule.Room, screen: Screen) -> None:
    if room.over:
        screen.say(f"result: {outcome(room.state)}")
    if room.state.rematch is not None:
        screen.say(f"The rematch is {room.state.rematch}.")


async def _obey(parlour: Parlour, screen: Screen) -> None:
    """Do what a spectator types at a terminal, which shows it and hands it over by the line."""
    async for keys in Pieces(sys.stdin.fileno()):
        for line in keys.decode(errors="replace").splitlines():
            match understand(line):
                case Word(
                    word="say" | "mute" | "block" | "hear" | "report" as word, argument=argument
                ):
                    try:
                        await parlour.obey(word, argument)
                    except (pierule.Refused, pierule.TimedOut) as error:
                        screen.warn(clean(str(error)))
                case Word() | Action():
                    screen.warn(f"as a spectator you can type: {HELP_ON_CHAT}")
