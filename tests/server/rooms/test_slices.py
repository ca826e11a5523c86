"""Long work leaves the loop to others (law 10)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import msgspec
import pytest

from pierule_protocol.log.events import EMPTY, Created
from pierule_protocol.messages import LegalQuery, LineQuestion, Ok, ReplayQuery, RoomsQuery
from pierule_protocol.state.room import Room
from pierule_server.rooms import slices as module
from pierule_server.rooms.own_games import check_others
from pierule_server.rooms.slices import Slices
from support.logs import write
from support.nodes import ANNA, BERT, CARL, Node, running, settle
from support.reference import Reference, references


@pytest.fixture(autouse=True)
def one_step_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 0)


def steps(name: str, number: int, done: list[str]) -> Generator[None, None, str]:
    for _ in range(number):
        done.append(name)
        yield
    return name


async def test_long_tasks_share_the_loop() -> None:
    done: list[str] = []
    slices = Slices()

    async def others() -> None:
        while done.count("short") < 4:
            done.append("-")
            await asyncio.sleep(0)

    works = (slices.work(steps("long", 20, done)), slices.work(steps("short", 4, done)), others())
    assert list(await asyncio.gather(*works))[:2] == ["long", "short"]
    story = "".join(done)
    both = story[: story.rindex("short")]
    for follow in ("longlong", "longshort", "shortlong"):
        assert follow not in both, "others come in after each slice, and the slices take turns"


async def test_a_failing_task_delays_no_other() -> None:
    def broken() -> Generator[None, None, None]:
        yield
        raise ValueError("no")

    slices = Slices()
    with pytest.raises(ValueError, match="no"):
        await slices.work(broken())
    given_up = asyncio.create_task(slices.work(steps("long", 10**9, [])))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await slices.work(steps("next", 3, [])) == "next"


async def test_addresses_take_turns_and_at_an_address_its_users() -> None:
    done: list[str] = []
    slices = Slices()

    async def work(address: str, user: str, name: str, number: int) -> None:
        module.ASKER.set((address, user))
        await slices.work(steps(name, number, done))

    flood = [work("a", "attacker", "x", 50) for _ in range(60)]
    others = [work("a", "pupil", "p", 10), work("b", "other", "o", 10)]
    running = [asyncio.create_task(each) for each in (*flood, *others)]
    await asyncio.gather(*running[60:])
    for name, share in (("p", 4), ("o", 2)):
        until = len(done) - done[::-1].index(name)
        assert until <= 10 * share + 20, "whatever else is asked"
    for each in running:
        each.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def test_users_without_work_are_forgotten() -> None:
    slices = Slices()
    assert await slices.work(steps("one", 3, [])) == "one"
    assert not slices._turns


async def test_of_the_looks_at_many_rooms_each_address_has_one_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running() as [node]:
        await node.make()
        under_way, most = Counter[str](), Counter[str]()

        def counted(look: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
            async def work(*args: Any) -> Any:
                address, _ = module.ASKER.get()
                under_way[address] += 1
                most[address] = max(most[address], under_way[address])
                await settle()
                found = await look(*args)
                under_way[address] -= 1
                return found

            return work

        tables = node.log.tables
        monkeypatch.setattr(tables.listing, "page", counted(tables.listing.page))
        monkeypatch.setattr(tables.memberships, "held", counted(tables.memberships.held))
        line = ReplayQuery(id=1, game="loose", size=5, actions=["komi:12"], legal=LineQuestion())

        async def ask(address: str) -> None:
            module.ASKER.set((address, ANNA.id))
            await node.rooms.cards(RoomsQuery(id=1))
            await node.lobby.mine(ANNA)
            await check_others(node.hub, tables.memberships, ANNA, line)

        asked = [asyncio.create_task(ask(address)) for address in "ab" for _ in range(20)]
        await settle()
        assert under_way == {"a": 1, "b": 1}, "addresses do not wait for each other"
        await asyncio.gather(*asked)
        assert most == {"a": 1, "b": 1}
        del asked
        assert not node.hub.slices._turns


# --- what is done in slices: the turns that others get are counted, no time is taken ------------


async def turns_of_others(work: Awaitable[object]) -> int:
    """How often somebody else has a turn until it is done."""
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    await work
    other.cancel()
    return turns


def reference(game: str, size: int) -> Reference:
    return next(each for each in references() if (each.game, each.size) == (game, size))


async def asked(node: Node) -> tuple[Room, asyncio.Task[Ok]]:
    """A room with many legal actions, and the task that lists them."""
    game = reference("veletas", 7)
    room = await node.make("veletas", 7)
    await node.take(BERT, room)
    for turn, action in enumerate(game.actions[:4]):
        await node.act((ANNA, BERT)[node.kept(room).position.to_act or 0], room, turn, action)
    request = LegalQuery(id=1, room=room, turn=4)
    return node.kept(room), asyncio.create_task(node.rooms.legal(CARL, request, admitted=True))


async def test_listing_many_legal_actions_lets_other_tasks_run(node: Node) -> None:
    room, listing = await asked(node)
    assert room.position.count() > 500
    assert await turns_of_others(listing) >= room.position.count()


async def test_a_list_of_legal_actions_is_of_one_position(node: Node) -> None:
    before, listing = await asked(node)
    await asyncio.sleep(0)
    seat, action = before.position.to_act, reference("veletas", 7).actions[4]
    await node.act((ANNA, BERT)[seat or 0], before.id, 4, action)
    assert (await node.live(before.id)).room.turn == 5
    assert not listing.done()
    legal = (await listing).legal
    assert legal is not None
    assert (legal.turn, legal.actions) == (4, list(before.position.actions()))


async def test_loading_a_long_delayed_log_lets_other_tasks_run(node: Node) -> None:
    created, *played = reference("loose", 13).records()
    assert isinstance(created, Created)
    delayed = msgspec.structs.replace(created, delay=10)
    node.store.write_log("room", write(EMPTY, delayed, *played[:-1]))
    turns = await turns_of_others(node.live("room"))
    live = await node.live("room")
    assert live.shown.turn == live.room.turn - 10
    assert turns >= live.room.place.seq + live.shown.place.seq
