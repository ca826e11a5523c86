"""Rooms at hand and those who follow them: caches of the log that mend themselves (laws 2 to 6,
10 and 11), over the model of the store."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from pierule_games import GAMES
from pierule_protocol.codec import Codec, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Create, Ok
from pierule_protocol.state.room import room_state
from pierule_server.rooms import live as live_module
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.live import fold_event, refold
from pierule_server.rooms.proofs import Proofs
from pierule_server.store.room_log import StoreUnavailable
from support.known_secrets import KnownSecrets
from support.logs import folded
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, Client, Node, running, settle
from support.reference import references

PROOFS = Proofs(KnownSecrets())

JSON, MSGPACK = "pierule.1.json", "pierule.1.msgpack"


def count_calls(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """Note every call of a function that rooms at hand use."""
    calls: list[Any] = []
    real: Callable[..., Any] = getattr(live_module, name)

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(live_module, name, counted)
    return calls


# --- following ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [JSON, MSGPACK])
async def test_a_follower_sees_the_whole_game(node: Node, name: str) -> None:
    room = await node.make()
    client = Client(name=name)
    answer = await node.follow(client, room)
    assert client.received()[0] == answer
    await node.take(BERT, room)
    actions = ["komi:12", "black", "c3", "b3", "pass", "pass"]
    for turn, action in enumerate(actions):
        await node.act((ANNA, BERT, BERT, ANNA, BERT, ANNA)[turn], room, turn, action)
    await settle()
    assert client.mirror() == room_state(node.kept(room))
    assert [event.seq for event in client.events()] == list(range(2, 9))
    assert client.mirror().status == "over"


async def test_the_answer_comes_before_the_snapshot_and_both_before_events(node: Node) -> None:
    room = await node.started()
    client = Client()
    answer = await node.follow(client, room)
    await node.act(ANNA, room, 3, "b3")
    await settle()
    kinds = [type(message).__name__ for message in client.received()]
    assert kinds[:3] == ["Ok", "Snapshot", "Presence"]
    assert kinds.count("Event") == 1
    assert answer.place == client.snapshots()[0].state.place
    assert answer.resumed is False


async def test_a_client_that_leaves_gets_no_more_events(node: Node) -> None:
    room = await node.started()
    client = Client()
    await node.follow(client, room)
    node.hub.leave(client.connection, room)
    client.forget()
    await node.act(ANNA, room, 3, "b3")
    await settle()
    assert client.received() == []
    assert client.connection.following == set()
    node.hub.leave(client.connection, room)
    node.hub.leave(client.connection, "unknown")


async def test_joining_again_gives_a_snapshot_and_each_event_once(node: Node) -> None:
    room = await node.started()
    client = Client()
    await node.follow(client, room)
    await node.follow(client, room)
    assert len(client.snapshots()) == 2
    await node.act(ANNA, room, 3, "b3")
    await settle()
    assert [event.seq for event in client.events()] == [6]


async def test_followers_of_one_room_hear_nothing_of_another(node: Node) -> None:
    first, second = await node.started(), await node.started()
    client = Client()
    await node.follow(client, first)
    client.forget()
    await node.act(ANNA, second, 3, "b3")
    await settle()
    assert client.events() == []


# --- one fold, one serialisation (law 11) ------------------------------------------------------


async def test_each_event_is_encoded_once_per_codec(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await node.started()
    encoded: list[str] = []
    codecs = server_codecs()

    def watch(codec: Codec[Any]) -> None:
        real = codec.encode

        def encode(message: Any) -> bytes:
            encoded.append(codec.subprotocol)
            return bytes(real(message))

        codec.encode = encode

    for codec in codecs.values():
        watch(codec)
    clients = [Client(name=name, codec=codecs[name]) for name in [JSON, MSGPACK] * 20]
    for client in clients:
        await node.follow(client, room)
    # Each had an answer and a presence of its own; the snapshot was made once for each codec.
    assert len(encoded) == 2 * len(clients) + 2
    await settle()
    encoded.clear()
    folds = count_calls(monkeypatch, "fold")
    await node.act(ANNA, room, 3, "b3")
    await settle()
    assert sorted(encoded) == [JSON, MSGPACK]
    assert len(folds) == 1
    for client in clients:
        assert client.mirror() == room_state(node.kept(room))


async def test_snapshots_are_made_again_after_an_event(node: Node) -> None:
    room = await node.started()
    await node.follow(Client(), room)
    await node.act(ANNA, room, 3, "b3")
    await settle()
    late = Client()
    await node.follow(late, room)
    assert late.snapshots()[0].state == room_state(node.kept(room))


async def test_the_precomputed_position_of_the_mover_is_reused(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await node.started()
    played: list[str] = []
    rules = GAMES["loose"].newest
    real = rules.play  # type: ignore[attr-defined]

    def play(position: Any, action: str) -> Any:
        played.append(action)
        return real(position, action)

    monkeypatch.setattr(rules, "play", play)
    await node.act(ANNA, room, 3, "b3")
    await settle()
    assert played == ["b3"]
    assert (await node.live(room)).room == node.kept(room)


# --- rooms come and go -------------------------------------------------------------------------


async def test_an_unknown_room_is_refused_and_not_subscribed(node: Node) -> None:
    with pytest.raises(Refused) as refused:
        await node.live("kobadimu")
    assert refused.value.code == Code.UNKNOWN_ROOM
    assert refused.value.fields == {"field": "room"}
    assert node.log.subscribed == []
    await node.rooms.create(ANNA, Create(id=1, nonce="n", game="loose"))  # it can be made later


async def test_simultaneous_requests_share_one_loading(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    reads = there.log.reads
    found = await asyncio.gather(*(there.live(room) for _ in range(20)))
    assert len({id(live) for live in found}) == 1
    assert there.log.reads == reads + 2  # before and after subscribing
    assert there.log.subscribed == [room]


async def test_a_cancelled_waiter_does_not_cancel_the_loading(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    first = asyncio.create_task(there.live(room))
    second = asyncio.create_task(there.live(room))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).room == here.kept(room)
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_room_that_could_not_be_loaded_is_loaded_later(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    there.log.away = True
    with pytest.raises(StoreUnavailable):
        await there.live(room)
    there.log.away = False
    assert (await there.live(room)).room == here.kept(room)


async def test_a_room_that_cannot_be_read_after_subscribing_is_not_kept(
    two: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event between the two reads would be missing, and nobody would ever know."""
    here, there = two
    room = await here.started()
    real = there.log.subscribe

    async def subscribe(name: str) -> None:
        await here.act(ANNA, room, 3, "b3")  # after the first read, before the subscription
        await settle()
        await real(name)
        there.log.away = True

    monkeypatch.setattr(there.log, "subscribe", subscribe)
    with pytest.raises(StoreUnavailable):
        await there.live(room)
    monkeypatch.undo()
    there.log.away = False
    client = Client()
    await there.follow(client, room)
    assert client.mirror() == room_state(here.kept(room))


