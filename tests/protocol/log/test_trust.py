"""What counts as archived: signed by a key that the user pinned, and listed where digests reach."""

from __future__ import annotations

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.digest import BadDigest, digest_hash, read_digest
from pierule_protocol.log.proof import key_id
from pierule_protocol.log.record import Amendment, BadRecord, Proof, RoomRecord, read_record
from pierule_protocol.log.trust import Kind, PinnedKey, Trust, pinned
from pierule_protocol.log.verify import verify
from support.forging import collide, ends, played, resigned, running
from support.signing import KEY, OTHER, public_of
from support.vectors.proofs import amendment, digests, receipted, record, signed

GAME = msgspec.structs.replace(record(played()), feed=1)
LOST = msgspec.structs.replace(record(resigned()), feed=2)
VOID = amendment(GAME, feed=3)
LISTED = digests([GAME, LOST, VOID, GAME])
MINE = PinnedKey(public_of(KEY))
TRUST = Trust([MINE], LISTED)


def kind(record: RoomRecord | Amendment, trust: Trust = TRUST) -> Kind | None:
    found = trust.doubt(record)
    return found.kind if found else None


def test_archived_records_are_trusted() -> None:
    assert [kind(each) for each in (GAME, LOST, VOID)] == [None, None, None]
    assert kind(GAME, Trust([MINE])) is None
    assert [TRUST.doubt_digest(each) for each in LISTED] == [None, None]


def test_a_forged_log_of_the_same_crc_is_not_trusted() -> None:
    """All that the record says of itself agrees, the chain is the true one's: only the signature
    tells."""
    forged = collide(LOST, len(LOST.events), seat=1)
    assert LOST.final.result is not None
    forged = ends(forged, result=msgspec.structs.replace(LOST.final.result, winner=0))
    assert verify(forged) is None
    assert forged.final.place == LOST.final.place
    assert kind(forged, Trust([MINE])) is Kind.ALTERED
    same_end = collide(LOST, len(LOST.events), seat=0)
    assert (verify(same_end), same_end.final) == (None, LOST.final)
    assert kind(same_end, Trust([MINE])) is Kind.ALTERED
    assert str(TRUST.doubt(forged)) == (
        f"altered: this is not what key {key_id(MINE.public)} signed; digest 1 lists its "
        "signature, so the record was changed"
    )


def test_a_key_that_nobody_pinned_proves_nothing() -> None:
    assert kind(GAME, Trust([])) is Kind.UNKNOWN
    forged = signed(GAME, OTHER)
    found = Trust([MINE]).doubt(forged)
    assert str(found) == f"signed by an unknown key: {key_id(public_of(OTHER))}"
    disguised = msgspec.structs.replace(
        forged, proof=Proof(key=key_id(MINE.public), signature=forged.proof.signature)  # type: ignore[union-attr]
    )  # fmt: skip
    assert kind(disguised, Trust([MINE])) is Kind.ALTERED


def test_an_unsigned_record_is_not_trusted() -> None:
    assert kind(msgspec.structs.replace(GAME, proof=msgspec.UNSET)) is Kind.UNSIGNED
    proof = GAME.proof
    unfinished = msgspec.structs.replace(running().record, proof=proof)
    assert str(Trust([MINE]).doubt(unfinished)).startswith(
        "altered: no server signs such a record: "
    )


def test_a_record_whose_number_has_another_digest_entry_is_not_trusted() -> None:
    moved = msgspec.structs.replace(GAME, feed=2)
    assert str(TRUST.doubt(moved)) == "altered: under number 2, digest 1 has another signature"
    renamed = digests([msgspec.structs.replace(GAME, room="losatefa"), LOST])
    assert str(Trust([MINE], renamed).doubt(GAME)) == (
        "altered: under number 1, digest 1 has the room losatefa"
    )
    assert kind(msgspec.structs.replace(GAME, feed=99)) is None


def test_an_amendment_is_signed_but_for_its_text() -> None:
    assert kind(msgspec.structs.replace(VOID, text="")) is None
    for change in ({"room": "losatefa"}, {"at": VOID.at + 1}, {"log": "0" * 64}):
        assert kind(msgspec.structs.replace(VOID, **change)) is Kind.ALTERED


def test_records_of_a_rotated_key_are_trusted_with_both_keys() -> None:
    later = msgspec.structs.replace(signed(LOST, OTHER), feed=2)
    both = Trust([MINE, PinnedKey(public_of(OTHER))], digests([GAME, later], key=OTHER))
    assert [kind(each, both) for each in (GAME, later)] == [None, None]
    assert kind(later, Trust([MINE])) is Kind.UNKNOWN


