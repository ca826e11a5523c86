"""codec.json: bytes with their messages, and bytes that are refused."""

from __future__ import annotations

from typing import Any

import msgspec

from pierule_protocol.codec import BadMessage, Codec, client_codecs, server_codecs
from support.vectors.examples import replies, requests
from support.vectors.layout import plain

ABOUT = (
    "Bytes and messages (SPEC 1.2). `json` is a text frame, `msgpack` a binary frame in hex. "
    "`messages`: both decode to `message`; an encoder may write other bytes that do. `accepted`: "
    "other bytes that must be read as `message`. `refused`: what a server must refuse, with the "
    "code, and with the field and id if it names them. `ignored`: what a client must skip."
)


def build() -> dict[str, Any]:
    """The file."""
    return {
        "about": ABOUT,
        "messages": [
            *(_both("client", name, message) for name, message in requests().items()),
            *(_both("server", name, message) for name, message in replies().items()),
        ],
        "accepted": [*_accepted_requests(), *_accepted_replies()],
        "refused": [*_refused()],
        "ignored": [
            {"name": name, "json": msgspec.json.encode(message).decode(),
             "msgpack": msgspec.msgpack.encode(message).hex()}
            for name, message in _IGNORED.items()
        ],
    }  # fmt: skip


def _both(sender: str, name: str, message: Any) -> dict[str, Any]:
    return {
        "name": name,
        "from": sender,
        "message": plain(message),
        "json": msgspec.json.encode(message).decode(),
        "msgpack": msgspec.msgpack.encode(message).hex(),
    }


_PING = {"type": "ping", "id": 7}

_ACCEPTED_JSON = {
    "spaces-and-order": ' { "id" : 7 ,\n"type":"ping" } ',
    "duplicate-key-last-wins": '{"type":"ping","id":6,"id":7}',
    "null-is-absent": '{"type":"hello","id":7,"token":null,"name":null}',
    "escapes": '{"type":"leave","id":7,"room":"\\u006bobadimu"}',
    "defaults": '{"type":"log","id":7,"room":"kobadimu","first":1}',
}
_ACCEPTED_HEX = {
    "wide-integer": "82a474797065a470696e67a26964cf0000000000000007",
    "wide-string-and-map": "df00000002d90474797065db0000000470696e67a2696407",
    "null-is-absent": "84a474797065a568656c6c6fa2696407a5746f6b656ec0a46e616d65c0",
    "duplicate-key-last-wins": "83a474797065a470696e67a2696406a2696407",
}


def _accepted_requests() -> list[dict[str, Any]]:
    json, msgpack = server_codecs()["pierule.1.json"], server_codecs()["pierule.1.msgpack"]
    return [
        *({"name": name, "from": "client", "json": text, "message": plain(json.decode(text))}
          for name, text in _ACCEPTED_JSON.items()),
        *({"name": name, "from": "client", "msgpack": code,
           "message": plain(msgpack.decode(bytes.fromhex(code)))}
          for name, code in _ACCEPTED_HEX.items()),
    ]  # fmt: skip


def _accepted_replies() -> list[dict[str, Any]]:
    """Messages of a later server: fields and codes that do not exist yet."""
    later = {
        "unknown-fields": {
            "type": "ok", "id": 5, "room": "kobadimu", "turn": 3, "warmth": {"of": ["a", 1]},
            "place": {"epoch": 1, "seq": 5, "chain": 99, "shard": 4},
        },
        "unknown-code": {"type": "error", "id": 5, "code": "too_late_at_night", "text": "sleep"},
        "unknown-notice": {"type": "notice", "kind": "cake", "pieces": 8},
        "missing-defaults": {"type": "notice", "kind": "draining"},
    }  # fmt: skip
    json, msgpack = client_codecs()["pierule.1.json"], client_codecs()["pierule.1.msgpack"]
    found = []
    for name, message in later.items():
        text, data = msgspec.json.encode(message), msgspec.msgpack.encode(message)
        read = plain(json.decode(text))
        assert read == plain(msgpack.decode(data))
        found.append({"name": name, "from": "server", "json": text.decode(),
                      "msgpack": data.hex(), "message": read})  # fmt: skip
    return found


_IGNORED = {
    "unknown-type": {"type": "weather", "sky": "clear"},
    "unknown-type-with-id": {"type": "whisper", "id": 5, "room": "kobadimu", "text": "psst"},
}

