"""A cluster that has lost one primary: what it keeps stands still, everything else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import Act, Create, Error, Notice
from pierule_server.store.buckets import bucket_of, slot_of
from support import stores
from support.peer import Peer, fresh_nonce
from support.serving import Serving

KEYS = {"PIERULE_KEYS": f"k1:{'0' * 32}"}
BOUND = 60.0
STORE_SECONDS = 40
"""So long a node waits for a store that does not answer."""
AT_ONCE = 20.0
"""Without such a wait, on a busy machine, too."""


@pytest.fixture
def cluster() -> Iterator[stores.Cluster]:
    with stores.cluster() as cluster:
        for server in cluster.servers:
            server.command("CONFIG", "SET", "cluster-require-full-coverage", "no")
        yield cluster


@asynccontextmanager
async def serving(folder: Path, store: str) -> AsyncIterator[Serving]:
    waits = ("--store-seconds", str(STORE_SECONDS))
    node = Serving(folder, *waits, store=store, environment=KEYS)
    try:
        await asyncio.to_thread(node.start)
        yield node
    finally:
        node.clear()


async def guests(stack: AsyncExitStack, node: Serving, cluster: stores.Cluster) -> dict[int, Peer]:
    """A guest for each primary that keeps what is kept of a user."""
    found: dict[int, Peer] = {}
    for _ in range(100):
        if len(found) == len(cluster.servers):
            break
        peer = await stack.enter_async_context(await Peer.open(node.url))
        owner = cluster.owner(slot_of(bucket_of(peer.welcome.user))).port
        found.setdefault(owner, peer)
    return found


async def rooms(peer: Peer, cluster: stores.Cluster) -> dict[int, str]:
    """A running game of the peer against itself at each primary."""
    found: dict[int, str] = {}
    while len(found) < len(cluster.servers):
        made = await peer.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)
        assert made.room is not None
        found.setdefault(cluster.owner(slot_of(bucket_of(made.room))).port, made.room)
    for room in found.values():
        await peer.follow(room, seat=1, nonce=fresh_nonce())
    return found


async def test_rooms_of_living_primaries_go_on_without_a_dead_one(
    tmp_path: Path, cluster: stores.Cluster
) -> None:
    victim, *living = cluster.servers
    dead = f"127.0.0.1:{victim.port}"

    def up(server: stores.Server) -> str:
        return f'pierule_store_primary_up{{primary="127.0.0.1:{server.port}"}}'

    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(serving(tmp_path, cluster.url))
        peers = await guests(stack, node, cluster)
        playing = peers[living[0].port]
        played = await rooms(playing, cluster)
        assert node.asked("/readyz") == (200, "ready\n")
        victim.kill()
        await asyncio.to_thread(
            stores.wait_for, lambda: dead in node.asked("/readyz")[1], "the node to notice"
        )
        status, text = node.asked("/readyz")
        assert status == 200, "no other node could serve more"
        assert f"store {dead} does not answer" in text
        assert [node.measured(up(each)) for each in cluster.servers] == [0, 1, 1]
        await playing.until(
            lambda: any(isinstance(m, Notice) and m.kind == "store_away" for m in playing.received),
            "the notice",
        )

        # Games of the living go on; what cannot is refused at once.
        for server in living:
            await playing.act(played[server.port], 0, "komi:12")
        async with asyncio.timeout(AT_ONCE):
            act = {"room": played[victim.port], "turn": 0, "action": "komi:12"}
            await playing.refused(Code.UNAVAILABLE, Act, **act)

        # New rooms are made where they can be kept, and found again by a retry.
        nonces = [fresh_nonce() for _ in range(20)]
        async with asyncio.timeout(AT_ONCE * len(nonces)):
            made = [
                (await playing.do(Create, nonce=nonce, game="loose", size=5)).room
                for nonce in nonces
            ]
        homes = {cluster.owner(slot_of(bucket_of(room or ""))).port for room in made}
        assert homes == {server.port for server in living}
        async with asyncio.timeout(AT_ONCE):
            unlucky = await peers[victim.port].ask(
                Create, nonce=fresh_nonce(), game="loose", size=5
            )
        assert isinstance(unlucky, Error)
        assert unlucky.code == Code.UNAVAILABLE

        # A room with a player whose account cannot be asked for is served to who comes.
        async with asyncio.timeout(AT_ONCE):
            for room in made:
                await peers[victim.port].follow(room or "")

        await asyncio.to_thread(victim.start)
        await asyncio.to_thread(
            stores.wait_for, lambda: node.asked("/readyz") == (200, "ready\n"), "its return"
        )
        again = [
            (await playing.do(Create, nonce=nonce, game="loose", size=5)).room for nonce in nonces
        ]
        assert again == made
        async with asyncio.timeout(BOUND):  # It says that the cluster is down, for a moment.
            while isinstance(answer := await playing.ask(Act, **act), Error):
                assert answer.code == Code.UNAVAILABLE
                await asyncio.sleep(0.1)


async def test_a_cluster_that_needs_all_primaries_names_the_missing_one(
    tmp_path: Path, cluster: stores.Cluster
) -> None:
    """The default of Redis and Valkey: after the node timeout nobody serves any more."""
    victim, *living = cluster.servers
    for server in living:
        server.command("CONFIG", "SET", "cluster-require-full-coverage", "yes")
    async with serving(tmp_path, cluster.url) as node:
        victim.kill()
        await asyncio.to_thread(
            stores.wait_for, lambda: node.asked("/readyz")[0] == 503, "the node to notice"
        )
        text = node.asked("/readyz")[1]
        assert f"store 127.0.0.1:{victim.port} does not answer" in text
        assert text.count("CLUSTERDOWN") == len(living)
        assert node.measured('pierule_store_error_replies_total{kind="CLUSTERDOWN"}') > 0
