"""Rooms on python-socketio, served by uvicorn on uvloop, WebSocket transport only."""

from __future__ import annotations

import asyncio
import json
import socket
from importlib.metadata import version

import socketio
import uvicorn

server = socketio.AsyncServer(
    async_mode="asgi", transports=["websocket"], ping_interval=600, logger=False
)


@server.event  # type: ignore[untyped-decorator]  # this environment lacks the package
async def join(sid: str, room: str) -> None:
    await server.enter_room(sid, room)
    await server.emit("joined", to=sid)


@server.event  # type: ignore[untyped-decorator]  # this environment lacks the package
async def act(_sid: str, room: str, text: str) -> None:
    await server.emit("event", text, room=room)


async def main() -> None:
    config = uvicorn.Config(
        socketio.ASGIApp(server),
        loop="uvloop",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        log_level="error",
        backlog=1024,
    )
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        names = ("python-socketio", "python-engineio", "uvicorn", "websockets", "uvloop")
        versions = ", ".join(f"{name} {version(name)}" for name in names)
        about = f"{versions}, ws-per-message-deflate off, ping_interval=600"
        print(
            json.dumps({"port": listener.getsockname()[1], "settings": about}),
            flush=True,
        )
        await uvicorn.Server(config).serve(sockets=[listener])


asyncio.run(main())
