"""Players at two real nodes while their store dies, hangs, fails over or loses what it kept.

Whoever has an `ok` finds the action in the final log, unless the store was allowed to lose it; then
a new epoch says so. Nobody has to do anything to go on.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import Act, Create, Error, Hello, LogQuery, Notice, Ok, Ping, Request
from pierule_server.store.driver.errors import AWAY, KINDS
from support import stores
from support.logs import named_by_time
from support.peer import Peer, fresh_nonce
from support.proxy import proxied
from support.replicated import Replicated, replicated
from support.serving import Serving

KEYS = {"PIERULE_KEYS": f"k1:{'0' * 32}"}
STORE_SECONDS = 1.0
QUICK = ("--store-seconds", str(STORE_SECONDS))
BOUND = 60.0
REQUESTS = 120
"""If each waited for the store, they would take twice the bound: so they were answered at once."""

ACTIONS = ["komi:12", "black", "c3", "d4", "e5", "a1", "b2", "a5", "e1", "b4"]
"""For Loose on 5x5. Turn 0 is seat 0's, turns 1 and 2 are seat 1's, then they take turns."""


@asynccontextmanager
async def serving(
    folder: Path, *urls: str | None, flags: tuple[str, ...] = ()
) -> AsyncIterator[list[Serving]]:
    """A node for each URL of the store (None: an embedded one)."""
    started: list[Serving] = []
    try:
        for number, url in enumerate(urls):
            place = folder / str(number)
            place.mkdir()
            node = Serving(place, *QUICK, *flags, store=url, environment=KEYS if url else None)
            started.append(node)
            await asyncio.to_thread(node.start)
        yield started
    finally:
        for node in started:
            node.clear()


class Match:
    """Two players, each on a connection of their own, who act in turn whatever happens."""

    def __init__(self, room: str, players: tuple[Peer, Peer]) -> None:
        self.room = room
        self.players = players
        self.turn = 0
        self.refusals: list[Error] = []

    @classmethod
    @asynccontextmanager
    async def open(cls, first: Serving, second: Serving) -> AsyncIterator[Match]:
        async with await Peer.open(first.url) as anna, await Peer.open(second.url) as bert:
            made = await anna.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)
            assert made.room is not None
            await anna.follow(made.room)
            await bert.follow(made.room, seat=1, nonce=fresh_nonce())
            yield cls(made.room, (anna, bert))

    def mover(self, turn: int) -> Peer:
        return self.players[0 if turn == 0 or (turn > 2 and turn % 2) else 1]

    async def try_to_act(self, text: str | None = None) -> Ok | Error:
        action = text or ACTIONS[self.turn]
        mover = self.mover(self.turn)
        return await mover.ask(Act, room=self.room, turn=self.turn, action=action)

    async def act(self, number: int = 1) -> None:
        """So many actions; each is sent again until it is answered with ok."""
        for _ in range(number):
            async with asyncio.timeout(BOUND):
                while isinstance(answer := await self.try_to_act(), Error):
                    assert answer.code == Code.UNAVAILABLE, answer
                    self.refusals.append(answer)
                    await asyncio.sleep(0.05)
            self.turn += 1

    async def all_see(self, turn: int | None = None, *, renewed: bool = False) -> None:
        """Wait until both have seen all that was acknowledged."""
        wanted = self.turn if turn is None else turn
        for player in self.players:
            await player.until(
                lambda player=player: (
                    player.state(self.room).turn == wanted  # type: ignore[misc]
                    and (not renewed or named_by_time(player.state(self.room).epoch))
                ),
                lambda player=player: f"turn {wanted}; {player.state(self.room)}",  # type: ignore[misc]
            )

    async def check(self, *, renewed: bool = False) -> None:
        """Both have the board that the log tells of, and the log has every action once."""
        await self.all_see()
        first, second = (player.state(self.room) for player in self.players)
        assert first == second
        assert named_by_time(first.epoch) if renewed else first.epoch == 1
        assert first.turn == self.turn == len(first.actions)
        told = (await self.players[0].do(LogQuery, room=self.room)).log
        assert told is not None
        assert [entry.seq for entry in told] == list(range(1, len(told) + 1))
        assert sum('"kind":"acted"' in entry.record for entry in told) == self.turn
        assert told[-1].chain == first.chain

    async def told(self, *kinds: str) -> None:
        """Wait until both were told so of the store."""

        def heard(player: Peer) -> list[str]:
            return [m.kind for m in player.received if isinstance(m, Notice)]

        for player in self.players:
            await player.until(
                lambda player=player: heard(player) == list(kinds),  # type: ignore[misc]
                lambda player=player: f"{kinds}; {heard(player)}",  # type: ignore[misc]
            )


async def test_play_goes_on_when_a_killed_store_returns(tmp_path: Path) -> None:
    with stores.single_on_port() as store:
        async with (
            serving(tmp_path, store.url, store.url) as nodes,
            Match.open(*nodes) as match,
        ):
            await match.act(3)
            for times in (1, 2):
                store.kill()
                async with asyncio.timeout(BOUND):
                    for _ in range(REQUESTS):
                        answer = await match.try_to_act()
                        assert isinstance(answer, Error)
                        assert answer.code == Code.UNAVAILABLE
                await match.told(*["store_away", "store_back"] * (times - 1), "store_away")
                assert (await match.players[0].do(Ping)).now, "what needs no store is served"
                await asyncio.to_thread(store.start)
                await match.act()
                await match.told(*["store_away", "store_back"] * times)
                await match.act(2)
            await match.check()


async def test_play_goes_on_after_the_store_hung(tmp_path: Path) -> None:
    with stores.single_on_port() as store:
        async with (
            serving(tmp_path, store.url, store.url) as nodes,
            Match.open(*nodes) as match,
        ):
            await match.act(3)
            store.pause()
            try:
                assert isinstance(await match.try_to_act(), Error)
                await match.told("store_away")
                async with asyncio.timeout(BOUND):
                    for _ in range(REQUESTS):
                        assert isinstance(await match.try_to_act(), Error)
            finally:
                store.resume()
            await match.act(3)
            await match.told("store_away", "store_back")
            await match.check()


async def test_a_full_store_is_reported_as_full(tmp_path: Path) -> None:
    """To players in the answer and by a notice, to operators on every way that they have."""
    words = "the store is full"
    with stores.single_on_port() as store:
        async with serving(tmp_path, store.url) as (node,), Match.open(node, node) as match:
            await match.act(3)
            store.command("CONFIG", "SET", "maxmemory", "1")
            answer = await match.try_to_act()
            while isinstance(answer, Error) and answer.text == KINDS[AWAY].players:
                answer = await match.try_to_act()  # a busy machine's store answers late
            assert isinstance(answer, Error)
            assert (answer.code, answer.text[: len(words)]) == (Code.UNAVAILABLE, words)
            await match.told("store_away")
            notices = [m for m in match.players[0].received if isinstance(m, Notice)]
            assert any(words in (notice.text or "") for notice in notices)
            await asyncio.to_thread(
                stores.wait_for, lambda: node.asked("/readyz")[0] == 503, "the node to notice"
            )
            assert "OOM" in node.asked("/readyz")[1]
            assert node.measured('pierule_store_error_replies_total{kind="OOM"}') > 0
            up = f'pierule_store_primary_up{{primary="127.0.0.1:{store.port}"}}'
            assert node.measured(up) == 0
            store.command("CONFIG", "SET", "maxmemory", "0")
            await match.act(3)
            await match.told("store_away", "store_back")
            await asyncio.to_thread(
                stores.wait_for, lambda: node.asked("/readyz") == (200, "ready\n"), "readiness"
            )
            assert node.measured(up) == 1
            logged = [entry["event"] for entry in node.logged]
            assert "the store is back" in logged
            assert logged.count("the store answers with an error") < 5
            await match.check()


async def test_a_killed_embedded_store_is_started_again(tmp_path: Path) -> None:
    async with serving(tmp_path, None) as (node,), Match.open(node, node) as match:
        await match.act(3)
        for _ in range(2):
            await asyncio.to_thread(node.kill_store)
            await match.act(2)
        await match.check()


@pytest.mark.parametrize("grown", [0, 1, 2, 4], ids="grown_by_{}".format)
async def test_a_fail_over_that_lost_the_end_begins_an_epoch(tmp_path: Path, grown: int) -> None:
    """Of three acknowledged actions the promoted replica has one; before any node notices, other
    actions may have taken the place of those lost. Everybody gets the truth, in a new epoch."""
    with replicated() as store:
        async with (
            serving(tmp_path, store.url, store.url, store.url) as (one, two, cold),
            Match.open(one, two) as match,
        ):
            await match.act(4)
            await asyncio.sleep(0.2)  # for the replicas to have it
            lose_what_follows(store)
            await match.act(2)
            await match.all_see()
            with paused(one, two):
                await fail_over(store)
                match.turn = 4
                for text in ["a5", "e1", "b4", "d2"][:grown]:
                    await act_at(cold, match.mover(match.turn).token, match, text)
            await match.all_see(renewed=True)
            texts = ["b2", "e2", "a2", "c1"]
            for text in texts[:2]:
                while isinstance(answer := await match.try_to_act(text), Error):
                    assert answer.code == Code.UNAVAILABLE, answer
                    await asyncio.sleep(0.05)
                match.turn += 1
            await match.check(renewed=True)


async def test_with_replicas_a_fail_over_loses_no_acknowledged_action(tmp_path: Path) -> None:
    """The same fail-over, when all replicas have to confirm: what it takes back was never
    acknowledged."""
    with replicated() as store:
        async with (
            serving(tmp_path, store.url, store.url, flags=("--replicas", "2")) as nodes,
            Match.open(*nodes) as match,
        ):
            await match.act(4)
            lose_what_follows(store)
            for _ in range(3):  # also when it is sent again, and found in the log
                answer = await match.try_to_act("a1")
                assert isinstance(answer, Error)
                assert answer.code == Code.UNAVAILABLE
            old = await fail_over(store)
            for server in store.servers:  # also the new primary: a second fail-over may demote it
                if server is not old:
                    store.let_go(server)
            await asyncio.to_thread(old.start)
            # Sentinel would do this, too, some ten seconds later.
            old.command("REPLICAOF", "127.0.0.1", store.primary().port)
            await match.act(3)
            await match.all_see()
            await match.check(renewed=match.players[0].state(match.room).epoch != 1)
            assert match.players[0].state(match.room).actions[:5] == ACTIONS[:5]


async def test_a_lost_publication_is_repaired(tmp_path: Path) -> None:
    with stores.single_on_port() as store:
        async with (
            proxied(store.port) as proxy,
            serving(tmp_path, store.url, f"redis://127.0.0.1:{proxy.port}") as nodes,
            Match.open(*nodes) as match,
        ):
            await match.act(3)
            await match.all_see()
            proxy.drop_next(b"acted")
            began = time.monotonic()
            await match.act()
            await match.all_see()
            assert proxy.dropped
            assert time.monotonic() - began > 0.1
            await match.act(2)
            await match.check()


async def test_a_half_open_connection_to_the_store_is_replaced(tmp_path: Path) -> None:
    """One node is cut off without a word, and comes back; the other one never notices."""
    with stores.single_on_port() as store:
        async with (
            proxied(store.port) as proxy,
            serving(tmp_path, store.url, f"redis://127.0.0.1:{proxy.port}") as nodes,
            Match.open(*nodes) as match,
        ):
            await match.act(3)
            await match.all_see()
            proxy.black_hole()
            await match.act()  # by who is at the other node
            answer = await match.try_to_act()
            assert isinstance(answer, Error)
            proxy.heal()
            await match.act(3)
            await match.check()


def lose_what_follows(store: Replicated) -> None:
    for replica in store.replicas():
        store.hold(replica)


async def fail_over(store: Replicated) -> stores.Server:
    """Kill the primary; the one that was, when another one is."""
    old = store.primary()
    old.kill()
    await asyncio.to_thread(store.promoted, old)
    return old


async def act_at(node: Serving, token: str, match: Match, text: str) -> None:
    """Act on a connection of one's own, as soon as the node has found the store."""
    async with await Peer.connect(node.url) as peer, asyncio.timeout(BOUND):
        await do_patiently(peer, Hello, token=token)
        await do_patiently(peer, Act, room=match.room, turn=match.turn, action=text)
    match.turn += 1


async def do_patiently(peer: Peer, kind: type[Request], **fields: Any) -> None:
    """Ask until it is answered with ok; nothing but the store may stand in the way."""
    while isinstance(answer := await peer.ask(kind, **fields), Error):
        assert answer.code == Code.UNAVAILABLE, answer
        await asyncio.sleep(0.05)


@contextmanager
def paused(*nodes: Serving) -> Iterator[None]:
    """Nodes that notice nothing meanwhile."""
    for node in nodes:
        signal_to(node, signal.SIGSTOP)
    try:
        yield
    finally:
        for node in nodes:
            signal_to(node, signal.SIGCONT)


def signal_to(node: Serving, number: signal.Signals) -> None:
    assert node.process is not None
    node.process.send_signal(number)
