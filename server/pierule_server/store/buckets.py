"""The names of all keys and channels in the store, and the grouping of rooms into buckets.

All keys of a script must be in one slot. So rooms are grouped into buckets, and the bucket's number
in braces is the hash tag of every key and channel. No other module spells out a key.
"""

from __future__ import annotations

from functools import cache, lru_cache

from redis.crc import key_slot

from pierule_protocol.buckets import BUCKETS as BUCKETS
from pierule_protocol.buckets import bucket_of as bucket_of


def slot_of(bucket: int) -> int:
    """The slot of a cluster that holds all keys and channels of a bucket."""
    return key_slot(b"%d" % bucket)


def log_key(room: str) -> str:
    """The stream that holds a room's events."""
    return f"{{{bucket_of(room)}}}log:{room}"


def rooms_key(bucket: int) -> str:
    """The sorted set of a bucket's listed rooms, by the time of their latest event."""
    return f"{{{bucket}}}rooms"


def cards_key(bucket: int) -> str:
    """The hash of a bucket's listed rooms and their cards."""
    return f"{{{bucket}}}cards"


def deadlines_key(bucket: int) -> str:
    """The sorted set of a bucket's rooms that have a deadline, by deadline."""
    return f"{{{bucket}}}deadlines"


def clock_key(bucket: int) -> str:
    """A hash. Under the empty name: when a node last looked after the bucket's deadlines. Under a
    room's id: an outage that the room has not got back yet, `FROM TO`."""
    return f"{{{bucket}}}clock"


def seen_key(bucket: int) -> str:
    """The sorted set of a bucket's players, `ROOM SEAT`, by when a node last served them. The empty
    name has the end of the latest outage."""
    return f"{{{bucket}}}seen"


def finished_key(bucket: int) -> str:
    """The sorted set of a bucket's rooms that are over and not put away, by the time of their end.
    While a node puts a room away, the time is later."""
    return f"{{{bucket}}}finished"


def unarchived_key(bucket: int) -> str:
    """The sorted set of a bucket's entries for the archive, by when they happened; see
    `unarchived.lua`."""
    return f"{{{bucket}}}unarchived"


def archivist_key() -> str:
    """The string that names the node that writes to the archive. In bucket 0."""
    return "{0}archivist"


def put_away_key(room: str) -> str:
    """The string with the log of a room that was put away, until its retention ends."""
    return f"{{{bucket_of(room)}}}arch:{room}"


def quarantine_key(bucket: int) -> str:
    """The hash of a bucket's rooms in quarantine and the reasons; see `quarantine.lua`."""
    return f"{{{bucket}}}quarantine"


def damaged_key(room: str) -> str:
    """The stream that keeps a damaged log for a while after it was cut."""
    return f"{{{bucket_of(room)}}}damaged:{room}"


def mark_key(bucket: int) -> str:
    """A string that nodes write if they have nothing else to write, because WAIT needs a write to
    wait for. Its value means nothing."""
    return f"{{{bucket}}}mark"


def user_key(user: str) -> str:
    """The sorted set of a user's memberships, by when they were noted; in the bucket of the user's
    id."""
    return f"{{{bucket_of(user)}}}user:{user}"


def origin_key(origin: str) -> str:
    """The sorted set of the rooms that were made from an address; in the bucket of its name."""
    return f"{{{bucket_of(origin)}}}origin:{origin}"


def seeks_key(bucket: int) -> str:
    """The hash of the seeks that wait in a bucket's pools; see `seek.lua`."""
    return f"{{{bucket}}}seeks"


def avoids_key(bucket: int) -> str:
    """The hash of the users with whom each of a bucket's seekers must not be paired."""
    return f"{{{bucket}}}avoids"


def traffic_key(bucket: int) -> str:
    """The hash of how many seekers have lately come into each of a bucket's pools."""
    return f"{{{bucket}}}traffic"


def paired_key(bucket: int) -> str:
    """The hash of a bucket's seeks that were lately paired, and their pairings."""
    return f"{{{bucket}}}paired"


