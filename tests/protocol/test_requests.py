"""A request is whole: a message, its handler, a client's method, its paragraph, an example, and the
shape of its answer."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pierule
from pierule_conform.checks.shapes import OK
from pierule_server.handlers import accounts, chat, lobby, play, queries, rooms
from pierule_server.handlers.table import handlers_in
from support.shapes import CLIENT_TYPES
from support.vectors.examples import requests

SPEC = (Path(__file__).parents[2] / "protocol" / "SPEC.md").read_text("utf-8")
CLIENT = Path(next(iter(pierule.__path__)))
FAMILIES: list[type[Any]] = [
    accounts.AccountRequests,
    chat.ChatRequests,
    lobby.LobbyRequests,
    play.Play,
    queries.Queries,
    rooms.RoomRequests,
]


def tag_of(kind: Any) -> str:
    return str(kind.__struct_config__.tag)


def test_every_request_has_all_its_parts() -> None:
    handled = {kind for family in FAMILIES for kind, _ in handlers_in(object.__new__(family))}
    sent = {
        node.func.id
        for path in CLIENT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    shown = {type(example) for example in requests().values()}
    lacking = {
        (kind.__name__, part)
        for kind in CLIENT_TYPES
        for part, there in (
            ("a handler (pierule_server.handlers)", kind in handled),
            ("a method that sends it (pierule)", kind.__name__ in sent),
            ("a paragraph (SPEC)", re.search(rf"`{tag_of(kind)}`", SPEC)),
            ("the shape of its answer (pierule_conform.checks.shapes.OK)", tag_of(kind) in OK),
            ("an example (support.vectors.examples)", kind in shown),
        )
        if not there
    }
    assert not lacking
