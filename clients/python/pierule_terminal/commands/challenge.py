"""`pierule challenge`: challenge a user to a game, or answer a challenge."""

from __future__ import annotations

import argparse
from contextlib import AsyncExitStack

import pierule
from pierule.clocks import show_clock
from pierule_protocol.messages import Seat
from pierule_terminal.commands.new import add_game, naming_games
from pierule_terminal.commands.online import (
    add_profile_option,
    add_server_options,
    identified,
    options_of,
    run_online,
)
from pierule_terminal.profile import Profile
from pierule_terminal.scene import named
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "challenge a user to a game, or answer a challenge"

_EPILOG = """\
A USER is a registered name (`pierule account`) or, with --id, an id, as `pierule challenge id`
shows it.

  pierule challenge to USER GAME ...   challenge, and wait for the answer; Ctrl-C withdraws it
  pierule challenge list               show your challenges and how they change, until Ctrl-C
  pierule challenge accept NAME        accept, and play
  pierule challenge decline NAME       decline
  pierule challenge id                 show your own id

With `to` and `accept`, the first line of the output is only the room's id.

exit status: 0 if it is done, 1 if the other user declined or the challenge is no longer open, 130
on Ctrl-C.
"""

_SEATS: dict[str, Seat | None] = {"0": 0, "1": 1, "random": None}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule challenge`."""
    parser.description = "Challenge a user to a game, or answer a challenge."
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(
        dest="action", metavar="to|list|accept|decline|id", required=True
    )
    to = actions.add_parser("to", help="challenge a user")
    to.add_argument("user", metavar="USER", help="the registered name of the user")
    to.add_argument("--id", action="store_true", help="USER is an id")
    add_game(to)
    to.add_argument("--seat", choices=tuple(_SEATS), default="random", help="[default random]")
    listed = actions.add_parser("list", help="show your challenges")
    accept = actions.add_parser("accept", help="accept a challenge")
    decline = actions.add_parser("decline", help="decline a challenge")
    for each in (accept, decline):
        each.add_argument("challenge", metavar="NAME", help="the challenge, as `list` shows it")
    for each in (to, listed, accept, decline, actions.add_parser("id", help="show your own id")):
        add_profile_option(each)
        add_server_options(each)


def run(args: argparse.Namespace) -> int:
    """Run the action. Returns 0, or 1 if it failed."""
    screen = make_screen("auto")
    return run_online(screen, _challenge(args, screen))


async def _challenge(args: argparse.Namespace, screen: Screen) -> int:
    profile = Profile(args.profile)
    async with AsyncExitStack() as stack:
        with profile.changing():
            client = await stack.enter_async_context(identified(args, profile, 0, screen))
        await _ACTIONS[args.action](client, args, screen)
    return 0


async def _to(client: pierule.Client, args: argparse.Namespace, screen: Screen) -> None:
    screen.warn("waiting for the answer; Ctrl-C withdraws the challenge")
    with naming_games(client):
        room = await client.challenge(
            args.user, args.game, args.size, args.clock, _SEATS[args.seat], named=not args.id,
            rated=args.rated,
        )  # fmt: skip
    _go_on(room, args, screen)


async def _list(client: pierule.Client, args: argparse.Namespace, screen: Screen) -> None:
    screen.warn("waiting for challenges; Ctrl-C to stop")
    listed: dict[str, pierule.Challenged] = {}
    async for standing in client.standing_challenges():
        before, listed = listed, {each.challenge: each for each in standing}
        screen.say(*(f"{name}  is no longer open" for name in before if name not in listed))
        for name, each in listed.items():
            if name not in before:
                screen.say(*asked(each, args))


def asked(each: pierule.Challenged, args: argparse.Namespace) -> list[str]:
    """A challenge, and the commands that answer it."""
    clock = f" {show_clock(each.control)}" if each.control else ""
    rated = {"yes": ", rated", "no": ", not rated"}.get(each.rated, "")
    seat = "a random seat" if each.seat is None else f"seat {each.seat}"
    who = f"{named(each)} ({clean(each.user)})"
    return [
        f"{each.challenge}  {each.game} {each.size}{clock}{rated}, you in {seat}, asked by {who}",
        f"  pierule challenge accept {each.challenge}{options_of(args)}",
        f"  pierule challenge decline {each.challenge}{options_of(args)}",
    ]


async def _accept(client: pierule.Client, args: argparse.Namespace, screen: Screen) -> None:
    _go_on(await client.accept(args.challenge), args, screen)


async def _decline(client: pierule.Client, args: argparse.Namespace, screen: Screen) -> None:
    await client.decline(args.challenge)
    screen.say("declined")


async def _id(client: pierule.Client, _: argparse.Namespace, screen: Screen) -> None:
    screen.say(client.user)


def _go_on(room: pierule.Room, args: argparse.Namespace, screen: Screen) -> None:
    screen.say(room.id, "", "Go on with", f"  pierule play {room.id}{options_of(args)}")


_ACTIONS = {"to": _to, "list": _list, "accept": _accept, "decline": _decline, "id": _id}
