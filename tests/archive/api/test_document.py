"""The OpenAPI document is true: whatever it allows is answered as it says, and the rest refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from archive.api.serving import Answer, Served, served
from archive.games import a_game
from pierule_archive.api import ROOT
from pierule_archive.api.routes import EVALUATIONS, PICTURES, ROUTES
from pierule_archive.archive import Archive
from pierule_archive.database import opened

OPERATIONS = [route.path for route in (*ROUTES, EVALUATIONS, *PICTURES)] + [f"{ROOT}/openapi.json"]

KNOWN = st.sampled_from(["1", "2", "bumatodigefoha", "ada", "Ada", "eve", "loose", "taugo", "5"])


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The API over some games of all kinds."""
    url = f"sqlite:///{tmp_path_factory.mktemp('api') / 'archive.sqlite'}"
    archive = Archive(opened(url))
    archive.add([
        a_game("bumatodigefoha", plies=4),
        replace(a_game("secretsecretse", plies=4), access="private"),
        a_game("unlistedunlist", game="taugo", size=7, plies=8),
    ])  # fmt: skip
    archive.void("bumatodigefoha", 5, "cheating")
    archive.engine.dispose()
    with served(url) as running:
        yield running


@pytest.fixture(scope="module")
def document(api: Served) -> Any:
    return api.ask("openapi.json").json


def values(schema: dict[str, Any]) -> SearchStrategy[Any]:
    """What a parameter may be, and often what it may not."""
    if "anyOf" in schema:
        return st.one_of(*map(values, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "boolean":
            return st.sampled_from(["true", "false"])
        case "integer":
            return st.integers(schema.get("minimum", 0), schema.get("maximum", 2**53))
    if schema.get("format") == "date":
        return st.dates().map(str)
    return st.from_regex(schema["pattern"]) if "pattern" in schema else st.text()


@st.composite
def requests(draw: DrawFn, document: Any) -> tuple[str, str]:
    """A template of a path, and a request for it."""
    template = draw(st.sampled_from(sorted(document["paths"])))
    path, query = template, []
    for parameter in document["paths"][template]["get"].get("parameters", []):
        name, told = parameter["name"], values(parameter["schema"])
        value = draw(st.one_of(KNOWN, told, told, st.text(max_size=5)))
        if parameter["in"] == "path":
            path = path.replace(f"{{{name}}}", quote(str(value), safe="", errors="replace") or "-")
        elif draw(st.integers(0, 3)) == 0:
            query.append((name, str(value)))
    return template, f"{path}?{urlencode(query, errors='replace')}"


def conforms(document: Any, template: str, answer: Answer) -> None:
    """An answer is what the document says of its path and status."""
    said = document["paths"][template]["get"]["responses"][str(answer.status)]
    kind = answer.headers["content-type"].partition(";")[0]
    if kind == "image/png":
        assert kind in said["content"]
        assert answer.body.startswith(b"\x89PNG")
        return
    schema = said["content"][kind]["schema"] | {"components": document["components"]}
    told = answer.lines if kind == "application/x-ndjson" else [answer.json]
    for each in told:
        jsonschema.Draft202012Validator(schema).validate(each)


def test_the_document_has_every_path(document: Any) -> None:
    assert sorted(document["paths"]) == sorted(OPERATIONS)
    assert document["openapi"].startswith("3.1")
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_example_answers_conform_to_the_document(api: Served, document: Any) -> None:
    for template, path in (
        ("games", "games"), ("games", "games?format=ndjson"), ("games", "games?size=x"),
        ("games/{room}", "games/bumatodigefoha"), ("games/{room}", "games/2"),
        ("players/{name}", "players/ada"), ("players/{name}/games", "players/Ada/games"),
        ("players/{name}", "players/nobody"), ("picture.png", "picture.png"),
        ("games/{room}/picture.png", "games/1/picture.png?v=1"),
        ("players/{name}/picture.png", "players/nobody/picture.png"),
    ):  # fmt: skip
        conforms(document, f"{ROOT}/{template}", api.ask(f"{ROOT}/{path}"))


def test_a_wrong_answer_does_not_conform(api: Served, document: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        conforms(document, f"{ROOT}/games/{{room}}", api.ask("players/ada"))


@given(st.data())
@settings(
    max_examples=250, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_any_allowed_request_is_answered_as_the_document_says(
    api: Served, document: Any, data: st.DataObject
) -> None:
    template, path = data.draw(requests(document))
    answer = api.ask(path)
    assert answer.status in (200, 400, 404), (path, answer.body)
    if answer.status == 404 and answer.json["code"] == "unknown_path":
        assert "%2F" in path  # a name with a slash leads elsewhere
        return
    conforms(document, template, answer)


def test_the_document_lists_no_500(document: Any) -> None:
    for path in document["paths"].values():
        assert "500" not in path["get"]["responses"]


def test_the_document_is_the_same_each_time(api: Served, tmp_path: Path) -> None:
    with served(f"sqlite:///{tmp_path / 'none.sqlite'}") as other:
        assert other.ask("openapi.json").body == api.ask("openapi.json").body


def test_the_document_says_that_the_next_page_is_a_relative_address(document: Any) -> None:
    following = document["components"]["schemas"]["Page"]["properties"]["next"]
    assert following == {"type": ["string", "null"], "format": "uri-reference"}
