"""The program `pierule`: finds its subcommands, runs one, and always ends cleanly.

It imports only the chosen command. If a command needs something that is not installed, the program
says what to install instead of printing a traceback.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import importlib.util
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from pathlib import Path

from pierule_terminal.commands import Command
from pierule_terminal.parser import Parser

GROUP = "pierule.commands"

OK, FAILED, USAGE = 0, 1, 2
INTERRUPTED = 128 + signal.SIGINT
BROKEN_PIPE = 128 + signal.SIGPIPE

_EXTRAS = {
    "cryptography": "pierule[proof]",
    "pierule_archive": "pierule[server]",
    "pierule_server": "pierule[server]",
}
"""The extra to install for a package that the light client does not include."""

_EPILOG = """\
first game, in three terminals:
  pierule serve                run a server on this computer
  pierule new GAME             create a room; it prints how to play and watch it
  pierule play ROOM            take a seat, in each of two terminals

or, once there is a server:
  pierule lobby                see what you can play and watch

`pierule completion bash` prints a script for completion with the Tab key. `man pierule` lists every
option.

exit status:
  0    done
  1    refused, no server, or connection lost; `replay` found an illegal action, or `verify`
       a record that is not true
  2    wrong usage, unreadable input, or a command whose requirements are not installed
  130  stopped by Ctrl-C
  141  the reader of the output went away

For more, see `pierule COMMAND --help`.
"""


class NotInstalled(Exception):
    """A command cannot be loaded; the text says why and what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with these arguments (without its name) and return the exit status."""
    _open_streams()
    try:
        try:
            return _run(sys.argv[1:] if argv is None else list(argv))
        finally:
            sys.stdout.flush()  # writing the rest of the buffer may fail, too
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return BROKEN_PIPE
    except OSError as error:
        sys.stderr.write(f"pierule: {error}\n")
        _forget_stdout()
        return FAILED


def _open_streams() -> None:
    """Replace standard streams that were closed when the program started, which would crash it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - until the end


def _run(argv: list[str]) -> int:
    commands = find_commands()
    chosen = next((word for word in argv if not word.startswith("-")), None)
    try:
        parser = build_parser(commands, chosen)
        if chosen is not None and chosen not in commands:
            near = get_close_matches(chosen, commands, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            parser.error(f"there is no command {chosen!r}{meant}")
        args, unknown = parser.parse_known_args(argv)
        if unknown:  # report it with the usage of the chosen command
            parser.chosen(args).error(f"unrecognized arguments: {' '.join(unknown)}")
        if args.command is None:
            parser.print_help(sys.stderr)
            return USAGE
        return _guarded(commands[args.command], args)
    except NotInstalled as error:
        sys.stderr.write(f"pierule: {error}\n")
        return USAGE
    except SystemExit as leaving:  # argparse's way to end after --help or a usage error
        return leaving.code if isinstance(leaving.code, int) else USAGE


def find_commands() -> dict[str, EntryPoint]:
    """The installed commands by name, in the order of the list."""
    found = importlib.metadata.entry_points(group=GROUP)
    return {entry.name: entry for entry in sorted(found, key=lambda entry: entry.name)}


def build_parser(
    commands: dict[str, EntryPoint], chosen: str | None = None, *, whole: bool = False
) -> Parser:
    """The program's parser, with only the chosen command, or with the names of all if none is.
    With `whole`, for completion and the manual, with the arguments of all that can be loaded.

    Raises NotInstalled if the chosen command cannot be loaded.
    """
    parser = Parser(
        prog="pierule",
        description="Play, watch and serve two-player board games that open with a pie rule.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="show the version and exit")
    listed = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    # Examples are written for a fixed width, whatever the width of the terminal.
    style = argparse.RawDescriptionHelpFormatter
    if chosen in commands and not whole:
        one = listed.add_parser(chosen, formatter_class=style)
        _load(commands[chosen]).configure(one)
        one.set_defaults(refuse=one.error)
        return parser
    for name, entry in commands.items():
        one = listed.add_parser(name, help=_summary(entry), formatter_class=style)
        if whole:
            with suppress(NotInstalled):
                _load(entry).configure(one)
    return parser


class _Version(argparse.Action):
    """`--version`. It looks the version up only when it is used."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        sys.stdout.write(f"pierule {importlib.metadata.version('pierule')}\n")
        parser.exit()


def _load(entry: EntryPoint) -> Command:
    try:
        return entry.load()  # type: ignore[no-any-return]
    except ModuleNotFoundError as error:
        raise NotInstalled(_missing(entry, error)) from None
    except (ImportError, AttributeError) as error:
        raise NotInstalled(f"`pierule {entry.name}` cannot be loaded: {error}") from None


def _summary(entry: EntryPoint) -> str:
    """The command's line in the list. It is read from the source of its module, because importing
    a server only for that would take longer than everything else."""
    try:
        spec = importlib.util.find_spec(entry.module)
        source = Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""
        return next(_constants(ast.parse(source), "HELP"))
    except (ImportError, OSError, SyntaxError, UnicodeDecodeError, StopIteration):
        return "(no description)"


def _constants(module: ast.Module, name: str) -> Iterator[str]:
    """The strings that a module assigns to a name at its top level."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant(value=str(text))):
                if found == name:
                    yield text


def _guarded(entry: EntryPoint, args: argparse.Namespace) -> int:
    """Run a command. Raises NotInstalled if it imports something that is not installed."""
    command = _load(entry)
    try:
        return command.run(args)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("pierule"):
            raise
        raise NotInstalled(_missing(entry, error)) from None


def _missing(entry: EntryPoint, error: ModuleNotFoundError) -> str:
    extra = _extra(entry) or _EXTRAS.get((error.name or "").partition(".")[0])
    remedy = f"; install it with: pip install '{extra}'" if extra else ""
    return f"`pierule {entry.name}` needs {error.name}, which is not installed{remedy}"


def _extra(entry: EntryPoint) -> str | None:
    return _EXTRAS.get(entry.module.partition(".")[0])


def _forget_stdout() -> None:
    """Redirect stdout to nowhere, so the interpreter's last flush does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
