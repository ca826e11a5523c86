"""`pierule watch`: look on."""

from __future__ import annotations

import argparse

from pierule.commands.online import (
    add_color_option,
    add_room,
    add_server_options,
    connected,
    run_online,
)
from pierule.terminal.scene import draw_room, outcome
from pierule.terminal.screen import Screen, make_screen

HELP = "look on at a room until its game is over"

_EPILOG = """\
Shows the board as it is, then again after every event; points of the last action stand in
brackets, clocks beside the names. A connection that breaks off is made again by itself. The
last line is the result.

exit status: 0 when the game is over, 1 if the room cannot be followed, 130 on Ctrl-C.

example:
  pierule watch kobadimu --color always | less -R
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule watch`."""
    parser.description = "Look on at a room until its game is over."
    parser.epilog = _EPILOG
    add_room(parser)
    add_color_option(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Look on; 0 when the game is over."""
    screen = make_screen(args.color)
    return run_online(screen, _watch(args, screen))


async def _watch(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        room = await client.join(args.room, invitation=args.invitation)
        async for update in room.updates():
            now = client.server_time()
            screen.say(*draw_room(update.state, (), screen.style, now), "")
    screen.say(f"result: {outcome(room.state)}")
    if room.state.rematch is not None:
        screen.say(f"The rematch is {room.state.rematch}.")
    return 0
