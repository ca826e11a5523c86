"""The protocol for machines, generated from the message types: JSON Schema (2020-12) for messages,
records, rooms, analyses, game documents and lessons, and an AsyncAPI 3 document.

`python -m pierule_protocol.schema FOLDER` writes the files.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from pierule_protocol.asyncapi import document
from pierule_protocol.codes import MEANINGS
from pierule_protocol.fields import meaning
from pierule_protocol.games.document import GameDocument, GameLessons
from pierule_protocol.log.analysis import Analysis
from pierule_protocol.log.events import AnyRecord
from pierule_protocol.log.record import RoomRecord
from pierule_protocol.messages import PROTOCOL, ClientMessage, ServerMessage

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_TITLES = {
    "client-message": "What a client sends",
    "server-message": "What a server sends; fields, types and codes may be added",
    "record": "An event as a room's log keeps it; kinds and fields may be added",
    "room-record": "A whole room, as `pierule export` writes it",
    "analysis": "A game with variations, as the page saves it",
    "game-document": "How a game looks, and its texts; fields may be added",
    "game-lessons": "The lessons of a game; fields may be added",
}


def files() -> dict[str, str]:
    """The text of each file, by name."""
    unions: dict[str, Any] = {
        "client-message": ClientMessage,
        "server-message": ServerMessage,
        "record": AnyRecord,
        "room-record": RoomRecord,
        "analysis": Analysis,
        "game-document": GameDocument,
        "game-lessons": GameLessons,
    }
    found = {f"{name}.json": _text(_schema(name, union)) for name, union in unions.items()}
    found["asyncapi.json"] = _text(document(*_components("#/components/schemas/")))
    return found


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _schema(name: str, kind: Any) -> dict[str, Any]:
    """The complete schema of a file."""
    (root,), defs = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    if name not in (
        "client-message",
        "game-document",
        "game-lessons",
    ):  # the others have a field `record`, whose text is one of these types
        _, records = msgspec.json.schema_components([AnyRecord], ref_template="#/$defs/{name}")
        defs = {**defs, **records}
    return {
        "$schema": DIALECT,
        "$id": f"urn:{PROTOCOL}:{name}",
        "title": _TITLES[name],
        **_clean(root, "#/$defs/"),
        "$defs": _defs(defs, "#/$defs/"),
    }


def _components(prefix: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """All types, with the names of the requests and of the servers' messages."""
    _, defs = msgspec.json.schema_components(
        [ClientMessage, ServerMessage, AnyRecord], ref_template=prefix + "{name}"
    )
    requests, replies = (
        [kind.__name__ for kind in get_args(union)] for union in (ClientMessage, ServerMessage)
    )
    return _defs(defs, prefix), requests, replies


def _defs(defs: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The types by name, with the meaning of each field."""
    found = {}
    for name, schema in defs.items():
        cleaned = _clean(schema, prefix)
        cleaned["title"] = _public(name)
        if text := cleaned.get("description"):
            cleaned["description"] = " ".join(inspect.cleandoc(text).split())
        fields = {
            field: _described(_public(name), field, kind, prefix)
            for field, kind in cleaned.get("properties", {}).items()
        }
        if fields:
            cleaned["properties"] = fields
        found[_public(name)] = cleaned
    return found


def _described(owner: str, field: str, schema: dict[str, Any], prefix: str) -> dict[str, Any]:
    text = meaning(owner.removesuffix("Request"), field)
    described = {**schema, "description": text} if text and "$ref" not in schema else schema
    if field == "record" and owner in ("Event", "LogEntry"):
        return {**described, "contentMediaType": "application/json",
                "contentSchema": {"anyOf": [{"$ref": f"{prefix}{kind.__name__}"}
                                            for kind in get_args(AnyRecord)]}}  # fmt: skip
    if (owner, field) == ("Error", "code"):
        return {**described, "examples": [str(code) for code in MEANINGS]}
    return described


def _public(name: str) -> str:
    """The name of a type in schemas: `_AskedFischer` becomes `FischerRequest`."""
    return f"{name.removeprefix('_Asked')}Request" if name.startswith("_Asked") else name


def _clean(schema: Any, prefix: str) -> Any:
    """Remove what JSON Schema does not use, and write the rest in a form that older dialects
    understand, too."""
    if isinstance(schema, list):
        return [_clean(item, prefix) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key != "discriminator"}
    if "prefixItems" in kept:
        # All of our tuples hold one type.
        first, *others = kept.pop("prefixItems")
        assert all(other == first for other in others)
        kept["items"] = first
    if kept.get("required") == []:
        del kept["required"]
    if "$ref" in kept:
        kept["$ref"] = prefix + _public(kept["$ref"].removeprefix(prefix))
    return {key: value if key == "$ref" else _clean(value, prefix) for key, value in kept.items()}


def main(folder: Path) -> None:
    """Write all files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
