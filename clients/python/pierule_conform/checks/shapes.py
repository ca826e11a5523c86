"""What the messages of a server look like, as a small table language over plain values.

A shape says which values fit, and `misfit` says in words why one does not. Fields that are not in a
shape are ignored, as clients must (SPEC 1.2); a field marked `?` may be left out or null, one
marked `~` only left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

U32 = range(2**32)
TIME = range(10**12, 10**14)
"""Milliseconds since 1970, of this century and the next: not seconds, not microseconds."""
SEAT = {0, 1}
ROOM = re.compile(r"[a-z]{1,32}")
COUNT = range(2**31)
CELL = range(63)

PROOF = re.compile(r".{0,64}", re.DOTALL)
PLACE = {"epoch": range(1, 2**32), "seq": range(1, 2**32), "chain": U32}
STANDING = {"rating": range(-(10**5), 10**5), "deviation": range(1, 1_000)}
HOLDER = {"user": str, "name": str, "bot?": bool, "registered?": bool, "standing?": STANDING}
HAND = {"main": COUNT, "periods": COUNT, "quota": COUNT}
CONTROL = {"kind": str}
CLOCK = {"hands": (HAND, HAND), "running?": SEAT, "started": range(10**14), "deadline?": TIME,
         "paused?": TIME}  # fmt: skip
OFFER = {None, "takeback", "draw", "pause", "resume", "rematch"}
RESULT = {"winner?": {0, 1, "draw"}, "reason": str}
POSITION = {
    "game": str,
    "size": range(1, 100),
    "phase": str,
    "to_act?": SEAT,
    "black?": SEAT,
    "komi?": COUNT,
    "passes": range(3),
    "score": (COUNT, COUNT),
    "winner?": {0, 1, "draw"},
    "cells": [CELL],
}
STATE = {
    "room": ROOM,
    **PLACE,
    "at": TIME,
    "digest": U32,
    "status": {"open", "running", "over"},
    "seats": ("?", "?"),
    "turn": COUNT,
    "ply": COUNT,
    "actions": [str],
    "position": Mapping,
    "control?": CONTROL,
    "clock?": CLOCK,
    "result?": RESULT,
    "offers": (OFFER, OFFER),
    "access": {"public", "unlisted", "private"},
    "delay": range(51),
    "rematch_of?": ROOM,
    "rematch?": ROOM,
}
POSITION_DIFF = {f"{name}~" if name[-1] != "?" else name: POSITION[name] for name in POSITION} | {
    "cells~": [(COUNT, CELL)]
}
DIFF = {
    "status~": STATE["status"],
    "seats~": STATE["seats"],
    "turn~": COUNT,
    "ply~": COUNT,
    "actions~": [str],
    "position~": POSITION_DIFF,
    "clock?": CLOCK,
    "result?": RESULT,
    "offers~": STATE["offers"],
    "rematch?": ROOM,
}
EVENT = {"room": ROOM, **PLACE, "at": TIME, "record": str, "diff": Mapping, "digest": U32,
         "proof?": PROOF}  # fmt: skip
SNAPSHOT = {"state": STATE, "proof?": PROOF}
PRESENCE = {"room": ROOM, "players": (bool, bool), "spectators": COUNT,
            "gone?": ("?", "?"), "claim?": ("?", "?")}  # fmt: skip
CHANNEL = {"players", "spectators"}
CHAT_MESSAGE = {"seq": COUNT, "at": TIME, "user": str, "name?": str, "text?": str}
CHAT = {"room": ROOM, "channel": CHANNEL, "messages": [CHAT_MESSAGE]}
NOTICE = {"kind": str, "seconds?": COUNT, "room?": ROOM, "text?": str, "at?": TIME,
          "nonce?": str, "challenge?": str}  # fmt: skip
PAIRED = {"nonce": str, "room": ROOM, "seat": SEAT}
ERROR = {"id?": U32, "code": str, "text": str}
ENTRY = {**PLACE, "at": TIME, "record": str, "digest": U32}
LIMITS = ("frame_bytes", "rooms_followed", "errors", "hello_seconds", "ping_seconds")
WELCOME = {
    "protocol": {"pierule.1"},
    "server": str,
    "user": str,
    "name": str,
    "token": str,
    "limits": dict.fromkeys(LIMITS, COUNT),
    "games": [{"game": str, "sizes": [range(1, 100)], "default_size": range(1, 100),
               "draws": bool}],
    "features": [str],
}  # fmt: skip
LEGAL = {"turn": COUNT, "total": COUNT}
CARD = {"room": ROOM, "game": str, "size": range(1, 100), "status": {"open", "running"},
        "names": ("?", "?"), "turn": COUNT, "at": TIME, "control?": CONTROL,
        "bots?": (bool, bool), "away?": bool, "rated?": bool, "standings?": ("?", "?")}  # fmt: skip
CHALLENGED = {"challenge": str, "user": str, "name": str, "game": str, "size": range(1, 100),
              "control?": CONTROL, "seat?": SEAT}  # fmt: skip
POOL = {"game": str, "size": range(1, 100), "control?": CONTROL, "waiting": COUNT}
LOBBY_ROOM = {"card": CARD, "spectators": COUNT}
FREE_BOTS = {"bot_level": str, "free": COUNT}
LOBBY = {"seq": COUNT, "rooms": [LOBBY_ROOM], "pools": [POOL], "bots?": COUNT,
         "bot_levels~": [FREE_BOTS]}  # fmt: skip
LOBBY_CHANGE = {
    "seq": COUNT,
    "rooms~": [LOBBY_ROOM],
    "gone~": [ROOM],
    "pools~": [POOL],
    "bots?": COUNT,
    "bot_levels~": [FREE_BOTS],
}
DONE = {"room": ROOM, "place": {**PLACE, "proof?": PROOF}, "turn": COUNT}
OK = {
    "hello": {"welcome": WELCOME},
    "create": {**DONE, "seats": [SEAT]},
    "join": {**DONE, "seats": [SEAT], "resumed": bool},
    "leave": {"room": ROOM},
    "act": DONE,
    "resign": DONE,
    "legal": {"room": ROOM, "legal": LEGAL},
    "log": {"room": ROOM, "log": [ENTRY]},
    "receipt": {"room": ROOM, "receipt": {**PLACE, "log": str, "key": str, "signature": str}},
    "rooms": {"rooms": [CARD]},
    "replay": {"replay": {"position": POSITION, "diffs": [POSITION_DIFF]}},
    "game": {"document": str},
    "ping": {"now": TIME},
    "board_mismatch": {"room": ROOM},
    "say": CHAT,
    "chat_history": CHAT,
    "report_message": {"room": ROOM},
    "block": {"block_list": [{"user": str, "level": {"mute", "block"}}]},
    "abort": DONE,
    "offer": DONE,
    "accept": DONE,
    "decline": DONE,
    "withdraw": DONE,
    "claim": DONE,
    "seek": {"room?": ROOM, "seats~": [SEAT]},
    "stand_in": {"room?": ROOM, "seats~": [SEAT]},
    "cancel_seek": {"room?": ROOM, "seats~": [SEAT]},
    "challenge": {"room?": ROOM, "seats~": [SEAT]},
    "withdraw_challenge": {"room?": ROOM, "seats~": [SEAT]},
    "answer_challenge": {"room?": ROOM, "seats~": [SEAT]},
    "register": {"account": {"name": str, "recovery": str, "token": str}},
    "end_sessions": {"token": str},
    "delete_account": {},
    "download_account": {"lines": [str], "next?": str},
    "set_webhook": {"secret?": str},
    "lobby": {},
    "my_rooms": {"my_rooms": [{"card": CARD, "seats": [SEAT], "to_act?": SEAT, "aside?": bool}]},
}
"""What the `ok` to each request carries."""

AGREED = {"seat": SEAT, "nonce": str}
DEALT = {**AGREED, "what": OFFER - {None}}
RECORDS = {
    "created": {"game": str, "size": COUNT, "user": str, "name": str, "nonce": str,
                "seat?": SEAT, "clock?": CONTROL, "access?": {"public", "unlisted", "private"},
                "invitation?": re.compile("[0-9a-f]{64}"), "delay?": range(51),
                "players?": (HOLDER, HOLDER), "rematch_of?": ROOM, "bot?": bool,
                "standing?": STANDING},
    "seated": {"seat": SEAT, "user": str, "name": str, "nonce": str, "bot?": bool,
               "standing?": STANDING},
    "acted": {"seat": SEAT, "action": str, "lag?": COUNT, "given?": COUNT},
    "resigned": {"seat": SEAT, "nonce": str},
    "flagged": {"seat": SEAT},
    "closed": {"text": str},
    "aborted": {"seat?": SEAT, "nonce?": str},
    "offered": DEALT,
    "declined": DEALT,
    "withdrawn": DEALT,
    "taken_back": AGREED,
    "drawn": AGREED,
    "paused": AGREED,
    "resumed": {"seat?": SEAT, "nonce?": str},
    "rematching": AGREED,
    "claimed": {**AGREED, "outcome": {"win", "abort"}, "gone": TIME, "bound": COUNT},
    "rematched": {**AGREED, "room": ROOM},
    "credited": {"lost_from": TIME, "lost_to": TIME},
    "renewed": {},
}  # fmt: skip


def misfit(value: Any, shape: Any, path: str = "") -> str | None:
    """Where and how a value differs from a shape, in words; None if it fits."""
    if shape == "?":
        return None
    if isinstance(shape, dict):
        return _misfit_of_map(value, shape, path)
    here = path or "the message"
    if isinstance(shape, tuple):
        if not isinstance(value, list) or len(value) != len(shape):
            return f"{here}: a list of {len(shape)}"
        return _first(value, shape, path)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{here}: a list"
        return _first(value, shape * len(value), path)
    if isinstance(shape, range):
        good = type(value) is int and value in shape
        return None if good else f"{here}: an integer from {shape.start} to {shape.stop - 1}"
    if isinstance(shape, set):
        good = type(value) is not bool and value in shape if _hashable(value) else False
        return None if good else f"{here}: one of {', '.join(sorted(map(str, shape)))}"
    if isinstance(shape, re.Pattern):
        good = isinstance(value, str) and shape.fullmatch(value) is not None
        return None if good else f"{here}: text like {shape.pattern}"
    return None if isinstance(value, shape) else f"{here}: {_WORDS.get(shape, shape.__name__)}"


_WORDS = {str: "text", bool: "true or false", Mapping: "a map"}


def _misfit_of_map(value: Any, shape: Mapping[str, Any], path: str) -> str | None:
    if not isinstance(value, dict):
        return f"{path or 'the message'}: a map"
    for marked, inner in shape.items():
        name = marked.rstrip("?~")
        inside = f"{path}.{name}" if path else name
        found = value.get(name)
        if found is None and (marked[-1] == "?" or (marked[-1] == "~" and name not in value)):
            continue
        if found is None and name not in value:
            return f"{inside}: must be there"
        wrong = misfit(found, inner, inside)
        if wrong is not None:
            return wrong
    return None


def _first(values: list[Any], shapes: Any, path: str) -> str | None:
    for number, (value, shape) in enumerate(zip(values, shapes, strict=True)):
        wrong = misfit(value, shape, f"{path}[{number}]")
        if wrong is not None:
            return wrong
    return None


def _hashable(value: Any) -> bool:
    return isinstance(value, str | int) or value is None


TIMES = ("at", "now", "started", "deadline", "paused", "gone", "claim", "lost_from",
         "lost_to")  # fmt: skip
"""Fields whose numbers may have up to 53 bits (SPEC 1.8)."""


def oddity(value: Any, name: Any = "") -> str | None:
    """The first value in a message that the protocol does not have (SPEC 1.8), in words; or
    None."""
    if isinstance(value, dict):
        strange = [key for key in value if not isinstance(key, str)]
        if strange:
            return f"keys of text, not {strange[0]!r}"
        found = [oddity(inner, key) for key, inner in value.items()]
    elif isinstance(value, list):
        found = [oddity(inner, name) for inner in value]
    elif type(value) is int:
        most = 2**53 if name in TIMES else 2**32 - 1
        return None if 0 <= value <= most else f"{name} from 0 to {most}"
    else:
        plain = value is None or isinstance(value, str | bool)
        return None if plain else f"{name}: no {type(value).__name__}"
    return next((one for one in found if one is not None), None)


def has_float(value: Any) -> bool:
    """Whether a float lies anywhere in a message (SPEC 1.2)."""
    if isinstance(value, dict):
        return any(has_float(inner) for inner in value.values())
    if isinstance(value, list):
        return any(has_float(inner) for inner in value)
    return isinstance(value, float)
