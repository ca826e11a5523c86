"""What every field of every message means, in words: for the JSON Schema, the AsyncAPI document and
the reference in the SPEC. A test checks that no field is missing. Here are the fields that mean the
same in many types; all others are described beside their types: in `request_fields.py` and
`reply_fields.py` of `messages`, and in `fields.py` of `games`, `log` and `state`.
"""

from __future__ import annotations

from typing import Final

from pierule_protocol.games.fields import FIELDS as GAME_FIELDS
from pierule_protocol.log.fields import FIELDS as LOG_FIELDS
from pierule_protocol.messages.reply_fields import FIELDS as REPLY_FIELDS
from pierule_protocol.messages.request_fields import FIELDS as REQUEST_FIELDS
from pierule_protocol.state.fields import FIELDS as STATE_FIELDS

_COMMON: Final = {
    "id": "a number that the client chooses; the answer repeats it",
    "room": "the room's id",
    "epoch": "the life of the room's log (3.2)",
    "seq": "the event's number in the log: 1, 2, 3, … (3.2)",
    "chain": "the CRC over all events so far (3.4)",
    "at": "the store's time, in ms since 1970",
    "digest": "the digest of the position (5.4)",
    "record": "the event as the log keeps it: JSON text (3.3)",
    "nonce": "names the intention, which makes a retry safe (2.3)",
    "seat": "seat 0 or 1",
    "turn": "how many actions and takebacks the room has seen (3.5)",
    "place": "a place in the room's log",
    "proof": "opaque text that proves the place; send it back in `since` (6.13); null: none",
    "game": "the name of the game",
    "size": "the board's size",
    "status": "`open` (a seat is free), `running` or `over`",
    "bot": "whether the user has said that it is a bot",
    "seats": "the users in seat 0 and seat 1; null: the seat is free",
    "ply": "how many actions stand (3.5)",
    "clock": "both clocks (9.7); null: the room has none",
    "control": "how the room is timed (9.1); null: not at all",
    "result": "how the room ended; null: it has not ended",
    "user": "the user's id, which never changes",
    "name": "the user's name, as others see it: text that nobody has checked",
    "kind": "the kind, on which the other fields depend",
    "phase": "the game's phase (8.1)",
    "to_act": "the seat that acts next; null when the game is over",
    "black": "the seat that plays Black; null until the colors are chosen",
    "komi": "points that White gets; null: there is no komi, or it is not set yet",
    "passes": "how many of the last actions were passes, 0 to 2",
    "score": "the present score of Black and of White, including the komi",
    "winner": "the seat that has won, `draw`, or null",
    "action": "the action, in the game's notation (8)",
    "channel": "`players` or `spectators` (21.1)",
    "level": "`mute` or `block`",
    "what": "`takeback`, `draw`, `pause`, `resume` or `rematch` (19)",
    "offers": "what the players of seat 0 and seat 1 offer (19.1); null: nothing",
    "outcome": "`win`: you win; `abort`: nobody wins",
    "access": "`public` (listings show the room), `unlisted`, or `private` (20)",
    "delay": "plies that spectators are behind (20.5)",
    "rematch_of": "the room whose rematch this is (19.7); null: none",
    "rules": "the version of the game's rules (26.14)",
    "rated": "whether the game is to count for ratings: `yes`, `no`, or `either`: if it can (30.1)",
    "unrated": "why the game does not count for ratings (30.2); null: no reason so far",
    "registered": "whether the user had a registered name when they sat down (30.1)",
    "standing": "the user's rating in the game when they sat down, if they had one (30.6); for a "
    "bot, its fixed rating (30.9)",
    "rematch": "the room of the rematch, once it exists (19.7)",
}

_OWN: Final[dict[str, dict[str, str]]] = {
    **REQUEST_FIELDS,
    **REPLY_FIELDS,
    **GAME_FIELDS,
    **LOG_FIELDS,
    **STATE_FIELDS,
}


def meaning(kind: str, field: str) -> str | None:
    """What a field of a type means; None if nobody has described the field."""
    return _OWN.get(kind, {}).get(field) or _COMMON.get(field)
