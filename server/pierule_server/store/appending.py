"""Builds the calls of `append.lua`, and reads its replies."""

from __future__ import annotations

from pierule_protocol.log.events import EPOCH, Entry, Place, chain_record
from pierule_server.store.buckets import (
    append_names,
    bucket_of,
    put_away_key,
    seen_key,
    unarchived_key,
)
from pierule_server.store.driver.access import Rest, Script
from pierule_server.store.driver.pipeline import Reply
from pierule_server.store.room_log import (
    STALE_MS,
    Conflict,
    Returned,
    StillAwaited,
    TooEarly,
    TooLate,
    Uncredited,
)
from pierule_server.store.tables.naming import encode_names
from pierule_server.terms import Absence, AppendOptions, Outage

APPEND = Script("append.lua")


def arguments(room: str, expected: Place, record: bytes, terms: AppendOptions) -> tuple[int, Rest]:
    """The bucket whose primary runs the script, and what follows the script in the command."""
    epoch = terms.epoch or max(expected.epoch, EPOCH)
    half = chain_record(expected.chain, epoch, expected.seq + 1, record)
    bucket, publishing, keys = append_names(room)
    keys += _further_keys(room, expected, terms)
    return bucket, (
        len(keys), *keys, publishing, room, expected.epoch, expected.seq, expected.chain, epoch,
        half, record, terms.card or b"", terms.timing, STALE_MS, terms.deadline.rule,
        terms.deadline.ms, "" if terms.credit is None else lost(terms.credit),
        "" if terms.absence is None else _absent(terms.absence),
        encode_names(terms.names) if terms.names else b"",
    )  # fmt: skip


def entry_in(reply: Reply, record: bytes, terms: AppendOptions) -> Entry | None:
    """The appended entry; None if there is none, or if the outcome is unknown."""
    match reply:
        case [epoch, seq, link, at]:
            return Entry(epoch, seq, link, at, record.decode(), terms.names)
    return None


def outcome(reply: Reply, room: str, record: bytes, terms: AppendOptions) -> Entry:
    """The appended entry. If there is none, raises what `RoomLog.append` raises."""
    entry = entry_in(reply, record, terms)
    if entry is not None:
        return entry
    match reply:
        case None:
            raise Conflict(room)
        case [b"lost"]:
            raise Uncredited(room)
        case [b"late", by]:
            raise TooLate(by)
        case [b"early"]:
            raise TooEarly(room)
        case [b"seen"]:
            raise Returned(room)
        case [b"awaited", left]:
            raise StillAwaited(left)
    raise AssertionError(f"append.lua has returned {reply}")


def lost(outage: Outage) -> str:
    """An outage in the form of `heartbeat.lua`."""
    return f"{outage.lost_from} {outage.lost_to}"


def _further_keys(room: str, expected: Place, terms: AppendOptions) -> tuple[str, ...]:
    """The keys that only some entries need, for example when a room begins or ends."""
    keys: tuple[str, ...] = ()
    if expected.seq == 0:
        keys += (put_away_key(room),)
    if terms.absence is not None:
        keys += (seen_key(bucket_of(room)),)
    if terms.deadline.rule in ("none", "void"):
        keys += (unarchived_key(bucket_of(room)),)
    return keys


def _absent(absence: Absence) -> str:
    return f"{absence.seat} {absence.seen} {absence.until}"
