"""The peers: how to start each, and what its clients send. Their programs are in `peers/`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.load import Marker, Member, Plan, Step, frame, handshake
from bench.machine import PEERS, Machine, install, line_from, needed

LANES = 4
"""Connections that act in turn in front of an audience."""

ACTION = "c3-d4"

START_BOUND = 60.0


@dataclass(frozen=True)
class Audience:
    """Rooms, the connections in each, and how many steps each room may need. The first `actors`
    members of a room act in turn."""

    rooms: int
    members: int
    steps: int
    actors: int = 2

    @classmethod
    def watching(cls, members: int, steps: int) -> Audience:
        return cls(1, members, steps, LANES)


@dataclass(frozen=True)
class Dialect:
    """What a peer's client sends. `say` makes a member's prologue from its room and number (None
    for spectators), `act` the frame of a room's step from its actor and number."""

    ready: Marker
    event: Marker
    act: Callable[[int, int, int], bytes]
    say: Callable[[int, int | None, int], list[bytes]] = lambda _room, _actor, _actors: []
    path: Callable[[int], str] = "/{}".format
    server_first: bool = True


def _plain_act(room: int, _actor: int, number: int) -> bytes:
    return frame(f'{{"type":"event","room":{room},"turn":{number},"action":"{ACTION}"}}')


def _sio_act(room: int, _actor: int, _number: int) -> bytes:
    return frame(f'42["act","{room}","{ACTION}"]')


def _sio_say(room: int, _actor: int | None, _actors: int) -> list[bytes]:
    return [frame("40"), frame(f'42["join","{room}"]')]


def _boardgame_act(room: int, actor: int, number: int) -> bytes:
    payload = {"type": "act", "args": [ACTION], "playerID": str(actor)}
    action = {"type": "MAKE_MOVE", "payload": payload}
    message = ["update", action, number, f"m{room}", str(actor)]
    return frame(f"42/bench,{json.dumps(message, separators=(',', ':'))}")


def _boardgame_say(room: int, actor: int | None, actors: int) -> list[bytes]:
    player = None if actor is None else str(actor)
    message = json.dumps(["sync", f"m{room}", player, None, actors])
    return [frame("40/bench,"), frame(f"42/bench,{message}")]


def _colyseus_act(_room: int, _actor: int, _number: int) -> bytes:
    return frame(bytes((13, 0xA0 | 3)) + b"act" + bytes((0xA0 | len(ACTION),)) + ACTION.encode())


def _colyseus_say(_room: int, _actor: int | None, _actors: int) -> list[bytes]:
    return [frame(bytes((10,)))]


def _socket_io(_room: int) -> str:
    return "/socket.io/?EIO=4&transport=websocket"


PLAIN = Dialect(Marker(b'{"type":"welcome"'), Marker(b'{"type":"event"'), _plain_act)
SIO = Dialect(Marker(b'42["joined"'), Marker(b'42["event"'), _sio_act, _sio_say, _socket_io)
BOARDGAME = Dialect(
    Marker(b'42/bench,["sync"'), Marker(b'42/bench,["update"'),
    _boardgame_act, _boardgame_say, _socket_io,
)  # fmt: skip
COLYSEUS = Dialect(Marker(bytes((14,))), Marker(bytes((15,))), _colyseus_act, _colyseus_say)


class Peer:
    """A peer's server in its own process, on the servers' core."""

    def __init__(self, name: str, title: str, program: str, dialect: Dialect, pace: int) -> None:
        self.name, self.title = name, title
        self.pace = pace
        """More actions a second than it can reach, to know how many to prepare."""
        self.settings = ""
        self._program, self._dialect = program, dialect
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    def prepare(self, machine: Machine) -> list[str]:
        """Install or compile what it needs, unless that is done; return the command that starts it.
        Raises `Missing`."""
        return _command(machine, self._program)

    def start(self, machine: Machine, _folder: Path) -> None:
        command = self.prepare(machine)
        with machine.on(machine.server_core):
            self._process = subprocess.Popen(
                command, cwd=PEERS, env={**os.environ, "NODE_ENV": "production"},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        about = json.loads(line_from(self._process, START_BOUND))
        self._port, self.settings = about["port"], about["settings"]

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    @property
    def pids(self) -> list[int]:
        assert self._process is not None
        return [self._process.pid]

    @property
    def store_pids(self) -> list[int]:
        return []

    def check(self) -> None:
        """A peer promises nothing."""

    def plan(self, audience: Audience) -> Plan:
        paths = self._paths(audience)
        members: list[Member] = []
        steps: list[list[Step]] = []
        for room in range(audience.rooms):
            first = len(members)
            for number in range(audience.members):
                actor = number if number < audience.actors else None
                members.append(
                    Member(
                        room, self._port, handshake(paths(room, number)),
                        self._dialect.say(room, actor, audience.actors),
                        server_first=self._dialect.server_first,
                    )
                )  # fmt: skip
            act = partial(self._dialect.act, room)
            steps.append(
                [
                    (first + number % audience.actors, act(number % audience.actors, number))
                    for number in range(audience.steps)
                ]
            )
        return Plan(self._dialect.ready, self._dialect.event, members, steps)

    def _paths(self, audience: Audience) -> Callable[[int, int], str]:
        if self._dialect is not COLYSEUS:
            return lambda room, _member: self._dialect.path(room)
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{audience.rooms} {audience.members}\n")
        self._process.stdin.flush()
        reserved: list[str] = json.loads(line_from(self._process, START_BOUND))
        return lambda room, member: reserved[room * audience.members + member]


def _command(machine: Machine, program: str) -> list[str]:
    file, *arguments = program.split()
    match Path(file).suffix:
        case ".c":
            return [machine.built(f"peers/{file}"), *arguments]
        case ".py":
            install("python")
            return [str(PEERS / ".venv" / "bin" / "python"), program]
        case _:
            node = needed("node", "Node, for some of the --peers")
            install("node")
            return [node, program]


def all_peers() -> list[Peer]:
    """In the order of the table."""
    return [
        Peer("loop", "C epoll loop", "loop.c", PLAIN, 100_000),
        Peer("joined", "C epoll loop, joined writes", "loop.c joined", PLAIN, 100_000),
        Peer("ws", "Node `ws`, hand loop", "ws.mjs", PLAIN, 60_000),
        Peer("colyseus", "Colyseus", "colyseus.mjs", COLYSEUS, 45_000),
        Peer("broadcast", "`websockets.broadcast()`", "plain.py", PLAIN, 45_000),
        Peer("boardgame", "boardgame.io", "boardgame.cjs", BOARDGAME, 12_000),
        Peer("sio", "python-socketio", "sio.py", SIO, 10_000),
    ]
