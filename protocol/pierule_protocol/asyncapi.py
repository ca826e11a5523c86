"""The AsyncAPI 3 document: one channel, every message, its sender and its answers."""

from __future__ import annotations

from typing import Any

from pierule_protocol.messages import PROTOCOL

VERSION = "3.0.0"

ANSWERS = ("Ok", "Error")
"""The answers to a request."""

_ABOUT = (
    "Online matches of two-player board games with a pie rule. SPEC.md describes the protocol and "
    "is normative. The server answers every request once, with an `ok` or `error` that repeats its "
    "`id`. It sends all other messages unasked. The subprotocol pierule.1.json uses text frames "
    "(JSON), and pierule.1.msgpack uses binary frames (msgpack). Clients ignore message types and "
    "fields that they do not know."
)


def document(schemas: dict[str, Any], requests: list[str], replies: list[str]) -> dict[str, Any]:
    """The document. AsyncAPI takes the server's point of view: it receives requests."""
    news = [name for name in replies if name not in ANSWERS]
    return {
        "asyncapi": VERSION,
        "info": {"title": "Pierule", "version": PROTOCOL.rpartition(".")[2] + ".0.0",
                 "description": _ABOUT, "license": {"name": "MIT"}},
        "defaultContentType": "application/json",
        "servers": {
            "local": {"host": "127.0.0.1:8000", "protocol": "ws",
                      "description": "A server started by `pierule serve`"},
        },
        "channels": {"socket": _socket([*requests, *replies])},
        "operations": {
            **{_word(schemas, name): _request(name) for name in requests},
            "news": {
                "action": "send",
                "channel": {"$ref": "#/channels/socket"},
                "summary": "Messages that come unasked",
                "messages": _messages(news),
            },
        },
        "components": {
            "messages": {name: _message(schemas, name) for name in (*requests, *replies)},
            "schemas": schemas,
        },
    }  # fmt: skip


def _socket(names: list[str]) -> dict[str, Any]:
    header = {"type": "string", "enum": [f"{PROTOCOL}.msgpack", f"{PROTOCOL}.json"]}
    return {
        "address": "/ws",
        "description": "One WebSocket, which carries all messages.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {
            "ws": {
                "method": "GET",
                "headers": {
                    "type": "object",
                    "properties": {"Sec-WebSocket-Protocol": header},
                    "required": ["Sec-WebSocket-Protocol"],
                },
            }
        },
    }


def _request(name: str) -> dict[str, Any]:
    return {
        "action": "receive",
        "channel": {"$ref": "#/channels/socket"},
        "messages": _messages([name]),
        "reply": {
            "channel": {"$ref": "#/channels/socket"},
            "messages": _messages(list(ANSWERS)),
        },
    }


def _messages(names: list[str]) -> list[dict[str, str]]:
    return [{"$ref": f"#/channels/socket/messages/{name}"} for name in names]


def _message(schemas: dict[str, Any], name: str) -> dict[str, Any]:
    schema = schemas[name]
    message = {
        "name": _word(schemas, name),
        "title": name,
        "summary": schema["description"],
        "payload": {"$ref": f"#/components/schemas/{name}"},
    }
    if "id" in schema["properties"]:
        message["correlationId"] = {"location": "$message.payload#/id"}
    return message


def _word(schemas: dict[str, Any], name: str) -> str:
    """The value of `type` in this message."""
    word: str = schemas[name]["properties"]["type"]["enum"][0]
    return word
