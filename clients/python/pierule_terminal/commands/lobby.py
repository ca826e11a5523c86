"""`pierule lobby`: see who waits for an opponent, and which rooms are open or running."""

from __future__ import annotations

import argparse
import asyncio
import time
from contextlib import AsyncExitStack

import msgspec

import pierule
from pierule.clocks import show_clock
from pierule.lobby import LobbyView
from pierule_protocol.messages import Pool
from pierule_terminal.commands.challenge import asked
from pierule_terminal.commands.online import (
    Failed,
    add_color_option,
    add_plain_option,
    add_profile_option,
    add_sending_option,
    add_server_options,
    connected,
    identified,
    options_of,
    run_online,
    server_of,
    takes_terminal,
    ticket_of,
)
from pierule_terminal.commands.rooms import table
from pierule_terminal.document import Document
from pierule_terminal.profile import PLAYERS, Profile
from pierule_terminal.scene import headline
from pierule_terminal.screen import Screen, make_screen

HELP = "see who waits for an opponent, and open and running rooms"

_EPILOG = """\
On a terminal, with pierule[tui] installed, the lobby takes the whole screen: choose what to play or
watch with the arrow keys or the mouse. n creates a game, s seeks one. Enter accepts a challenge, d
declines it. r shows the leaderboards.
Otherwise, and with --plain, it prints the lobby now and whenever it changes, until Ctrl-C, and your
challenges with the commands that answer them. With --once or --json, nobody can challenge you.

exit status: 0 after q and with --once, 1 if there is no server, 130 on Ctrl-C.

examples:
  pierule lobby
  pierule lobby --once
  pierule lobby --json | head -1
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule lobby`."""
    parser.description = "Watch the lobby: who waits for an opponent, and which rooms there are."
    parser.epilog = _EPILOG
    parser.add_argument("--once", action="store_true", help="show the lobby once and exit")
    parser.add_argument("--json", action="store_true", help="write each state as a line of JSON")
    add_profile_option(parser)
    add_plain_option(parser)
    add_sending_option(parser)
    add_color_option(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Show the lobby. Returns 0 with --once, or when the user leaves."""
    screen = make_screen(args.color)
    if args.once or args.json:
        return run_online(screen, _data(args, screen))
    return run_online(screen, (_whole if takes_terminal(args, screen) else _lines)(args, screen))


async def _whole(args: argparse.Namespace, screen: Screen) -> int:
    from pierule_terminal.fullscreen.launcher import Launcher

    profile, launcher = (
        Profile(args.profile),
        Launcher(screen.style, confirms=not args.send_at_once),
    )
    player = next((each for each in PLAYERS if profile.claim(args.server, LOBBY, each)), None)
    if player is None:
        raise Failed("you are already in the lobby twice; use --profile NAME for another user")
    async with AsyncExitStack() as stack:
        with profile.changing():
            client = await stack.enter_async_context(identified(args, profile, player, launcher))
        told = ""
        while True:
            status, room = await launcher.lobby(client, told)
            if room is None:
                return status
            if room.seats and not profile.claim(args.server, room.id, player):
                told = f"You are playing {room.id} in another terminal."
                await room.leave()
                continue
            document = await Document.ask(client, room.position.game)
            told = _invitation(room, args)
            status, left = await launcher.show(client, document, room, message=told)
            profile.release(args.server, room.id, player)
            await left.leave()
            if status:
                return status
            told = f"{left.id}: {headline(document, left.state, left.seats)}"


LOBBY = ""
"""What the profile claims, instead of a room, for a player who is in the lobby."""


def _invitation(room: pierule.Room, args: argparse.Namespace) -> str:
    """How another player joins a room that waits for one."""
    if room.state.status != "open":
        return ""
    return f"Others join from the lobby, or with: pierule play {ticket_of(room)}{server_of(args)}"


async def _lines(args: argparse.Namespace, screen: Screen) -> int:
    """Print the lobby whenever it or the user's challenges change."""
    profile = Profile(args.profile)
    async with AsyncExitStack() as stack:
        with profile.changing():
            client = await stack.enter_async_context(identified(args, profile, 0, screen))
        view: LobbyView | None = None
        standing: list[pierule.Challenged] = []

        def show() -> None:
            if view is not None:
                challenges = [line for each in standing for line in asked(each, args)]
                screen.say(*_show(view, args), *challenges, *([""] if challenges else []))

        async def watch() -> None:
            nonlocal view
            async for changed in client.lobby():
                view = changed
                show()

        async def hear() -> None:
            nonlocal standing
            async for changed in client.standing_challenges():
                standing = changed
                show()

        await asyncio.gather(watch(), hear())
    return 0


async def _data(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        async for view in client.lobby():
            screen.say(*([msgspec.json.encode(view).decode()] if args.json else _show(view, args)))
            if args.once:
                break
    return 0


def _show(view: LobbyView, args: argparse.Namespace) -> list[str]:
    lines = [_pool(pool, args) for pool in view.pools] or ["Nobody is waiting for an opponent."]
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
