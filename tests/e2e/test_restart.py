"""Servers die and come back: what was acknowledged is there, and every game goes on (laws 4, 5)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

import pytest

from e2e.conftest import Starter
from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import Act, Create, Join, Resign, RoomsQuery
from support.games import check_mirror, game, play, seat_both
from support.matches import Match, playing
from support.peer import Peer, fresh_nonce
from support.serving import Serving

LOOSE = game("loose", 5)
MATCHES = [game("loose", 9), game("taugo", 11), game("veletas", 9), game("taugo", 8)]


class Server:
    """A server that comes and goes, as those who want to play on see it."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self._there = asyncio.Event()
        self._there.set()

    async def url(self) -> str:
        """Where it is, as soon as it is there."""
        await self._there.wait()
        return self.serving.url

    async def restart(self, end: Callable[[], object]) -> None:
        """Have it end, in the middle of whatever it does, and start it again on its folder."""
        self._there.clear()
        await asyncio.to_thread(end)
        await asyncio.to_thread(self.serving.start)
        self._there.set()


@pytest.mark.parametrize("store", [False, True], ids=["server", "server-and-store"])
async def test_games_go_on_after_the_server_is_killed(store: bool, start: Starter) -> None:
    """Three times, while four games are played as fast as they can be."""
    serving = start()
    server = Server(serving)

    def end() -> None:
        serving.kill()
        assert serving.store_runs
        if store:
            serving.kill_store()

    matches = [Match(server.url, of) for of in MATCHES]
    for match in matches:
        match.limit = 20  # so that none is over before the server is killed
    async with playing(matches):
        for turn, limit in ((10, 40), (30, 70), (60, 1_000)):
            await matches[0].reach(turn)
            await server.restart(end)
            for match in matches:
                match.allow(min(limit, match.of.turns))
    assert matches[0].interruptions == 3
    assert all(match.interruptions for match in matches)


async def test_acknowledged_actions_survive_a_kill_right_after(start: Starter) -> None:
    """Server and store die as soon as an answer is here; the next life knows what it said."""
    serving = start()
    room, token, answered = "", None, None
    for turn in range(6):
        async with await Peer.open(serving.url, "Ada", token=token) as peer:
            if not room:
                room, token = await seat_both(peer, peer, LOOSE), peer.token
            await peer.follow(room)
            if answered is not None:
                assert peer.state(room).place == answered.place
                assert peer.state(room).turn == turn
            answered = await peer.act(room, turn, LOOSE.actions[turn])
            serving.kill()
            serving.kill_store()
        await asyncio.to_thread(serving.start)


async def test_requests_are_repeated_after_a_restart(start: Starter) -> None:
    """Whatever was asked before is answered as it was then, by a server that has forgotten all."""
    serving = start()
    peer = await Peer.open(serving.url, "Ada", "json")
    make = {"nonce": fresh_nonce(), "game": "loose", "size": 5, "seat": 0}
    made = await peer.do(Create, **make)
    take = {"room": made.room, "seat": 1, "nonce": fresh_nonce()}
    taken = await peer.do(Join, **take)
    acts = [{"room": made.room, "turn": n, "action": LOOSE.actions[n]} for n in range(4)]
    acted = [await peer.do(Act, **act) for act in acts]
    give_up = {"room": made.room, "nonce": fresh_nonce()}
    given_up = await peer.do(Resign, **give_up)

    serving.kill()
    await asyncio.to_thread(serving.start)
    async with await peer.again(serving.url) as later:
        again = await later.do(Create, **make)
        assert (again.room, again.place, again.turn) == (made.room, made.place, 0)
        assert (await later.do(Join, **take)).seats == taken.seats
        for act, first in zip(acts, acted, strict=True):
            repeated = await later.do(Act, **act)
            assert (repeated.place, repeated.turn) == (first.place, first.turn)
        repeated = await later.do(Resign, **give_up)
        assert (repeated.place, repeated.turn) == (given_up.place, given_up.turn)
        await later.refused(Code.BAD_FIELD, Resign, room=made.room, nonce=take["nonce"])
    await peer.close()


async def test_listings_outlive_the_server(start: Starter) -> None:
    serving = start()
    async with await Peer.open(serving.url, "Ada") as peer:
        await seat_both(peer, peer, LOOSE)
        await peer.do(Create, nonce=fresh_nonce(), game="taugo")
        before = (await peer.do(RoomsQuery)).rooms
    serving.kill()
    serving.kill_store()
    serving.start()
    async with await Peer.open(serving.url) as peer:
        assert (await peer.do(RoomsQuery)).rooms == before
        assert len(before or []) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_an_orderly_end_tells_clients_and_leaves_nothing_behind(
    number: signal.Signals, start: Starter
) -> None:
    """Clients are told, the exit code is 0, nothing is left behind, and the games go on."""
    serving = start()
    players = [await Peer.open(serving.url, "Ada"), await Peer.open(serving.url, "Bea", "json")]
    silent = await Peer.connect(serving.url)
    rooms = [await seat_both(players[0], players[1], LOOSE) for _ in range(3)]
    for index, room in enumerate(rooms):
        await play(room, LOOSE, (players[0], players[1]), end=5 * index)
    store = serving.store_pid()

    assert serving.process is not None
    serving.process.send_signal(number)
    for peer in (*players, silent):
        assert await peer.closed() == Close.RESTART
    assert await asyncio.to_thread(serving.process.wait, 60) == 0
    assert not serving.store_runs
    with pytest.raises(ProcessLookupError):
        os.kill(store, 0)
    logged = [entry for entry in serving.logged if entry["event"] != "hello"]
    assert [entry["event"] for entry in logged] == [
        *("serving", "draining", "drained", "stopping", "stopped")
    ]
    assert logged[2]["left"] == 0

    await asyncio.to_thread(serving.start)
    back = [await peer.again(serving.url) for peer in players]
    for index, room in enumerate(rooms):
        for peer in back:
            assert (await peer.resume(room)).resumed is True
            assert peer.state(room).turn == 5 * index
        await play(room, LOOSE, (back[0], back[1]), begin=5 * index)
        for peer in back:
            await peer.until_over(room)
            check_mirror(peer, room, LOOSE)
    for peer in (*players, silent, *back):
        await peer.close()


async def test_games_go_on_after_an_orderly_end(start: Starter) -> None:
    """Stopped while actions are on their way: each is either acknowledged and kept, or repeated."""
    serving = start()
    server = Server(serving)
    matches = [Match(server.url, of) for of in MATCHES]
    matches[0].limit = 40  # so that it does not come to its end while the server comes to its own
    async with playing(matches):
        for turn, limit in ((8, 80), (48, matches[0].of.turns)):
            await matches[0].reach(turn)
            await server.restart(serving.terminate)
            assert serving.process is not None
            matches[0].allow(limit)
    assert matches[0].interruptions == 2
    assert [entry["event"] for entry in serving.logged].count("stopped") == 2
    assert all(entry["level"] == "info" for entry in serving.logged)


async def test_a_client_that_ignores_closing_does_not_delay_the_end(start: Starter) -> None:
    """A client that does not answer to a close holds nobody up for longer than is set."""
    serving = start("--close-seconds", "1")
    deaf, other = await Peer.open(serving.url), await Peer.open(serving.url)
    deaf.socket.transport.pause_reading()
    assert serving.process is not None
    serving.process.terminate()
    assert await other.closed() == Close.RESTART
    assert await asyncio.to_thread(serving.process.wait, 60) == 0
    await deaf.vanish()
    await other.close()
