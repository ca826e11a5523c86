"""Which rooms the lobby shows, and in which order (SPEC 23.6 and 23.19)."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, get_args

import msgspec
import pytest

from pierule_protocol.messages import Card, FreeSeat, WatchLobby
from pierule_server.lobby import view
from pierule_server.lobby.view import ROOMS, SHARE, _newest, in_order
from pierule_server.store.tables.listing import LobbyContents
from pierule_server.store.tables.paging import OPEN, Listed, Part, RoomFilter
from support.nodes import CARL, Client, running

CARD = Card(room="", game="loose", size=5, names=(None, None), turn=0, status="open", at=1)


def made(origin: str, number: int, part: Part = "here", first: int = 0) -> list[Listed]:
    """So many rooms from an address; the first is the oldest."""
    start = first if part == "running" else OPEN + first
    names = [f"{origin}-{part}-{each}" for each in range(number)]
    return [
        Listed(part, start + each, name, msgspec.json.encode(
            msgspec.structs.replace(CARD, room=name)), origin)
        for each, name in enumerate(names)
    ]  # fmt: skip


def shown(*rooms: list[Listed]) -> list[str]:
    look = in_order(LobbyContents([each for some in rooms for each in some], {}, Counter()))
    return [each.card.room for each in _newest(look, RoomFilter())]


def test_one_address_hides_nobodys_rooms() -> None:
    others: list[Listed] = []
    for number in range(10):
        for part in ("here", "running"):
            others += made(f"other{number}", 2, part)
    told = shown(others, made("many", 200, "here", 1_000), made("many", 200, "running", 1_000))
    assert {each.room for each in others} <= set(told)
    assert Counter(each.partition("-")[0] for each in told)["many"] == 2 * (ROOMS - 20)


def test_rooms_beyond_the_share_come_last() -> None:
    many, other = made("many", 30, "here", 100), made("other", 3)
    away = made("other", 2, "away")
    told = shown(many, other, away)
    latest = [each.room for each in reversed(many)]
    assert told == [
        *latest[:SHARE], *[each.room for each in reversed(other)],
        *[each.room for each in reversed(away)], *latest[SHARE:],
    ]  # fmt: skip


def test_an_address_that_is_alone_fills_the_lobby() -> None:
    assert len(shown(made("", 150), made("", 150, "running"))) == 2 * ROOMS


async def test_the_lobbies_of_one_look_leave_turns_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One address can watch 48 different ones. In one turn, they took 0.6 s with 9,000 rooms."""
    turn, shown_in = 0, []

    async def others() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    def take(self: view.Watched, look: LobbyContents) -> None:
        shown_in.append(turn)
        original(self, look)

    original = view.Watched.take
    seats: tuple[Any, ...] = get_args(FreeSeat)
    async with running(1) as [node]:
        watchers = [Client(CARL) for _ in seats]
        for watcher, seat in zip(watchers, seats, strict=True):
            await node.lobby.watch(watcher.connection, WatchLobby(id=1, free_seat=seat))
        monkeypatch.setattr(view.Watched, "take", take)
        monkeypatch.setattr(view, "INTERVAL", 0)
        other = asyncio.create_task(others())
        await node.lobby._view.refresh()
        other.cancel()
    assert len(set(shown_in)) == len(shown_in) == len(seats) == 3
