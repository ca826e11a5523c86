"""The schema files are what the types say, are schemas, and say of the vectors what codecs say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from pierule_protocol.fields import meaning
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.log.events import AnyRecord
from pierule_protocol.log.record import RoomRecord, write_record
from pierule_protocol.messages import ClientMessage, ServerMessage
from pierule_protocol.schema import files, main
from support.shapes import CLIENT_TYPES
from support.story import Story
from support.vectors import typescript

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "protocol" / "schema"
VECTORS = ROOT / "protocol" / "vectors"
OFFICIAL = Path(__file__).parent / "asyncapi" / "3.0.0.json"


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


SCHEMAS = {path.name: load(path) for path in sorted(FOLDER.glob("*.json"))}
"""As they are kept. A test below compares them with what the types say."""
CLIENT = Draft202012Validator(SCHEMAS["client-message.json"])
SERVER = Draft202012Validator(SCHEMAS["server-message.json"])
RECORD = Draft202012Validator(SCHEMAS["record.json"])
CODEC = load(VECTORS / "codec.json")
FROM = {"client": CLIENT, "server": SERVER}


def test_the_schema_files_follow_from_the_types() -> None:
    """If this fails: `make generated`."""
    assert {name: (FOLDER / name).read_text("utf-8") for name in SCHEMAS} == files()


def test_the_typescript_types_follow_from_the_schemas() -> None:
    """If this fails: `make generated`."""
    for path, text in typescript.texts().items():
        assert path.read_text("utf-8") == text, path


def test_the_generator_writes_all_schema_files_and_no_others(tmp_path: Path) -> None:
    main(tmp_path / "schema")
    written = {path.name for path in (tmp_path / "schema").iterdir()}
    assert written == {path.name for path in FOLDER.iterdir() if path.suffix == ".json"}


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name != "asyncapi.json"])
def test_the_schema_files_are_valid_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])


def each_field() -> Iterator[tuple[str, str]]:
    for schema in SCHEMAS.values():
        for name, definition in schema.get("$defs", {}).items():
            for field in definition.get("properties", {}):
                if field not in ("type", "kind"):
                    yield name.removesuffix("Request"), field


def test_every_field_has_a_description() -> None:
    assert [each for each in sorted(set(each_field())) if not meaning(*each)] == []


@pytest.mark.parametrize("case", CODEC["messages"] + CODEC["accepted"], ids=lambda c: c["name"])
def test_messages_of_the_vectors_are_valid(case: dict[str, Any]) -> None:
    FROM[case["from"]].validate(case["message"])
    if "json" in case:
        FROM[case["from"]].validate(json.loads(case["json"]))


# A parser does not tell of a key that was there twice.
REFUSED = [
    case
    for case in CODEC["refused"]
    if "json" in case and case["code"] != "malformed" and case["name"] != "two-types"
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda c: c["name"])
def test_refused_messages_do_not_match_the_schema(case: dict[str, Any]) -> None:
    assert not CLIENT.is_valid(json.loads(case["json"]))


@pytest.mark.parametrize("name", ["resume.json", "sessions.json"])
def test_transcripts_are_valid(name: str) -> None:
    for transcript in load(VECTORS / name)["transcripts"]:
        for step in transcript["steps"]:
            if "send" in step:
                CLIENT.validate(step["send"])
            elif "receive" in step:
                SERVER.validate(step["receive"])


def test_events_and_their_records_are_valid() -> None:
    for room in load(VECTORS / "fold.json")["rooms"]:
        for step in room["steps"]:
            SERVER.validate(step["event"])
            record = json.loads(step["event"]["record"])
            assert RECORD.is_valid(record) is (record["kind"] not in ("undone", "rewritten"))


def test_the_record_in_an_event_is_a_record() -> None:
    content = SCHEMAS["server-message.json"]["$defs"]["Event"]["properties"]["record"]
    assert content["contentMediaType"] == "application/json"
    kinds = [item["$ref"] for item in content["contentSchema"]["anyOf"]]
    assert kinds == [f"#/$defs/{kind.__name__}" for kind in get_args(AnyRecord)]


def test_a_whole_room_is_valid() -> None:
    story = Story()
    story.act("komi:12", "black", "b4")
    story.resign(1)
    Draft202012Validator(SCHEMAS["room-record.json"]).validate(
        json.loads(write_record(story.record))
    )
    assert RoomRecord.__struct_fields__


def test_asyncapi_is_valid() -> None:
    Draft7Validator(load(OFFICIAL)).validate(SCHEMAS["asyncapi.json"])


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


@pytest.mark.parametrize("name", SCHEMAS)
def test_references_in_schemas_lead_somewhere(name: str) -> None:
    for reference in set(references(SCHEMAS[name])):
        found = SCHEMAS[name]
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        assert isinstance(found, dict)


def test_asyncapi_names_every_message() -> None:
    document = SCHEMAS["asyncapi.json"]
    types = {kind.__name__ for union in (ClientMessage, ServerMessage) for kind in get_args(union)}
    assert set(document["channels"]["socket"]["messages"]) == types
    words = {str(kind.__struct_config__.tag) for kind in CLIENT_TYPES}
    assert set(document["operations"]) == words | {"news"}
    assert {kind.__name__ for kind in get_args(ClockOptions)} <= set(
        document["components"]["schemas"]
    )
