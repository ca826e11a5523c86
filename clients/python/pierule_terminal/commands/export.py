"""`pierule export`: write a room as a JSON record."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

import msgspec

import pierule
from pierule_protocol.log.record import Proof, RoomRecord, record_of, write_record
from pierule_terminal.commands.online import (
    Failed,
    add_room,
    add_server_options,
    connected,
    run_online,
)
from pierule_terminal.screen import Screen, make_screen

HELP = "write a room as a JSON record"

_EPILOG = """\
A running room gives a record of its events so far. Keys:

  format, version   "pierule.room", 1
  room              the room's id
  options           game, size, and control (how it was timed; null without clocks)
  seats             user id and name of the players in seat 0 and seat 1; null for a free seat
  events            every event of the log: epoch, seq, chain; at, its time in ms since 1970;
                    record, JSON text exactly as the log keeps it; digest, of the position after
                    it; names, of the users that it seats
  receipt           with --receipt: key (its id) and signature
  final             the state after the last event: place (its epoch, seq and chain), status,
                    result, position (its text) and clock (null without clocks)

`pierule verify` checks everything except the room's id from the events alone.

examples:
  pierule export kobadimutelosa -o kobadimutelosa.json
  pierule export kobadimutelosa | pierule verify -
  pierule export kobadimutelosa --receipt -o kobadimutelosa.json
"""

TRIES = 10
"""How often to read the log again if it lacks events that we have: the store lost them, and we have
not heard of that yet."""

LATE = 60
"""How often to read the log again if it has events that we lack: a node may take 10 s to notice
that it has missed something (SPEC 6.6). A room that never rests is written as we know it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule export`."""
    parser.description = "Write a room, finished or not, as a JSON record with all its events."
    parser.epilog = _EPILOG
    add_room(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="where to write [default -: stdout]"
    )
    parser.add_argument(
        "--receipt",
        action="store_true",
        help="have the server sign the events, to prove that it has acknowledged them; "
        "`pierule verify --key` checks the signature",
    )
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write the record. Returns 0, or 1 if there is no such room or no server."""
    screen = make_screen("never")
    return run_online(screen, _export(args, screen))


async def _export(args: argparse.Namespace, screen: Screen) -> int:
    async with connected(args, screen) as client:
        room = await client.join(args.room, invitation=args.invitation)
        record = await record_room(client, room)
        if args.receipt:
            record = await acknowledged(client, record)
    _write(args.output, write_record(record))
    if args.output != "-":
        many = "1 event" if len(record.events) == 1 else f"{len(record.events)} events"
        screen.say(f"{many} of room {record.room}: {args.output}")
    return 0


def _write(output: str, data: bytes) -> None:
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        Path(output).write_bytes(data)


async def acknowledged(client: pierule.Client, record: RoomRecord) -> RoomRecord:
    """The record with a receipt of its events. Raises Failed."""
    place = record.final.place
    if "receipts" not in client.welcome.features:
        raise Failed("this server does not sign receipts")
    receipt = await client.receipt(record.room, place.seq)
    if (receipt.epoch, receipt.chain) != (place.epoch, place.chain):
        raise Failed(f"meanwhile the store has lost events of room {record.room}; try again")
    proof = Proof(key=receipt.key, signature=receipt.signature)
    return msgspec.structs.replace(record, receipt=proof)


async def record_room(client: pierule.Client, room: pierule.Room) -> RoomRecord:
    """The record of a room as it is now. Raises Failed."""
    lacking = behind = 0
    while lacking < TRIES:
        log = await client.log(room.id)
        state = room.state
        known = log[: state.seq]
        fits = bool(known) and known[-1].place == state.place
        if fits and (len(known) == len(log) or behind == LATE):
            return record_of(state, known)
        behind += fits
        lacking += not fits
        await asyncio.sleep(0.2)
    raise Failed(f"the log of room {room.id} lacks events that the room has shown; try again")
