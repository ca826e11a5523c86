"""The two unions are closed, frozen and bounded; their words are pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest
from msgspec import inspect

from pierule_protocol.log.events import Place
from pierule_protocol.messages import ClientMessage, RoomState, ServerMessage
from pierule_protocol.state.room import room_state
from support.logs import folded
from support.reference import references
from support.shapes import CLIENT_TYPES, SERVER_TYPES

REPLIES = {"ok", "error", "snapshot", "event", "presence", "notice", "paired", "lobby",
           "challenged", "lobby_change", "chat"}  # fmt: skip


def structs(types: tuple[type[msgspec.Struct], ...]) -> Iterator[type[msgspec.Struct]]:
    """The types and all structs inside of them."""
    found = inspect.multi_type_info(types)
    pending: list[inspect.Type] = list(found)
    while pending:
        match pending.pop():
            case inspect.StructType() as kind:
                yield kind.cls
                pending.extend(field.type for field in kind.fields)
            case inspect.UnionType(types=parts):
                pending.extend(parts)
            case inspect.ListType(item_type=item):
                pending.append(item)
            case inspect.TupleType(item_types=items):
                pending.extend(items)


def tags(types: tuple[type[msgspec.Struct], ...]) -> list[str]:
    return [str(cls.__struct_config__.tag) for cls in types]


def test_types_of_messages_are_distinct_words() -> None:
    words = tags(CLIENT_TYPES)  # the vectors and schemas, which are compared, hold the words
    assert len(set(words)) == len(words)
    assert all(re.fullmatch("[a-z_]+", word) for word in words)
    assert sorted(tags(SERVER_TYPES)) == sorted(REPLIES)
    for cls in CLIENT_TYPES + SERVER_TYPES:
        assert cls.__struct_config__.tag_field == "type"


def test_every_request_has_an_id() -> None:
    for cls in CLIENT_TYPES:
        assert "id" in cls.__struct_fields__


@pytest.mark.parametrize(
    "cls", dict.fromkeys(structs(CLIENT_TYPES + SERVER_TYPES)), ids=lambda c: c.__name__
)
def test_messages_are_frozen(cls: type[msgspec.Struct]) -> None:
    assert cls.__struct_config__.frozen


def test_requests_are_strict_at_every_depth_and_replies_are_not() -> None:
    """Law 9."""
    assert all(cls.__struct_config__.forbid_unknown_fields for cls in structs(CLIENT_TYPES))
    assert not any(cls.__struct_config__.forbid_unknown_fields for cls in structs(SERVER_TYPES))


def parts(kind: inspect.Type) -> Iterator[inspect.Type]:
    """A type, what it is a union of, and what lists are of."""
    yield kind
    for inner in getattr(kind, "types", ()):
        yield from parts(inner)
    if isinstance(kind, inspect.ListType):
        yield from parts(kind.item_type)


def test_every_field_of_a_request_has_a_bound() -> None:
    """Law 10: no number and no text that could be of any size."""
    for cls in structs(CLIENT_TYPES):
        kind = inspect.type_info(cls)
        assert isinstance(kind, inspect.StructType)
        for field in kind.fields:
            for part in parts(field.type):
                match part:
                    case inspect.ListType():
                        bounded = part.max_length is not None
                    case inspect.IntType():
                        bounded = part.ge is not None and part.le is not None
                    case inspect.StrType():
                        bounded = part.max_length is not None or "," in (part.pattern or "")
                    case _:
                        bounded = not isinstance(part, inspect.AnyType | inspect.FloatType)
                assert bounded, f"{cls.__name__}.{field.name}"


def patterns() -> set[str]:
    """Every pattern that a request's field must match."""
    found = set()
    for cls in structs(CLIENT_TYPES):
        for field in inspect.type_info(cls).fields:  # type: ignore[attr-defined]
            for part in getattr(field.type, "types", [field.type]):
                if isinstance(part, inspect.StrType) and part.pattern:
                    found.add(part.pattern)
    return found


def test_patterns_match_the_whole_text() -> None:
    """A `$` alone would let a line break pass."""
    assert len(patterns()) == 5
    good = "abcdefghijklmnopq"
    for pattern in patterns():
        assert re.search(pattern, good)
        for bad in (f"{good}\n", f"\n{good}", f"{good}\n{good}", "", f"{good} é", "a" * 65):
            assert not re.search(pattern, bad), (pattern, bad)


def test_messages_of_both_directions_have_a_json_schema() -> None:
    for union, words in ((ClientMessage, set(tags(CLIENT_TYPES))), (ServerMessage, REPLIES)):
        schema = msgspec.json.schema(union)
        assert set(schema["discriminator"]["mapping"]) == words


def test_a_state_knows_its_place() -> None:
    room = folded(references()[0].log())
    state: RoomState = room_state(room)
    assert state.place == Place(state.epoch, state.seq, state.chain) == room.place
    assert state.ply == len(state.actions) == len(references()[0].actions)
