"""proofs.json: the signed bytes, signatures and digests (SPEC 28)."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from pierule_protocol.log.digest import Digest, digest_hash, digest_statement, leaf_of, statement
from pierule_protocol.log.events import Closed, Holder
from pierule_protocol.log.proof import (
    amendment_statement,
    key_id,
    log_hash,
    receipt_statement,
    record_statement,
)
from pierule_protocol.log.record import Amendment, Proof, RoomRecord
from support.signing import KEY, public_of, receipt_of, sign
from support.story import Story

ABOUT = (
    "What a server signs (SPEC 28). `statement` is shown as text: sign and hash its UTF-8 bytes. "
    "The signatures are by the private key `secret` (an Ed25519 seed), for these examples only."
)


def build() -> dict[str, Any]:
    """proofs.json."""
    records = [record(story) for story in _stories()]
    voided = amendment(records[0])
    return {
        "about": ABOUT,
        "key": {"secret": KEY.hex(), "public": public_of(KEY).hex(), "id": key_id(public_of(KEY))},
        "games": [
            {
                "name": each.final.result.reason if each.final.result else "",
                "log": log_hash(each.events),
                "statement": record_statement(each).decode(),
                "record": each,
            }
            for each in records
        ],
        "amendments": [{"statement": amendment_statement(voided).decode(), "amendment": voided}],
        "receipts": [receipt(records[0], seq) for seq in (3, len(records[0].events))],
        "digests": [
            {
                "statement": digest_statement(each).decode(),
                "hash": digest_hash(each),
                "digest": each,
            }
            for each in digests([*records, voided])
        ],
    }


def _stories() -> list[Story]:
    played = Story()
    played.act("komi:12", "black", "pass", "pass")
    closed = Story(room="bumatodigefoha")
    closed.act("komi:12", "white")
    closed.add(Closed(text="the server moves house"))
    return [played, closed]


def record(story: Story, feed: int = 0, key: bytes = KEY) -> RoomRecord:
    """The record of a room as an archive passes it on: without names, signed."""
    seats = [each and Holder(each.user, "") for each in story.record.seats]
    events = [msgspec.structs.replace(event, names=[]) for event in story.record.events]
    found = msgspec.structs.replace(
        story.record, seats=(seats[0], seats[1]), events=events,
        feed=feed or 1 + (story.room.id != "kobadimu"),
    )  # fmt: skip
    return signed(found, key)


def signed(record: RoomRecord, key: bytes = KEY) -> RoomRecord:
    """The record, signed (again)."""
    signature = sign(key, record_statement(record))
    proof = Proof(key=key_id(public_of(key)), signature=signature.hex())
    return msgspec.structs.replace(record, proof=proof)


def receipted(record: RoomRecord, key: bytes = KEY) -> RoomRecord:
    """The record with a receipt of all of its events."""
    found = receipt_of(record.room, record.events, key)
    return msgspec.structs.replace(record, receipt=Proof(key=found.key, signature=found.signature))


def receipt(record: RoomRecord, seq: int) -> dict[str, Any]:
    """A server's receipt of a room's log up to an event."""
    events = record.events[:seq]
    said = receipt_statement(record.room, log_hash(events), events[-1].place)
    return {
        "room": record.room,
        "events": events,
        "statement": said.decode(),
        "receipt": receipt_of(record.room, events),
    }


def amendment(record: RoomRecord, key: bytes = KEY, feed: int = 3) -> Amendment:
    """The amendment that voids a game."""
    found = Amendment(
        format="pierule.amendment", version=1, room=record.room, log=log_hash(record.events),
        kind="void", at=record.events[-1].at + 60_000, text="both were one person", feed=feed,
    )  # fmt: skip
    signature = sign(key, amendment_statement(found))
    proof = Proof(key=key_id(public_of(key)), signature=signature.hex())
    return msgspec.structs.replace(found, proof=proof)


def digests(
    records: list[RoomRecord | Amendment], step: int = 2, key: bytes = KEY,
    private: tuple[str, ...] = ("bumatodigefoha",),
) -> list[Digest]:  # fmt: skip
    """Digests of `step` numbers each over records in the order of their numbers; some rooms are
    private. The last one may cover fewer."""
    found: list[Digest] = []
    previous = None
    for start in range(0, len(records), step):
        several = records[start : start + step]
        leaves = [(_leaf(each), None if each.room in private else each.room) for each in several]
        range_ = len(found) + 1, start + 1, start + len(several)
        text = statement(*range_, previous, leaves)
        found.append(
            Digest(
                format="pierule.digest",
                version=1,
                number=range_[0],
                first=range_[1],
                last=range_[2],
                previous=previous,
                leaves=leaves,
                key=key_id(public_of(key)),
                signature=sign(key, text).hex(),
            )
        )
        previous = sha256(text).hexdigest()
    return found


def _leaf(record: RoomRecord | Amendment) -> str:
    assert isinstance(record.proof, Proof)
    return leaf_of(bytes.fromhex(record.proof.signature))
