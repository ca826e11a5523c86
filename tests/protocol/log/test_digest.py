"""Digests name each other, and what is changed in one shows in all that follow."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.digest import (
    BadDigest,
    Digest,
    DigestChain,
    digest_hash,
    read_digest,
)
from pierule_protocol.log.record import RoomRecord
from support.forging import played
from support.vectors.proofs import digests, record

RECORDS: list[RoomRecord] = [
    msgspec.structs.replace(record(played()), room=room, feed=feed)
    for feed, room in enumerate(("bumatodigefoha", "kobadimu", "losatefa", "dimutobu", "ha"), 1)
]
CHAIN = digests([*RECORDS])
OTHER_LEAF = "0" * 64


def said(several: list[Digest]) -> list[str]:
    return [f"{each.number}: {each.why}" for each in DigestChain(several).breaks]


def relinked(changed: int, leaf: tuple[str, str | None]) -> list[Digest]:
    """The chain as it would be had it been made with another leaf."""
    found: list[Digest] = []
    for each in CHAIN:
        leaves = list(each.leaves)
        if each.first <= changed <= each.last:
            leaves[changed - each.first] = leaf
        previous = digest_hash(found[-1]) if found else None
        found.append(msgspec.structs.replace(each, leaves=leaves, previous=previous))
    return found


def test_a_chain_of_digests_holds_in_any_order_and_from_any_digest_on() -> None:
    assert [(each.first, each.last) for each in CHAIN] == [(1, 2), (3, 4), (5, 5)]
    assert said(CHAIN) == said(CHAIN[::-1]) == said(CHAIN[1:]) == said(CHAIN + CHAIN) == []


def test_every_number_has_its_leaf() -> None:
    chain = DigestChain(CHAIN)
    found = [chain.covering(feed) for feed in range(7)]
    assert [each and each.number for each in found] == [None, 1, 1, 2, 2, 3, None]
    assert found[1] is not None
    assert [found[1].leaf(feed)[1] for feed in (1, 2)] == [None, "kobadimu"]
    later = DigestChain(CHAIN[1:])
    assert later.covering(2) is None


def test_private_games_are_listed_without_their_room() -> None:
    assert b"bumatodigefoha" not in msgspec.json.encode(CHAIN)


def test_a_missing_or_unlinked_digest_is_found() -> None:
    first, second, third = CHAIN
    assert said([first, third]) == ["3: digest 2 is missing before it"]
    other = msgspec.structs.replace(first, leaves=[(OTHER_LEAF, None), first.leaves[1]])
    assert said([other, second]) == ["2: it does not follow digest 1, which has changed since"]
    shifted = msgspec.structs.replace(second, first=4, last=5)
    assert said([first, shifted]) == ["2: it begins with feed number 4, but digest 1 ends with 2"]
    assert said([msgspec.structs.replace(first, previous=OTHER_LEAF)]) == [
        "1: only the first digest has no `previous`, and it is number 1"
    ]
    assert said([msgspec.structs.replace(first, first=2, last=3)]) == [
        "1: the first digest begins with feed number 2, not 1"
    ]


def test_old_and_new_digests_show_what_was_rewritten() -> None:
    new = relinked(2, (OTHER_LEAF, "kobadimu"))
    assert said([*CHAIN[:1], *new[:1]]) == [
        "1: it is there twice, and the two differ at 2 (room kobadimu)"
    ]
    assert "2: it is there twice, and the two differ in their pasts" in said([*CHAIN, *new])


@given(st.integers(1, 5), st.sampled_from([(OTHER_LEAF, None), (OTHER_LEAF, "ha")]))
def test_a_change_of_the_past_changes_every_later_hash(
    feed: int, leaf: tuple[str, str | None]
) -> None:
    new = relinked(feed, leaf)
    assert said(new) == []
    for before, after in zip(CHAIN, new, strict=True):
        assert (digest_hash(before) == digest_hash(after)) == (after.last < feed)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "truncated"),
        (b"{}", "missing required field"),
        (msgspec.json.encode(CHAIN[0])[:-9], "truncated"),
        (
            msgspec.json.encode(msgspec.structs.replace(CHAIN[0], last=3)),
            "it has 2 leaves, which does not fit",
        ),
        (
            msgspec.json.encode(msgspec.structs.replace(CHAIN[0], first=0)),
            "leaves, which does not fit",
        ),
        (msgspec.json.encode(CHAIN[0]).replace(b'"leaves":[["', b'"leaves":[["A'), "regex"),
    ],
)
def test_an_invalid_digest_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(BadDigest, match=why):
        read_digest(data)
