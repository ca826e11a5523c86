"""`pierule conform`: whether a server, or a client, keeps the protocol. Each has its own module
with `DESCRIPTION`, `EPILOG`, `configure` and `run`."""

from __future__ import annotations

import argparse

from pierule_conform import client, server

HELP = "prove that a server or a client keeps the protocol"

_DESCRIPTION = """\
Prove that a server, or a client, keeps the protocol: a scripted peer plays the other end, does
what real networks and peers do, and says for each section of protocol/SPEC.md what held.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the two subcommands."""
    parser.description = _DESCRIPTION
    kinds = parser.add_subparsers(dest="subject", metavar="SUBJECT", title="what to prove")
    kinds.required = True
    for name, text, module in (
        ("server", "any server that claims the protocol, by its URL", server),
        ("client", "a client, by the command that starts it", client),
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
    """Prove it. The answer is the exit status."""
    return server.run(args) if args.subject == "server" else client.run(args)
