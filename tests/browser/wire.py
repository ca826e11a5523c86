"""What a page has sent, as seen by the network, without the page's own code."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

import msgspec

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
