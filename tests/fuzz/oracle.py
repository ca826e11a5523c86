"""What may become of any input at all: it is accepted, or refused with a documented error.

The tests with hypothesis and the fuzzer with atheris ask the same questions.
"""

from __future__ import annotations

import msgspec

from pierule_protocol.codec import BadMessage, Codec, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import ClientMessage, Error, ServerMessage

CODECS = server_codecs()
_CLIENTS = client_codecs()
REFUSALS = {Code.MALFORMED, Code.UNKNOWN_TYPE, Code.BAD_FIELD}
SHORT = 201
"""Characters that an error may say at most, however long the input."""


def check_decoder(codec: Codec[ClientMessage], data: bytes) -> ClientMessage | None:
    """The message that is in `data`; None if it is refused, in order. Fails for all else."""
    text: bytes | str = data
    if codec.text:
        try:
            text = data.decode()  # the WebSocket is closed with 1007 for what cannot be
        except UnicodeDecodeError:
            return None
    try:
        message = codec.decode(text)
    except BadMessage as bad:
        _check_refusal(codec, bad)
        return None
    again = codec.decode(_wire(codec, codec.encode(message)))
    assert again == message, "what was accepted is not what it says"
    return message


def _check_refusal(codec: Codec[ClientMessage], bad: BadMessage) -> None:
    assert bad.code in REFUSALS
    assert 0 < len(bad.text) < SHORT
    assert bad.field is None or len(bad.field) < SHORT
    assert bad.id is None or 0 <= bad.id < 2**32
    error = Error(id=bad.id, code=bad.code, text=bad.text, field=bad.field)
    assert told(codec, error) == error


def told(codec: Codec[ClientMessage], message: ServerMessage) -> ServerMessage:
    """What a client reads of a message: it must be possible to write it at all."""
    return _CLIENTS[codec.subprotocol].decode(_wire(codec, codec.encode(message)))


def _wire(codec: Codec[ClientMessage], data: bytes) -> bytes | str:
    return data.decode() if codec.text else data


def seeds(codec: Codec[ClientMessage]) -> list[bytes]:
    """Some input to begin with: every request, and some that go wrong."""
    requests: list[dict[str, object]] = [
        {"type": "hello", "id": 0, "name": "Ada", "token": "x.y.z"},
        {"type": "create", "id": 1, "nonce": "n", "game": "loose", "size": 9, "seat": 0,
         "clock": {"kind": "fischer", "main": 60, "increment": 5}},
        {"type": "create", "id": 1, "nonce": "n", "game": "taugo",
         "clock": {"kind": "byoyomi", "main": 60, "periods": 3, "period": 30}},
        {"type": "join", "id": 2, "room": "abc", "seat": "any", "nonce": "m",
         "since": {"epoch": 1, "seq": 2, "chain": 3}},
        {"type": "act", "id": 3, "room": "abc", "turn": 0, "action": "komi:12"},
        {"type": "resign", "id": 4, "room": "abc", "nonce": "r", "seat": 1},
        {"type": "create", "id": 1, "nonce": "p", "game": "taugo", "seat": "random",
         "access": "private", "invitation": "i" * 16, "delay": 3},
        {"type": "offer", "id": 9, "room": "abc", "what": "draw", "nonce": "o"},
        {"type": "accept", "id": 9, "room": "abc", "what": "takeback", "turn": 2, "nonce": "p"},
        {"type": "legal", "id": 5, "room": "abc", "prefix": "c1"},
        {"type": "log", "id": 6, "room": "abc", "first": 2},
        {"type": "rooms", "id": 7, "limit": 9},
        {"type": "ping", "id": 2**32},
        {"type": "leave", "id": -1, "room": "Ä"},
        {"type": "seek", "id": 8, "nonce": "s", "game": "loose"},
        {"type": "challenge", "id": 9, "nonce": "s", "to": "bert", "game": "loose", "seat": 1},
        {"type": "answer_challenge", "id": 10, "challenge": "c", "accept": True},
        {"type": "lobby", "id": 11, "watch": True},
        {"type": "my_rooms", "id": 12},
        {"type": "nothing", "id": 8.5, "x": [[{}]]},
    ]  # fmt: skip
    encode = msgspec.json.encode if codec.text else msgspec.msgpack.encode
    return [encode(request) for request in requests]
