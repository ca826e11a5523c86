"""Prepares rooms over the protocol, so that a browser has something to show at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any, Literal, NamedTuple, TypeVar

from playwright.sync_api import expect

import pierule
from browser import wire
from browser.conftest import PHONE, Visit
from browser.person import Person, room_of
from support.games import Game
from support.serving import Serving

NAMES = ("Ada", "Bo")
QUIET = "#/replay"
"""A screen with nearly nothing on it. What is the same on every screen is looked at there."""
T = TypeVar("T")


def apart(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new thread: Playwright's loop runs in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def both_seats(url: str, token: str | None, of: Game, turns: int) -> tuple[str, str]:
    """A room at a turn, with one player in both seats: its id, and the player's token."""
    async with pierule.connect(url, token=token) as client:
        room = await client.create(of.game, of.size, seat=0)
        room = await client.join(room.id, seat=1)
        for turn in range(turns):
            await room.act(of.actions[turn], turn)
        return room.id, client.token


async def opened(
    url: str, token: str, of: Game, access: Literal["public", "private"] = "public"
) -> str:
    """A room in which this user waits for somebody: what its link has behind `#`."""
    async with pierule.connect(url, token=token) as client:
        room = await client.create(of.game, of.size, seat=0, access=access)
        return ".".join(filter(None, (room.id, room.invitation)))


async def user(url: str, name: str) -> str:
    """The token of a new user with this name."""
    async with pierule.connect(url, name=name) as client:
        return client.token


async def meeting(
    url: str, of: Game, turns: int, tokens: Sequence[str], clock: str | None = None
) -> str:
    """A room at a turn of its game, between the users with these tokens: the first has seat 0."""
    first, second = (pierule.connect(url, token=token) for token in tokens)
    async with first as ada, second as bo:
        rooms = [room := await ada.create(of.game, of.size, seat=0, clock=clock)]
        rooms.append(await bo.join(room.id, seat=1))
        for turn in range(turns):
            await rooms[of.positions[turn].to_act or 0].act(of.actions[turn], turn)
        return room.id


async def _prepare(
    url: str, of: Game, turns: int, names: Sequence[str], clock: str | None
) -> tuple[str, list[str]]:
    tokens = [await user(url, name) for name in names]
    return await meeting(url, of, turns, tokens, clock), tokens


def prepare(
    serving: Serving,
    of: Game,
    turns: int,
    *,
    names: Sequence[str] = NAMES,
    clock: str | None = None,
) -> tuple[str, list[str]]:
    """A room at a turn of its game, and the tokens of its players."""
    return apart(_prepare(serving.url, of, turns, names, clock))


def keeps(person: Person, name: str, text: str) -> None:
    """Store this in the browser from its next page on; an empty window cannot store anything."""
    kept = f"localStorage.setItem('pierule.{name}', '{text}')"
    person.page.context.add_init_script(f"if (location.host) {kept}")


def alone(visit: Visit, serving: Serving, of: Game, turns: int, **how: Any) -> Person:
    """Somebody who plays both sides, at a turn of a reference game; what they send is recorded."""
    room, token = apart(both_seats(serving.url, None, of, turns))
    person = visit(f"http://{serving.http}", **how)
    wire.tap(person)
    known_as(person, token)
    person.open(f"#{room}")
    person.sees("You play both sides.")
    choices = ".board-box .target, .controls :is(.choice, .amount)"
    expect(person.page.locator(choices).first).to_be_attached()
    return person


def known_as(person: Person, token: str) -> None:
    """Give the browser this user's token, from its next page on."""
    keeps(person, "token", token)


class Account(NamedTuple):
    """A registered user, and the code with which they come back."""

    user: str
    token: str
    recovery: str


async def _registered(url: str, name: str) -> Account:
    async with pierule.connect(url) as client:
        account = await client.register(name)
        return Account(client.user, account.token, account.recovery)


def registered(serving: Serving, name: str) -> Account:
    return apart(_registered(serving.url, name))


def signed_in(person: Person, account: Account) -> None:
    """Let the browser begin as this user, who may become another one there."""
    kept = {"pierule.token": account.token, "pierule.registered": account.user, "began": "1"}
    begin = f"Object.assign(localStorage, {json.dumps(kept)})"
    person.page.context.add_init_script(f"if (location.host && !localStorage.began) {begin}")


def seat(
    visit: Visit, serving: Serving, of: Game, turns: int = 0, *, clock: str | None = None
) -> tuple[Person, Person]:
    """Two people at a turn of their game, both of them there: one has a mouse, one a finger."""
    room, tokens = prepare(serving, of, turns, clock=clock)
    address = f"http://{serving.http}"
    people = visit(address), visit(address, **PHONE)
    for person, token in zip(people, tokens, strict=True):
        known_as(person, token)
        person.open(f"#{room}")
    for person in people:
        person.sees_actions(of.actions[:turns])
        expect(person.page.locator(".player .presence.here")).to_have_count(2)
    return people


TOKEN = "localStorage.getItem('pierule.token')"
"""JavaScript that reads a browser's token."""


async def continued(
    url: str, room: str, tokens: Sequence[str], moves: Sequence[tuple[int, str]], begin: int
) -> None:
    """The players of a game, who have these tokens, continue it from a turn by these moves: the
    acting seat, and its action."""
    async with AsyncExitStack() as stack:
        rooms = []
        for token in tokens:
            connection = pierule.connect(url, token=token)
            rooms.append(await (await stack.enter_async_context(connection)).join(room))
        for turn, (seat, action) in enumerate(moves, begin):
            await rooms[seat].act(action, turn)


def go_on(people: Sequence[Person], serving: Serving, of: Game, begin: int, end: int) -> None:
    """The two players continue a game elsewhere, from one turn to another, while their browsers
    watch."""
    room = room_of(people[0].page.url)
    tokens = [person.page.evaluate(TOKEN) for person in people]
    moves = [(of.positions[turn].to_act or 0, of.actions[turn]) for turn in range(begin, end)]
    apart(continued(serving.url, room, tokens, moves, begin))
    for person in people:
        person.sees_actions(of.actions[:end])
