"""`pierule play`: take a seat and play from the keyboard or a pipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress

import pierule
from pierule_terminal.commands.online import (
    Failed,
    Notices,
    add_color_option,
    add_plain_option,
    add_profile_option,
    add_room,
    add_sending_option,
    add_server_options,
    connected,
    follow,
    identified,
    options_of,
    run_online,
    takes_terminal,
    ticket_of,
)
from pierule_terminal.document import Document
from pierule_terminal.keyboard import Pieces, is_interactive, keys_at_once, until_terminated
from pierule_terminal.profile import PLAYERS, Profile, ProfileTrouble
from pierule_terminal.prompts import WORDS
from pierule_terminal.scene import outcome
from pierule_terminal.screen import Screen, make_screen
from pierule_terminal.seating import Cannot, Player, Sit, Wanted, choose
from pierule_terminal.table import Table

HELP = "take a seat in a room and play"

_EPILOG = f"""\
On a terminal, with pierule[tui] installed, the room takes the whole screen. Pick points with the
cursor; ? shows the keys. Otherwise, and with --plain, you type line by line:

{WORDS}

seats:
  You keep the seat when you leave, or when the terminal is closed or killed: the same command
  takes it again. If you run the command in a second terminal while the first one plays, a second
  player takes the other seat, so two people can play at one computer. Both players' identities
  are in a file that only you can read; --profile NAME uses another file.

clocks:
  In a room with clocks, both clocks are beside the names, and the running one is in the prompt. In
  byo-yomi, 4:05 +3 is main time with three periods to come; 0:12 x3 is the first of three periods.

pipes:
  If standard input is not a terminal, an action waits until it is your turn, and words take effect
  immediately. After the end of the input, `play` shows the game until it is over, and then exits.
  On a terminal, you can go on chatting with the other player, and play again, until you type quit;
  also with --rematch, while the rematch is offered or after it was declined.

exit status:
  0 when the game is over or after quit, 1 if there is no seat for you or you cannot follow the
  room, 130 on Ctrl-C.

examples:
  pierule play kobadimutelosa
  pierule play GAME                       against anyone who waits, perhaps a bot
  pierule play GAME --size 9
  printf 'black\\nd3\\n' | pierule play kobadimutelosa --seat 1
