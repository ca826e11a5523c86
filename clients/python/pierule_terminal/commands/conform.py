"""`pierule conform`: test whether a server, a client or a game conforms to the protocol. Each kind
has its own module with `DESCRIPTION`, `EPILOG`, `configure` and `run`."""

from __future__ import annotations

import argparse

from pierule_conform import client, game, server

HELP = "test whether a server, a client or a game conforms to the protocol"

_DESCRIPTION = """\
Test whether a server or a client conforms to the protocol: a scripted peer plays the other side,
behaves as real networks and peers do, and reports the result for each section of protocol/SPEC.md.
A game is tested by random play.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    parser.description = _DESCRIPTION
    kinds = parser.add_subparsers(dest="subject", metavar="SUBJECT", title="what to test")
    kinds.required = True
    for name, text, module in (
        ("server", "a server, by its URL", server),
        ("client", "a client, by the command that starts it", client),
        ("game", "an installed game, by its id", game),
    ):
        one = kinds.add_parser(
            name,
            help=text,
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(one)


def run(args: argparse.Namespace) -> int:
    """Run the tests. Returns the exit status."""
    runs = {"server": server.run, "client": client.run, "game": game.run}
    return runs[args.subject](args)
