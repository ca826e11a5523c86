"""Hypothesis strategies made from the message types themselves, so that none is missing."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import msgspec
from hypothesis import strategies as st
from msgspec import UNSET, inspect

from pierule_protocol.messages import ClientMessage, ServerMessage

CLIENT_TYPES: tuple[type[msgspec.Struct], ...] = get_args(ClientMessage)
SERVER_TYPES: tuple[type[msgspec.Struct], ...] = get_args(ServerMessage)

_INT64 = (-(2**63), 2**63 - 1)


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:  # noqa: C901 - one case a type
    """Values of a type as msgspec describes it, within its bounds."""
    match kind:
        case inspect.IntType():
            least = _INT64[0] if kind.ge is None else kind.ge
            most = _INT64[1] if kind.le is None else kind.le
            return st.integers(least, most)
        case inspect.StrType(pattern=str(pattern)):
            return st.from_regex(pattern.replace("$", r"\Z"))
        case inspect.StrType():
            return st.text(min_size=kind.min_length or 0, max_size=kind.max_length or 20)
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.EnumType():
            return st.sampled_from(list(kind.cls))
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.UnionType():
            return st.one_of(*map(values, kind.types))
        case inspect.ListType():
            return st.lists(values(kind.item_type), max_size=4)
        case inspect.TupleType():
            return st.tuples(*map(values, kind.item_types))
        case inspect.StructType():
            return messages(kind.cls)
    raise AssertionError(f"no strategy for {kind}")


@cache
def messages(cls: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Structs of a type, with any allowed value in every field."""
    return st.deferred(lambda: _built(cls))  # not before a test draws some


def _built(cls: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    kind = inspect.type_info(cls)
    assert isinstance(kind, inspect.StructType)
    return st.builds(cls, **{field.name: _field(field) for field in kind.fields})


def _field(field: inspect.Field) -> st.SearchStrategy[Any]:
    found = values(field.type)
    return st.just(UNSET) | found if field.default is UNSET else found
