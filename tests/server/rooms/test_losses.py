"""What was lost on the way from the store, or in the store itself, is noticed and put right."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from structlog.testing import capture_logs

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place, Renewed, decode_record
from pierule_protocol.messages import ChatMessage, LogQuery, Notice
from pierule_server.metrics import REGISTRY
from pierule_server.rooms import place_check
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.live import place_of
from pierule_server.store.room_log import StoreUnavailable
from support.logs import named_by_time
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle

BOUND = 60.0


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place_check, "INTERVAL", 0.5)
    monkeypatch.setattr(place_check, "GRACE", 0.02)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():  # noqa: ASYNC110 - what is waited for is a message on a fake socket
            await asyncio.sleep(0.01)


def renewals(node: Node, room: str) -> int:
    return sum(isinstance(decode_record(e.record), Renewed) for e in node.entries(room))


def told_anew(client: Client) -> bool:
    return named_by_time(client.snapshots()[-1].state.epoch)


async def watched(node: Node, room: str, client: Client | None = None) -> Client:
    """A client that follows the room at a node."""
    client = client or Client()
    await node.follow(client, room)
    await settle()
    return client


async def test_a_publication_that_never_came_is_found() -> None:
    async with running(2) as (near, far):
        room = await near.started()
        client = await watched(far, room)
        far.deafen(room)
        await near.act(ANNA, room, 3, "d4")
        await settle()
        assert client.mirror().turn == 3
        await until(lambda: client.mirror().turn == 4)
        # Nothing else had shown that it was deaf: so it was made to listen again.
        await until(lambda: far.log.subscribed.count(room) == 2)
        await near.act(BERT, room, 4, "e5")
        await settle()
        assert client.mirror().turn == 5


async def test_rooms_without_losses_are_not_repaired() -> None:
    async with running(2) as (near, far):
        room = await near.started()
        await watched(far, room)
        await asyncio.sleep(1)
        assert far.log.subscribed.count(room) == 1


async def test_a_gap_during_a_store_outage_is_filled_afterwards() -> None:
    async with running(2) as (near, far):
        room = await near.started()
        client = await watched(far, room)
        far.deafen(room)
        far.log.away = True
        await near.act(ANNA, room, 3, "d4")
        far.hub.gap([room])
        await asyncio.sleep(0.3)
        assert client.mirror().turn == 3
        far.log.away = False
        await until(lambda: client.mirror().turn == 4)


async def test_work_that_gives_up_is_not_logged_for_each_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running() as (node,):
        rooms = [await node.started() for _ in range(3)]
        for room in rooms:
            await watched(node, room)
            await node.hub.chat_recovery.hear(node.hub.cache.live[room])

        async def unreadable(*_: object) -> list[ChatMessage]:
            raise StoreUnavailable("away")

        monkeypatch.setattr(node.hub.chat_recovery._chats, "messages", unreadable)
        with capture_logs() as logs:
            node.hub.gap(rooms)
            await settle()
            node.hub._silent_until = 0.0
            node.hub.gap(rooms[:1])
            await settle()
        told = [each["unlogged"] for each in logs if "gave up" in each["event"]]
        assert told == [0, 2]


async def test_clients_are_told_when_the_store_goes_and_comes() -> None:
    async with running() as (node,):
        client = Client()
        node.hub._connections.add(client.connection)
        node.hub.reachable(False, "it is full")
        await settle()
        late = Client()
        node.hub._connections.add(late.connection)
        node.hub.reachable(True)
        away, back = Notice(kind="store_away", text="it is full"), Notice(kind="store_back")
        assert client.received() == late.received() == [away, back]


@pytest.mark.parametrize("grown", [0, 1, 2, 4], ids="grown_by_{}".format)
async def test_a_lost_end_begins_a_new_epoch(grown: int) -> None:
    """Whether the end is missing, as long as before but another, or longer: every follower at
    every node gets the truth, and there is one new epoch."""
    async with running(3) as (one, two, cold):
        room = await one.started()
        clients = [await watched(one, room), await watched(two, room)]
        for turn, action in enumerate(["d4", "e5"], 3):
            await one.act((ANNA, BERT)[turn % 2 == 0], room, turn, action)
        await settle()
        one.lose_tail(room, 5)  # created, seated, and three actions
        for node in (one, two):
            node.deafen(room)
        for turn, action in list(enumerate(["a1", "b2", "a5", "e1"], 3))[:grown]:
            await cold.act((ANNA, BERT)[turn % 2 == 0], room, turn, action)
        for client in clients:
            await until(partial(told_anew, client))
        await settle()
        truth = one.kept(room)
        for client in clients:
            state = client.mirror()
            assert state.actions == truth.actions
            assert state.place == truth.place
        assert renewals(one, room) == 1
        assert truth.turn == 3 + grown


async def test_an_action_of_a_stale_node_finds_the_loss() -> None:
    async with running(2) as (one, cold):
        room = await one.started()
        client = await watched(one, room)
        await one.act(ANNA, room, 3, "d4")
        one.lose_tail(room, 5)
        await cold.act(ANNA, room, 3, "a1")
        await settle()
        answer = await one.act(BERT, room, 4, "e5")
        assert answer.place is not None
        assert named_by_time(answer.place.epoch)
        await settle()
        assert client.mirror().actions[3:] == ["a1", "e5"]


async def test_a_retry_is_not_acknowledged_if_the_store_has_lost_it() -> None:
    async with running() as (node,):
        room = await node.started()
        first = await node.act(ANNA, room, 3, "d4")
        again = await node.act(ANNA, room, 3, "d4")
        assert (again.place, again.turn) == (first.place, first.turn)
        node.lose_tail(room, 5)
        again = await node.act(ANNA, room, 3, "d4")
        assert again.place is not None
        assert named_by_time(again.place.epoch)
        assert node.kept(room).actions[3:] == ["d4"]


async def test_a_lost_end_of_the_game_is_noticed() -> None:
    """Both players believe that it is over, and would never ask again."""
    async with running(2) as (one, two):
        room = await one.started()
        client = await watched(two, room)
        await one.resign(ANNA, room)
        await settle()
        assert client.mirror().status == "over"
        one.lose_tail(room, 5)
        await until(lambda: named_by_time(client.mirror().epoch))
        assert client.mirror().status == "running"


async def test_a_room_that_was_put_away_is_not_missed() -> None:
    async with running(2) as (one, two):
        room = await one.started()
        client = await watched(two, room)
        await one.resign(ANNA, room)
        await settle()
        reads = two.log.reads
        await one.log.put_away(room, one.entries(room), 1_000_000)
        two.hub.gap([room])
        await asyncio.sleep(1)
        assert (two.log.reads, two.log.subscribed.count(room)) == (reads, 1)
        assert client.connection.following == {room}


async def test_followers_are_told_that_a_room_vanished() -> None:
    async with running(2) as (one, two):
        lost = REGISTRY.get_sample_value("pierule_rooms_lost_total") or 0
        room = await one.started()
        client = await watched(two, room)
        one.lose_tail(room, 0)
        two.hub.gap([room])
        await until(lambda: Notice(kind="room_gone", room=room) in client.received())
        assert client.connection.following == set()
        assert REGISTRY.get_sample_value("pierule_rooms_lost_total") == lost + 1
        with pytest.raises(Refused) as refused:
            await two.act(ANNA, room, 3, "d4")
        assert refused.value.code is Code.UNKNOWN_ROOM


@pytest.mark.parametrize("grown", [0, 2])
async def test_a_player_who_knows_more_than_the_log_begins_an_epoch(grown: int) -> None:
    """All nodes that knew have died; the clients have not."""
    async with running(2) as (one, cold):
        room = await one.started()
        player, spectator = Client(ANNA), Client(CARL)
        await watched(one, room, player)
        await one.act(ANNA, room, 3, "d4")
        await settle()
        known = player.mirror().place
        await one.hub.stop()
        one.deafen(room)
        one.lose_tail(room, 5)
        for turn, action in list(enumerate(["a1", "b2"], 3))[:grown]:
            await cold.act((ANNA, BERT)[turn % 2 == 0], room, turn, action)
        spectator.forget()
        await cold.follow(spectator, room, known)
        await settle()
        assert (spectator.mirror().epoch, renewals(one, room)) == (1, 0), "anybody could say so"
        player.forget()
        for _ in range(2):
            answer = await cold.follow(player, room, known)
        await settle()
        assert not answer.resumed
        assert player.mirror().epoch == spectator.mirror().epoch
        assert named_by_time(player.mirror().epoch)
        assert renewals(one, room) == 1


async def test_resuming_at_a_node_that_is_behind_does_not_go_back() -> None:
    async with running(2) as (near, far):
        room = await near.started()
        await far.live(room)
        far.deafen(room)
        client = await watched(near, room)
        await near.act(ANNA, room, 3, "d4")
        await settle()
        known = client.mirror()
        client.forget()
        answer = await far.follow(client, room, known.place)
        assert answer.resumed
        assert client.snapshots() == []
        assert client.mirror(known).turn == 4


async def test_events_that_only_an_old_primary_published_are_taken_back() -> None:
    """A node that still listened there has shown it; the log has never had it."""
    async with running(2) as (one, two):
        room = await one.started()
        client = await watched(two, room)
        one.deafen(room)
        await one.act(ANNA, room, 3, "d4")
        await settle()
        assert client.mirror().turn == 4
        one.lose_tail(room, 5)
        two.hub.gap([room])
        await until(lambda: named_by_time(client.mirror().epoch))
        assert client.mirror().turn == 3


@pytest.mark.parametrize("knows", [0, 3, 5], ids="knows_{}".format)
async def test_a_deposed_primary_decides_nothing(knows: int) -> None:
    """Of a room with six events it has the first few; the node still asks it."""
    async with running(2) as (near, far):
        room = await near.started()
        await near.act(ANNA, room, 3, "d4")
        client = await watched(far, room) if knows else None
        far.log.deposed = {room: near.entries(room)[:knows]} if knows else {}
        far.hub.gap([room])
        await settle()
        for user, turn, action in (
            (ANNA, 3, "d4"),
            (BERT, 4, "e5"),
            (CARL, 4, "e5"),
            (ANNA, 9, "x"),
        ):
            with pytest.raises(StoreUnavailable):
                await far.act(user, room, turn, action)
        with pytest.raises(StoreUnavailable):
            await far.rooms.log(ANNA, LogQuery(id=1, room="nowhere"), admitted=True)
        assert client is None or room in client.connection.following
        far.log.deposed = None
        again = await far.act(ANNA, room, 3, "d4")
        assert (again.place, again.turn) == (near.kept(room).place, 4)
        with pytest.raises(Refused, match="turn"):
            await far.act(ANNA, room, 9, "x")
        assert renewals(near, room) == 0


async def test_an_epoch_that_was_forgotten_is_not_numbered_again() -> None:
    """The store loses what a new epoch began with, and a node begins another that knows neither."""
    async with running(2) as (one, cold):
        room = await one.started()
        client = await watched(one, room)
        one.lose_tail(room, 4)
        one.hub.gap([room])
        await until(lambda: named_by_time(client.mirror().epoch))
        forgotten = client.mirror().epoch
        await one.hub.stop()
        one.deafen(room)
        one.lose_tail(room, 4)
        await watched(cold, room)
        one.lose_tail(room, 3)
        cold.log.now = lambda: 1000 * forgotten + 1500  # type: ignore[method-assign]
        cold.hub.gap([room])
        await until(lambda: renewals(cold, room) == 1)
        assert cold.entries(room)[-1].epoch == forgotten + 1


@pytest.mark.parametrize("ahead", [0, 60, 2**31])
@pytest.mark.parametrize(
    "proof", ["", "1", "1.", "2.x", "1.\u00e9", "another room's", "another place's"]
)
async def test_an_invented_place_begins_no_epoch(proof: str, ahead: int) -> None:
    async with running() as (node,):
        room = await node.started()
        player = await watched(node, room, Client(ANNA))
        now = node.kept(room).place
        known = Place(now.epoch + ahead, now.seq + 1, 9)
        if proof == "another room's":
            proof = node.hub.proofs.of("other", known.epoch, known.seq, known.chain)
        if proof == "another place's":
            proof = node.hub.proofs.of(room, now.epoch, now.seq, now.chain)
        for _ in range(20):
            player.forget()
            assert not (await node.follow(player, room, known, proof)).resumed
        assert renewals(node, room) == 0
        assert node.kept(room).place == now
        assert (await node.act(ANNA, room, 3, "d4")).turn == 4


async def test_true_proofs_are_believed_repeatedly_and_despite_invented_ones() -> None:
    store = ModelStore()
    async with running(1, store) as (node,):
        room = await node.started()
    for again in range(20):
        player = Client(ANNA)
        async with running(1, store) as (node,):
            await watched(node, room, player)
            await node.follow(player, room, Place(2**31, 9, 9), "1.invented")
            await node.act(ANNA, room, 3, "d4")
            await settle()
            event = player.events()[-1]
        node.lose_tail(room, -1)
        async with running(1, store) as (cold,):
            assert not (await cold.follow(player, room, place_of(event), event.proof)).resumed
            assert renewals(cold, room) == again + 1
            assert cold.kept(room).place.epoch > event.epoch


@pytest.mark.parametrize("dropped", [False, True])
async def test_a_retired_secret_proves_until_it_is_dropped(dropped: bool) -> None:
    async with running(2) as (one, cold):
        room = await one.started()
        player = await watched(one, room, Client(ANNA))
        await one.act(ANNA, room, 3, "d4")
        await settle()
        event = player.events()[-1]
        await one.hub.stop()
        one.deafen(room)
        one.lose_tail(room, 5)
        secrets = cold.log.tables.secrets
        assert await secrets.rotate() == "2"
        assert not await secrets.drop("2")
        assert not dropped or await secrets.drop("1")
        assert cold.hub.proofs.of(room, 1, 1, 1).startswith("2.")
        player.forget()
        await cold.follow(player, room, place_of(event), event.proof)
        assert renewals(cold, room) == (0 if dropped else 1)


@pytest.mark.parametrize("name", ["pierule.1.msgpack", "pierule.1.json"])
async def test_every_message_has_the_same_proof_for_a_place(name: str) -> None:
    """To players and to spectators of a delayed room, by whichever message."""
    async with running(2) as (near, far):
        room = await near.make(delay=2)
        await near.take(BERT, room)
        player, spectator = Client(ANNA, name), Client(CARL, name)
        for client in (player, spectator):
            await watched(near, room, client)
        joined = player.snapshots()[-1]
        place = joined.state.place
        assert joined.proof == near.hub.proofs.place(room, place).proof
        moves = ((ANNA, "komi:12"), (BERT, "black"), (BERT, "c3"), (ANNA, "d4"))
        answers = [await far.act(who, room, turn, act) for turn, (who, act) in enumerate(moves)]
        await settle()
        proofs = {event.seq: event.proof for event in player.events()}
        assert {
            answer.place.seq: answer.place.proof for answer in answers if answer.place
        } == proofs
        later = {event.seq: event.proof for event in spectator.events()}
        assert later
        assert later.items() <= proofs.items()
        assert None not in proofs.values()
