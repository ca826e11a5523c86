"""Files of records, and what kinds of lines are in them (SPEC 17.5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Literal

import msgspec

from pierule_protocol.log.record import RECORD_BYTES, BadRecord
from pierule_terminal.proving import opened

LINES = (b'{"format":', b'{"feed":')
"""How a file with one record per line begins. `pierule export` writes a line break after the
brace."""

_ANSWER = (
    "this is an answer of the archive's API (SPEC 27); `pierule games {room} -o FILE` downloads "
    "the record"
)


class Head(msgspec.Struct):
    """The fields that tell kinds of lines apart."""

    format: str | None = None
    feed: int | None = None


class _Private(msgspec.Struct, forbid_unknown_fields=True):
    """All that a line says about a private game: in a dump the number alone, in the archive's lists
    also the other two (SPEC 17.5, 27.3)."""

    feed: int
    cursor: str = ""
    private: Literal[True] = True


class _Answer(msgspec.Struct):
    """A game, as the archive's API sends it. Its `feed` names the same game for ever."""

    feed: int
    room: str | None = None


def records_in(file: str) -> Iterator[tuple[int | None, bytes]]:
    """The records of a file, each with its line number; None if the file is a single record. It
    reads at most one byte more than a record may have, to notice longer ones."""
    most = RECORD_BYTES + 1
    with opened(file) as stream:
        data = stream.read(len(LINES[0]))
        if not data.startswith(LINES):
            yield None, data + stream.read(most - len(data))
            return
        data += stream.readline(most - len(data))
        for number in count(1):
            yield number, data
            data = b"" if len(data) == most else stream.readline(most)
            if not data:
                return


def head_of(data: bytes) -> Head:
    """The head of a line. One that cannot be read counts as a record."""
    try:
        return msgspec.json.decode(data[: RECORD_BYTES + 1], type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Head("pierule.room")  # reading it as a record will say what is wrong


def check_private(data: bytes) -> None:
    """Check that a line without a `format` is about a private game. Other lines of the archive's
    lists have a number, too. Raises BadRecord."""
    try:
        msgspec.json.decode(data, type=_Private)
    except msgspec.DecodeError as error:
        try:
            answer = msgspec.json.decode(data, type=_Answer)
        except msgspec.DecodeError:
            raise BadRecord(str(error)) from None
        raise BadRecord(_ANSWER.format(room=answer.room or answer.feed)) from None
