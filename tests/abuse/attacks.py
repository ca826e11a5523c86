"""What a hostile address can do, each by the protocol alone: `python -m abuse.attacks --help`.

An attack is a loop that every connection runs; it is ended from outside. Refusals and broken
connections are part of it: it goes on as fast as it can. It runs in a process of its own with the
lowest priority, because an attacker does not share the server's processors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from websockets.exceptions import WebSocketException

from abuse.connection import RawConnection, Refused, fresh_nonce
from support.games import Game, games

CONNECTIONS = 60
"""At once: a few less than an address may have, for its innocent users are there already."""

TAKEBACKS = 100
"""So many can a seat ask for in one room (SPEC 19.1)."""

PAUSE = 0.05
"""Seconds after a connection that was refused or has broken."""


@dataclass(frozen=True)
class Target:
    """The server, and whom the attack is to hurt: a user and the room in which they play."""

    url: str
    source: str
    user: str
    room: str
    tally: Counter[str]
    chance: random.Random

    async def line(self) -> RawConnection:
        return await RawConnection.open(self.url, self.source, self.tally)

    async def guest(self) -> RawConnection:
        """A connection of a new guest."""
        line = await self.line()
        await line.ask("hello")
        return line

    def text(self, length: int = 12) -> str:
        return "".join(self.chance.choices("abcdefghijkmnpqrstuvwxyz", k=length))


Attack: TypeAlias = Callable[[Target], Awaitable[None]]


async def rooms(target: Target) -> None:
    """Become a new guest, make as many rooms as a user may have, begin anew."""
    line = await target.guest()
    make = [
        {"type": "create", "nonce": fresh_nonce(), "game": "loose", "access": access}
        for access in ("public", "unlisted") * 25
    ]
    await line.ask_all(make)
    await line.close()


async def names(target: Target) -> None:
    """Register name after name."""
    line = await target.guest()
    for _ in range(20):
        await line.ask("register", nonce=fresh_nonce(), name=target.text())
    await line.close()


async def challenges(target: Target) -> None:
    """New guests challenge one user, as often as they may."""
    line = await target.guest()
    ask = {"type": "challenge", "to": target.user, "game": "loose"}
    await line.ask_all([{**ask, "nonce": fresh_nonce()} for _ in range(10)])
    await line.close()


async def chat(target: Target) -> None:
    """New guests say what they may in somebody else's room."""
    line = await target.guest()
    await line.ask("join", room=target.room)
    say = {"type": "say", "room": target.room}
    await line.ask_all(
        [{**say, "nonce": fresh_nonce(), "text": target.text(300)} for _ in range(8)]
    )
    await line.close()


async def replays(target: Target) -> None:
    """Ask for the positions of long games, without end."""
    line = await target.guest()
    game = max(games(), key=lambda game: len(game.actions))
    ask = {"type": "replay", "game": game.game, "size": game.size, "actions": list(game.actions)}
    for _ in range(100):
        await line.ask_all([ask] * 4)
    await line.close()


async def recovery(target: Target) -> None:
    """Guess recovery codes."""
    line = await target.line()
    for _ in range(100):
        code = "-".join(target.text(5).upper() for _ in range(4))
        await line.ask("hello", name=target.text(), recovery=code)
    await line.close()


async def _running(target: Target) -> tuple[RawConnection, dict[str, Any]]:
    """A new guest who holds both seats of a room."""
    line = await target.guest()
    made = await line.ask("create", nonce=fresh_nonce(), game="loose", size=5, seat=0)
    if made["type"] == "ok":
        made = await line.ask("join", room=made["room"], seat=1, nonce=fresh_nonce())
    return line, made


async def rematches(target: Target) -> None:
    """Make rooms by agreeing on rematch after rematch."""
    line, made = await _running(target)
    while made["type"] == "ok":
        room = made["room"]
        await line.ask("resign", room=room, nonce=fresh_nonce())
        for seat in (0, 1):
            ask = {"room": room, "what": "rematch", "seat": seat, "nonce": fresh_nonce()}
            made = await line.ask("offer", **ask)
        log = await line.ask("log", room=room)
        records = [json.loads(entry["record"]) for entry in log.get("log", [])]
        led = [record["room"] for record in records if record["kind"] == "rematched"]
        made = {"type": "ok", "room": led[0]} if led else {"type": "error"}
    await line.close()


async def reports(target: Target) -> None:
    """Report boards that differ, of rooms that there are not."""
    line = await target.guest()
    for _ in range(20):
        ask = {"type": "board_mismatch", "epoch": 1, "seq": 9, "problem": "mismatch"}
        await line.ask_all([{**ask, "room": target.text(8)} for _ in range(10)])
    await line.close()


