"""The types of the messages in TypeScript, written from `protocol/schema`, and those of the archive
(SPEC 27), written from the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from pierule_archive.api import answers
from pierule_archive.api.evaluations import Evaluating
from pierule_archive.api.exploring import Counting, Exploring, Offering
from pierule_archive.api.parameters import Search, SearchAll
from pierule_archive.api.rated import LeaderboardQuery
from pierule_protocol import schema

_FOLDER = Path(__file__).parents[3] / "clients" / "web" / "client" / "src"
MESSAGES, ARCHIVE = _FOLDER / "messages.ts", _FOLDER / "archiveAnswers.ts"

_UNIONS = {"ClientMessage": "client-message", "ServerMessage": "server-message",
           "LogRecord": "record"}  # fmt: skip
_PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean",
          "null": "null"}  # fmt: skip

Schema = dict[str, Any]


def texts() -> dict[Path, str]:
    """The text of each file."""
    return {MESSAGES: _messages(), ARCHIVE: _archive()}


def _archive() -> str:
    kinds = [
        *answers.LINES, answers.WholeGame, answers.Player, answers.PlayerRatings,
        answers.Leaderboard, answers.Cuts, answers.PositionMoves,
        answers.Evaluations,
    ]  # fmt: skip
    asked = [SearchAll, Search, Counting, Offering, Exploring, LeaderboardQuery, Evaluating]
    _, structs = msgspec.json.schema_components([*kinds, *asked])
    names = " | ".join(kind.__name__ for kind in answers.LINES)
    return "\n".join(
        [
            "// Written from the archive's API by `make generated`: do not edit.\n",
            f"export type Line = {names};\n",
            *(_struct(name, each) for name, each in structs.items()),
        ]
    )


def _messages() -> str:
    files = {name.removesuffix(".json"): json.loads(it) for name, it in schema.files().items()}
    structs: dict[str, Schema] = {}
    for name in (*_UNIONS.values(), "room-record", "analysis", "game-document", "game-lessons"):
        structs |= files[name]["$defs"]
    return "\n".join(
        [
            "// Written from protocol/schema by `make generated`: do not edit.\n",
            *(_union(name, files[file]) for name, file in _UNIONS.items()),
            *(_struct(name, each) for name, each in structs.items()),
        ]
    )


def _union(name: str, kinds: Schema) -> str:
    return f"export type {name} =\n  | " + "\n  | ".join(map(_type, kinds["anyOf"])) + ";\n"


def _struct(name: str, kind: Schema) -> str:
    required = kind.get("required", [])
    fields = ""
    for field, held in kind.get("properties", {}).items():
        needed = field in required or field == "type" or (field == "kind" and "enum" in held)
        mark = "" if needed else "?"
        fields += f"{_comment(held, '  ')}  {field}{mark}: {_type(held)};\n"
    return f"{_comment(kind)}export interface {name} {{\n{fields}}}\n"


def _comment(kind: Schema, indent: str = "") -> str:
    about = " ".join(kind.get("description", "").split())  # docstrings are indented
    return f"{indent}/** {about} */\n" if about else ""


def _type(kind: Schema) -> str:
    if "$ref" in kind:
        return str(kind["$ref"]).rpartition("/")[2]
    if "enum" in kind:
        return " | ".join(map(_literal, kind["enum"]))
    if "const" in kind:
        return _literal(kind["const"])
    if "anyOf" in kind:
        return " | ".join(dict.fromkeys(map(_type, kind["anyOf"])))
    if kind["type"] == "array":
        return _array(kind)
    if more := kind.get("additionalProperties"):
        return f"Record<string, {_type(more)}>"
    return _PLAIN[kind["type"]]


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _array(kind: Schema) -> str:
    if "prefixItems" in kind:
        return f"[{', '.join(map(_type, kind['prefixItems']))}]"
    item, least = _type(kind["items"]), kind.get("minItems")
    if least and least == kind.get("maxItems"):
        return f"[{', '.join([item] * least)}]"
    return f"({item})[]" if " " in item else f"{item}[]"
