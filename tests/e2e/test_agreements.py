"""What players do beside playing, over two nodes of one store (SPEC 19 and 20)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import pierule
from e2e.conftest import Opener, Starter
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Fischer, requested
from pierule_protocol.log.events import Place
from pierule_protocol.log.record import record_of
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import (
    Abort,
    Accept,
    Act,
    Create,
    Error,
    Join,
    LegalQuery,
    LogQuery,
    Offer,
    Ok,
    Resign,
    Result,
    RoomsQuery,
)
from pierule_server.rooms.making import room_id_for
from pierule_server.store.buckets import log_key, secrets_key
from support import stores
from support.games import game, play, seat_both
from support.peer import Peer, fresh_nonce
from support.serving import Serving

KEYS = "k1:" + "0123456789abcdef" * 4
TAUGO = game("taugo", 6)
SECRET = "the-invitation-of-ada"


@pytest.fixture
def store() -> Iterator[stores.Server]:
    """A store of its own, to look behind the scenes."""
    with stores.single() as server:
        yield server


@pytest.fixture
def nodes(start: Starter, store: stores.Server) -> list[Serving]:
    return [start(store=store.url, keys=KEYS) for _ in range(2)]


@pytest.fixture
async def players(nodes: list[Serving], opener: Opener) -> tuple[Peer, Peer]:
    """Ada at one node, Bea at the other."""
    ada, bea = (
        await opener(nodes[0].url, "Ada", "msgpack"), await opener(nodes[1].url, "Bea", "json"),
    )  # fmt: skip
    return ada, bea


async def agree(asker: Peer, other: Peer, room: str, what: str) -> Ok:
    """Offer and accept; both have seen what comes of it."""
    offered = await asker.do(Offer, room=room, what=what, nonce=fresh_nonce())
    state = await other.until_place(room, offered.place)
    seat = [holder and holder.user for holder in state.seats].index(asker.user)
    assert state.offers[seat] == what
    accepted = await other.do(Accept, room=room, what=what, turn=state.turn, nonce=fresh_nonce())
    for peer in (asker, other):
        await peer.until_place(room, accepted.place)
    return accepted


async def verified(peer: Peer, room: str) -> None:
    """The room's record is true to itself, and its last state is what the peer sees."""
    log = (await peer.do(LogQuery, room=room)).log or []
    assert verify(record_of(peer.state(room), log)) is None


async def test_a_takeback_restores_the_board(players: tuple[Peer, Peer]) -> None:
    ada, bea = players
    room = await seat_both(ada, bea, TAUGO)
    await play(room, TAUGO, players, end=5)
    asker, other = players if TAUGO.positions[5].to_act else players[::-1]
    for expected in (4, 2):
        await agree(asker, other, room, "takeback")
        for peer in players:
            state = peer.state(room)
            assert (state.ply, state.actions) == (expected, TAUGO.actions[:expected])
            assert state.position.cells == list(TAUGO.positions[expected].cells)
            assert state.offers == (None, None)
    assert ada.state(room).turn == 7
    await verified(ada, room)
    stale = await other.ask(Act, room=room, turn=4, action=TAUGO.actions[4])
    assert isinstance(stale, Error)
    assert stale.code == Code.STALE


async def test_two_simultaneous_draw_offers_make_a_draw(players: tuple[Peer, Peer]) -> None:
    for _ in range(10):
        room = await seat_both(*players, TAUGO)
        nonces = [fresh_nonce(), fresh_nonce()]

        def ask(room: str = room, nonces: list[str] = nonces) -> Any:
            return asyncio.gather(
                *(
                    peer.do(Offer, room=room, what="draw", nonce=nonce)
                    for peer, nonce in zip(players, nonces, strict=True)
                )
            )

        first = await ask()
        assert [each.place for each in await ask()] == [each.place for each in first]
        for peer in players:
            state = await peer.until_over(room)
            assert state.result == Result("draw", "agreed")
        await verified(players[0], room)


