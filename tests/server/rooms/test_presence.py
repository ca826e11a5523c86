"""Who is there, over all nodes (law 10: nothing is kept of who is gone)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from math import inf

import pytest

from pierule_protocol import world
from pierule_protocol.log.events import EMPTY, Created, Seated
from pierule_protocol.messages import Ok, Presence
from pierule_server.rooms import presence
from pierule_server.rooms.presence import ALONE, Announcer, Audience, Part
from support.logs import folded, write
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, opened, running, settle

ROOM = folded(write(EMPTY, Created("loose", 5, "anna", "A", "0", 0), Seated(1, "bert", "B", "1")))


class Time:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    clock = Time()
    monkeypatch.setattr(world, "monotonic", clock.monotonic)
    return clock


def shown(players: tuple[bool, bool], spectators: int) -> Presence:
    return Presence(room="room", players=players, spectators=spectators)


# --- one node's part ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("users", "part"),
    [
        ([], Part()),
        (["anna"], Part((True, False), 0)),
        (["bert", "bert"], Part((False, True), 0)),
        (["anna", "bert", "carl", "dora", "carl"], Part((True, True), 2)),
        (["carl"], Part((False, False), 1)),
    ],
)
def test_presence_counts_users_not_connections(users: list[str], part: Part) -> None:
    audience = Audience()
    assert audience.count(ROOM, users) is (part != Part())
    assert audience.own == part
    assert audience.count(ROOM, iter(users)) is False


def test_a_player_of_both_seats_is_present_in_both() -> None:
    made = Created("loose", 5, "anna", "A", "0", 0)
    room = folded(write(EMPTY, made, Seated(1, "anna", "A", "1")))
    audience = Audience()
    audience.count(room, ["anna", "carl"])
    assert audience.own == Part((True, True), 1)


def test_an_empty_seat_counts_as_absent() -> None:
    audience = Audience()
    audience.count(folded(write(EMPTY, Created("loose", 5, "anna", "A", "0"))), ["anna"])
    assert audience.own == Part((False, False), 1)


# --- what the others say -----------------------------------------------------------------------


def test_the_total_audience_adds_the_parts_of_all_nodes(clock: Time) -> None:
    audience = Audience()
    audience.count(ROOM, ["anna", "carl"])
    assert audience.hear("here", Part((False, True), 3).note("there", ask=False))
    assert audience.hear("here", Part((True, False), 2).note("yonder", ask=False))
    assert audience.total(ROOM) == shown((True, True), 6)
    assert audience.hear("here", Part((False, False), 1).note("there", ask=False))
    assert audience.total(ROOM) == shown((True, False), 4)
    assert audience.hear("here", Part().note("there", ask=False))
    assert audience.total(ROOM) == shown((True, False), 3)
    assert set(audience.others) == {"yonder"}


def test_a_node_ignores_its_own_announcements() -> None:
    audience = Audience()
    assert not audience.hear("here", Part((True, True), 9).note("here", ask=True))
    assert audience.others == {}
    assert audience.announce is False


def test_a_new_node_asks_the_others() -> None:
    audience = Audience()
    assert audience.hear("here", Part().note("there", ask=True))
    assert audience.announce is True
    audience.hear("here", Part().note("yonder", ask=False))
    assert audience.announce is True


@pytest.mark.parametrize("text", ["", "x", "there 1 0 x 0", "there 1 0 1", "there 1 0 1 0 0", "  "])
def test_an_invalid_announcement_is_ignored(text: str) -> None:
    audience = Audience()
    assert not audience.hear("here", text)
    assert audience.others == {}


def test_a_node_that_is_not_heard_again_is_forgotten(clock: Time) -> None:
    audience = Audience()
    for _ in range(3):
        audience.hear("here", Part((True, False), 5).note("there", ask=False))
        clock.now += presence.REFRESH
        assert audience.total(ROOM) == shown((True, False), 5)
    clock.now += presence.FORGET
    assert audience.total(ROOM) == shown((False, False), 0)
    assert audience.others == {}


def test_a_node_is_heard_twice_before_it_is_forgotten() -> None:
    assert presence.FORGET > 2 * presence.REFRESH + presence.SETTLE


# --- how often it is shown ---------------------------------------------------------------------


def test_spectator_counts_are_throttled_for_large_audiences(clock: Time) -> None:
    """While 4,000 come one by one within 8 s, none of them is told of it more than a few times."""
    audience, told_of = Audience(), []
    for spectators in range(4_000):
        clock.now += 0.002
        total = shown((True, True), spectators)
        if audience.show(total, spectators) == 0.0:
            told_of.append(spectators)
    deliveries = sum(told_of)
    assert deliveries <= 8 * presence.TOLD_A_SECOND + 4_000
    assert told_of[-1] > 2_000


def test_changes_of_players_are_shown_at_once_and_counts_after_a_pause(clock: Time) -> None:
    audience = Audience()
    assert audience.show(shown((True, True), 3_000), 3_000) == 0.0
    assert audience.show(shown((True, True), 3_001), 3_001) == 3.0
    assert audience.shown == shown((True, True), 3_000)
    assert audience.show(shown((True, False), 3_001), 3_001) == 0.0
    clock.now += 2
    wait = audience.show(shown((True, False), 3_000), 3_000)
    assert 0.0 < wait < 2.0
    clock.now += wait
    assert audience.show(shown((True, False), 3_000), 3_000) == 0.0
    assert audience.shown == shown((True, False), 3_000)


# --- the announcer -----------------------------------------------------------------------------


async def test_a_room_touched_later_is_announced_once_after_the_delay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(presence, "SETTLE", 0)
    settled: asyncio.Queue[str] = asyncio.Queue()
    announcer = Announcer(settled.put, list)
    task = asyncio.create_task(announcer.run())
    begun = asyncio.get_running_loop().time()
    for _ in range(3):
        announcer.touch_later("a", 0.05)
    async with asyncio.timeout(60):
        assert await settled.get() == "a"
    assert asyncio.get_running_loop().time() - begun >= 0.05
    announcer.touch("b")
    async with asyncio.timeout(60):
        assert await settled.get() == "b"
    task.cancel()


async def test_changes_of_presence_are_gathered() -> None:
    settled: asyncio.Queue[str] = asyncio.Queue()
    announcer = Announcer(settled.put, lambda: ["never"])
    task = asyncio.create_task(announcer.run())
    for _ in range(100):
        announcer.touch("a")
        announcer.touch("b")
        await asyncio.sleep(0)
    assert settled.empty()
    assert {await settled.get(), await settled.get()} == {"a", "b"}
    assert settled.empty()
    announcer.touch("a")
    assert await settled.get() == "a"
    assert settled.empty()
    task.cancel()


@pytest.mark.parametrize("busy", [False, True])
async def test_presence_is_announced_again_and_again(
    monkeypatch: pytest.MonkeyPatch, busy: bool
) -> None:
    """Also where something changes all the time: the others would forget us."""
    monkeypatch.setattr(presence, "SETTLE", 0.001)
    monkeypatch.setattr(presence, "REFRESH", 0.02)
    settled: list[str] = []

    async def note(room: str) -> None:
        settled.append(room)
        if busy and room == "busy":
            announcer.touch("busy")

    announcer = Announcer(note, lambda: ["quiet"])
    announcer.touch("busy")
    task = asyncio.create_task(announcer.run())
    async with asyncio.timeout(60):
        while settled.count("quiet") < 3:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.001)
    task.cancel()
    assert settled.count("busy") > 3 or not busy


# --- over nodes --------------------------------------------------------------------------------


@pytest.fixture
async def two(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Node]]:
    """Two nodes that gather no changes and know no measure: `quiet` waits for no time to pass."""
    monkeypatch.setattr(presence, "SETTLE", 0)
    monkeypatch.setattr(presence, "TOLD_A_SECOND", inf)
    async with running(2) as nodes:
        yield nodes


def told(client: Client) -> tuple[tuple[bool, bool], int]:
    last = client.presence()[-1]
    return last.players, last.spectators


async def quiet() -> None:
    for _ in range(5):
        await settle()
        await asyncio.sleep(0)


async def test_followers_at_every_node_learn_who_is_present(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    anna, bert, carl = Client(ANNA), Client(BERT), Client(CARL)
    await here.follow(anna, room)
    await quiet()
    assert told(anna) == ((True, False), 0)
    await there.follow(bert, room)
    await quiet()
    assert told(anna) == told(bert) == ((True, True), 0)
    await here.follow(carl, room)
    await quiet()
    assert told(anna) == told(bert) == told(carl) == ((True, True), 1)
    here.hub.leave(anna.connection, room)
    await quiet()
    assert told(bert) == told(carl) == ((False, True), 1)


async def test_taking_a_seat_makes_a_player_of_a_spectator(two: list[Node]) -> None:
    here, there = two
    room = await here.make()
    bert = Client(BERT)
    await there.follow(bert, room)
    await quiet()
    assert told(bert) == ((False, False), 1)
    await here.take(BERT, room)
    await quiet()
    assert told(bert) == ((False, True), 0)


async def test_presence_is_not_announced_without_a_change(two: list[Node]) -> None:
    here, _ = two
    room = await here.started()
    clients = [Client(CARL) for _ in range(5)]
    for client in clients:
        await here.follow(client, room)
    await quiet()
    announced = len(here.log.announced)
    said = len(clients[0].presence())
    more = Client(CARL)
    await here.follow(more, room)
    await quiet()
    assert len(here.log.announced) == announced
    assert len(clients[0].presence()) == said
    assert told(more) == ((False, False), 1)


async def test_presence_of_a_room_at_one_node_is_repeated_seldom(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    for user in (ANNA, BERT):
        await here.follow(Client(user), room)
    await quiet()
    attendance = here.hub.attendance
    alone = [attendance._refresh() for _ in range(2 * ALONE)]
    assert sorted(alone) == [[]] * (2 * ALONE - 2) + [[room]] * 2
    carl = Client(CARL)
    await there.follow(carl, room)
    await quiet()
    assert [attendance._refresh() for _ in range(ALONE)] == [[room]] * ALONE
    there.hub.leave(carl.connection, room)
    await quiet()
    assert sum(map(len, (attendance._refresh() for _ in range(ALONE)))) == 1


async def test_a_room_whose_player_is_away_is_looked_at_every_time(two: list[Node]) -> None:
    here, _ = two
    room = await here.started()
    await here.follow(Client(ANNA), room)
    await quiet()
    assert [here.hub.attendance._refresh() for _ in range(ALONE)] == [[room]] * ALONE


async def test_a_node_asks_again_after_a_gap(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    anna = Client(ANNA)
    await here.follow(anna, room)
    await there.follow(Client(BERT), room)
    await quiet()
    (await here.live(room)).audience.others.clear()
    here.hub.gap([room])
    await quiet()
    assert list((await here.live(room)).audience.others) == ["node1"]
    assert told(anna) == ((True, True), 0)


async def test_a_node_asks_again_after_unfollowing(two: list[Node]) -> None:
    """Meanwhile the other node had nobody to repeat itself for, and was forgotten."""
    here, there = two
    room = await here.started()
    await here.follow(Client(ANNA), room)
    bert = Client(BERT)
    await there.follow(bert, room)
    await quiet()
    there.hub.leave(bert.connection, room)
    await quiet()
    (await there.live(room)).audience.others.clear()
    await there.follow(bert, room)
    await quiet()
    assert told(bert) == ((True, True), 0)


async def test_presence_goes_on_after_a_store_outage(two: list[Node]) -> None:
    here, there = two
    room = await here.started()
    anna, bert = Client(ANNA), Client(BERT)
    await there.follow(bert, room)
    await quiet()
    await here.live(room)
    here.log.away = True
    assert here.hub.follow(anna.connection, await here.live(room), None, Ok(id=1))
    await quiet()
    here.log.away = False
    carl = Client(CARL)
    await here.follow(carl, room)
    await quiet()
    assert told(bert) == ((True, True), 1)


async def test_a_node_that_died_takes_its_audience_with_it(
    clock: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "SETTLE", 0)
    store = ModelStore()
    async with running(store=store) as [here], opened(store) as log:
        room = await here.started()
        anna = Client(ANNA)
        await here.follow(anna, room)
        there = Node(await log(), "other")
        await there.follow(Client(BERT), room)
        await quiet()
        assert told(anna) == ((True, True), 0)
        await there.hub.stop()
        await there.log.close()
        clock.now += presence.FORGET + 1
        here.hub.attendance.touch(room)
        await quiet()
        assert told(anna) == ((True, False), 0)
