"""The OpenAPI 3.1 document, from the table of routes and the types of parameters and answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from pierule_archive.api import ROOT
from pierule_archive.api.answers import LINES, Problem
from pierule_archive.api.parameters import schemas
from pierule_archive.api.problems import PROBLEM
from pierule_archive.api.routes import PathParameter, PictureRoute, Route

_REF = "#/components/schemas/{name}"

_ABOUT = "Finished games, read-only. Section 27 of the Pierule protocol describes this API."


def document(routes: Iterable[Route], pictures: Iterable[PictureRoute]) -> dict[str, Any]:
    """The document of these routes."""
    routes = list(routes)
    answers = [route.answer for route in routes if route.answer is not None]
    _, schema = msgspec.json.schema_components([*LINES, *answers, Problem], ref_template=_REF)
    schema["Line"] = {"anyOf": [_ref(kind.__name__) for kind in LINES]}
    schema["Page"] = {
        "type": "object",
        "description": "Lines, and the address of the next page, relative to that of this one; "
        "null at the end.",
        "properties": {
            "lines": {"type": "array", "items": _ref("Line")},
            "next": {"type": ["string", "null"], "format": "uri-reference"},
        },
        "required": ["lines", "next"],
    }
    paths = {route.path: {"get": _operation(route)} for route in routes}
    paths |= {picture.path: {"get": _picture(picture)} for picture in pictures}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pierule archive", "version": "1", "description": _ABOUT},
        "paths": paths | {f"{ROOT}/openapi.json": {"get": _itself()}},
        "components": {"schemas": schema},
    }


def _operation(route: Route) -> dict[str, Any]:
    return {
        "operationId": route.operation,
        "summary": route.summary,
        "parameters": [*_path_parameters(route.parameter), *_query_parameters(route.query)],
        "responses": {
            "200": {"description": "The answer.", "content": _content(route)},
            **_problems(),
        },
    }


def _content(route: Route) -> dict[str, Any]:
    if route.answer is not None:
        return {"application/json": {"schema": _ref(route.answer.__name__)}}
    return {
        "application/json": {"schema": _ref("Page")},
        "application/x-ndjson": {"schema": _ref("Line")},
    }


def _picture(picture: PictureRoute) -> dict[str, Any]:
    problems = _problems()
    del problems["400"]  # it ignores all parameters, because crawlers add some
    content = {"image/png": {"schema": {"type": "string", "contentEncoding": "binary"}}}
    return {
        "operationId": picture.operation,
        "summary": picture.summary,
        "parameters": _path_parameters(picture.parameter),
        "responses": {
            "200": {"description": "A PNG of 1200 x 630 points.", "content": content},
            **problems,
        },
    }


def _path_parameters(part: PathParameter | None) -> list[dict[str, Any]]:
    if part is None:
        return []
    schema = {"type": "string", "pattern": part.pattern}
    found = {"name": part.name, "in": "path", "required": True, "schema": schema}
    return [found | {"description": part.text}]


def _query_parameters(query: type[msgspec.Struct]) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "schema": schema} for name, schema in schemas(query).items()
    ]


def _problems() -> dict[str, Any]:
    content = {PROBLEM: {"schema": _ref("Problem")}}
    texts = {
        "400": "A parameter is wrong or unknown.",
        "404": "There is nothing with this name.",
        "405": "Only GET and HEAD are allowed.",
        "429": "Too many requests from your address; `Retry-After` says when to try again.",
        "503": "The archive cannot answer now; `Retry-After` says when to try again.",
    }
    problems: dict[str, Any] = {
        status: {"description": text, "content": content} for status, text in texts.items()
    }
    return {"304": {"description": "You already have it (`If-None-Match`)."}, **problems}


def _itself() -> dict[str, Any]:
    found = {"description": "This document.", "content": {"application/json": {"schema": {}}}}
    return {
        "operationId": "openapi", "summary": "This document",
        "responses": {"200": found, **_problems()},
    }  # fmt: skip


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}
