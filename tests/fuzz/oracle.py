"""What may become of any input at all: it is accepted, or refused with a documented error.

The tests with hypothesis and the fuzzer with atheris ask the same questions.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st

from pierule_protocol.codec import BadMessage, Codec, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import ClientMessage, Error, ServerMessage
from support.vectors.examples import requests

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
    """Some input to begin with: an example of every request, and some that go wrong."""
    wrong: list[dict[str, object]] = [
        {"type": "ping", "id": 2**32},
        {"type": "leave", "id": -1, "room": "Ä"},
        {"type": "nothing", "id": 8.5, "x": [[{}]]},
        {"type": "act", "id": 3, "room": "abc", "turn": 0, "action": 12},
        {"type": "join", "id": 2, "since": {"epoch": "1", "seq": None}},
    ]
    encode = msgspec.json.encode if codec.text else msgspec.msgpack.encode
    examples = (codec.encode(request) for request in requests().values())
    return [*examples, *(encode(request) for request in wrong)]


@st.composite
def changed(draw: st.DrawFn, inputs: list[bytes]) -> bytes:
    """One of these inputs with up to four places changed."""
    data = bytearray(draw(st.sampled_from(inputs)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    return bytes(data)
