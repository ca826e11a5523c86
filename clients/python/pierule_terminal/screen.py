"""Output to the terminal: style, clean text, and output above a line that is being typed."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from typing import Literal, TextIO, TypeAlias
from unicodedata import east_asian_width

import pierule
from pierule_terminal.style import Style

ColorChoice: TypeAlias = Literal["auto", "always", "never"]


def style_of(stream: TextIO, color: ColorChoice, environ: Mapping[str, str]) -> Style:
    """What a stream can show. `auto` uses colors on a terminal that has them, unless NO_COLOR is
    set (no-color.org)."""
    if color == "auto":
        willing = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        colored = stream.isatty() and willing
    else:
        colored = color == "always"
    return Style(colored, _speaks_utf8(stream.encoding), few=_has_few_colors(environ))


def _has_few_colors(environ: Mapping[str, str]) -> bool:
    """Whether the terminal may have only 16 colors: it does not say that it has more."""
    many = environ.get("TERM", "").endswith(("256color", "kitty"))
    return not many and not environ.get("COLORTERM")


def _speaks_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        return False


def clean(text: str) -> str:
    """Somebody else's `text`, with `?` for characters that could control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def fit(text: str, width: int) -> str:
    """`text`, cut to at most `width` columns; `~` shows that it was cut."""
    if width < 1:
        return ""
    if columns(text) <= width:
        return text
    while columns(text) > width - 1:
        text = text[:-1]
    return text + "~"


def pad(text: str, width: int) -> str:
    """`text`, cut or padded to exactly `width` columns."""
    shown = fit(text, width)
    return shown + " " * (width - columns(shown))


def columns(text: str) -> int:
    """How many columns `text` takes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


class Screen:
    """Standard output and error of a command.

    If `live`, the last line is a prompt with what the user has typed so far. Output appears above
    it. A screen that is not live shows no prompts.
    """

    def __init__(self, style: Style, *, live: bool = False) -> None:
        self.style = style
        self.live = live
        self._prompt = ""
        self._typed = ""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="replace")  # a name may have letters that the terminal lacks

    def say(self, *lines: str) -> None:
        """Write lines to standard output."""
        self._write(sys.stdout, lines)

    def warn(self, *lines: str) -> None:
        """Write lines to standard error."""
        self._write(sys.stderr, lines)

    def connection(self, news: pierule.ConnectionStatus) -> None:
        """Show that the connection was lost, or is back."""
        self.warn(f"-- {clean(news.text)}")

    def prompt(self, text: str, typed: str = "") -> None:
        """Change the last line of a live screen."""
        self._prompt, self._typed = text, typed
        if self.live:
            self._erase()
            self._draw()

    def tick(self, text: str) -> None:
        """Change the prompt of a live screen while nothing else happens. Not if the line is wider
        than the terminal, because only its last row can be erased."""
        if text == self._prompt:
            return
        longest = max(len(text), len(self._prompt))
        if longest + columns(self._typed) < shutil.get_terminal_size().columns:
            self.prompt(text, self._typed)

    def enter(self, line: str) -> None:
        """Finish a typed line. What comes next appears below it."""
        if self.live:
            self._erase()
            sys.stdout.write(f"{self._prompt}{line}\n")
            self._typed = ""
            self._draw()

    def close(self) -> None:
        """Remove the prompt."""
        if self.live:
            self._erase()
            sys.stdout.flush()
            self.live = False

    def _write(self, stream: TextIO, lines: Iterable[str]) -> None:
        if self.live:
            self._erase()
            sys.stdout.flush()
        stream.write("".join(line + "\n" for line in lines))
        stream.flush()
        if self.live:
            self._draw()

    def _erase(self) -> None:
        sys.stdout.write("\r\x1b[K")

    def _draw(self) -> None:
        sys.stdout.write(self._prompt + self._typed)
        sys.stdout.flush()


def make_screen(color: ColorChoice, *, live: bool = False) -> Screen:
    """The screen of this process."""
    return Screen(style_of(sys.stdout, color, os.environ), live=live)
