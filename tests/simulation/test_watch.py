"""What is looked at at every step, and at the end, finds what must not be."""

from __future__ import annotations

import time
from typing import Any

import msgpack
import pytest

from chaos.journal import Journal
from pierule_protocol.log.events import chain
from pierule_server.store.buckets import bucket_of, log_key, slot_of
from simulation.leftovers import kept_for_nothing
from simulation.model.cluster import Cluster
from simulation.model.keyspace import RefusedCommand
from simulation.model.server import Store
from simulation.watch import Watch

ROOM = "abcdefgh"
RECORD = b'{"kind":"resigned","seat":0,"nonce":"0123456789abcdef"}'


class Session:
    door = 0


def do(store: Store, *command: bytes) -> Any:
    return store.do(Session(), list(command))  # type: ignore[arg-type]


def append(store: Store, seq: int, link: int) -> None:
    do(store, b"XADD", log_key(ROOM).encode(), b"%d-0" % seq, b"epoch", b"1", b"chain",
       b"%d" % link, b"at", b"5", b"record", RECORD)  # fmt: skip


@pytest.fixture
def wrong() -> list[str]:
    return []


@pytest.fixture
def store(wrong: list[str]) -> Store:
    made = Store(lambda: 5_000)
    made.watch = Watch(made, wrong.append)  # type: ignore[attr-defined]
    return made


def test_entries_that_follow_each_other_are_fine(store: Store, wrong: list[str]) -> None:
    first = chain(0, 1, 1, RECORD, 5)
    append(store, 1, first)
    append(store, 2, chain(first, 1, 2, RECORD, 5))
    assert wrong == []
    written = store.watch.written  # type: ignore[attr-defined]
    assert list(written) == [(ROOM, 1, 1), (ROOM, 1, 2)]
    assert all(abs(at / 1_000 - time.time()) < 60 for at in written.values())


@pytest.mark.parametrize(("seq", "right"), [(3, True), (2, False)])
def test_a_hole_and_a_broken_chain_are_found(
    store: Store, wrong: list[str], seq: int, *, right: bool
) -> None:
    first = chain(0, 1, 1, RECORD, 5)
    append(store, 1, first)
    append(store, seq, chain(first, 1, seq, RECORD, 5) if right else 7)
    assert len(wrong) == 1
    assert wrong[0].startswith("the log is sound")


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_acknowledged_must_be_kept(store: Store, wrong: list[str], *, kept: bool) -> None:
    first = chain(0, 1, 1, RECORD, 5)
    append(store, 1, first)
    journal, look = Journal("ada"), store.watch.line  # type: ignore[attr-defined]
    act = {"type": "act", "id": 3, "room": ROOM, "turn": 0, "action": "a1"}
    place = {"epoch": 1, "seq": 1, "chain": first if kept else 7}
    look(journal, 1, "sent", msgpack.packb(act))
    look(journal, 1, "got", msgpack.packb({"type": "ok", "id": 3, "place": place}))
    assert bool(wrong) is not kept


def test_a_room_that_is_over_is_in_no_list(store: Store) -> None:
    bucket = b"%d" % bucket_of(ROOM)
    do(store, b"ZADD", b"{%b}deadlines" % bucket, b"5", ROOM.encode())
    do(store, b"ZADD", b"{0}user:ada", b"5", ROOM.encode())
    do(store, b"ZADD", b"{0}unarchived", b"0", b"")
    assert list(kept_for_nothing(store.space, set(), calm=True)) == []
    assert len(list(kept_for_nothing(store.space, {ROOM}, calm=True))) == 2
    assert len(list(kept_for_nothing(store.space, {ROOM}, calm=False))) == 1


def test_a_cluster_sends_away_whoever_asks_the_wrong_member(store: Store) -> None:
    store.cluster = Cluster([("10.0.0.1", 1), ("10.0.0.2", 2)], [slot_of(0), slot_of(1)])
    assert do(store, b"GET", b"{0}x") is None
    with pytest.raises(RefusedCommand, match=r"MOVED \d+ 10\.0\.0\.2:2"):
        do(store, b"GET", b"{1}x")
    with pytest.raises(RefusedCommand, match="CROSSSLOT"):
        do(store, b"EVAL", b"return 1", b"2", b"{0}x", b"{1}x")
    store.cluster.migrating[slot_of(0)] = None
    with pytest.raises(RefusedCommand, match="TRYAGAIN"):
        do(store, b"EVAL", b"return 1", b"1", b"{0}x")
