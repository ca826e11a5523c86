"""`pierule completion`: a script with which a shell completes our commands and options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import shtab

from pierule_terminal.cli import build_parser, find_commands

HELP = "print a script that completes commands and options in your shell"

SHELLS = ("bash", "zsh", "fish")

_EPILOG = """\
Write the script to the place where your shell looks for completions, and open a new shell. Repeat
this after an update, or when you install another extra: the script only knows the present commands.

examples:
  mkdir -p ~/.local/share/bash-completion/completions
  pierule completion bash > ~/.local/share/bash-completion/completions/pierule

  pierule completion zsh > ~/.zfunc/_pierule       # with fpath+=~/.zfunc before compinit
  pierule completion fish > ~/.config/fish/completions/pierule.fish

Without bash-completion: source <(pierule completion bash) in ~/.bashrc.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule completion`."""
    parser.description = "Print a script that completes commands and options in your shell."
    parser.epilog = _EPILOG
    parser.add_argument("shell", choices=SHELLS, help="which shell")


def run(args: argparse.Namespace) -> int:
    """Print the script. Returns 0."""
    parser = build_parser(find_commands(), whole=True)
    for action in _actions(parser):
        if action.metavar == "FILE":
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # as shtab wants it
    sys.stdout.write(shtab.complete(parser, args.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser and of its subcommands. argparse has no public way to see them."""
    for action in parser._actions:  # noqa: SLF001
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for one in action.choices.values():
                yield from _actions(one)
