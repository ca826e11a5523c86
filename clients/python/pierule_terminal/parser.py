"""Parses command lines, and says of a wrong flag which one was meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

SHORT = 8
"""The most lines of a usage that is shown with an error. In a longer one nobody finds anything."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors name the flags that were meant, and where to read on. Its subparsers
    are of this class, too."""

    _given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse what argparse parses, and remember the words for `error`."""
        self._given = list(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with the status of a wrong usage."""
        usage = self.format_usage()
        shown = usage if usage.count("\n") <= SHORT else ""
        meant = "".join(f"; {hint}" for hint in self._hints())
        text = f"{self.prog}: error: {message}{meant}\n(see `{self.prog} --help`)\n"
        self.exit(2, shown + text)

    def chosen(self, args: argparse.Namespace) -> Parser:
        """The parser of the subcommand that was chosen, or of its subcommand."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - it has no other name
                below = action.choices.get(str(getattr(args, action.dest, None)))
                if isinstance(below, Parser):
                    return below.chosen(args)
        return self

    def _hints(self) -> Iterator[str]:
        """What was meant by each flag that this parser does not have."""
        known = list(self._option_string_actions)
        for word in self._given:
            flag = word.partition("=")[0]
            if flag == "--":
                return
            if not flag.startswith("--") or any(each.startswith(flag) for each in known):
                continue
            if near := get_close_matches(flag, known, 1):
                yield f"instead of {flag}, did you mean {near[0]}?"
