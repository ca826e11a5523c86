"""What a check uses: the server's address and welcome, peers, running rooms."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.raw_connection import CodecName, RawConnection
from pierule_conform.checks.registry import Failed, Skipped
from pierule_conform.checks.scripts import Script, script
from pierule_conform.checks.watch import Watcher
from pierule_games import GAMES
from pierule_protocol.buckets import bucket_of

OPERATION_SECONDS = 60.0
"""How long a command of the operator may take."""


@dataclass(slots=True)
class Table:
    """A running room with a scripted game; both players follow it. `turn` is the next turn."""

    room: str
    players: tuple[Peer, Peer]
    script: Script
    turn: int = 0

    @property
    def mover(self) -> Peer:
        """The player who is to act."""
        return self.players[self.script.seat(self.turn)]

    @property
    def other(self) -> Peer:
        """The player who is not to act."""
        return self.players[1 - self.script.seat(self.turn)]

    @property
    def action(self) -> str:
        """The script's next action."""
        return self.script.actions[self.turn]

    async def play(self, number: int = 1) -> dict[str, Any]:
        """Play this many actions of the script, each when its player has seen the one before.
        Returns the last answer."""
        answer: Any = {}
        for _ in range(number):
            mover = self.mover
            await mover.until_turn(self.room, self.turn)
            answer = await mover.ok("act", room=self.room, turn=self.turn, action=self.action)
            self.turn += 1
        return dict(answer)

    async def seen(self) -> None:
        """Wait until both players have seen all that was played."""
        for player in self.players:
            await player.until_turn(self.room, self.turn)


@dataclass(slots=True)
class CheckContext:
    """One run of one check. `wait` is the longest wait for a timer of the server; `commands` are
    the operator's."""

    url: str
    codec: CodecName
    seconds: float
    wait: float
    watcher: Watcher
    welcome: dict[str, Any]
    commands: Mapping[str, str] = field(default_factory=dict)
    peers: list[Peer] = field(default_factory=list)

    # --- connections -----------------------------------------------------------------------------

    async def stranger(self, codec: CodecName | None = None, hint: str | None = None) -> Peer:
        """A connection that has not said hello, with the hint of a room (SPEC 1.15)."""
        mark = "&" if "?" in self.url else "?"
        url = self.url if hint is None else f"{self.url}{mark}bucket={bucket_of(hint)}"
        try:
            connection = await RawConnection.open(url, codec or self.codec, self.seconds)
        except (OSError, TimeoutError, InvalidHandshake, ConnectionClosed) as error:
            raise Failed("a handshake that succeeds", f"{type(error).__name__}: {error}") from None
        peer = Peer(connection, self.watcher, self.seconds)
        self.peers.append(peer)
        return peer

    async def peer(
        self, codec: CodecName | None = None, hint: str | None = None, **hello: Any
    ) -> Peer:
        """A connection that has said hello: a new guest, unless a token says otherwise."""
        peer = await self.stranger(codec, hint)
        await peer.hello(**hello)
        return peer

    async def again(self, peer: Peer, codec: CodecName | None = None) -> Peer:
        """The same user on another connection."""
        return await self.peer(codec or peer.connection.codec, token=peer.welcome.get("token"))

    @property
    def other_codec(self) -> CodecName:
        return "json" if self.codec == "msgpack" else "msgpack"

    def tokens(self) -> set[str]:
        """The tokens of all users that this run has made."""
        found = (peer.welcome.get("token") for peer in self.peers)
        return {token for token in found if isinstance(token, str)}

    async def clear(self, token: str) -> None:
        """As the user of this token, end all games that this user still plays. If the server
        refuses, leave them as they are."""
        with suppress(Failed, ConnectionClosed, TimeoutError):
            peer = await self.peer(token=token)
            for mine in (await peer.ok("my_rooms")).get("my_rooms", []):
                card = mine["card"]
                verb = "abort" if card["status"] == "open" else "resign"
                await peer.ask(verb, room=card["room"], nonce=nonce(), seat=mine["seats"][0])

    async def close(self) -> None:
        """End all connections."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.seconds):
                await asyncio.gather(*(peer.close() for peer in self.peers))

    # --- what there is ---------------------------------------------------------------------------

    def limit(self, name: str) -> int:
        """A limit that the welcome states. Raises Skipped if it states none."""
        value = self.welcome.get("limits", {}).get(name)
        if not isinstance(value, int) or value <= 0:
            raise Skipped(f"the welcome states no {name}")
        return value

    def timer(self, name: str, times: float = 1) -> float:
        """This many times a limit in seconds. Raises Skipped if that is too long to wait for."""
        seconds = self.limit(name) * times
        if seconds > self.wait:
            raise Skipped(f"{seconds:g} s of {name} are more than --wait {self.wait:g}")
        return seconds

    def feature(self, name: str) -> None:
        """Raises Skipped if the welcome does not announce it."""
        if name not in self.welcome.get("features", []):
            raise Skipped(f"the welcome does not announce {name}")

    def needs(self, *operations: str) -> None:
        """Raises Skipped if the operator has not given a command for each of these."""
        for operation in operations:
            if operation not in self.commands:
                raise Skipped(f"needs a command of the operator: --with {operation}=COMMAND")

    async def operate(self, operation: str) -> None:
        """Run the operator's command for an operation to its end."""
        process = await asyncio.create_subprocess_shell(self.commands[operation], stdout=DEVNULL)
        try:
            status = await asyncio.wait_for(process.wait(), OPERATION_SECONDS)
        except TimeoutError:
            process.kill()
            raise Failed(f"an end of `{operation}`", f"none in {OPERATION_SECONDS:g} s") from None
        if status != 0:
            raise Failed(f"status 0 of `{operation}`", status, self.commands[operation])

    def script(self, game: str | None = None, size: int | None = None) -> Script:
        """A whole game that this server has: the first whose rules we know, at its smallest
        size."""
        for options in self.welcome.get("games", []):
            name = options.get("game")
            if name in GAMES and game in (None, name):
                sizes = set(options.get("sizes", [])).intersection(GAMES[name].sizes)
                if size is not None:
                    sizes &= {size}
                if sizes:
                    return script(name, min(sizes))
        raise Skipped(
            f"the welcome names no {game or 'game whose rules this kit knows'} {size or ''}"
        )

    # --- rooms -----------------------------------------------------------------------------------

    async def room(self, maker: Peer, **fields: Any) -> str:
        """A new room of the script's game."""
        of = self.script()
        answer = await maker.ok(
            "create", **{"nonce": nonce(), "game": of.game, "size": of.size, **fields}
        )
        return str(answer.get("room"))

    async def table(
        self,
        *,
        game: str | None = None,
        size: int | None = None,
        turns: int = 0,
        alone: bool = False,
        **fields: Any,
    ) -> Table:
        """A running room, after this many turns. `alone`: one user holds both seats."""
        of = self.script(game, size)
        first = await self.peer()
        second = first if alone else await self.peer(self.other_codec)
        room = await self.room(first, game=of.game, size=of.size, seat=0, **fields)
        if not alone:
            await first.join(room)
        await second.join(room, seat=1, nonce=nonce())
        for player in (first, second):
            await player.until_status(room, "running")
        table = Table(room, (first, second), of)
        if turns:
            await table.play(turns)
            await table.seen()
        return table

    async def log(self, peer: Peer, room: str) -> list[dict[str, Any]]:
        """A room's whole log."""
        self.feature("log")
        return list((await peer.ok("log", room=room)).get("log", []))
