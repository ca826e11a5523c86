"""The parts of the SPEC that are written from the code: every message, and the rules of refusals.

They stand between `<!-- begin NAME … -->` and `<!-- end NAME -->`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import NODEFAULT, UNSET, inspect

from pierule_games import GAMES
from pierule_protocol.fields import meaning
from pierule_protocol.games.document import GameDocument, GameLessons
from pierule_protocol.log.analysis import Analysis, AnalysisNode
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.digest import Digest
from pierule_protocol.log.events import AnyRecord
from pierule_protocol.log.record import Amendment, RoomRecord
from pierule_protocol.messages import (
    ClientMessage,
    LineQuestion,
    Ok,
    RatingRange,
    ServerMessage,
    Since,
)
from support.vectors.examples import replies, requests
from support.vectors.places import chains

SPEC = Path(__file__).parents[3] / "protocol" / "SPEC.md"
_ASKED = (Since, LineQuestion, RatingRange)
"""The structs inside requests, without clocks: they differ from those of rooms in bounds alone."""


def lacking() -> list[str]:
    """What the generated files lack, and where to put it."""
    found = []
    for union, named, file in (
        (ClientMessage, requests(), "requests.py"),
        (ServerMessage, replies(), "replies.py"),
    ):
        shown = {type(example) for example in named.values()}
        for kind in get_args(union):
            if kind not in shown:
                found.append(f"an example of {kind.__name__} in tests/support/vectors/examples.py")
            if not kind.__dict__.get("__doc__"):
                place = f"protocol/pierule_protocol/messages/{file}"
                found.append(f"the docstring of {kind.__name__} in {place}")
    answered = [example for example in replies().values() if isinstance(example, Ok)]
    found += [
        f"an example of an ok with {field} in tests/support/vectors/examples.py"
        for field in Ok.__struct_fields__
        if all(getattr(example, field) is None for example in answered)
    ]
    sent = (*get_args(ServerMessage), *get_args(AnyRecord))
    kinds = (*get_args(ClientMessage), *sent, *_parts((*sent, *_ASKED)))
    found += [
        f"the meaning of {kind.__name__}.{field} in protocol/{_described_in(kind)}"
        for kind in dict.fromkeys(kinds)
        for field in kind.__struct_fields__
        if not meaning(kind.__name__, field)
    ]
    return found


def _described_in(kind: Any) -> str:
    """The file that says what the fields of a type mean."""
    if kind in get_args(ClientMessage) or kind in _ASKED:
        return "pierule_protocol/messages/request_fields.py"
    part = kind.__module__.removeprefix("pierule_protocol.").split(".")[0]
    if part == "messages":
        return "pierule_protocol/messages/reply_fields.py"
    return f"pierule_protocol/{part if part in ('log', 'state') else 'games'}/fields.py"


def blocks() -> dict[str, str]:
    """The text of each part by its name."""
    told = {*_parts(get_args(ServerMessage)), *get_args(ServerMessage)}
    return {
        "requests": "\n".join(_message(kind, requests()) for kind in get_args(ClientMessage)),
        "replies": "\n".join(_message(kind, replies()) for kind in get_args(ServerMessage)),
        "parts": "\n".join(
            _part(kind)
            for kind in _parts((*get_args(ServerMessage), *_ASKED))
        ),
        "records": "\n".join(_part(kind) for kind in get_args(AnyRecord)),
        "export": "\n".join(
            _part(kind) for kind in (RoomRecord, *_parts((RoomRecord,)))
            if kind.__module__ == RoomRecord.__module__
        ),
        "analysis": "\n".join(_part(kind) for kind in (Analysis, AnalysisNode)),
        "proofs": "\n".join(_part(kind) for kind in (Amendment, Digest)),
        "document": "\n".join(
            _part(kind) for kind in _parts((GameDocument, GameLessons))
            if kind not in told
        ),
        "rules": _rules(),
        "chain": _chain(),
    }  # fmt: skip


def written(text: str) -> str:
    """The SPEC with its generated parts up to date."""
    for name, block in blocks().items():
        begin = re.search(rf"<!-- begin {name}\b[^>]*-->\n", text)
        end = f"<!-- end {name} -->"
        assert begin, name
        text = f"{text[: begin.end()]}\n{block}\n{text[text.index(end) :]}"
    return text


def _info(kind: Any) -> inspect.StructType:
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType)
    return found


def _message(kind: Any, examples: dict[str, Any]) -> str:
    word = str(kind.__struct_config__.tag)
    example, *more = (each for each in examples.values() if type(each) is kind)
    data = msgspec.msgpack.encode(example).hex(" ")
    text = (
        f"#### `{word}`\n\n{_about(kind)}\n\n{_fields(kind)}\n"
        f"```json\n{_json(example)}\n```\n\n"
        f"```msgpack\n{_wrapped(data)}\n```\n"
    )
    if more and word not in ("snapshot", "event"):  # they are long, and all alike
        text += "\nMore:\n\n```json\n" + "\n".join(map(_json, more)) + "\n```\n"
    return text


def _json(message: Any) -> str:
    return msgspec.json.encode(message).decode()


def _wrapped(data: str) -> str:
    step = 32 * 3
    return "\n".join(data[at : at + step].rstrip() for at in range(0, len(data), step))


def _part(kind: Any) -> str:
    config = kind.__struct_config__
    tagged = f", `{config.tag_field}` `{config.tag}`" if config.tag else ""
    return f"#### {kind.__name__}{tagged}\n\n{_about(kind)}\n\n{_fields(kind)}"


def _about(kind: Any) -> str:
    return " ".join((kind.__doc__ or "").split())


def _fields(kind: Any) -> str:
    info = _info(kind)
    if not info.fields:
        return ""
    lines = ["| field | type | if left out | meaning |", "|---|---|---|---|"]
    for field in info.fields:
        types, absent = _type(field.type), _absent(field)
        lines.append(
            f"| `{field.encode_name}` | {types} | {absent} | {meaning(kind.__name__, field.name)} |"
        )
    return "\n".join(lines) + "\n"


def _absent(field: inspect.Field) -> str:
    """What the absence of a field means."""
    if field.required:
        return "required"
    if field.default in (UNSET, NODEFAULT) and field.default_factory is NODEFAULT:
        return "unchanged"
    default = field.default if field.default is not NODEFAULT else []
    return f"`{msgspec.json.encode(default).decode()}`"


_ALIAS = {frozenset(kind.__name__ for kind in get_args(ClockOptions)): "a control (9.1)"}


def _type(kind: inspect.Type) -> str:
    match kind:
        case inspect.UnionType(types=types):
            names = frozenset(t.cls.__name__ for t in types if isinstance(t, inspect.StructType))
            if len(names) > 1:
                null = " or null" if any(isinstance(t, inspect.NoneType) for t in types) else ""
                return f"a control (9.1){null}"
            parts = [_type(part) for part in types if not isinstance(part, inspect.CustomType)]
            return " or ".join(part for part in parts if part)
        case inspect.IntType(ge=None):
            return "integer"
        case inspect.IntType(ge=least, le=most):
            return f"integer {least} to {most}"
        case inspect.StrType(pattern=str(pattern)):
            return f"text `{pattern.removesuffix('$(?!' + chr(92) + 'n)')}$`".replace("|", "\\|")
        case inspect.StrType(min_length=least, max_length=int(most)):
            return f"text, {least or 0} to {most} characters"
        case _:
            return _simple(kind)


def _simple(kind: inspect.Type) -> str:
    match kind:
        case inspect.StrType():
            return "text"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
        case inspect.LiteralType(values=values):
            return " or ".join(f"`{msgspec.json.encode(v).decode()}`" for v in values)
        case inspect.ListType(item_type=item):
            return f"list of {_type(item)}"
        case inspect.DictType(value_type=value):
            return f"by name, {_type(value)}"
        case inspect.TupleType(item_types=items):
            return f"list of {len(items)}: {_type(items[0])}"
        case inspect.StructType(cls=cls):
            return f"[{cls.__name__}](#{cls.__name__.lower()})"
    raise AssertionError(f"no words for {kind}")


def _parts(kinds: tuple[Any, ...]) -> list[Any]:
    """The structs inside messages, each once, in order of appearance."""
    found: dict[Any, None] = {}
    pending: list[inspect.Type] = [inspect.type_info(kind) for kind in kinds]
    while pending:
        match pending.pop(0):
            case inspect.StructType() as kind:
                if kind.cls not in found:
                    found[kind.cls] = None
                    pending[:0] = [field.type for field in kind.fields]
            case inspect.UnionType(types=types):
                pending[:0] = types
            case inspect.DictType(value_type=value):
                pending.insert(0, value)
            case inspect.ListType(item_type=item):
                pending.insert(0, item)
            case inspect.TupleType(item_types=items):
                pending.insert(0, items[0])
    messages = get_args(ServerMessage)
    return [kind for kind in found if kind not in messages and kind is not RoomRecord]


def _chain() -> str:
    """The first events of chain.json, as text to compute by hand."""
    lines = ["```text"]
    for event in chains()["events"][:2]:
        lines += [event["bytes"], f"  carried on from {event['before']} gives {event['chain']}", ""]
    return "\n".join([*lines[:-1], "```"]) + "\n"


def _rules() -> str:
    lines = ["| `rule` | in words |", "|---|---|"]
    said = {
        rule: text
        for game in ("loose", "veletas", "taugo")  # as in sections 11 to 13
        for rule, text in GAMES[game].texts["en"].refusals.items()
    }
    lines += [f"| `{rule}` | {re.sub('{[0-9]}', '…', text)} |" for rule, text in said.items()]
    return "\n".join(lines) + "\n"
