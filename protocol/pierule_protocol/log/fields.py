"""What every field of an event, a record and a clock's options means, in words (SPEC 3, 9)."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
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
    "Created": {
        "seat": "the seat that the maker takes; absent: none",
        "clock": "how the room is timed (9.1); absent: not at all",
        "invitation": "the SHA-256 of a private room's invitation, in 64 hexadecimal digits",
        "players": "who holds seat 0 and seat 1 from the start; absent: nobody but the maker",
    },
    "Aborted": {
        "seat": "who aborted it; absent: it did not begin in time, or was abandoned",
        "nonce": "as in the request; absent without a seat",
    },
    "Declined": {"seat": "who declined it"},
    "Withdrawn": {"seat": "who had offered it"},
    "Offered": {"seat": "who offers it"},
    "TakenBack": {"seat": "who allowed it"},
    "Drawn": {"seat": "who accepted it"},
    "Paused": {"seat": "who accepted it"},
    "Resumed": {
        "seat": "who accepted it; absent: the pause has reached its longest time",
        "nonce": "as in the request; absent without a seat",
    },
    "Rematching": {"seat": "who accepted it"},
    "Rematched": {"seat": "who accepted it", "room": "the id of the new room"},
    "Claimed": {
        "seat": "who claims the game",
        "gone": "since when the other player was gone, by the store's time in ms since 1970",
        "bound": "for how many ms that player must have been gone (25.2)",
    },
    "Acted": {
        "lag": "the round trip measured in this turn, in ms",
        "given": "how much of it the quota covered, in ms (9.5)",
    },
    "Credited": {
        "lost_from": "when the outage began, by the store's time in ms since 1970",
        "lost_to": "when it ended",
    },
    "RoomRecord": {
        "format": "always `pierule.room`",
        "version": "1",
        "options": "the choices made when the room was created",
        "events": "all events of the log, in order",
        "final": "the room after the last of them",
        "feed": "the game's number in an archive (17.4)",
        "proof": "who signed it (28)",
        "receipt": "who acknowledged its events, while the server still had them (28.10)",
    },
    "Analysis": {
        "format": "always `pierule.analysis`",
        "version": "1",
        "game": "the name of the game",
        "size": "the board's size",
        "rules": "the version of the rules (26.14)",
        "comment": "what is said about the opening",
        "nodes": "the actions, at most 2 000: each has the number of its place, from 1 on",
        "record": "the record of the room that is analyzed; if left out: no room was analyzed",
    },
    "AnalysisNode": {
        "after": "the number of the node after which it is played; 0: the opening",
        "action": "the action",
        "symbol": "how good it is: `!` good, `?` bad, `!!` very good, `??` very bad, `!?` "
        "interesting, `?!` doubtful; empty: nothing is said",
        "comment": "what is said about it, at most 1 000 characters",
    },
    "Proof": {
        "key": "the id of the key that signed (28.4)",
        "signature": "the signature, in hexadecimal (28.2)",
    },
    "Receipt": {
        "epoch": "of the last event that is signed",
        "seq": "how many events are signed: all from 1 on",
        "chain": "of the last event that is signed",
        "log": "the hash of these events (28.1)",
        "key": "the id of the key that signed (28.4)",
        "signature": "the signature, in hexadecimal (28.10)",
    },
    "Amendment": {
        "format": "always `pierule.amendment`",
        "version": "1",
        "log": "the hash of the log of the game (28.1)",
        "kind": "what was decided: the result is void",
        "at": "when, by the store's time in ms since 1970",
        "text": "why; no signature covers it",
        "feed": "the number of the amendment in the archive",
        "proof": "who signed it",
    },
    "Digest": {
        "format": "always `pierule.digest`",
        "version": "1",
        "number": "the number of the digest, from 1 on",
        "first": "the first feed number that it covers",
        "last": "the last one",
        "previous": "the hash of the digest before it (28.5); null for the first",
        "leaves": "for each feed number a pair: its leaf (28.5), and the room's id, or null",
        "key": "the id of the key that signed it",
        "signature": "the signature, in hexadecimal",
    },
    "FinalState": {
        "place": "of the last event",
        "position": "the position's text (5.3)",
    },
}