async def test_idle_rooms_are_evicted_oldest_first() -> None:
    async with running(idle_rooms=2) as [node]:
        rooms = [await node.started() for _ in range(4)]
        await settle()
        assert node.log.unsubscribed == rooms[:2]
        assert [node.store.hears(room) for room in rooms] == [False, False, True, True]
        await node.live(rooms[2])  # now it is the youngest
        await node.live(rooms[0])
        await settle()
        assert node.log.unsubscribed == [*rooms[:2], rooms[3]]
        for room in rooms:
            assert (await node.live(room)).room == node.kept(room)


async def test_a_room_with_followers_is_kept() -> None:
    async with running(idle_rooms=1) as [node]:
        room = await node.started()
        client = Client()
        await node.follow(client, room)
        for _ in range(5):
            await node.started()
        await node.act(ANNA, room, 3, "b3")
        await settle()
        assert room not in node.log.unsubscribed
        assert client.events()
        node.hub.leave(client.connection, room)
        await node.started()
        await settle()
        assert room in node.log.unsubscribed


@pytest.mark.parametrize("idle_rooms", [0, 1])
async def test_many_may_join_many_rooms_with_little_memory(idle_rooms: int) -> None:
    async with running(idle_rooms=idle_rooms) as [node], asyncio.timeout(60):
        rooms = [await node.started() for _ in range(6)]
        clients = [Client() for _ in rooms]
        pairs = zip(clients, rooms, strict=True)
        await asyncio.gather(*(node.follow(client, room) for client, room in pairs))
        for client, room in zip(clients, rooms, strict=True):
            assert client.mirror() == room_state(node.kept(room))


async def test_an_evicted_room_that_is_loaded_again_misses_nothing() -> None:
    """Whatever the order in which the store hears of both."""
    async with running(2, idle_rooms=1) as [here, there]:
        other, let_go = await here.started(), 0
        for delay in count():
            if let_go == 6:
                break
            room = await here.started()
            await there.live(room)
            letting_go = asyncio.create_task(there.live(other))
            for _ in range(delay):
                await asyncio.sleep(0)
            let_go += letting_go.done()
            client = Client()
            await there.follow(client, room)
            await letting_go
            await here.act(ANNA, room, 3, "b3")
            await settle()
            assert client.mirror() == room_state(here.kept(room)), delay
            there.hub.leave(client.connection, room)


async def test_an_evicted_room_cannot_be_followed(node: Node) -> None:
    room = await node.started()
    old = await node.live(room)
    node.hub.cache.most_idle = 1
    await node.started()
    client = Client()
    assert not node.hub.follow(client.connection, old, None, Ok(id=1))
    assert client.received() == []


# --- what was missed ---------------------------------------------------------------------------


