"""The way of an action: which files hand it on, which they ask, and where it turns back. `make way`

Two nodes with real ports share one real store and serve a client each. One client acts, and this
traces everything that the nodes run until the other client has the event. A file counts if one of
its functions runs. It hands the action on if it calls another file; otherwise it is only asked. The
floors are those of the import contracts: a request goes down, from the gateway to the store. It
turns back where a function calls a higher floor: once when the store's subscription tells the rooms
of the event, once when the rooms hand it to the connections. More is a detour. The store's reply
comes back to the mover by callbacks; their turns are counted apart.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pierule
import pierule_games
import pierule_protocol
import pierule_server
from pierule_protocol import timeouts
from pierule_protocol.messages import Limits
from pierule_server.connections.connections import Connections
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.gateway.listener import PATH, Listener
from pierule_server.identity.tokens import Keys
from pierule_server.lobby.lobby import Lobby
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.settings import Settings
from pierule_server.store.redis_room_log import RedisRoomLog
from support import stores
from support.ratings import KnownRatings

FLOORS = (
    "gateway",
    "connections",
    "handlers",
    "lobby",
    "rooms",
    "store",
    "identity",
    "tasks",
    "settings",
    "metrics",
)
"""The floors from the top down; the protocol and the games lie below all of them. Everything may
import connections, but what is sent to them leaves at the top."""

OPENING = ("komi:12", "black", "c3", "d4")
"""The first actions of a game, which take the long way."""

ACTIONS = ("a1", "b2", "e5", "e1", "a5")
"""Several, because work that runs beside one by chance does not run beside all of them."""

CLIENT = "the clients, which are not on the way"
BACKGROUND = {"pierule_server/tasks.py": "kept", "pierule_server/rooms/hub.py": "Hub._guard"}
"""Functions that run background work, which on a busy machine may run beside every action."""

REPLY = {"pierule_server/store/redis_room_log.py": "RedisRoomLog.begin.<locals>.kept"}
"""The function that takes the store's reply."""

_CLIENTS = str(Path(next(iter(pierule.__path__))))
_ROOTS = {
    str(Path(next(iter(package.__path__)))): package.__name__
    for package in (pierule_server, pierule_protocol, pierule_games)
}


@dataclass
class Way:
    """The visited files in order, and the upward calls from file to file: on the way, and those of
    the store's reply."""

    files: dict[str, None] = field(default_factory=dict)
    calls: dict[tuple[str, str], None] = field(default_factory=dict)
    turns: dict[tuple[str, str], None] = field(default_factory=dict)
    replies: dict[tuple[str, str], None] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """As `sys.setprofile` calls it."""
        file = _file(frame)
        if event != "call" or file in (None, CLIENT):
            return
        assert file is not None
        callers = [name for each in _callers(frame) if (name := _file(each)) is not None]
        if CLIENT in callers or _is_in(BACKGROUND, frame):
            return
        self.files[file] = None
        if callers and file != callers[0]:
            self.calls[callers[0], file] = None
        if callers and _floor(file) < _floor(callers[0]):
            turns = self.replies if _is_in(REPLY, frame) else self.turns
            turns[callers[0], file] = None

    @property
    def stations(self) -> list[str]:
        """The files that hand the action on."""
        calling = {caller for caller, _ in self.calls}
        return [file for file in self.files if file in calling]

    @property
    def asked(self) -> list[str]:
        """The files that are only asked and call no other."""
        return [file for file in self.files if file not in self.stations]


def _is_in(functions: dict[str, str], frame: FrameType) -> bool:
    """Whether one of these functions, by file, has called this one or is it."""
    return any(
        functions.get(_file(each) or "") == each.f_code.co_qualname
        for each in (frame, *_callers(frame))
    )


def _callers(frame: FrameType) -> Iterator[FrameType]:
    while (caller := frame.f_back) is not None:
        yield caller
        frame = caller


def _file(frame: FrameType) -> str | None:
    """Our file with this function; only for calls, not for definitions."""
    path, name = frame.f_code.co_filename, frame.f_code.co_name
    if name == "<module>" or path == timeouts.__file__:  # that stands in for a part of asyncio
        return None
    if path.startswith(_CLIENTS):
        return CLIENT
    for root, package in _ROOTS.items():
        if path.startswith(root + "/"):
            return f"{package}{path.removeprefix(root)}"
    return None


def _floor(file: str) -> int:
    package, _, rest = file.partition("/")
    part = rest.partition("/")[0].removesuffix(".py")
    return FLOORS.index(part) if package == "pierule_server" else len(FLOORS)


@asynccontextmanager
async def serving(store: str, name: str) -> AsyncIterator[str]:
    """A node over a store, without background work; its address."""
    settings = Settings(port=0)
    keys, connections = Keys({"k": "s" * 64}), Connections()
    log = await RedisRoomLog.open(store)
    hub = Hub(name, log, log.tables, 100, connections)
    log.listen(hub)
    hub.start()
    rooms = Rooms(hub, log, log.tables)
    lobby = Lobby(hub, rooms, log, log.tables, name, Standings(KnownRatings(), log.now))
    limits = Limits(**{name: getattr(settings, name) for name in Limits.__struct_fields__})
    dispatch = Dispatch(hub, rooms, lobby, log, log.tables, keys, limits, "way",
                        connections)  # fmt: skip
    listener = Listener(settings, hub, dispatch, connections)
    port = await listener.start()
    try:
        yield f"ws://127.0.0.1:{port}{PATH}"
    finally:
        await listener.stop()
        await hub.stop()
        await log.close()


async def measure(store: str) -> Way:
    """The common way of several actions."""
    ways = []
    async with (
        serving(store, "one") as one,
        serving(store, "two") as two,
        pierule.connect(one, name="Ada") as ada,
        pierule.connect(two, name="Bea") as bea,
    ):
        mine = await ada.create("loose", 5, seat=0)
        theirs = await bea.join(mine.id, seat="any")
        players = {0: mine, 1: theirs}
        for number, action in enumerate((*OPENING, *ACTIONS)):
            await _until(players.values(), number)
            seat = theirs.state.position.to_act
            assert seat is not None
            actor, other = players[seat], players[1 - seat]
            await asyncio.sleep(0.1)  # what the last one has begun comes to its end
            way = Way()
            sys.setprofile(way)
            try:
                await actor.act(action)
                await _until([other], number + 1)
            finally:
                sys.setprofile(None)
            if action in ACTIONS:
                ways.append(way)
    return Way(
        {file: None for file in ways[0].files if all(file in way.files for way in ways)},
        {call: None for call in ways[0].calls if all(call in way.calls for way in ways)},
        {turn: None for turn in ways[0].turns if all(turn in way.turns for way in ways)},
        {turn: None for turn in ways[0].replies if all(turn in way.replies for way in ways)},
    )


async def _until(rooms: Any, ply: int) -> None:
    async with asyncio.timeout(60):
        for room in rooms:
            async for state in room:
                if state.ply >= ply:
                    break


def main() -> None:
    """Measure over a store of its own, and print the result."""
    with stores.single() as store:
        way = asyncio.run(measure(store.url))
    print(f"{len(way.stations)} files hand it on:", *way.stations, sep="\n  ")
    print(f"{len(way.asked)} files are asked something:", *way.asked, sep="\n  ")
    for turns, where in ((way.turns, "on the way"), (way.replies, "of the store's reply")):
        print(f"{len(turns)} turns {where}:", *(f"{a} -> {b}" for a, b in turns), sep="\n  ")


if __name__ == "__main__":
    main()
