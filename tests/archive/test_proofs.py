"""What is archived is signed, and listed in digests, in both databases."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from archive.games import a_game
from pierule_archive.archive import Archive
from pierule_archive.database import opened, writing
from pierule_archive.game import Game
from pierule_archive.keys import Signer
from pierule_archive.proofs import revoke
from pierule_archive.record import AMENDMENTS, COLUMNS, amendment_line, game_line
from pierule_archive.schema import digests, games, signing_keys
from pierule_protocol.log.digest import Digest, DigestChain, digest_hash, leaf_of, read_digest
from pierule_protocol.log.proof import log_hash
from pierule_protocol.log.record import RoomRecord, read_amendment, read_record
from pierule_protocol.log.trust import NO_DIGEST, PinnedKey, Trust
from support.signing import KEY, OTHER

ONE, TWO = Signer(KEY), Signer(OTHER)
RANGE = 4


@pytest.fixture(autouse=True)
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pierule_archive.proofs.RANGE", RANGE)


@pytest.fixture
def signing(archive: Archive) -> Archive:
    return Archive(archive.engine, ONE)


def several(count: int, first: int = 0, **how: Any) -> list[Game]:
    """Games of as many rooms."""
    names = ["room" + "abcdefghijklmnopqrstuvwxyz"[at] for at in range(first, first + count)]
    return [a_game(name, plies=2, **how) for name in names]


def rows(archive: Archive, table: Any, order: Any) -> list[Any]:
    with archive.engine.connect() as connection:
        return list(connection.execute(select(table).order_by(order)))


def records(archive: Archive) -> list[RoomRecord]:
    """The games as they are passed on."""
    with archive.engine.connect() as connection:
        found = connection.execute(select(*COLUMNS).order_by(games.c.feed))
        return [read_record(game_line(row)) for row in found]


def documents(archive: Archive) -> list[Digest]:
    found = rows(archive, digests, digests.c.number)
    read = [read_digest(row.document.encode()) for row in found]
    assert [(row.number, row.last, row.hash) for row in found] == [
        (each.number, each.last, digest_hash(each)) for each in read
    ]
    return read


def trust(archive: Archive, *signers: Signer) -> Trust:
    return Trust([PinnedKey(signer.public) for signer in signers], documents(archive))


def doubts(archive: Archive, *signers: Signer) -> list[str]:
    """All that somebody doubts who has pinned these keys."""
    mine = trust(archive, *signers)
    found = [mine.doubt(each) for each in records(archive)]
    found += [mine.doubt_digest(each) for each in documents(archive)]
    return [str(each) for each in found if each] + [each.why for each in mine.chain.breaks]


def test_games_and_amendments_are_signed(signing: Archive) -> None:
    first, *_ = several(2)
    signing.add(several(2))
    signing.void(first.room, 5, "cheating")
    assert doubts(signing, ONE) == []
    with signing.engine.connect() as connection:
        (voided,) = [read_amendment(amendment_line(row)) for row in connection.execute(AMENDMENTS)]
    assert (voided.room, voided.log) == (first.room, log_hash(first.entries))
    assert (voided.kind, voided.at, voided.text, voided.feed) == ("void", 5, "cheating", 3)
    assert trust(signing, ONE).doubt(voided) is None
    assert [tuple(row) for row in rows(signing, signing_keys, signing_keys.c.id)] == [
        (ONE.id, ONE.public, None)
    ]


def test_a_range_has_a_digest_as_soon_as_it_is_closed(signing: Archive) -> None:
    signing.add(several(3))
    assert documents(signing) == []
    signing.void("rooma", 5, "cheating")
    signing.add(several(5, 3))
    assert [(each.number, each.first, each.last) for each in documents(signing)] == [
        (1, 1, 4), (2, 5, 8),
    ]  # fmt: skip
    first, second = documents(signing)
    assert second.previous == digest_hash(first)
    assert [room for _, room in first.leaves] == ["rooma", "roomb", "roomc", "rooma"]
    signatures = [row.signature for row in rows(signing, games, games.c.feed)]
    assert [leaf for leaf, _ in second.leaves] == [leaf_of(each) for each in signatures[3:7]]
    assert doubts(signing, ONE) == []


def test_private_games_are_counted_and_not_named(signing: Archive) -> None:
    first, *others = several(3)
    signing.add([replace(first, access="private"), *others])
    signing.void(first.room, 5, "cheating")
    (digest,) = documents(signing)
    assert [room for _, room in digest.leaves] == [None, "roomb", "roomc", None]
    assert doubts(signing, ONE) == []


def test_two_archives_of_the_same_games_have_the_same_digests(
    signing: Archive, tmp_path: Path
) -> None:
    other = Archive(opened(f"sqlite:///{tmp_path / 'other.sqlite'}"), ONE)
    signing.add(several(9))
    for game in several(9):
        other.add([game])
    assert documents(signing) == documents(other)
    assert len(documents(other)) == 2
    other.engine.dispose()


def test_several_nodes_make_one_digest_for_each_range(signing: Archive, url: str) -> None:
    every = several(24)

    def write(own: Archive, mine: list[Game]) -> None:
        for game in mine:
            own.add([game])
        own.engine.dispose()

    writers = [
        threading.Thread(target=write, args=(Archive(opened(url), ONE), every[at:] + every[:at]))
        for at in (0, 8, 16)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [each.last for each in documents(signing)] == [4, 8, 12, 16, 20, 24]
    assert doubts(signing, ONE) == []


def test_records_signed_by_a_rotated_key_verify_with_both_keys(signing: Archive) -> None:
    signing.add(several(3))
    later = Archive(signing.engine, TWO)
    later.add(several(3, 3))
    assert doubts(signing, ONE, TWO) == []
    assert doubts(signing, ONE) == [f"signed by an unknown key: {TWO.id}"] * 4
    assert {row.id for row in rows(signing, signing_keys, signing_keys.c.id)} == {ONE.id, TWO.id}


def test_a_key_is_revoked_by_naming_a_digest(signing: Archive) -> None:
    with writing(signing.engine) as connection, pytest.raises(LookupError, match="has signed"):
        revoke(connection, ONE.id)
    signing.add(several(3))
    with writing(signing.engine) as connection:
        assert revoke(connection, ONE.id) == NO_DIGEST
    nothing = Trust([PinnedKey(ONE.public, NO_DIGEST)], documents(signing))
    assert {str(nothing.doubt(each)) for each in records(signing)} == {
        f"signed by a revoked key: {ONE.id}; nothing that it signed is trusted"
    }
    signing.add(several(6, 3))
    first, second = documents(signing)
    with writing(signing.engine) as connection:
        assert revoke(connection, ONE.id) == digest_hash(second)
        assert revoke(connection, ONE.id, digest_hash(first)) == digest_hash(first)
        with pytest.raises(LookupError, match="no digest 00"):
            revoke(connection, ONE.id, "00")
    (row,) = rows(signing, signing_keys, signing_keys.c.id)
    assert row.until == digest_hash(first)
    reader = Trust([PinnedKey(ONE.public, row.until)], documents(signing))
    found = [reader.doubt(each) for each in records(signing)]
    assert [each is None for each in found] == [True] * 4 + [False] * 5


def test_games_archived_before_the_first_key_are_listed_as_unsigned(
    archive: Archive, signing: Archive
) -> None:
    archive.add(several(6))
    assert documents(archive) == []
    signing.add(several(2, 6))
    first, second = documents(signing)
    assert {leaf for leaf, _ in first.leaves} == {leaf_of(None)}
    assert second.leaves[0][0] == leaf_of(None)
    assert doubts(signing, ONE) == ["unsigned: it has no proof"] * 6


def test_a_rewritten_past_is_another_chain(signing: Archive, tmp_path: Path) -> None:
    signing.add(several(8))
    kept = digest_hash(documents(signing)[-1])
    other = Archive(opened(f"sqlite:///{tmp_path / 'other.sqlite'}"), ONE)
    other.add([*several(2), a_game("roomc", plies=3), *several(9, 3)])
    assert doubts(other, ONE) == []
    assert kept in DigestChain(documents(signing)).numbers
    assert kept not in DigestChain(documents(other)).numbers
    other.engine.dispose()
