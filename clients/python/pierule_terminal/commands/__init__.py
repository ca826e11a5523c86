"""The subcommands of `pierule`, one module each.

A command is any object with `HELP`, `configure` and `run` (see `Command`) that an entry point in
the group `pierule.commands` names. So `serve` can be part of the server, and any package can add a
command. Only the module of the chosen command is imported.
"""

from __future__ import annotations

import argparse
from typing import Protocol


class Command(Protocol):
    """What an entry point in the group `pierule.commands` must name."""

    @property
    def HELP(self) -> str:  # noqa: N802 - a constant of the module
        """A line for the list of commands. It must be a literal, because it is read without
        importing the module."""
        ...

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments, a description and an epilog to the command's own parser."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Run the command. Returns the exit status."""
        ...
