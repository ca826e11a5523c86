"""`pierule verify`: check offline whether records agree with their own events, and who signed
them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pierule_protocol.log.analysis import (
    Analysis,
    main_line,
    read_analysis,
    verify_analysis,
)
from pierule_protocol.log.record import (
    Amendment,
    BadRecord,
    RoomRecord,
    read_amendment,
    read_record,
)
from pierule_protocol.log.trust import Doubt, Kind, pinned
from pierule_protocol.log.verify import Flaw, verify
from pierule_protocol.state.room import UnknownGame
from pierule_terminal.proving import Prover, Unreadable, opened, read_digests
from pierule_terminal.record_lines import check_private, head_of, records_in
from pierule_terminal.screen import Screen, clean, make_screen

HELP = "check exported or archived rooms by their events and signatures, offline"

_DESCRIPTION = """\
Check records without a server: from `pierule export`, from `pierule serve --export-file`, from the
dumps of an archive (one record per line, also in a .gz file), and analyses that the page saved. You
can give all files of a dump: those with digests count like --digests, and names of players are left
out. The program replays every event by the rules and the clocks, recomputes chain, digests,
compensated lag and result, and compares everything with the record. It also replays every variation
of an analysis. It writes a line for each record: that it is true, or its first flaw.

If somebody changes a record and recomputes everything after the change, the new record passes, too.
Only a signature shows the difference. Servers sign what they archive. Get the public key from the
server's operators, not from where you got the records, and pass it with --key.

A receipt (`pierule export --receipt`) proves what the server had acknowledged at that time. Give
the record with the receipt first, then a later record of the same room. The program names the first
acknowledged event that is missing.

Digests list what was archived, in order. Keep the hash of the last one. With --since, you can see
later whether the past was rewritten.
"""

_EPILOG = """\
With --json, each line is an object with `file`; `line` (its number) if the file has one record per
line; and `true`: true, false, or null if it is not a record or cannot be checked. Then come `room`,
`game`, `size`, `status`, `result` and `events` (how many); or `event` (the number of the wrong
event; null if it is not an event), `where` and `why`; or only `why`. If a record is signed or a key
is given, `proof` is `verified`, `unsigned`, `unknown`, `revoked` or `altered`. Lines about digests
have `digests` instead of `file`. For an analysis, `nodes` is how many actions it has, and
`variations` how many of them are not in the main line. An analysis need not be of a room.

examples:
  pierule verify kobadimutelosa.json
  pierule export kobadimutelosa | pierule verify -
  pierule verify rooms.jsonl
  pierule verify early.json late.json --key 03a1…31b8
  pierule verify dump.ndjson.gz --key 03a1…31b8 --digests digests.ndjson
  pierule verify --key 03a1…31b8 --digests digests.ndjson --since 5b1c…

exit status:
  0  all records are true, and if you gave keys, signed by one of them
  1  a record or digest is not true, was altered, or is missing; or the past was rewritten
  2  a file or line is not a record, or cannot be read
  3  a record needs a game, or a version of its rules, that is not installed: pip install it
  4  something is not signed, or signed by a key that you did not give or that is revoked
