"""`pierule account`: register a name, and manage the account."""

from __future__ import annotations

import argparse
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pierule
from pierule_terminal.commands.online import (
    Failed,
    add_profile_option,
    add_server_options,
    connected,
    identified,
    run_online,
)
from pierule_terminal.profile import Identity, Profile
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "register a name; recover, download or delete your account; sign out elsewhere"

_EPILOG = """\
  pierule account show             show who you are at the server
  pierule account register NAME    register a name that nobody else can have, or change yours, and
                                   print a recovery code: write it down, it is shown only once.
                                   With the name that you have, get a new code, and sign out
                                   everywhere else
  pierule account recover NAME     read the code from standard input and become that user here
  pierule account end-sessions     sign out everywhere else: only this profile stays signed in
  pierule account download         write everything that the server stores about you, as lines of
                                   JSON (-o FILE)
  pierule account delete NAME      delete your account; repeat your NAME to confirm

exit status: 0 if it is done, 1 if it was refused, 2 if no recovery code came.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule account`."""
    parser.description = (
        "Register a name; recover, download or delete your account; sign out everywhere else."
    )
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(
        dest="action", metavar="show|register|recover|end-sessions|download|delete", required=True
    )
    for action, text in (
        ("show", "show who you are"),
        ("register", "register a name, or change it"),
        ("recover", "become a registered user, with the recovery code"),
        ("end-sessions", "sign out everywhere else"),
        ("download", "write everything that the server stores about you"),
        ("delete", "delete your account"),
    ):
        each = actions.add_parser(action, help=text)
        if action == "download":
            each.add_argument(
                "-o", "--output", metavar="FILE", default="-",
                help="where to write [default -: stdout]",
            )  # fmt: skip
        elif action not in ("show", "end-sessions"):
            each.add_argument("account", metavar="NAME")
        add_profile_option(each)
        add_server_options(each)


def run(args: argparse.Namespace) -> int:
    """Run the action. Returns 0, 1 if it was refused, or 2 without a recovery code."""
    screen = make_screen("auto")
    # Read outside of the event loop, so that Ctrl-C works.
    code = _typed() if args.action == "recover" else None
    if code == "":
        screen.warn("pierule account: type the recovery code, or send it to standard input")
        return 2
    return run_online(screen, _account(args, screen, code))


def _typed() -> str:
    """A line from standard input; empty at its end."""
    try:
        return input().strip()
    except EOFError:
        return ""


async def _account(args: argparse.Namespace, screen: Screen, code: str | None) -> int:
    profile = Profile(args.profile)
    with profile.changing():
        async with AsyncExitStack() as stack:
            if code is not None:
                args.name = args.account
                client = await stack.enter_async_context(connected(args, screen, recovery=code))
            else:
                client = await stack.enter_async_context(identified(args, profile, 0, screen))
            if args.action == "delete":
                await _delete(client, args.account)
                profile.forget(args.server, 0)
                screen.say("deleted")
                return 0
            try:
                await _act(args, screen, client)
            finally:  # also after an error: the token of before may have become invalid
                profile.keep(args.server, 0, Identity(client.token, client.user))
            screen.warn(f"you are {clean(client.name)} ({client.user})")
    return 0


async def _act(args: argparse.Namespace, screen: Screen, client: pierule.Client) -> None:
    if args.action == "register":
        account = await client.register(args.account)
        screen.say(account.recovery, "", "This is the recovery code. It is shown only once.")
    elif args.action == "end-sessions":
        await client.end_sessions()
        screen.say("You are signed out everywhere else.")
    elif args.action == "download":
        lines = [line async for line in client.download_account()]
        _write(lines, args.output, screen)


def _write(lines: list[str], output: str, screen: Screen) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        path = Path(output)
        path.touch(mode=0o600)  # only the user may read it
        path.write_bytes(data)
        screen.say(f"{len(lines)} lines: {output}")


async def _delete(client: pierule.Client, name: str) -> None:
    if client.name != name:
        raise Failed(f"you are {clean(client.name)}, not {name}")
    await client.delete_account()
