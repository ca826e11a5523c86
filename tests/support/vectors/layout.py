"""Layout of the vectors: plain JSON for people to read, mostly one case a line."""

from __future__ import annotations

import json
from typing import Any

import msgspec

WIDTH = 96
"""The longest value, in characters, that goes on one line."""


def plain(message: Any) -> Any:
    """A message, or anything made of structs, as plain JSON values, as an encoder writes it."""
    return msgspec.json.decode(msgspec.json.encode(message))


def write(value: Any) -> str:
    """A file's text."""
    return _lay_out(plain(value), 0) + "\n"


def _lay_out(value: Any, depth: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + depth <= WIDTH or not isinstance(value, dict | list):
        return line
    pad, inner = " " * depth, " " * (depth + 1)
    if isinstance(value, list):
        if not any(isinstance(item, dict) for item in value):
            return line
        items = [_lay_out(item, depth + 1) for item in value]
        return "[\n" + ",\n".join(inner + item for item in items) + f"\n{pad}]"
    fields = [f"{json.dumps(key)}: {_lay_out(item, depth + 1)}" for key, item in value.items()]
    return "{\n" + ",\n".join(inner + field for field in fields) + f"\n{pad}}}"