def pairings_key(bucket: int) -> str:
    """The sorted set of a bucket's pairings that are not carried out yet, by their time."""
    return f"{{{bucket}}}pairings"


def audience_key(bucket: int) -> str:
    """The hash of how many spectators each node serves in a bucket's rooms; see
    `count_spectators.lua`."""
    return f"{{{bucket}}}audience"


def account_key(user: str) -> str:
    """The string with a user's account; in the bucket of the user's id."""
    return f"{{{bucket_of(user)}}}account:{user}"


def name_key(folded: str) -> str:
    """The string that says which user has registered a name; in the bucket of the name."""
    return f"{{{bucket_of(folded)}}}name:{folded}"


def topic_of(user: str) -> str:
    """The topic on which a user's notes are published. Many users share it: there is one for each
    bucket, so a node does not need a subscription for each user. It is never a room's id."""
    return f"@{bucket_of(user)}"


TOPICS = [f"@{number}" for number in range(BUCKETS)]


def inbox_key(user: str) -> str:
    """The hash of a user's notes, in the bucket of the channel on which they are published."""
    return f"{{{bucket_of(topic_of(user))}}}inbox:{user}"


def webhook_key(user: str) -> str:
    """The hash of a user's webhook; in the bucket of the inbox. See `webhook.lua`."""
    return f"{{{bucket_of(topic_of(user))}}}webhook:{user}"


def calls_key(bucket: int) -> str:
    """The sorted set of a bucket's calls, `USER NOTE`, by when each is due."""
    return f"{{{bucket}}}calls"


def messages_key(room: str, channel: str) -> str:
    """The stream of the latest messages of a channel of a room's chat."""
    return f"{{{bucket_of(room)}}}chat:{room}:{channel}"


def blocks_key(user: str) -> str:
    """The hash of a user's block list: user to level; in the bucket of the user's id."""
    return f"{{{bucket_of(user)}}}blocks:{user}"


def audit_key() -> str:
    """The stream of what operators have done. It is in bucket 0 with the bans and reports, so one
    script both does and records it."""
    return "{0}audit"


def bans_key() -> str:
    """The hash of bans."""
    return "{0}bans"


def reports_key() -> str:
    """The hash of open reports."""
    return "{0}reports"


def keys_key() -> str:
    """The hash of the serving nodes and their keys; see `join_keyring.lua`."""
    return "{0}keys"


def salt_key() -> str:
    """The string with the salt for proofs of keys."""
    return "{0}salt"


def channel(room: str) -> str:
    """The sharded channel on which a room's events, messages and notes are published."""
    return f"{{{bucket_of(room)}}}ev:{room}"


def room_of(name: bytes) -> str:
    """The room whose `channel` has this name."""
    return name.decode().partition("}ev:")[2]


def secrets_key() -> str:
    """The hash of the secrets that all nodes share. In bucket 0; see `secrets.py`."""
    return "{0}secrets"


def format_key() -> str:
    """The string with the store's format and number of buckets. It is in bucket 0, which exists
    whatever that number is."""
    return "{0}format"


def time_keys(bucket: int) -> tuple[str, str]:
    """The keys of a bucket's deadlines, and of the clock that they go by."""
    return deadlines_key(bucket), clock_key(bucket)


@lru_cache(4_096)
def append_names(room: str) -> tuple[int, str, tuple[str, ...]]:
    """A room's bucket and channel, and the keys that `append.lua` always needs."""
    bucket = bucket_of(room)
    lists = rooms_key(bucket), cards_key(bucket)
    keys = log_key(room), *lists, *time_keys(bucket), finished_key(bucket)
    return bucket, channel(room), keys


@cache
def heartbeat_keys(*buckets: int) -> tuple[str, ...]:
    """The keys that `heartbeat.lua` needs for these buckets."""
    return tuple(key for each in buckets for key in (*time_keys(each), seen_key(each)))
