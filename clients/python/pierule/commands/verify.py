"""`pierule verify`: whether records are true to their own events, offline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from pierule.terminal.screen import Screen, clean, make_screen
from pierule_protocol.record import RECORD_BYTES, BadRecord, RoomRecord, read_record
from pierule_protocol.verify import verify

HELP = "check exported rooms by their own events, offline"

_DESCRIPTION = """\
Check records that `pierule export` wrote, without a server: play every event by the rules and
the clocks, compute chain, digests, compensated lag and result again, and compare all of it with
what the record says. Writes one line a file: that it is true, or the first thing in it that is
not. Who changes a record and computes everything after the change again makes another true one:
only whoever has the original can tell.
"""

_EPILOG = """\
With --json each line is an object with `file`; `true`: true, false, or null where the file is
no record; then either `room`, `game`, `size`, `status`, `result`, `events` (how many), or
`event` (the number of the wrong one; null if it is none of them), `where` and `why`; or `why`.

examples:
  pierule verify kobadimu.json
  pierule export kobadimu | pierule verify -

exit status:
  0  every record is true
  1  some record is not
  2  some file is no record, or cannot be read
"""

TRUE, FALSE, UNREADABLE = 0, 1, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule verify`."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="a record; -: standard input")
    parser.add_argument("--json", action="store_true", help="write one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Check every file. The answer is the worst of what was found."""
    screen = make_screen("never")
    return max([_check(file, args.json, screen) for file in args.files])


def _check(file: str, as_json: bool, screen: Screen) -> int:
    try:
        record = read_record(_read(file))
    except BadRecord as error:
        return _say(
            screen, as_json, UNREADABLE, {"file": file, "true": None, "why": str(error)},
            f"not a record: {error}",
        )  # fmt: skip
    except OSError as error:
        why = error.strerror or str(error)
        return _say(screen, as_json, UNREADABLE, {"file": file, "true": None, "why": why}, why)
    flaw = verify(record)
    if flaw is not None:
        found = {"event": flaw.seq, "where": flaw.where, "why": flaw.why}
        return _say(
            screen, as_json, FALSE, {"file": file, "true": False, **found}, f"not true: {flaw}"
        )
    found = _summary(record)
    text = "true: {room}, {game} {size}, {events} events, {status}".format(**found)
    return _say(screen, as_json, TRUE, {"file": file, "true": True, **found}, text)


def _read(file: str) -> bytes:
    """No more than a record may have, and one byte to tell that there was more."""
    if file == "-":
        return sys.stdin.buffer.read(RECORD_BYTES + 1)
    with Path(file).open("rb") as opened:
        return opened.read(RECORD_BYTES + 1)


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
    if as_json:
        screen.say(msgspec.json.encode(found).decode())
    elif status == UNREADABLE:
        screen.warn(clean(f"pierule verify: {found['file']}: {text}"))
    else:
        screen.say(clean(f"{found['file']}: {text}"))
    return status
