"""The subcommands of `pierule`, one module each, found by the entry-point group.

A command is any object with `HELP`, `configure` and `run` (see `Command`), named by an entry point
in the group `pierule.commands`. So `serve` lives with the server, and anyone's package can add one.
Only the module of the chosen command is ever imported.
"""

from __future__ import annotations

import argparse
from typing import Protocol


class Command(Protocol):
    """What an entry point of the group `pierule.commands` names."""

    @property
    def HELP(self) -> str:  # noqa: N802 - a constant of the module
        """One line for the list of commands: a literal, read without importing the module."""
        ...

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments, a description and an epilog to the command's own parser."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do it. The answer is the exit status."""
        ...
