"""`pierule webhook`: let the server call a URL when it is your turn."""

from __future__ import annotations

import argparse

from pierule_terminal.commands.online import (
    add_profile_option,
    add_server_options,
    identified,
    run_online,
)
from pierule_terminal.profile import Profile
from pierule_terminal.screen import Screen, make_screen

HELP = "let the server call a URL when it is your turn and you are not connected"

_EPILOG = """\
For correspondence games of registered users (`pierule account register`). Prints the secret that
signs the calls; it is shown only once. protocol/SPEC.md, 23.13 and 23.14, describes the calls.

examples:
  pierule webhook https://example.org/my-turn
  pierule webhook --off

exit status: 0 if it is done, 1 if it was refused.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule webhook`."""
    parser.description = "Let the server call a URL when it is your turn and you are not connected."
    parser.epilog = _EPILOG
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("url", metavar="URL", nargs="?", help="the address to call, https://…")
    which.add_argument("--off", action="store_true", help="remove the webhook")
    add_profile_option(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Set or remove the webhook. Returns 0, or 1 if it was refused."""
    screen = make_screen("auto")
    return run_online(screen, _notify(args, screen))


async def _notify(args: argparse.Namespace, screen: Screen) -> int:
    profile = Profile(args.profile)
    with profile.changing():
        async with identified(args, profile, 0, screen) as client:
            secret = await client.set_webhook(args.url)
            if secret is None:
                screen.warn("your webhook is off")
            else:
                screen.say(secret, "", "This secret signs the calls. It is shown only once.")
    return 0
