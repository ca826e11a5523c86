"""A player whose node is killed: gone after its lease, back when he is, claimed when he is not."""

from __future__ import annotations

import asyncio

import pytest

import pierule
from e2e.conftest import Opener, Starter
from pierule_protocol.codes import Code
from pierule_protocol.messages import Claim, Create, Error, Join, LogQuery, Ok, Ping
from support.games import game, play
from support.peer import Peer, fresh_nonce

KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)
BOUND = 30_000


async def gone_since(peer: Peer, room: str) -> int:
    """Wait until the player of seat 1 is told to be gone; since when."""

    def gone() -> bool:
        return room in peer.presence and peer.presence[room].gone[1] is not None

    await peer.until(gone, "presence of one who is gone")
    presence = peer.presence[room]
    since, claim = presence.gone[1], presence.claim[1]
    assert presence.players == (True, False)
    assert since is not None
    assert claim == since + BOUND
    return since


@pytest.mark.long(46)
async def test_a_player_returns_at_another_node_or_loses_by_claim(
    start: Starter, opener: Opener
) -> None:
    first = start(keys=KEYS)
    second = start(store=first.store_url, keys=KEYS)
    ada, bob = await opener(first.url, "Ada"), await opener(second.url, "Bob")
    clock = {"kind": "fischer", "main": 300, "increment": 2}
    made = await ada.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0, clock=clock)
    room = made.room
    assert room is not None
    await ada.follow(room)
    await bob.follow(room, seat=1, nonce=fresh_nonce())
    await ada.until_presence(room, (True, True), 0)
    claim = {"room": room, "outcome": "win"}

    killed = (await ada.do(Ping)).now
    second.kill()
    assert killed is not None
    assert await gone_since(ada, room) <= killed + 1_000
    told = (await ada.do(Ping)).now
    assert told is not None
    assert told - killed > 5_000, "not before the node's lease has run out"
    early = await ada.refused(Code.TOO_EARLY, Claim, **claim, nonce=fresh_nonce())
    assert early.left is not None
    assert early.left <= BOUND

    back = await opener(first.url, token=bob.token)
    await back.follow(room)
    assert (await ada.until_presence(room, (True, True), 0)).gone == (None, None)
    early = await ada.refused(Code.TOO_EARLY, Claim, **claim, nonce=fresh_nonce())
    assert early.left is not None
    assert BOUND - 8_000 < early.left <= BOUND

    left = (await ada.do(Ping)).now
    await back.close()
    since = await gone_since(ada, room)
    assert left is not None
    assert left <= since < left + 5_000
    early = await ada.refused(Code.TOO_EARLY, Claim, **claim, nonce=fresh_nonce())
    assert early.left is not None
    await asyncio.sleep(early.left / 1_000)  # the server's own word for how long

    # Now both at once: whoever comes first, the other is told the truth.
    bob = await opener(first.url, token=bob.token)
    joining = asyncio.create_task(bob.do(Join, room=room))
    answer = await ada.ask(Claim, **claim, nonce=fresh_nonce())
    await joining
    if isinstance(answer, Error):
        assert answer.code == Code.TOO_EARLY
        assert ada.state(room).status == "running"
        return
    assert isinstance(answer, Ok)
    for peer in (ada, bob):
        state = await peer.until_over(room)
        assert state.result is not None
        assert (state.result.winner, state.result.reason) == (0, "left")
    log = (await bob.do(LogQuery, room=room)).log
    assert log is not None
    assert f'"gone":{since},"bound":{BOUND}' in log[-1].record


async def test_spectators_at_two_nodes_are_behind(start: Starter, opener: Opener) -> None:
    first = start(keys=KEYS)
    second = start(store=first.store_url, keys=KEYS)
    ada, bob = await opener(first.url, "Ada"), await opener(second.url, "Bob", "json")
    made = await ada.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0, delay=2)
    room = made.room
    assert room is not None
    await ada.follow(room)
    await bob.follow(room, seat=1, nonce=fresh_nonce())
    eves = [await opener(node.url, "Eve", codec)
            for node in (first, second) for codec in ("msgpack", "json")]  # fmt: skip
    for eve in eves:
        await eve.follow(room)
    await play(room, LOOSE, (ada, bob), end=4)
    for eve in eves:
        await eve.until_turn(room, 2)
        async with await eve.again(second.url) as other:
            assert (await other.resume(room)).resumed is True
            assert other.state(room) == eve.state(room)
    second.kill()
    async with await eves[2].again(first.url) as back:
        assert (await back.resume(room)).resumed is True
        assert back.state(room).turn == 2


@pytest.mark.long(30)
async def test_the_python_client_claims(start: Starter, opener: Opener) -> None:
    node = start()
    async with pierule.connect(node.url, name="Ada") as one:
        async with pierule.connect(node.url, name="Bob") as two:
            ada = await one.create("loose", 5, 0, "5+3")
            await two.join(ada.id, 1)
            async for state in ada:
                if state.status == "running":
                    break
        watcher = await opener(node.url, "Eve")
        await watcher.follow(ada.id)
        await gone_since(watcher, ada.id)
        with pytest.raises(pierule.Refused) as refused:
            await ada.claim("abort")
        assert refused.value.code == Code.TOO_EARLY
        assert refused.value.left is not None
        await asyncio.sleep(refused.value.left / 1_000)
        await ada.claim("abort")
        assert ada.result == pierule.Result(None, "left")