@pytest.mark.parametrize("recent", [1, 2, 128])
async def test_a_client_can_resume_from_every_place(
    two: list[Node], monkeypatch: pytest.MonkeyPatch, recent: int
) -> None:
    """From wherever one resumes: the events after it, and with them the room as it is."""
    monkeypatch.setattr(live_module, "RECENT", recent)
    here, there = two
    room = await here.started()
    at_first = await there.live(room)
    assert at_first.recent.maxlen == recent
    for turn, action in enumerate(["b3", "d3", "b2"], 3):
        await here.act((BERT, ANNA)[turn % 2], room, turn, action)
    await settle()
    entries = here.entries(room)
    for node in (here, there):
        for entry in entries:
            state = room_state(folded(entries[: entry.seq], room))
            client = Client()
            answer = await node.follow(client, room, since=entry.place)
            assert answer.resumed
            assert client.snapshots() == []
            assert [event.seq for event in client.events()] == list(
                range(entry.seq + 1, len(entries) + 1)
            )
            assert client.mirror(state) == room_state(node.kept(room))


@pytest.mark.parametrize("recent", [1, 128])
async def test_an_unknown_place_gets_a_snapshot(
    node: Node, monkeypatch: pytest.MonkeyPatch, recent: int
) -> None:
    monkeypatch.setattr(live_module, "RECENT", recent)
    room = await node.started()
    last = node.entries(room)[-1].place
    unknown = [
        Place(0, 0, 0),
        Place(1, 0, 0),
        Place(1, 1, 1),
        Place(last.epoch, last.seq, last.chain ^ 1),
        Place(last.epoch + 1, last.seq, last.chain),
        Place(0, last.seq, last.chain),
        Place(1, last.seq + 1, 7),
        Place(2**32 - 1, 2**32 - 1, 2**32 - 1),
    ]
    for place in unknown:
        client = Client()
        answer = await node.follow(client, room, since=place)
        assert answer.resumed is False
        assert client.events() == []
        assert client.mirror() == room_state(node.kept(room))
    assert [entry.epoch for entry in node.entries(room)] == [1] * 5  # nobody is believed


async def test_a_client_resumes_over_a_new_epoch(node: Node) -> None:
    room = await node.started()
    kept, lost = node.entries(room)[3].place, node.entries(room)[4].place
    node.lose_tail(room, 4)
    node.hub.gap([room])
    await settle()
    stayed, behind = Client(), Client()
    assert (await node.follow(stayed, room, since=lost)).resumed is False
    assert (await node.follow(behind, room, since=kept)).resumed is True
    state = room_state(folded(node.entries(room)[:4], room))
    assert stayed.mirror() == behind.mirror(state) == room_state(node.kept(room))


async def test_a_client_ahead_of_the_node_is_not_set_back(two: list[Node]) -> None:
    """A client comes from a node that heard of an event which this one has not: it catches up."""
    here, there = two
    room = await here.started()
    await there.live(room)
    there.deafen(room)
    await here.act(ANNA, room, 3, "b3")
    place = here.entries(room)[-1].place
    client = Client()
    answer = await there.follow(client, room, since=place)
    assert answer.resumed
    assert answer.place == place
    assert client.snapshots() == []
    assert (await there.live(room)).room == here.kept(room)


# --- no node owns a room (law 5) ---------------------------------------------------------------


async def test_a_node_may_die_at_any_time() -> None:
    store = ModelStore()
    async with running(store=store) as [first]:
        room = await first.started()
        client = Client()
        await first.follow(client, room)
        await first.act(ANNA, room, 3, "b3")
        await settle()
        state = client.mirror()
    async with running(store=store) as [second]:
        client = Client()
        await second.follow(client, room, since=state.place)
        await second.act(BERT, room, 4, "d3")
        await settle()
        assert client.snapshots() == []
        assert client.mirror(state) == room_state(second.kept(room))


async def test_every_node_has_the_same_room(two: list[Node]) -> None:
    """Law 2: fed by the same log, in whatever way, they hold the same fold."""
    here, there = two
    room = await here.started()
    await there.live(room)
    for turn, action in enumerate(["b3", "d3", "b2", "d2"], 3):
        node = two[turn % 2]
        await node.act((BERT, ANNA)[turn % 2], room, turn, action)
        await settle()
        assert (await here.live(room)).room == (await there.live(room)).room == here.kept(room)


# --- its parts ---------------------------------------------------------------------------------


def test_refold_and_fold_event_agree_with_fold() -> None:
    entries = references()[0].log()
    room = refold("room", entries[:1])
    for entry in entries[1:]:
        alone = fold(copy.deepcopy(room), "room", entry)
        event = fold_event(room, entry, PROOFS)
        assert room == alone
        assert Place(event.epoch, event.seq, event.chain) == entry.place
        assert (event.record, event.at, event.room) == (entry.record, entry.at, "room")
    assert room == refold("room", entries)


async def test_stopping_the_hub_ends_its_tasks(node: Node) -> None:
    room = await node.started()
    node.hub.gap([room])
    await node.hub.stop()
    await settle()
    assert {task for task in asyncio.all_tasks() if "Hub" in repr(task.get_coro())} == set()


async def test_nodes_leave_no_task_behind() -> None:
    """Whatever a test has started, and also if it fails in between."""
    before = asyncio.all_tasks()
    async with running(2) as nodes:
        for node in nodes:
            node.referee.start()
            node.lobby.start()
        await settle()
        assert asyncio.all_tasks() > before
    assert asyncio.all_tasks() == before
