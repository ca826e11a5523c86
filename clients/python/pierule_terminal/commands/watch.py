"""`pierule watch`: watch a room."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import suppress

import msgspec

import pierule
from pierule_terminal.chat_panel import HELP as HELP_ON_CHAT
from pierule_terminal.chat_panel import ChatPanel
from pierule_terminal.commands.online import (
    add_color_option,
    add_plain_option,
    add_room,
    add_server_options,
    connected,
    follow,
    run_online,
    takes_terminal,
)
from pierule_terminal.document import Document, account_of
from pierule_terminal.gone import Absences
from pierule_terminal.keyboard import Pieces
from pierule_terminal.offers import tell_offer
from pierule_terminal.prompts import Action, Word, understand
from pierule_terminal.scene import draw_room, outcome, rated_line, tell_account
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "watch a room until its game is over"

_EPILOG = """\
On a terminal, with pierule[tui] installed, the room takes the whole screen; ? shows the keys.
Otherwise, and with --plain, it prints the board now and after every event, with the points of the
last action in brackets and clocks beside the names. It restores a lost connection automatically.
The last line is the result. At a terminal you can chat with the other spectators: say TEXT, mute
NAME, block NAME, report NUMBER TEXT. When the game is over, the players can read your messages, and
you can read theirs. quit leaves (also Ctrl-D); on the whole screen, q.

With --follow, it does not end with the game: you can go on reading, and watch each rematch, until
you leave. On the whole screen, you may stay in any case, and m goes on to the rematch; with
--follow, it goes on automatically.

With --json, each state of the room is a line of JSON with two fields: `state` is the room as in a
snapshot (SPEC, 10.4, RoomState), and `record` is the log entry that led to it (SPEC, 10.5), null
in the first line and after a gap. Fields that are null or have their default may be missing. Only
these lines go to standard output. Errors, announcements and news about the connection go to
standard error.

exit status: 0 when the game is over or after you leave, 1 if the room cannot be followed, 130 on
Ctrl-C.

examples:
  pierule watch kobadimutelosa --color always | less -R
  pierule watch kobadimutelosa --follow
  pierule watch kobadimutelosa --json | jq -r '.record | select(.kind == "acted") | .action'
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule watch`."""
    parser.description = "Watch a room until its game is over."
    parser.epilog = _EPILOG
    add_room(parser)
    parser.add_argument(
        "--follow", action="store_true", help="stay when the game is over, and go on to rematches"
    )
    parser.add_argument("--json", action="store_true", help="write each state as a line of JSON")
    add_plain_option(parser)
    add_color_option(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Watch the room. Returns 0 when the game is over, or the user leaves."""
    screen = make_screen(args.color)
    if args.json:
        return run_online(screen, _data(args, screen))
    look_on = _whole if takes_terminal(args, screen) else _watch
    return run_online(screen, look_on(args, screen))


async def _data(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        room = await follow(client, args)
        while True:
            async for update in room.updates(beyond=args.follow):
                screen.say(line_of(update))
                if args.follow and update.state.rematch is not None:
                    break
            if not args.follow or room.state.rematch is None:
                return 0
            before, room = room, await client.join(room.state.rematch, invitation=room.invitation)
            await before.leave()


def line_of(update: pierule.Update) -> str:
    """An update as a line of JSON, with the record as the log has it, even if its kind is
    unknown."""
    record = None if update.event is None else msgspec.json.decode(update.event.record)
    return msgspec.json.encode({"record": record, "state": update.state}).decode()


async def _whole(args: argparse.Namespace, screen: Screen) -> int:
    from pierule_terminal.fullscreen.launcher import Launcher

    launcher = Launcher(screen.style)
    async with connected(args, launcher) as client:
        room = await follow(client, args)
        document = await Document.ask(client, room.position.game)
        status, room = await launcher.show(client, document, room, follow=args.follow)
    _end(document, room, screen)
    return status


async def _tell_absences(client: pierule.Client, room: pierule.Room, screen: Screen) -> None:
    """Print news about absent players until this is cancelled."""
    absences = Absences(room)
    while True:
        screen.say(*absences.news(client.server_time()))
        await asyncio.sleep(1)


async def _watch(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        room = await follow(client, args)
        document = await Document.ask(client, room.position.game)
        keys = Pieces(sys.stdin.fileno()) if sys.stdin.isatty() else None
        while following := await _look_on(client, document, room, screen, keys, beyond=args.follow):
            screen.say(f"The rematch is {following}.", "")
            before, room = room, await client.join(following, invitation=room.invitation)
            await before.leave()
    if not args.follow:
        _end(document, room, screen)
    return 0


async def _look_on(
    client: pierule.Client,
    document: Document,
    room: pierule.Room,
    screen: Screen,
    keys: Pieces | None,
    *,
    beyond: bool,
) -> str | None:
    """Show the room until its game is over, or with `beyond`, until there is a rematch, or until
    the user types `quit`. Returns the id of the rematch to go on to; None if there is none."""
    chat_panel = ChatPanel(client, room, screen)
    showing = asyncio.create_task(_show(client, document, room, screen, beyond=beyond))
    ends = {showing}
    if keys is not None:
        ends.add(asyncio.create_task(_obey(keys, chat_panel, screen)))
    beside = [
        asyncio.create_task(chat_panel.listen()),
        asyncio.create_task(_tell_absences(client, room, screen)),
    ]
    try:
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in (*ends, *beside):
            task.cancel()
        await asyncio.gather(*ends, *beside, return_exceptions=True)
    return room.state.rematch if beyond and showing in done else None


async def _show(
    client: pierule.Client,
    document: Document,
    room: pierule.Room,
    screen: Screen,
    *,
    beyond: bool,
) -> None:
    over, counts = False, None
    async for update in room.updates(beyond=beyond):
        state = update.state
        if not over:
            now = client.server_time()
            screen.say(*draw_room(document, state, (), screen.style, now, update.record), "")
            if (line := rated_line(state)) and line != counts:
                screen.say(f"-- {line}", "")
            counts = line
            if state.result is not None and state.result.reason == "played":
                with suppress(pierule.Refused, pierule.TimedOut):
                    screen.say(*tell_account(document, await account_of(client, state)))
        screen.say(*tell_offer(update.record, state, ()))
        if beyond and state.status == "over" and not over:
            over = True
            screen.say(f"result: {outcome(document, state)}")
            if state.rematch is None:
                screen.warn("-- waiting for a rematch; Ctrl-C to leave")
        if beyond and state.rematch is not None:
            return


def _end(document: Document, room: pierule.Room, screen: Screen) -> None:
    if room.over:
        screen.say(f"result: {outcome(document, room.state)}")
    if room.state.rematch is not None:
        screen.say(f"The rematch is {room.state.rematch}.")


async def _obey(typed: Pieces, chat_panel: ChatPanel, screen: Screen) -> None:
    """Obey what a spectator types, line by line, until they type `quit`."""
    async for keys in typed:
        for line in keys.decode(errors="replace").splitlines():
            match understand(line):
                case Word(
                    word="say" | "mute" | "block" | "hear" | "report" as word, argument=argument
                ):
                    try:
                        await chat_panel.obey(word, argument)
                    except (pierule.Refused, pierule.TimedOut) as error:
                        screen.warn(clean(str(error)))
                case Word(word="quit"):
                    return
                case Word() | Action():
                    screen.warn(f"as a spectator you can type: {HELP_ON_CHAT}, quit")