async def since(target: Target) -> None:
    """Pretend to know events that the server has lost."""
    line, made = await _running(target)
    if made["type"] == "ok":
        for _ in range(100):
            place = {"epoch": made["place"]["epoch"], "seq": 999}
            place["chain"] = target.chance.randrange(2**32)
            await line.ask("join", room=made["room"], since=place)
    await line.close()


async def resumes(target: Target) -> None:
    """Come back to somebody's room after all that was played, and with a place that never was."""
    line = await target.guest()
    log = await line.ask("log", room=target.room)
    first = {key: log["log"][0][key] for key in ("epoch", "seq", "chain")} if "log" in log else {}
    for place in (first, {"epoch": 1, "seq": 1, "chain": 1}) * 100:
        since = {"type": "join", "room": target.room, "since": place}
        await line.ask_all([since, {"type": "leave", "room": target.room}] * 2)
    await line.close()


async def handshakes(target: Target) -> None:
    """Connect and go, without a word."""
    line = await target.line()
    await line.close()


async def pings(target: Target) -> None:
    """Ask for nothing, far too fast, but never 200 times in a row: some pings are granted."""
    line = await target.guest()
    for _ in range(1_000):
        await line.ask_all([{"type": "ping"}] * 190)
    await line.close()


async def legal(target: Target) -> None:
    """Ask for everything that is legal on the largest board, without end."""
    line = await target.guest()
    made = await line.ask("create", nonce=fresh_nonce(), game="veletas", size=10, seat=0)
    for _ in range(100):
        await line.ask_all([{"type": "legal", "room": made.get("room", "dada")}] * 4)
    await line.close()


def steps_of(game: Game) -> Iterator[tuple[int, str]]:
    """How to make the log of a room as long as it can be: the seat that acts, and its action. A
    seat whose action is empty takes its latest action back. The game never ends, so its log stays
    as long as that of any room."""
    left = {0: TAKEBACKS, 1: TAKEBACKS}
    for position, action in zip(game.positions, game.actions[:-1], strict=False):
        seat = position.to_act
        assert seat is not None
        yield seat, action
        while left[seat]:
            left[seat] -= 1
            yield seat, ""
            yield seat, action


async def solo(target: Target) -> None:
    """Two guests play each other, with all the takebacks that there are, and begin a new game as
    soon as they may."""
    game = max(games(), key=lambda game: game.turns)
    lines = [await target.guest(), await target.guest()]
    try:
        while True:
            await _play(lines, game)
    except Refused:
        pass
    finally:
        for line in lines:
            await line.close()


async def _play(lines: Sequence[RawConnection], game: Game) -> None:
    """One game, up to its last action. Raises Refused if the server refuses a part of it."""
    make = {"game": game.game, "size": game.size, "seat": 0, "access": "unlisted"}
    room = (await lines[0].patiently("create", nonce=fresh_nonce(), **make))["room"]
    await lines[1].patiently("join", room=room, seat=1, nonce=fresh_nonce())
    turn = 0
    for seat, action in steps_of(game):
        if action:
            done = await lines[seat].patiently("act", room=room, turn=turn, action=action)
        else:
            ask = {"room": room, "what": "takeback"}
            await lines[seat].patiently("offer", **ask, nonce=fresh_nonce())
            other = lines[1 - seat]
            done = await other.patiently("accept", **ask, turn=turn, nonce=fresh_nonce())
        turn = done["turn"]


ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        *(rooms, names, challenges, chat, replays, recovery, rematches, reports, since),
        *(resumes, handshakes, pings, legal, solo),
    )
}

PAIRS = frozenset({solo})
"""Attacks that need two connections each."""


def times(attack: Attack) -> int:
    """How many of an attack run at once."""
    return CONNECTIONS // 2 if attack in PAIRS else CONNECTIONS


async def run(attack: Attack, target: Target, seconds: float) -> None:
    """Have all connections attack for so long."""

    async def loop() -> None:
        while True:
            try:
                await attack(target)
            except (WebSocketException, OSError, TimeoutError) as error:
                target.tally[type(error).__name__] += 1
                await asyncio.sleep(PAUSE)

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for _ in range(times(attack)):
                group.create_task(loop())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("attack", choices=list(ATTACKS))
    parser.add_argument("url")
    parser.add_argument("--source", default="127.0.0.1", help="address to attack from")
    parser.add_argument("--user", default="", help="id of the user who is challenged")
    parser.add_argument("--room", default="dada", help="room whose chat is flooded")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    os.nice(19)
    tally: Counter[str] = Counter()
    chance = random.Random(args.seed)
    target = Target(args.url, args.source, args.user, args.room, tally, chance)
    asyncio.run(run(ATTACKS[args.attack], target, args.seconds))
    json.dump(tally, sys.stdout)


if __name__ == "__main__":
    main()