"""

_SEATS: dict[str, Wanted] = {"0": 0, "1": 1, "any": "any"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule play`."""
    parser.description = "Take a seat in a room, or go on in your seat there, and play."
    parser.epilog = _EPILOG
    add_room(parser, "a game, to join an open room of it")
    parser.add_argument(
        "--seat",
        choices=tuple(_SEATS),
        default="any",
        help="0 cuts, 1 chooses a color [default any: yours, or the first free one]",
    )
    parser.add_argument(
        "--size", type=int, metavar="N", help="with a game: only rooms of this size [default any]"
    )
    parser.add_argument(
        "--rematch", action="store_true", help="offer a rematch when the game is over, and play it"
    )
    add_profile_option(parser)
    add_plain_option(parser)
    add_sending_option(parser)
    add_color_option(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Play. Returns 0 when the game is over or after `quit`."""
    live = is_interactive()
    screen = make_screen(args.color, live=live)
    whole = takes_terminal(args, screen)
    with ExitStack() as stack:
        if live and not whole:
            stack.enter_context(keys_at_once(sys.stdin.fileno()))
        stack.callback(screen.close)
        try:
            profile = Profile(args.profile)
        except ProfileTrouble as error:
            screen.warn(f"pierule: {error}")
            return 1
        seating = stack.enter_context(ExitStack())
        # Outside of the event loop: another `play` may be taking a seat, and Ctrl-C must work.
        seating.enter_context(profile.changing())
        play = (_whole if whole else _play)(args, profile, seating, screen)
        return run_online(screen, until_terminated(play) if live and not whole else play)


async def _whole(
    args: argparse.Namespace, profile: Profile, seating: ExitStack, screen: Screen
) -> int:
    from pierule_terminal.fullscreen.launcher import Launcher

    screen.close()
    launcher = Launcher(screen.style, confirms=not args.send_at_once)
    async with _seated(args, profile, launcher) as (client, first):
        seating.close()
        document = await Document.ask(client, first.position.game)
        status, room = await launcher.show(client, document, first, rematch=args.rematch)
        if room.over:
            screen.say(f"result: {outcome(document, room.state)}")
        else:
            screen.say(f"You keep your seat. To go on: {_again(room, args)}")
        return status


def _again(room: pierule.Room, args: argparse.Namespace) -> str:
    """The command that continues in this seat."""
    return f"pierule play {ticket_of(room)}{options_of(args)}"


async def _play(
    args: argparse.Namespace, profile: Profile, seating: ExitStack, screen: Screen
) -> int:
    async with _seated(args, profile, screen) as (client, first):
        seating.close()
        document = await Document.ask(client, first.position.game)
        room, live, keys = first, screen.live, Pieces(sys.stdin.fileno())
        while True:
            again = _again(room, args)
            table = Table(client, document, room, screen, keys, again, rematch=args.rematch)
            status = await table.play()
            if not room.over or not table.rematch:
                return status
            following = await _rematch(room, screen)
            if following is None:
                return status
            room = await client.join(following, invitation=room.invitation)
            screen = make_screen(args.color, live=live)


async def _rematch(room: pierule.Room, screen: Screen) -> str | None:
    """Offer a rematch, or accept an offered one. Returns the id of its room; None if there is no
    rematch."""
    if room.state.rematch is None:
        with suppress(pierule.Refused):  # the opponent was faster, or there can be no rematch
            await room.offer("rematch")
            screen.say("You have offered a rematch; Ctrl-C to leave.")
    following = await room.rematch()
    screen.say("There is no rematch." if following is None else f"The rematch is {following}.")
    return following


@asynccontextmanager
async def _seated(
    args: argparse.Namespace, profile: Profile, notices: Notices
) -> AsyncIterator[tuple[pierule.Client, pierule.Room]]:
    """A client of one of the profile's players, and the room with this player in a seat.

    Raises Failed.
    """
    async with connected(args, notices) as guest:  # who sits there decides who takes a seat
        args.room = await _room_meant(guest, args.room, _SEATS[args.seat], args.size)
        games = ", ".join(sorted(options.game for options in guest.welcome.games))
        seats = (await follow(guest, args, f"; the games here are {games}")).state.seats
    known = profile.players(args.server)
    free = [player for player in PLAYERS if profile.claim(args.server, args.room, player)]
    players = [
        Player(identity.user if (identity := known[i]) else None, i not in free) for i in PLAYERS
    ]
    choice = choose(seats, _SEATS[args.seat], players)
    for player in free:
        if isinstance(choice, Cannot) or player != choice.player:
            profile.release(args.server, args.room, player)
    match choice:
        case Cannot(text=text):
            raise Failed(f"{text}; to watch: pierule watch {args.room}{options_of(args)}")
        case Sit(player=player, take=take):
            async with identified(args, profile, player, notices) as client:
                yield client, await client.join(args.room, take, invitation=args.invitation)


async def _room_meant(
    guest: pierule.Client, room: str, seat: Wanted, size: int | None = None
) -> str:
    """The room that the argument means: a room's id, or for the name of a game, its latest open
    room in which this seat is free. That room has this size, or if possible the game's default
    size. Rooms in which nobody waits are the last choice. Raises Failed."""
    games = {options.game: options for options in guest.welcome.games}
    if room not in games:
        if size is not None:
            raise Failed(f"{room} is a room, which has its size; use --size only with a game's id")
        return room
    if size is not None and size not in games[room].sizes:
        sizes = ", ".join(map(str, games[room].sizes))
        raise Failed(f"{room} has the sizes {sizes}, not {size}")
    wishes = (size,) if size is not None else (games[room].default_size, None)
    found = [
        card
        for wish in wishes
        for card in await guest.rooms(1, game=room, size=wish, free_seat=seat)
    ]
    if found:
        return min(found, key=lambda card: card.away).room
    text, wanted = f"nobody is waiting for a game of {room}", room
    if size is not None:
        text, wanted = f"{text} on size {size}", f"{wanted} --size {size}"
    if seat != "any":  # `seek` draws the seats by lot
        wanted = f"{wanted} --seat {seat}"
        raise Failed(f"{text} with seat {seat} free; to create a room: pierule new {wanted}")
    raise Failed(
        f"{text}; to wait for somebody or a house bot: pierule seek {wanted}; "
        f"to create a room: pierule new {wanted}"
    )
