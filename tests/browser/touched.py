"""A Firefox that a finger touches.

Playwright's `tap` does nothing in a released Firefox. WebDriver BiDi has a finger, so this module
uses it: the page gets the browser's own events.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from browser.conftest import LEAN
from browser.wire import TAP, Act, acts_of
from support.browsers import FIREFOX, find

BOUND = 60.0
"""Bound for all waiting, in seconds."""
APART_MS = 700
"""Time after which a tap is not the second of a double tap."""

MIDDLE = """(() => {
  const found = document.querySelector(`%s`);
  found.scrollIntoView({ block: "nearest" });
  const { x, y, width, height } = found.getBoundingClientRect();
  return JSON.stringify([Math.round(x + width / 2), Math.round(y + height / 2)]);
})()"""


SOON = """new Promise((done) => {
  const look = () => { if (%s) done("true"); };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(look).observe(document, all);
  look();
})"""


class Touched:
    """One window of WebDriver BiDi."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = count(1)
        self._window = ""

    async def _call(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        await self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(await asyncio.wait_for(self._socket.recv(), BOUND))
            if told.get("id") == number:
                assert told["type"] == "success", told
                return told["result"]

    async def begin(self) -> None:
        await self._call("session.new", capabilities={})
        [tree] = (await self._call("browsingContext.getTree"))["contexts"]
        self._window = tree["context"]
        await self._before_pages(TAP)

    async def known_as(self, token: str) -> None:
        """Give the browser this user's token."""
        await self._before_pages(f"localStorage.setItem('pierule.token', '{token}')")

    async def _before_pages(self, script: str) -> None:
        await self._call("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    async def open(self, url: str) -> None:
        await self._call("browsingContext.navigate", context=self._window, url=url, wait="complete")

    async def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression, as JSON."""
        told = await self._call(
            "script.evaluate",
            expression=expression,
            target={"context": self._window},
            awaitPromise=True,
        )
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    async def sees(self, condition: str) -> None:
        """Wait until this condition holds on the page."""
        await self.ask(SOON % condition)

    async def tap(self, point: str, *, times: int = 1) -> None:
        """Touch a point of the board, once or several times in a row, and pause."""
        await self.touch(f'.board-box [data-point="{point}"] .hit', times=times)

    async def touch(self, selector: str, *, times: int = 1) -> None:
        """Touch the element, and pause."""
        x, y = await self.ask(MIDDLE % selector)
        touch = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                 {"type": "pointerUp", "button": 0}]  # fmt: skip
        finger = {
            "type": "pointer",
            "id": "finger",
            "parameters": {"pointerType": "touch"},
            "actions": [*touch * times, {"type": "pause", "duration": APART_MS}],
        }
        await self._call("input.performActions", context=self._window, actions=[finger])

    async def acts(self) -> list[Act]:
        """The actions that were sent since the page was opened, in order."""
        return acts_of(await self.ask("JSON.stringify(wire)"))


async def _listening(output: asyncio.StreamReader) -> str:
    """The address of a Firefox that has just started."""
    async for line in output:
        if found := re.search(rb"BiDi listening on (ws://\S+)", line):
            return found[1].decode()
    raise AssertionError("Firefox has ended as it started")


def _prefer(profile: Path) -> None:
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(to)});\n" for name, to in LEAN.items()]
    (profile / "user.js").write_text("".join(lines))


@asynccontextmanager
async def touched() -> AsyncIterator[Touched]:
    with tempfile.TemporaryDirectory() as profile:
        _prefer(Path(profile))
        process = await asyncio.create_subprocess_exec(
            find(FIREFOX), "--headless", "--no-remote", "--profile", profile,
            "--remote-debugging-port", "0", "about:blank", stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stderr
            address = await asyncio.wait_for(_listening(process.stderr), BOUND)
            async with connect(f"{address}/session", max_size=None) as socket:
                window = Touched(socket)
                await window.begin()
                yield window
        finally:
            process.terminate()
            await process.communicate()
