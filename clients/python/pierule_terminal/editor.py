"""A line that is being typed, without any I/O: keys in, finished lines out.

The terminal's own line editing is not enough: while the user types, the screen must show what the
opponent does, and then the unfinished line below it again.
"""

from __future__ import annotations

import codecs
import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)", re.DOTALL)
_ESCAPE_BEGUN = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*|O)?\Z")

LONGEST = 200
"""The most characters of a line. Further ones are ignored."""


class LineEditor:
    """Edits a line. `feed` takes the bytes from the keyboard, `typed` is the unfinished line, and
    `ended` is set after Ctrl-D."""

    def __init__(self) -> None:
        self.typed = ""
        self.ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""

    def feed(self, keys: bytes) -> list[str]:
        """The lines that these keys finish, in order."""
        text = self._pending + self._decoder.decode(keys)
        self._pending = ""
        if begun := _ESCAPE_BEGUN.search(text):
            self._pending, text = begun[0], text[: begun.start()]
        finished = []
        for key in _ESCAPE.sub("", text):
            if key in "\r\n":
                finished.append(self.typed)
                self.typed = ""
            else:
                self._key(key)
        return finished

    def _key(self, key: str) -> None:
        match key:
            case "\x04" if not self.typed:
                self.ended = True
            case "\x7f" | "\b":
                self.typed = self.typed[:-1]
            case "\x15":  # Ctrl-U
                self.typed = ""
            case "\x17":  # Ctrl-W
                self.typed = re.sub(r"\S+\s*\Z", "", self.typed)
            case _ if key.isprintable() and len(self.typed) < LONGEST:
                self.typed += key
