"""Bytes to messages and back, in both codecs (SPEC, Framing).

The one place where undecodable input is turned into an error; nothing else catches decoder
exceptions.
"""

from __future__ import annotations

import re
from typing import Any, Generic, TypeVar

import msgspec

from pierule_protocol.codes import Code
from pierule_protocol.messages import PROTOCOL, ClientMessage, ServerMessage

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)
"""All that the decoders raise on bad input; some of it lies outside of msgspec's own errors."""

_FIELD_IN_TEXT = re.compile(r"(?:field|at) `(?:\$\.)?(?P<field>[^`]*)`$")


_LONGEST = 200
"""Characters of an error's text at most: some of it is what the peer has sent."""


class BadMessage(Exception):
    """Bytes that are no message: why, where, and of which request if that could be read."""

    def __init__(self, code: Code, text: str, field: str | None, id_: int | None) -> None:
        self.text = text[:_LONGEST]
        super().__init__(self.text)
        self.code = code
        self.field = field and field[:_LONGEST]
        self.id = id_


class _Envelope(msgspec.Struct):
    """What is looked at of a message that could not be read whole."""

    id: Any = None
    type: Any = None


M = TypeVar("M")


class Codec(Generic[M]):
    """One wire format, reading messages of the type `M`.

    `text` says whether its frames are text frames. Decoders and encoders are msgspec's.
    """

    def __init__(self, name: str, text: bool, module: Any, reads: Any) -> None:
        self.subprotocol = f"{PROTOCOL}.{name}"
        self.text = text
        self.encode = module.Encoder().encode
        self._decode = module.Decoder(reads).decode
        self._envelope = module.Decoder(_Envelope).decode

    def decode(self, data: bytes | str) -> M:
        """The message in `data`. Raises BadMessage."""
        try:
            return self._decode(data)  # type: ignore[no-any-return]
        except _UNREADABLE as error:
            raise self._explain(data, error) from None

    def _explain(self, data: bytes | str, error: Exception) -> BadMessage:
        try:
            envelope = self._envelope(data)
        except _UNREADABLE:
            return BadMessage(Code.MALFORMED, f"not {self.subprotocol}: {error}", None, None)
        id_ = envelope.id
        if type(id_) is not int or not 0 <= id_ < 2**32:
            id_ = None
        match = _FIELD_IN_TEXT.search(str(error))
        field = match["field"].split("[")[0] if match else None
        if field == "type" and isinstance(envelope.type, str):
            return BadMessage(Code.UNKNOWN_TYPE, f"no request has the type {envelope.type[:40]!r}",
                              "type", id_)  # fmt: skip
        return BadMessage(Code.BAD_FIELD, str(error), field, id_)


def server_codecs() -> dict[str, Codec[ClientMessage]]:
    """What a server reads, by subprotocol, in the order in which it prefers them."""
    return _codecs(ClientMessage)


def client_codecs() -> dict[str, Codec[ServerMessage]]:
    """What a client reads, by subprotocol."""
    return _codecs(ServerMessage)


def _codecs(reads: Any) -> dict[str, Codec[Any]]:
    both = (
        Codec[Any]("msgpack", False, msgspec.msgpack, reads),
        Codec[Any]("json", True, msgspec.json, reads),
    )
    return {codec.subprotocol: codec for codec in both}
