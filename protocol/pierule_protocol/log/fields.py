"""What every field of an event, a record and a clock's options means, in words (SPEC 3, 9)."""

from __future__ import annotations

from typing import Final

FIELDS: Final[dict[str, dict[str, str]]] = {
    "Closed": {
        "text": "the reason: in the operators' words, or in English",
        "by": "`operators`, or `limit`: the server (9.11); later versions may have more",
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
    "Created": {
        "seat": "the seat that the maker takes; absent: none",
        "clock": "how the room is timed (9.1); absent: not at all",
        "invitation": "the SHA-256 of a private room's invitation, in 64 hexadecimal digits",
        "players": "the users in seat 0 and seat 1 from the start; absent: nobody but the maker",
    },
    "Aborted": {
        "seat": "the seat that aborted it; absent: it did not begin in time, or was abandoned",
        "nonce": "as in the request; absent without a seat",
    },
    "Declined": {"seat": "the seat that declined"},
    "Withdrawn": {"seat": "the seat that had made the offer"},
    "Offered": {"seat": "the seat that made the offer"},
    "TakenBack": {"seat": "the seat that allowed it"},
    "Drawn": {"seat": "the seat that accepted"},
    "Paused": {"seat": "the seat that accepted"},
    "Resumed": {
        "seat": "the seat that accepted; absent: the pause has reached its longest time",
        "nonce": "as in the request; absent without a seat",
    },
    "Rematching": {"seat": "the seat that accepted"},
    "Rematched": {"seat": "the seat that accepted", "room": "the id of the new room"},
    "Claimed": {
        "seat": "the seat that claims the game",
        "gone": "since when the other player was gone, by the store's time in ms since 1970",
        "bound": "how many ms that player must have been gone (25.2)",
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
        "final": "the room after the last event",
        "feed": "the game's number in an archive (17.4)",
        "proof": "the signature of the server that archived the game (28)",
        "receipt": "the signature of a server that acknowledged these events (28.10)",
    },
    "Analysis": {
        "format": "always `pierule.analysis`",
        "version": "1",
        "game": "the name of the game",
        "size": "the board's size",
        "rules": "the version of the rules (26.14)",
        "comment": "a comment on the opening",
        "nodes": "the actions, at most 2,000; nodes are numbered in this order, from 1",
        "record": "the record of the analyzed room; absent: the analysis is not of a room",
    },
    "AnalysisNode": {
        "after": "the number of the node after which it is played; 0: the opening",
        "action": "the action",
        "symbol": "how good it is: `!` good, `?` bad, `!!` very good, `??` very bad, `!?` "
        "interesting, `?!` doubtful; empty: no judgment",
        "comment": "a comment on it, at most 1,000 characters",
    },
    "Proof": {
        "key": "the id of the key that signed (28.4)",
        "signature": "the signature, in hexadecimal (28.2)",
    },
    "Receipt": {
        "epoch": "the epoch of the last signed event",
        "seq": "how many events are signed, from the first on",
        "chain": "the chain of the last signed event",
        "log": "the hash of these events (28.1)",
        "key": "the id of the key that signed (28.4)",
        "signature": "the signature, in hexadecimal (28.10)",
    },
    "Amendment": {
        "format": "always `pierule.amendment`",
        "version": "1",
        "log": "the hash of the log of the game (28.1)",
        "kind": "the decision: the result is void",
        "at": "when, by the store's time in ms since 1970",
        "text": "the reason; no signature covers it",
        "feed": "the number of the amendment in the archive",
        "proof": "the server's signature",
    },
    "Digest": {
        "format": "always `pierule.digest`",
        "version": "1",
        "number": "the number of the digest, from 1 on",
        "first": "the first feed number that it covers",
        "last": "the last feed number that it covers",
        "previous": "the hash of the digest before it (28.5); null for the first",
        "leaves": "for each feed number, a pair: its leaf (28.5), and the room's id, or null",
        "key": "the id of the key that signed it",
        "signature": "the signature, in hexadecimal",
    },
    "FinalState": {
        "place": "the place of the last event",
        "position": "the position's text (5.3)",
    },
}
