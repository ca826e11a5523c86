"""`pierule verify`: whether records are true to their own events, offline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from pierule_protocol.log.record import RECORD_BYTES, BadRecord, RoomRecord, read_record
from pierule_protocol.log.verify import verify
from pierule_protocol.state.room import UnknownGame
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "check exported rooms by their own events, offline"

_DESCRIPTION = """\
Check records that `pierule export` wrote, or `pierule serve --archive-file` (a record a line),
without a server: play every event by the rules and the clocks, compute chain, digests,
compensated lag and result again, and compare all of it with the record. Writes one line a record:
that it is true, or its first flaw. Somebody who changes a record and computes everything after the
change again makes another true record: only the original shows the difference.
"""

_EPILOG = """\
With --json each line is an object with `file`, and `line` (the number) in a file with a record a
line; `true`: true, false, or null if it is no record or cannot be checked; then either `room`,
`game`, `size`, `status`, `result`, `events` (how many), or `event` (the number of the wrong event;
null if it is not an event), `where` and `why`; or only `why`.

examples:
  pierule verify kobadimu.json
  pierule export kobadimu | pierule verify -
  pierule verify rooms.jsonl

exit status:
  0  every record is true
  1  some record is not
  2  some file, or line of one, is no record, or cannot be read
  3  some record needs a game, or a version of its rules, that is not installed: pip install it
"""

TRUE, FALSE, UNREADABLE, UNCHECKED = 0, 1, 2, 3

LINE = b'{"format":'
"""The beginning of a record in one line, and so of a file of such lines. `pierule export` writes a
line break there."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule verify`."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a file with one record, or one record a line; -: standard input",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Check every file. The answer is the worst of what was found."""
    screen = make_screen("never")
    return max([_check(file, args.json, screen) for file in args.files])


def _check(file: str, as_json: bool, screen: Screen) -> int:
    """The worst of what a file holds."""
    worst, records = TRUE, _records(file)
    while True:
        try:
            number, data = next(records, (None, None))
        except OSError as error:
            why = error.strerror or str(error)
            return _say(screen, as_json, UNREADABLE, {"file": file, "true": None, "why": why}, why)
        if data is None:
            return worst
        source: dict[str, Any] = {"file": file} | ({"line": number} if number else {})
        worst = max(worst, _check_record(source, data, as_json, screen))


def _check_record(source: dict[str, Any], data: bytes, as_json: bool, screen: Screen) -> int:
    try:
        record = read_record(data)
    except BadRecord as error:
        return _say(
            screen, as_json, UNREADABLE, {**source, "true": None, "why": str(error)},
            f"not a record: {error}",
        )  # fmt: skip
    try:
        flaw = verify(record)
    except UnknownGame as error:
        text = f"cannot check: {error.why}"
        return _say(screen, as_json, UNCHECKED, {**source, "true": None, "why": text}, text)
    if flaw is not None:
        found = {"event": flaw.seq, "where": flaw.where, "why": flaw.why}
        return _say(screen, as_json, FALSE, {**source, "true": False, **found}, f"not true: {flaw}")
    found = _summary(record)
    text = "true: {room}, {game} {size}, {events} events, {status}".format(**found)
    return _say(screen, as_json, TRUE, {**source, "true": True, **found}, text)


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb")


def _records(file: str) -> Iterator[tuple[int | None, bytes]]:
    """The records of a file, each with the number of its line; None where the file is one record.
    Of each no more is read than a record may have, and one byte to tell that there was more."""
    most = RECORD_BYTES + 1
    with _opened(file) as stream:
        data = stream.read(len(LINE))
        if data != LINE:
            yield None, data + stream.read(most - len(data))
            return
        data += stream.readline(most - len(data))
        for number in count(1):
            yield number, data
            data = b"" if len(data) == most else stream.readline(most)
            if not data:
                return


def _summary(record: RoomRecord) -> dict[str, Any]:
    return {
        "room": record.room,
        "game": record.options.game,
        "size": record.options.size,
        "status": record.final.status,
        "result": record.final.result,
        "events": len(record.events),
    }


def _say(screen: Screen, as_json: bool, status: int, found: dict[str, Any], text: str) -> int:
    name = f"{found['file']}:{found['line']}" if "line" in found else found["file"]
    if as_json:
        screen.say(msgspec.json.encode(found).decode())
    elif status in (UNREADABLE, UNCHECKED):
        screen.warn(clean(f"pierule verify: {name}: {text}"))
    else:
        screen.say(clean(f"{name}: {text}"))
    return status