async def test_the_first_of_an_acceptance_and_an_action_counts(
    players: tuple[Peer, Peer], nodes: list[Serving], opener: Opener
) -> None:
    """Either it is taken back or it is answered: never both, and never neither."""
    for _ in range(15):
        room = await seat_both(*players, TAUGO)
        await play(room, TAUGO, players, end=5)
        mover = TAUGO.positions[5].to_act or 0
        asker, other = players[1 - mover], players[mover]
        elsewhere = await opener(nodes[1 - mover].url, token=other.token)
        offered = await asker.do(Offer, room=room, what="takeback", nonce=fresh_nonce())
        await other.until_place(room, offered.place)
        accepted, acted = await asyncio.gather(
            other.ask(Accept, room=room, what="takeback", turn=5, nonce=fresh_nonce()),
            elsewhere.ask(Act, room=room, turn=5, action=TAUGO.actions[5]),
        )
        kinds = (type(accepted), type(acted))
        assert set(kinds) == {Ok, Error}
        lost = acted if isinstance(acted, Error) else accepted
        assert isinstance(lost, Error)
        assert lost.code == Code.STALE
        await asker.until_turn(room, 6)
        assert asker.state(room).ply == (6 if isinstance(acted, Ok) else 4)
        await elsewhere.close()
        await verified(players[0], room)


async def test_a_pause_stops_the_clocks(players: tuple[Peer, Peer]) -> None:
    ada, bea = players
    clock = requested(Fischer(main=60, increment=1))
    made = await ada.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0, clock=clock)
    room = made.room or ""
    await ada.follow(room)
    await bea.follow(room, seat=1, nonce=fresh_nonce())
    await ada.until_running(room)
    for what in ("draw", "resume"):
        code = Code.BAD_FIELD if what == "draw" else Code.NOT_NOW
        await ada.refused(code, Offer, room=room, what=what, nonce=fresh_nonce())
    await agree(ada, bea, room, "pause")
    before = bea.state(room).clock
    assert before is not None
    assert before.paused is not None
    assert before.deadline == before.paused + 600_000
    await ada.refused(Code.NOT_NOW, Act, room=room, turn=0, action="komi:12")
    await agree(bea, ada, room, "resume")
    state = ada.state(room)
    assert state.clock is not None
    assert state.clock.paused is None
    assert state.clock.started - before.started == state.at - before.paused
    await ada.act(room, 0, "komi:12")
    await bea.until_turn(room, 1)
    await verified(ada, room)


async def test_a_player_who_has_not_acted_can_abort(players: tuple[Peer, Peer]) -> None:
    ada, bea = players
    room = await seat_both(ada, bea, TAUGO)
    await play(room, TAUGO, players, end=1)
    await bea.until_turn(room, 1)
    await ada.refused(Code.NOT_NOW, Abort, room=room, nonce=fresh_nonce())
    nonce = fresh_nonce()
    done = [await bea.do(Abort, room=room, nonce=nonce) for _ in range(2)]
    assert done[0].place == done[1].place
    assert (await ada.until_over(room)).result == Result(None, "aborted")


async def test_everybody_is_led_to_the_rematch(
    players: tuple[Peer, Peer], nodes: list[Serving], opener: Opener
) -> None:
    ada, bea = players
    eve = await opener(nodes[1].url, "Eve")
    room = await seat_both(ada, bea, TAUGO)
    await eve.follow(room)
    await ada.refused(Code.NOT_NOW, Offer, room=room, what="rematch", nonce=fresh_nonce())
    await ada.do(Resign, room=room, nonce=fresh_nonce())
    for peer in (ada, bea, eve):
        await peer.until_over(room)
    both = await asyncio.gather(
        *(peer.do(Offer, room=room, what="rematch", nonce=fresh_nonce()) for peer in players)
    )
    last = max(each.place for each in both if each.place is not None)
    following = {(await peer.until_place(room, last)).rematch for peer in (ada, bea, eve)}
    assert len(following) == 1
    (rematch,) = following
    assert rematch is not None
    for peer in (ada, bea, eve):
        await peer.follow(rematch)
        state = peer.state(rematch)
        assert [holder and holder.user for holder in state.seats] == [bea.user, ada.user]
        assert (state.status, state.rematch_of) == ("running", room)
        assert (state.position.game, state.position.size) == ("taugo", 6)
    await play(rematch, TAUGO, (bea, ada), end=3)
    await verified(eve, room)
    await eve.until_turn(rematch, 3)
    await verified(eve, rematch)
    again = await ada.ask(Offer, room=room, what="rematch", nonce=fresh_nonce())
    assert isinstance(again, Error)
    assert again.code == Code.NOT_NOW


