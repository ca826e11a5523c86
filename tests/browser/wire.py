"""What a page has sent, as seen by the network, without the page's own code, and answers in the
server's place."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from playwright.sync_api import WebSocketRoute

from browser.person import Person

TAP = """(() => {
  const send = WebSocket.prototype.send;
  window.wire = [];
  WebSocket.prototype.send = function (data) {
    window.wire.push(btoa(String.fromCharCode(...data)));
    return send.call(this, data);
  };
})();"""


class Act(NamedTuple):
    """An action, and the turn for which it was sent."""

    turn: int
    action: str


def tap(person: Person) -> None:
    """Record what this person's page sends, from its next opening on."""
    person.page.context.add_init_script(TAP)


def refuse(person: Person, codes: Mapping[str, str]) -> None:
    """Refuse this person's requests of these types, which may change, with these codes, from the
    page's next opening on."""

    def between(page: WebSocketRoute) -> None:
        server = page.connect_to_server()

        def hear(frame: str | bytes) -> None:
            assert isinstance(frame, bytes)
            message = msgspec.msgpack.decode(frame)
            if code := codes.get(message["type"]):
                refusal = {"type": "error", "id": message["id"], "code": code, "text": "as it is"}
                page.send(msgspec.msgpack.encode(refusal))
            else:
                server.send(frame)

        page.on_message(hear)

    person.page.route_web_socket(re.compile(r"/ws(\?|$)"), between)


def sent(person: Person) -> list[dict[str, Any]]:
    """The messages that were sent since the page was opened, in order."""
    return [_message(each) for each in person.page.evaluate("wire")]


def acts(person: Person) -> list[Act]:
    """The actions that were sent since the page was opened, in order."""
    return acts_of(person.page.evaluate("wire"))


def acts_of(frames: list[str]) -> list[Act]:
    """The actions among the frames."""
    messages = map(_message, frames)
    return [Act(each["turn"], each["action"]) for each in messages if each["type"] == "act"]


def _message(frame: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.msgpack.decode(base64.b64decode(frame))
    return found
