"""Buckets must never change: rooms would be looked for in the wrong place."""

from __future__ import annotations

from collections import Counter

from pierule_server.store import buckets


def test_the_bucket_of_a_room_is_stable_over_releases() -> None:
    assert {room: buckets.bucket_of(room) for room in ("a", "b", "kx7-m2q", "Zimmer-ä")} == {
        "a": 3,
        "b": 57,
        "kx7-m2q": 16,
        "Zimmer-ä": 18,
    }


def test_keys_name_their_bucket() -> None:
    assert buckets.log_key("a") == "{3}log:a"
    assert buckets.channel("a") == "{3}ev:a"
    assert buckets.rooms_key(3) == "{3}rooms"
    assert buckets.cards_key(3) == "{3}cards"
    assert buckets.room_of(buckets.channel("Zimmer-ä").encode()) == "Zimmer-ä"


def test_buckets_share_rooms_and_slots_evenly() -> None:
    """No bucket has much more than its share of rooms, no third of the slots of the buckets."""
    rooms = Counter(buckets.bucket_of(f"room-{number}") for number in range(64_000))
    assert len(rooms) == buckets.BUCKETS
    assert max(rooms.values()) < 1_200
    thirds = Counter(buckets.slot_of(bucket) * 3 // 16384 for bucket in range(buckets.BUCKETS))
    assert max(thirds.values()) / (buckets.BUCKETS / 3) < 1.05