"""

TRUE, FALSE, UNREADABLE, UNCHECKED, UNTRUSTED = 0, 1, 2, 3, 4

_SEVERITY = (TRUE, UNTRUSTED, FALSE, UNREADABLE, UNCHECKED)
"""From best to worst. The exit status is the worst that was found."""

DIGEST, PLAYER = b'{"format":"pierule.digest"', b'{"id":'
"""How the other files of a dump begin: with digests, and with the names of players."""

_MISSING_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule verify`."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="a file with one record, or one record per line; -: standard input",
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        help="a public key that you trust, 64 hexadecimal digits; KEY@DIGEST: a revoked key, and "
        "the hash of the last digest that is trusted. Repeatable",
    )
    parser.add_argument(
        "--digests",
        action="append",
        default=[],
        metavar="FILE",
        help="a file with one digest per line. Repeatable: older digests show what was rewritten",
    )
    parser.add_argument(
        "--since", metavar="DIGEST", help="the hash of a digest that you kept; it must still exist"
    )
    parser.add_argument(
        "--complete",
        action="store_true",
        help="the files have everything public: name what digests list but the files lack",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object per line")


def run(args: argparse.Namespace) -> int:
    """Check all files. Returns the exit status, which is the worst that was found."""
    screen = make_screen("never")
    if not args.files and not args.digests:
        args.refuse("give a FILE or --digests")
    names = [file for file in args.files if _begins(file, PLAYER)]
    args.digests += [file for file in args.files if _begins(file, DIGEST)]
    args.files = [file for file in args.files if file not in {*names, *args.digests}]
    try:
        prover = _prover(args)
    except ValueError as error:
        args.refuse(str(error))
    except Unreadable as error:
        screen.warn(clean(f"pierule verify: {error}"))
        return UNREADABLE
    check = _Check(prover, args.json, screen)
    for file in names:
        check.names(file)
    for file in args.files:
        check.file(file)
    if args.digests:
        check.digests(args.since, complete=args.complete)
    return check.worst


def _begins(file: str, start: bytes) -> bool:
    """Whether a file begins like this. Pipes are never asked: what was read would be gone."""
    if not Path(file).is_file():
        return False
    try:
        with opened(file) as stream:
            return stream.read(len(start)) == start
    except OSError:
        return False  # reading its records will say why


def _prover(args: argparse.Namespace) -> Prover:
    """The keys and digests to check signatures with. Raises ValueError for wrong usage, and
    Unreadable."""
    if (args.since or args.complete) and not args.digests:
        raise ValueError("--since and --complete need --digests")
    return Prover([pinned(key) for key in args.key], read_digests(args.digests))


@dataclass(slots=True)
class _Check:
    """A run: what to check by, how to report, and the worst that was found."""

    prover: Prover
    as_json: bool
    screen: Screen
    worst: int = TRUE

    def names(self, file: str) -> None:
        """Say of a file with names of players that nobody signs them."""
        why = "names of players, which are not signed"
        self._say(TRUE, {"file": file, "true": None, "why": why}, why)

    def file(self, file: str) -> None:
        """Check all records of a file."""
        records = records_in(file)
        while True:
            try:
                number, data = next(records, (None, None))
            except OSError as error:
                why = error.strerror or str(error)
                self._say(UNREADABLE, {"file": file, "true": None, "why": why}, why)
                return
            if data is None:
                return
            self._line({"file": file} | ({"line": number} if number else {}), data)

    def _line(self, source: dict[str, Any], data: bytes) -> None:
        try:
            head = head_of(data)
            if head.format is None and head.feed is not None:
                check_private(data)
                text = f"number {head.feed} is private"
                self._say(TRUE, {**source, "true": True, "feed": head.feed}, text)
            elif head.format == "pierule.amendment":
                self._amendment(source, read_amendment(data))
            elif head.format == "pierule.analysis":
                self._analysis(source, read_analysis(data))
            else:
                self._record(source, read_record(data))
        except BadRecord as error:
            found = {**source, "true": None, "why": str(error)}
            self._say(UNREADABLE, found, f"not a record: {error}")

    def _amendment(self, source: dict[str, Any], amendment: Amendment) -> None:
        doubt = self.prover.doubt(amendment)
        signed = self._signed(amendment, doubt)
        what = f"room {amendment.room}, the result is void"
        if doubt is not None and doubt.kind is Kind.ALTERED:
            found = {**source, "true": False, "room": amendment.room, "why": doubt.why, **signed}
            self._say(FALSE, found, f"altered: {what}: {doubt.why}")
            return
        found = {**source, "true": True, "room": amendment.room, **signed}
        self._say(self._status(doubt), found, f"true: {what}{self._shown(amendment, doubt)}")

    def _analysis(self, source: dict[str, Any], analysis: Analysis) -> None:
        """Check an analysis: its record like any other, and all actions."""
        if isinstance(analysis.record, RoomRecord):
            self._record(source, analysis.record, analysis)
            return
        what = {"game": analysis.game, "size": analysis.size, **_variations(analysis)}
        try:
            flaw = verify_analysis(analysis)
        except UnknownGame as error:
            text = f"cannot check: {error.why}"
            self._say(UNCHECKED, {**source, "true": None, "why": text}, text)
            return
        if flaw is not None:
            found = {**source, "true": False, **_wrong(flaw, None)}
            self._say(FALSE, found, f"not true: {flaw}")
            return
        text = "true: an analysis of {game} {size}, {nodes} actions".format(**what)
        self._say(TRUE, {**source, "true": True, **what}, text + _beside(analysis))

    def _record(
        self, source: dict[str, Any], record: RoomRecord, analysis: Analysis | None = None
    ) -> None:
        doubt = self.prover.doubt(record)
        signed = self._signed(record, doubt)
        altered = doubt.why if doubt is not None and doubt.kind is Kind.ALTERED else None
        try:
            flaw = verify(record) if analysis is None else verify_analysis(analysis)
        except UnknownGame as error:
            if altered is None:
                text = f"cannot check: {error.why}"
                found = {**source, "true": None, "why": text, **signed}
                self._say(UNCHECKED, found, text + self._shown(record, doubt))
                return
            flaw = None
        if altered is None and flaw is None:
            flaw = self._lost(record)
            if doubt is None:
                self.prover.acknowledge(record)
        if altered is not None or flaw is not None:
            found = {**source, "true": False, **_wrong(flaw, altered), **signed}
            self._say(FALSE, found, _told(record, flaw, altered))
            return
        summary = _summary(record)
        text = "true: {room}, {game} {size}, {events} events, {status}".format(**summary)
        if analysis is not None:
            summary, text = summary | _variations(analysis), text + _beside(analysis)
        found = {**source, "true": True, **summary, **signed}
        self._say(self._status(doubt), found, text + self._shown(record, doubt))

    def _lost(self, record: RoomRecord) -> Flaw | None:
        """The first event that the record lacks, by the receipts of earlier records."""
        number = self.prover.lost(record)
        why = "an earlier file has a receipt for an event that this record lacks"
        return None if number is None else Flaw(number, "receipt", why)

    def _signed(self, record: RoomRecord | Amendment, doubt: Doubt | None) -> dict[str, str]:
        if doubt is not None:
            return {"proof": doubt.kind.name.lower()}
        return {"proof": "verified"} if self.prover.proven(record) else {}

    def _shown(self, record: RoomRecord | Amendment, doubt: Doubt | None) -> str:
        return self.prover.proven(record) if doubt is None else f", {doubt}"

    def _status(self, doubt: Doubt | None) -> int:
        return UNTRUSTED if doubt is not None and self.prover.pins else TRUE

    def digests(self, since: str | None, *, complete: bool) -> None:
        """Report what is wrong with the digests, and what they show."""
        for number, doubt in self.prover.digest_doubts():
            status = FALSE if doubt.kind is Kind.ALTERED else self._status(doubt)
            self._tell(status, f"digest {number}: {doubt}")
        chain = self.prover.trust.chain
        if since is not None and since in chain.numbers:
            self._tell(TRUE, f"digest {chain.numbers[since]} is unchanged: {since}")
        elif since is not None:
            self._tell(FALSE, f"the past was rewritten: no digest has the hash {since}")
        missing = self.prover.missing() if complete else []
        for feed, room in missing[:_MISSING_SHOWN]:
            self._tell(FALSE, f"number {feed} (room {room}) is in none of the files")
        if len(missing) > _MISSING_SHOWN:
            self._tell(FALSE, f"and {len(missing) - _MISSING_SHOWN} more are in none of them")
        if chain.digests:
            self._tell(TRUE, self.prover.summary)

    def _tell(self, status: int, text: str) -> None:
        """Report something about the digests."""
        self._note(status)
        if self.as_json:
            found = {"digests": text, "true": status == TRUE}
            self.screen.say(msgspec.json.encode(found).decode())
        else:
            self.screen.say(clean(text))

    def _say(self, status: int, found: dict[str, Any], text: str) -> None:
        self._note(status)
        name = f"{found['file']}:{found['line']}" if "line" in found else found["file"]
        if self.as_json:
            self.screen.say(msgspec.json.encode(found).decode())
        elif status in (UNREADABLE, UNCHECKED):
            self.screen.warn(clean(f"pierule verify: {name}: {text}"))
        else:
            self.screen.say(clean(f"{name}: {text}"))

    def _note(self, status: int) -> None:
        self.worst = max(self.worst, status, key=_SEVERITY.index)


def _wrong(flaw: Flaw | None, altered: str | None) -> dict[str, Any]:
    if flaw is None:
        return {"event": None, "where": "proof", "why": altered}
    return {"event": flaw.seq, "where": flaw.where, "why": flaw.why}


def _told(record: RoomRecord, flaw: Flaw | None, altered: str | None) -> str:
    if altered is None:
        return f"not true: {flaw}"
    also = f"; {flaw}" if flaw else ""
    return f"altered: room {record.room}: {altered}{also}"


def _variations(analysis: Analysis) -> dict[str, int]:
    nodes = len(analysis.nodes)
    return {"nodes": nodes, "variations": nodes - len(main_line(analysis))}


def _beside(analysis: Analysis) -> str:
    return ", {variations} of {nodes} in variations".format(**_variations(analysis))


def _summary(record: RoomRecord) -> dict[str, Any]:
    return {
        "room": record.room,
        "game": record.options.game,
        "size": record.options.size,
        "status": record.final.status,
        "result": record.final.result,
        "events": len(record.events),
    }
