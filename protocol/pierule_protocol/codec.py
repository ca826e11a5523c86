"""Bytes to messages and back, in both codecs (SPEC 1).

Only this module catches exceptions of decoders, and turns undecodable input into `BadMessage`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar, get_args

import msgspec
from msgspec import convert, to_builtins

from pierule_protocol.codes import Code
from pierule_protocol.messages import PROTOCOL, ClientMessage, Event, ServerMessage
from pierule_protocol.packing import LOST, pack, unpack, unpack_loosely

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)
"""Everything that the decoders raise on bad input. Not all of it derives from msgspec's errors."""

_FIELD_IN_TEXT = re.compile(r"(?:field|at) `(?:\$\.)?(?P<field>[^`]*)`$")

_MISSING = re.compile(
    r"Object missing required field `(?P<field>[^`]*)`(?: - at `(?:\$\.)?(?P<where>[^`]*)`)?$"
)

_LONGEST = 200
"""The most characters of an error's text, because it may repeat what the peer has sent."""


class BadMessage(Exception):
    """Bytes that are not a message. `text` says why, `field` where, and `id` is the request's id if
    it could be read."""

    def __init__(self, code: Code, text: str, field: str | None, id_: int | None) -> None:
        self.text = text[:_LONGEST]
        super().__init__(self.text)
        self.code = code
        self.field = field and field[:_LONGEST]
        self.id = id_


class _Envelope(msgspec.Struct):
    """The fields to look for in a message that could not be read completely."""

    id: Any = None
    type: Any = None


M = TypeVar("M")


class Codec(ABC, Generic[M]):
    """A wire format whose decoder gives messages of the type `M`. `text` says whether it uses text
    frames."""

    text: bool

    def __init__(self, name: str, encode: Callable[[Any], bytes]) -> None:
        self.subprotocol = f"{PROTOCOL}.{name}"
        self.encode = encode

    @abstractmethod
    def decode(self, data: bytes | str) -> M:
        """The message in `data`. Raises BadMessage."""

    def _malformed(self, error: Exception) -> BadMessage:
        return BadMessage(Code.MALFORMED, f"not {self.subprotocol}: {_words(error)}", None, None)


class _Json(Codec[M]):
    text = True

    def __init__(self, reads: Any) -> None:
        super().__init__("json", msgspec.json.Encoder().encode)
        self._decode = msgspec.json.Decoder(reads).decode
        self._envelope = msgspec.json.Decoder(_Envelope).decode

    def decode(self, data: bytes | str) -> M:
        try:
            return self._decode(data)  # type: ignore[no-any-return]
        except _UNREADABLE as error:
            raise self._explain(data, error) from None

    def _explain(self, data: bytes | str, error: Exception) -> BadMessage:
        try:
            return _explained(self._envelope(data), error)
        except _UNREADABLE:
            return self._malformed(error)


class _Msgpack(Codec[M]):
    """Converts a map to the class that its `type` names. Converting to the union would take msgspec
    16 µs."""

    text = False

    def __init__(self, reads: Any) -> None:
        super().__init__("msgpack", _packed)
        self._reads = reads
        self._classes = {kind.__struct_config__.tag: kind for kind in get_args(reads)}

    def decode(self, data: Any) -> M:
        try:
            value = unpack(data)
        except _UNREADABLE as error:
            raise self._explain(data, error) from None
        try:
            return convert(value, self._classes[value["type"]])  # type: ignore[no-any-return]
        except (*_UNREADABLE, KeyError, TypeError) as error:
            raise self._wrong(value, error) from None

    def _explain(self, data: bytes, error: Exception) -> BadMessage:
        """What is wrong with a frame that `unpack` refuses."""
        try:
            value = unpack_loosely(data)
        except _UNREADABLE as unreadable:
            return self._malformed(unreadable)
        if isinstance(error, UnicodeDecodeError) and LOST in _type_of(value):
            return self._malformed(error)
        return self._wrong(value, error)

    def _wrong(self, value: Any, error: Exception) -> BadMessage:
        try:
            envelope = convert(value, _Envelope)
        except _UNREADABLE as unreadable:
            return self._malformed(unreadable)
        if not isinstance(error, (UnicodeDecodeError, msgspec.ValidationError)):
            try:
                convert(value, self._reads)  # names the field
            except _UNREADABLE as named:
                error = named
        return _explained(envelope, error)


def _packed(message: Any) -> bytes:
    """A message as msgpack. msgspec's encoder is five times as fast, but writes a map's head of
    three bytes for every class with more than 15 fields. An event contains no such class."""
    return _pack_event(message) if type(message) is Event else pack(to_builtins(message))


_pack_event = msgspec.msgpack.Encoder().encode


def _type_of(value: Any) -> str:
    return str(value.get("type")) if isinstance(value, dict) else ""


def _explained(envelope: _Envelope, error: Exception) -> BadMessage:
    """What is wrong with a message that could be read in part."""
    id_ = envelope.id
    if type(id_) is not int or not 0 <= id_ < 2**32:
        id_ = None
    match = _FIELD_IN_TEXT.search(str(error))
    field = match["field"].split("[")[0] if match else None
    if field == "type" and isinstance(envelope.type, str):
        return BadMessage(Code.UNKNOWN_TYPE, f"no request has the type {envelope.type[:40]!r}",
                          "type", id_)  # fmt: skip
    return BadMessage(Code.BAD_FIELD, _words(error), field, id_)


def _words(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "a string is not UTF-8"
    text = str(error)
    if missing := _MISSING.match(text):
        where = f" in `{missing['where']}`" if missing["where"] else ""
        return f"the field `{missing['field']}` is missing{where}"
    return text


def server_codecs() -> dict[str, Codec[ClientMessage]]:
    """The codecs of a server, by subprotocol, in the order of its preference."""
    return _codecs(ClientMessage)


def client_codecs() -> dict[str, Codec[ServerMessage]]:
    """The codecs of a client, by subprotocol."""
    return _codecs(ServerMessage)


def _codecs(reads: Any) -> dict[str, Codec[Any]]:
    both: tuple[Codec[Any], ...] = (_Msgpack(reads), _Json(reads))
    return {codec.subprotocol: codec for codec in both}
