"""The code that the handbook shows does what the text around it says, on the real server."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias, cast

import pierule
from support.serving import Serving

HANDBOOK = Path(__file__).parents[2] / "clients" / "python" / "HANDBOOK.md"
BOUND = 60.0

Shown: TypeAlias = Callable[[], Awaitable[None]]


def shown(text: str, names: dict[str, Any]) -> Shown:
    """The block of code that has this text, to be run with these names."""
    blocks = re.findall(r"```python\n(.*?)```", HANDBOOK.read_text(), re.DOTALL)
    (block,) = [block for block in blocks if text in block and "__main__" not in block]
    code = compile(block, HANDBOOK.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names |= {"pierule": pierule, "asyncio": asyncio, "print": lambda *_: None}
    return cast("Shown", FunctionType(code, names))


async def test_a_bot_plays_takes_back_and_plays_again(server: Serving) -> None:
    async with (
        asyncio.timeout(BOUND),
        pierule.connect(server.url) as ada,
        pierule.connect(server.url) as bert,
    ):
        rooms = [await ada.create("taugo", 6, seat=0)]
        rooms.append(await bert.join(rooms[0].id, seat="any"))
        await rooms[0].act(await pierule.random_action(rooms[0]))
        answering = asyncio.ensure_future(shown("for what in room", {"room": rooms[1]})())
        await rooms[0].offer("takeback")
        async for state in rooms[0]:
            if state.turn == 2:
                break
        assert state.ply == 0
        answering.cancel()

        def loop(room: pierule.Room) -> Awaitable[None]:
            choose = lambda _: pierule.random_action(room)  # noqa: E731
            return shown("await choose(state)", {"room": room, "choose": choose})()

        await asyncio.gather(*map(loop, rooms))
        assert rooms[0].over
        shown("restore(fields, state.rules)", {"state": rooms[0].state})()
        await rooms[0].offer("rematch")
        names: dict[str, Any] = {}
        shown("async def rematch", names)()
        rematch = await names["rematch"](bert, rooms[1])
        assert rematch is not None
        assert rematch.id == await rooms[0].rematch()


async def test_a_name_is_registered_and_other_sessions_end(server: Serving) -> None:
    calls = re.findall(r"`(await client\.(?:register|end_sessions)\(.*?\))`", HANDBOOK.read_text())
    assert len(calls) == 2
    async with pierule.connect(server.url, name="Night owl") as client:
        token = client.token
        for call in calls:
            code = compile(call, HANDBOOK.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            await cast("Shown", FunctionType(code, {"client": client}))()
        assert client.name == "Night-owl"
        assert client.token != token
