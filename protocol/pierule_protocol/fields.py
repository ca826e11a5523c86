"""What every field of every type of the wire means, in words: for the JSON Schema, the AsyncAPI
document and the reference in the SPEC. A test holds it complete.
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = {
    "id": "chosen by the client; the answer repeats it",
    "room": "the room's id",
    "epoch": "the life of the room's log (3.2)",
    "seq": "the event's number in the log: 1, 2, 3, … (3.2)",
    "chain": "the CRC over all events so far (3.4)",
    "at": "the store's time, in ms since 1970",
    "digest": "the digest of the position (5.4)",
    "record": "the event as the log keeps it: JSON text (3.3)",
    "nonce": "names the intention, so that a retry is safe (2.3)",
    "seat": "seat 0 or 1",
    "turn": "how many actions the room has seen (3.5)",
    "place": "a place in the room's log",
    "game": "the name of the game",
    "size": "the board's size",
    "status": "`open` (a seat is free), `running` or `over`",
    "seats": "who holds seat 0 and seat 1; null where it is free",
    "ply": "how many actions stand (3.5)",
    "clock": "both clocks (9.7); null in a room without",
    "control": "how the room is timed (9.1); null: not at all",
    "result": "how the room ended; null while it has not",
    "user": "the user's id, for ever the same",
    "name": "the user's name, as others see it: text that nobody has checked",
    "kind": "which kind it is; the other fields follow from it",
    "phase": "the game's phase (8.1)",
    "to_act": "the seat that acts next; null when the game is over",
    "black": "the seat that plays Black; null until the colors are chosen",
    "komi": "points that White is given; null where there is none or it is not set yet",
    "passes": "passes in succession, 0 to 2",
    "score": "Black's score and White's, as the board stands, komi included",
    "winner": "the seat that has won, `draw`, or null",
    "action": "the action, in the game's notation (8)",
}

_OWN: Final[dict[str, dict[str, str]]] = {
    "Since": {"seq": "the last event that the client has"},
    "Hello": {
        "token": "who one is, as an earlier `welcome` said; null: a new guest",
        "name": "what one wants to be called: 1 to 24 characters (1.3); null: no change",
        "agent": "the client's own name and version, for the operators; null: not told",
    },
    "Create": {
        "game": "one of the `games` of the `welcome`",
        "size": "one of the game's `sizes`; null: its default",
        "seat": "the seat that the maker takes; null: none",
        "clock": "how the room is timed (9.1); null: not at all",
    },
    "Join": {
        "seat": "the seat to take, `any` for the first free one; null: none",
        "nonce": "needed with `seat`, and only there (2.3)",
        "since": "the place that one knows, to be sent only what came after it; null: a snapshot",
    },
    "Act": {"turn": "the turn for which the action was thought out (6.3)"},
    "Resign": {"seat": "for who holds both; null: the one that is to act"},
    "LegalQuery": {"prefix": "what the actions asked for begin with; empty: all (6.4)"},
    "LogQuery": {"first": "the first event wanted"},
    "RoomsQuery": {"limit": "rooms at most"},
    "Report": {
        "epoch": "of the event after which the board differed",
        "seq": "of the event after which the board differed",
        "problem": "`mismatch`: for the first time; `desync`: again, after a fresh snapshot (6.2)",
    },
    "Fischer": {
        "main": "main time, in seconds",
        "increment": "seconds added after each turn",
    },
    "Byoyomi": {
        "main": "main time, in seconds",
        "periods": "how many periods follow the main time",
        "period": "a period's length, in seconds",
    },
    "Turnwise": {"time": "seconds for each turn"},
    "Correspondence": {"days": "days for each turn"},
    "Ok": {
        "room": "the room that the request was about, or that was made",
        "seats": "the seats that one holds in the room",
        "place": "of the event that the request caused; after `join`: the room's",
        "turn": "the room's turn after that",
        "resumed": "after `join`: true if the events after `since` follow, false: a snapshot",
        "welcome": "the answer to `hello`",
        "legal": "the answer to `legal`",
        "rooms": "the answer to `rooms`",
        "log": "the answer to `log`",
        "now": "the answer to `ping`: the store's time, in ms since 1970",
    },
    "Welcome": {
        "protocol": "the protocol and its version: `pierule.1`",
        "server": "the server's own version; it means nothing",
        "name": "one's name",
        "limits": "what holds here (1.6)",
        "games": "the games that can be played here",
        "features": "what this server can do (15.4); ignore what you do not know",
        "token": "the user: for every later `hello`; keep it, and keep it secret",
    },
    "Limits": {
        "frame_bytes": "bytes of one message",
        "rooms_followed": "rooms that one connection follows",
        "errors": "frames of a connection that are no messages",
        "hello_seconds": "seconds until hello must have come",
        "ping_seconds": "seconds between the server's pings, and for their answers",
        "connection_rate": "requests a second of one connection",
        "connection_burst": "requests of one connection at once after a silence",
        "user_rate": "requests a second of one user",
        "user_burst": "requests of one user at once after a silence",
        "connections_per_user": "connections of one user to this node",
        "rooms_per_user": "rooms, open or running, that one user made or sits in",
    },
    "GameOptions": {
        "sizes": "the sizes that there are",
        "default_size": "the size without one in `create`",
    },
    "Legal": {
        "turn": "the turn that this holds for",
        "total": "how many actions begin with the prefix",
        "next": "what may be appended to the prefix",
        "actions": "all of them, if no more than 1 000; else null",
        "template": "in set-up phases: what an action is put together from",
    },
    "LegalPart": {
        "what": "`komi`, `shooter` or `stone`",
        "count": "how many",
        "points": "where they may stand",
        "first": "the lowest number, of komi",
        "last": "the highest number",
        "step": "the step between the numbers",
    },
    "Card": {
        "names": "the names of who holds seat 0 and seat 1; null where it is free",
        "at": "the store's time of the latest event, in ms since 1970",
    },
    "Error": {
        "id": "the request's; null when it could not be read",
        "code": "one of section 7; there may come more",
        "text": "why, in words, for people",
        "field": "the field that was wrong",
        "rule": "`illegal`: which rule forbids it, by a short name (8.3)",
        "points": "`illegal`: the points that show it",
        "place": "`stale`: where the room is",
        "turn": "`stale`: the turn that the room is at",
        "late": "`flagged`: ms after the deadline",
        "retry_ms": "`rate`: ms to wait before the request is sent again",
    },
    "Snapshot": {"state": "all of the room (4.1)"},
    "RoomState": {
        "seq": "the event after which this is the state",
        "at": "the time of that event, in ms since 1970",
        "actions": "the actions that stand, in order",
        "position": "the position (5.1)",
    },
    "PositionState": {"cells": "the board, `size * size` values (5.2)"},
    "ClockState": {
        "hands": "what seat 0 and seat 1 had left when their last turns ended",
        "running": "the seat whose turn it is; null if no clock runs",
        "started": "when that turn began, in ms since 1970",
        "deadline": "the last moment at which its action counts, in ms since 1970; null if none",
    },
    "HandState": {
        "main": "main time, in ms",
        "periods": "periods left",
        "quota": "lag quota, in ms (9.5)",
    },
    "Result": {"reason": "`played`, `resigned`, `flagged`, `aborted`; there may come more"},
    "Event": {"diff": "what the event changed in the state (4.2)"},
    "Diff": {
        "actions": "new actions, that end at the new `ply` (4.2)",
        "position": "the changed fields of the position",
    },
    "PositionDiff": {"cells": "changed cells, as pairs of index and value"},
    "Presence": {
        "players": "whether the player of seat 0, and of seat 1, is connected",
        "spectators": "how many others follow the room, over all nodes",
    },
    "Notice": {
        "kind": "`draining`, `store_away`, `store_back`, `room_gone`; there may come more (1.5)",
        "seconds": "`draining`: until this connection is closed",
        "room": "`room_gone`: which one",
    },
    "Created": {
        "seat": "the seat that the maker takes; absent: none",
        "clock": "how the room is timed (9.1); absent: not at all",
    },
    "Acted": {
        "lag": "the round trip that was measured in this turn, in ms",
        "given": "how much of it the quota covered, in ms (9.5)",
    },
    "Credited": {
        "lost_from": "when the outage began, by the store's time in ms since 1970",
        "lost_to": "when it ended",
    },
    "RoomRecord": {
        "format": "always `pierule.room`",
        "version": "1",
        "options": "what was chosen when the room was made",
        "events": "all events of the log, in order",
        "final": "the room after the last of them",
    },
    "FinalState": {
        "place": "of the last event",
        "position": "the position's text (5.3)",
    },
}


def meaning(kind: str, field: str) -> str | None:
    """What a field of a type means; None for a field that nobody has described."""
    return _OWN.get(kind, {}).get(field) or _COMMON.get(field)