async def test_a_rematch_survives_the_death_of_a_node(
    players: tuple[Peer, Peer], nodes: list[Serving], store: stores.Server
) -> None:
    """The agreement is kept, and the node is killed before it has made the room: another goes on,
    without being asked."""
    ada, bea = players
    room = await seat_both(ada, bea, TAUGO)
    await bea.do(Resign, room=room, nonce=fresh_nonce())
    await ada.until_over(room)
    offered = await bea.do(Offer, room=room, what="rematch", nonce=fresh_nonce())
    await ada.until_place(room, offered.place)
    secret = store.command("HGET", secrets_key(), "rooms")
    rematch = room_id_for(room, "rematch", 0, secret)
    store.command("SET", log_key(rematch), "in the way")
    nonce = fresh_nonce()
    await ada.send(Accept, room=room, what="rematch", turn=0, nonce=nonce)
    await bea.until(lambda: bea.state(room).offers == (None, None), "the agreement")
    nodes[0].kill()
    await ada.until(lambda: ada._over, "the node's death")
    assert bea.state(room).rematch is None
    store.command("DEL", log_key(rematch))
    await bea.until(lambda: bea.state(room).rematch is not None, "the rematch")
    assert bea.state(room).rematch == rematch
    back = await ada.again(nodes[1].url)
    await back.resume(room)
    done = await back.do(Accept, room=room, what="rematch", turn=0, nonce=nonce)
    log = (await back.do(LogQuery, room=room)).log or []
    assert done.place == Place(log[-1].epoch, log[-1].seq, log[-1].chain)
    assert [entry.record.count("rematch") for entry in log[-2:]] == [1, 1]
    for peer in (back, bea):
        await peer.follow(rematch)
        assert peer.state(rematch).seats[0] == peer.state(room).seats[1]
        await verified(peer, rematch)
    await back.close()


async def test_a_private_room_requires_its_invitation(
    players: tuple[Peer, Peer], nodes: list[Serving], opener: Opener
) -> None:
    ada, bea = players
    make = {"nonce": fresh_nonce(), "game": "taugo", "seat": "random", "access": "private"}
    refused = await ada.refused(Code.BAD_FIELD, Create, **make)
    assert refused.field == "invitation"
    made = [await ada.do(Create, **make, invitation=SECRET) for _ in range(2)]
    assert (made[0].room, made[0].seats) == (made[1].room, made[1].seats)
    room, free = made[0].room or "", 1 - (made[0].seats or [0])[0]
    await ada.follow(room)  # who sits there needs no invitation
    for wrong in (None, "another-invitation"):
        for seat in ({}, {"seat": free, "nonce": fresh_nonce()}):
            error = await bea.refused(Code.PRIVATE, Join, room=room, invitation=wrong, **seat)
            assert error.field == "invitation"
    for query in (LogQuery, LegalQuery):
        await bea.refused(Code.PRIVATE, query, room=room)
    assert room not in [card.room for card in (await bea.do(RoomsQuery)).rooms or []]
    await bea.follow(room, invitation=SECRET, seat=free, nonce=fresh_nonce())
    eve = await opener(nodes[1].url, "Eve")
    await eve.follow(room, invitation=SECRET)
    log = (await eve.do(LogQuery, room=room)).log or []
    assert SECRET not in "".join(entry.record for entry in log)
    assert eve.state(room).access == "private"
    assert room not in [card.room for card in (await bea.do(RoomsQuery)).rooms or []]


async def test_the_python_client_offers_accepts_and_plays_rematches(nodes: list[Serving]) -> None:
    urls = [node.url for node in nodes]
    async with (
        pierule.connect(urls, name="Ada") as one,
        pierule.connect(urls[::-1], name="Bea") as two,
    ):
        ada = await one.create("taugo", 6, 0, "1+1", access="private", delay=3)
        bea = await two.join(ada.id, 1, invitation=ada.invitation)
        assert (bea.state.access, bea.state.delay) == ("private", 3)
        async for state in ada.turns():
            if state.status == "running":
                break
        await ada.act("c3")
        await ada.offer("takeback")
        async for _ in bea:
            if bea.offered:
                break
        assert bea.offered == ["takeback"]
        await bea.decline("takeback")
        with pytest.raises(pierule.Refused) as refused:
            await bea.accept("takeback")
        assert refused.value.code == Code.NO_OFFER
        await bea.offer("pause")
        await bea.withdraw("pause")
        await bea.abort()
        async for _ in ada:
            pass
        assert ada.result == pierule.Result(None, "aborted")
        waiting = asyncio.create_task(bea.rematch())
        await bea.offer("rematch")
        async with asyncio.timeout(60):
            await ada.offer("rematch")
            following = await ada.rematch()
            assert following is not None
            assert await waiting == following
        again = await one.join(following, invitation=ada.invitation)
        assert again.seats == [1]