_BAD: dict[str, Any] = {
    "no-type": {"id": 7},
    "type-not-text": {"type": 7, "id": 7},
    "unknown-type": {"type": "fly", "id": 7},
    "type-of-an-answer": {"type": "ok", "id": 7},
    "no-id": {"type": "ping"},
    "id-null": {"type": "ping", "id": None},
    "id-text": {"type": "ping", "id": "7"},
    "id-negative": {"type": "ping", "id": -1},
    "id-too-large": {"type": "ping", "id": 2**32},
    "id-true": {"type": "ping", "id": True},
    "unknown-field": {"type": "ping", "id": 7, "loud": True},
    "missing-field": {"type": "leave", "id": 7},
    "room-in-capitals": {"type": "leave", "id": 7, "room": "KOBADIMU"},
    "room-empty": {"type": "leave", "id": 7, "room": ""},
    "room-too-long": {"type": "leave", "id": 7, "room": "a" * 33},
    "room-with-line-break": {"type": "leave", "id": 7, "room": "kobadimu\n"},
    "nonce-empty": {"type": "resign", "id": 7, "room": "kobadimu", "nonce": ""},
    "nonce-too-long": {"type": "resign", "id": 7, "room": "kobadimu", "nonce": "n" * 41},
    "nonce-with-space": {"type": "resign", "id": 7, "room": "kobadimu", "nonce": "a b"},
    "name-empty": {"type": "hello", "id": 7, "name": ""},
    "name-too-long": {"type": "hello", "id": 7, "name": "n" * 25},
    "agent-too-long": {"type": "hello", "id": 7, "agent": "a" * 81},
    "token-too-long": {"type": "hello", "id": 7, "token": "t" * 8193},
    "seat-2": {"type": "join", "id": 7, "room": "kobadimu", "seat": 2, "nonce": "n"},
    "since-incomplete": {"type": "join", "id": 7, "room": "kobadimu", "since": {"epoch": 1}},
    "since-unknown-field": {
        "type": "join", "id": 7, "room": "kobadimu",
        "since": {"epoch": 1, "seq": 1, "chain": 1, "digest": 1},
    },
    "since-long-proof": {
        "type": "join", "id": 7, "room": "kobadimu",
        "since": {"epoch": 1, "seq": 1, "chain": 1, "proof": "p" * 65},
    },
    "turn-negative": {"type": "act", "id": 7, "room": "kobadimu", "turn": -1, "action": "e5"},
    "turn-too-large": {"type": "act", "id": 7, "room": "kobadimu", "turn": 2**31, "action": "e5"},
    "turn-float": {"type": "act", "id": 7, "room": "kobadimu", "turn": 1.5, "action": "e5"},
    "action-too-long": {"type": "act", "id": 7, "room": "kobadimu", "turn": 1, "action": "e" * 65},
    "size-0": {"type": "create", "id": 7, "nonce": "n", "game": "loose", "size": 0},
    "clock-unknown-kind": {
        "type": "create", "id": 7, "nonce": "n", "game": "loose", "clock": {"kind": "hourglass"},
    },
    "clock-too-long": {
        "type": "create", "id": 7, "nonce": "n", "game": "loose",
        "clock": {"kind": "fischer", "main": 10_801},
    },
    "limit-101": {"type": "rooms", "id": 7, "limit": 101},
    "first-0": {"type": "log", "id": 7, "room": "kobadimu", "first": 0},
    "problem-unknown": {
        "type": "board_mismatch", "id": 7, "room": "kobadimu", "epoch": 1, "seq": 1,
        "problem": "ugly",
    },
    "line-empty": {"type": "say", "id": 7, "room": "kobadimu", "nonce": "n", "text": ""},
    "line-too-long": {
        "type": "say", "id": 7, "room": "kobadimu", "nonce": "n", "text": "x" * 301,
    },
    "channel-unknown": {"type": "chat_history", "id": 7, "room": "kobadimu", "channel": "all"},
    "manner-unknown": {"type": "block", "id": 7, "user": "eve", "how": "insult"},
    "not-a-map": [7, "ping"],
    "a-number": 7,
    "null": None,
}  # fmt: skip
"""Refused alike in both codecs."""

_BAD_JSON = {
    "empty": "",
    "blank": " ",
    "no-json": "ping",
    "cut-off": '{"type":"ping","id":7',
    "two-values": '{"type":"ping","id":7}{"type":"ping","id":8}',
    "nan": '{"type":"ping","id":NaN}',
    "huge-number": '{"type":"ping","id":1e400}',
    "lone-surrogate": '{"type":"leave","id":7,"room":"\\ud800"}',
    "trailing-comma": '{"type":"ping","id":7,}',
    "two-types": '{"type":"ping","type":"leave","id":7,"room":"kobadimu"}',
}
_BAD_HEX = {
    "empty": "",
    "cut-off": "82a474797065a470696e67a26964",
    "bytes-after-the-end": "82a474797065a470696e67a26964070a",
    "never-used-c1": "c1",
    "bad-utf8": "82a474797065a2fffea2696407",
    "nan": "82a474797065a470696e67a26964cb7ff8000000000000",
    "binary-as-text": "82a474797065c40470696e67a2696407",
    "key-is-a-number": "82a474797065a470696e670107",
    "claims-4-billion-items": "dfffffffff",
    "empty-binary": "83a474797065a56c65617665a2696407a4726f6f6dc400",
    "empty-extension": "83a474797065a56c65617665a2696407a4726f6f6dc70005",
    "time-stamp": "82a474797065a470696e67a26964d6ff00000000",
    "two-types": "84a474797065a470696e67a474797065a56c65617665a2696407a4726f6f6da86b6f626164696d75",
    "arrays-in-arrays": "dc3fff" * 100,
}


def _refused() -> list[dict[str, Any]]:
    json, msgpack = server_codecs()["pierule.1.json"], server_codecs()["pierule.1.msgpack"]
    found = []
    for name, message in _BAD.items():
        text, data = msgspec.json.encode(message).decode(), msgspec.msgpack.encode(message)
        why = _why(json, text)
        assert why == _why(msgpack, data), name
        found.append({"name": name, "json": text, "msgpack": data.hex(), **why})
    for name, text in _BAD_JSON.items():
        found.append({"name": name, "json": text, **_why(json, text)})
    for name, code in _BAD_HEX.items():
        found.append({"name": name, "msgpack": code, **_why(msgpack, bytes.fromhex(code))})
    return found


def _why(codec: Codec[Any], data: bytes | str) -> dict[str, Any]:
    try:
        codec.decode(data)
    except BadMessage as bad:
        return {"code": bad.code, "field": bad.field, "id": bad.id}
    raise AssertionError(f"was accepted: {data!r}")
