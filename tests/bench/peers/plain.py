"""Rooms on plain `websockets` with `broadcast()`, on uvloop, without compression."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from importlib.metadata import version

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

rooms: defaultdict[str, set[ServerConnection]] = defaultdict(set)


async def member(connection: ServerConnection) -> None:
    assert connection.request is not None
    room = rooms[connection.request.path]
    room.add(connection)
    await connection.send('{"type":"welcome"}')
    with suppress(ConnectionClosed):
        async for message in connection:
            broadcast(room, message)
    room.discard(connection)


async def main() -> None:
    async with serve(member, "127.0.0.1", 0, compression=None, backlog=1024) as server:
        settings = f"websockets {version('websockets')}, uvloop {version('uvloop')}"
        port = next(iter(server.sockets)).getsockname()[1]
        about = f"{settings}, broadcast(), compression=None, else its defaults"
        print(json.dumps({"port": port, "settings": about}), flush=True)
        await server.serve_forever()


uvloop.run(main())