def test_a_revoked_key_is_trusted_as_far_as_digests_lead() -> None:
    until = digest_hash(LISTED[0])
    revoked = PinnedKey(MINE.public, until)
    trust = Trust([revoked], LISTED)
    assert [kind(each, trust) for each in (GAME, LOST)] == [None, None]
    assert kind(VOID, trust) is Kind.REVOKED
    assert trust.doubt_digest(LISTED[0]) is None
    assert str(trust.doubt_digest(LISTED[1])) == (
        f"signed by a revoked key: {key_id(MINE.public)}; you trust it only up to digest 1"
    )
    assert kind(GAME, Trust([revoked])) is Kind.REVOKED
    assert kind(GAME, Trust([revoked], LISTED[1:])) is Kind.REVOKED
    assert kind(msgspec.structs.replace(GAME, feed=99), trust) is Kind.REVOKED


def test_a_thief_cannot_list_games_in_the_past() -> None:
    """The thief signs a game and the digest that lists it; it does not lead to the last one that
    is trusted."""
    until = digest_hash(LISTED[1])
    assert LOST.final.result is not None
    result = msgspec.structs.replace(LOST.final.result, winner=0)
    stolen = signed(ends(LOST, result=result))
    forged = [*digests([GAME, stolen]), LISTED[1]]
    trust = Trust([PinnedKey(MINE.public, until)], forged)
    assert trust.doubt_digest(forged[0]) is not None
    assert kind(stolen, trust) is Kind.REVOKED


GAME_LINE = msgspec.json.encode(GAME)
DIGEST_LINE = msgspec.json.encode(LISTED[0])


@given(st.integers(0, len(GAME_LINE) - 1), st.integers(0, 255))
def test_a_change_of_any_byte_of_a_record_is_found(at: int, byte: int) -> None:
    data = GAME_LINE[:at] + bytes([byte]) + GAME_LINE[at + 1 :]
    with suppress(BadRecord):
        read = read_record(data)
        assert read == GAME or verify(read) is not None or TRUST.doubt(read) is not None


@given(st.integers(0, len(DIGEST_LINE) - 1), st.integers(0, 255))
def test_a_change_of_any_byte_of_a_digest_is_found(at: int, byte: int) -> None:
    data = DIGEST_LINE[:at] + bytes([byte]) + DIGEST_LINE[at + 1 :]
    with suppress(BadDigest):
        read = read_digest(data)
        assert read == LISTED[0] or TRUST.doubt_digest(read) is not None


@pytest.mark.parametrize(
    "text", ["", "0" * 63, "0" * 65, "A" * 64, f"{'0' * 64}@", f"{'0' * 64}\n"]
)
def test_an_invalid_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a key"):
        pinned(text)


def test_a_key_may_name_the_last_digest() -> None:
    assert pinned("0" * 64) == PinnedKey(bytes(32))
    assert pinned(f"{'0' * 64}@{'1' * 64}") == PinnedKey(bytes(32), "1" * 64)


def test_a_receipt_is_trusted_while_the_game_runs() -> None:
    record = receipted(running().record)
    assert kind(record) is None
    assert kind(record, Trust([])) is Kind.UNKNOWN
    assert kind(receipted(running().record, OTHER)) is Kind.UNKNOWN
    assert kind(receipted(GAME)) is None


def test_a_receipt_covers_room_events_and_place() -> None:
    record = receipted(running().record)
    *before, last = record.events
    later = msgspec.structs.replace(last, at=last.at + 1)
    place = msgspec.structs.replace(record.final.place, epoch=2)
    for forged in (
        msgspec.structs.replace(record, room="losatefa"),
        msgspec.structs.replace(record, events=before),
        msgspec.structs.replace(record, events=[*before, later]),
        msgspec.structs.replace(record, final=msgspec.structs.replace(record.final, place=place)),
    ):
        assert str(TRUST.doubt(forged)) == (
            f"altered: this is not what key {key_id(MINE.public)} signed"
        )


def test_a_receipt_saves_no_record_that_was_altered() -> None:
    assert kind(receipted(signed(GAME, OTHER))) is Kind.UNKNOWN
    wrong = msgspec.structs.replace(GAME, proof=LOST.proof)
    assert kind(receipted(wrong)) is Kind.ALTERED


def test_a_receipt_by_a_revoked_key_proves_nothing() -> None:
    trust = Trust([PinnedKey(MINE.public, digest_hash(LISTED[-1]))], LISTED)
    assert kind(GAME, trust) is None
    assert str(trust.doubt(receipted(GAME))) == (
        f"signed by a revoked key: {key_id(MINE.public)}; no digest shows that the receipt is older"
    )
