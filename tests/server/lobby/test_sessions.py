"""A user can end all sessions but one, on all nodes (SPEC 24.12)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    ClientMessage,
    DeleteAccount,
    EndSessions,
    Error,
    Hello,
    Ok,
    Register,
)
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.identity.tokens import User
from pierule_server.lobby.sessions import ENDED, is_valid, next_session
from pierule_server.settings import Settings
from pierule_server.store.buckets import topic_of
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Account
from support.nodes import ANNA, BERT, Client, Node, running, settle
from support.ports import KEYS, limits

BOUND = 60.0


class Place:
    """A node with its dispatch, and whoever connects to it."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._dispatch = Dispatch(
            node.hub, node.rooms, node.lobby, node.log, node.log.tables, KEYS, limits(Settings()),
            "pierule/test",
        )  # fmt: skip

    async def ask(self, client: Client, request: ClientMessage) -> Ok | Error:
        client.forget()
        client.connection.begin_work()
        await self._dispatch.answer(client.connection, request)
        (answer,) = [each for each in client.received() if isinstance(each, Ok | Error)]
        client.connection.end_work()
        return answer

    async def done(self, client: Client, request: ClientMessage) -> Ok:
        answer = await self.ask(client, request)
        assert isinstance(answer, Ok), answer
        return answer

    async def code(self, client: Client, request: ClientMessage) -> str:
        answer = await self.ask(client, request)
        assert isinstance(answer, Error), answer
        return answer.code

    async def come(self, token: str) -> Client:
        """A client that says hello with this token."""
        client = Client()
        client.connection.user = None
        await self.done(client, Hello(id=1, token=token))
        return client

    async def refused(self, token: str) -> str:
        """With which code the server refuses this token."""
        client = Client()
        client.connection.user = None
        return await self.code(client, Hello(id=1, token=token))

    async def next_token(self, client: Client) -> str:
        token = (await self.done(client, EndSessions(id=2))).token
        assert token is not None
        return token


@pytest.fixture
async def places() -> AsyncIterator[tuple[Place, Place]]:
    async with running(2) as nodes:
        for node in nodes:
            node.lobby.start()
        await settle()
        here, there = map(Place, nodes)
        yield here, there


async def until_closed(client: Client) -> None:
    async with asyncio.timeout(BOUND):
        while not client.connection.closing:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def registered(place: Place, user: User = ANNA) -> tuple[Client, str]:
    """A client of a user with an account, and its token."""
    client = await place.come(KEYS.sign(user))
    account = (await place.done(client, Register(id=2, nonce="n", name=user.name))).account
    assert account is not None
    return client, account.token


async def test_one_device_goes_on_and_all_others_end(places: tuple[Place, Place]) -> None:
    here, there = places
    client, token = await registered(here)
    same_node, other_node = await here.come(token), await there.come(token)
    stranger = await there.come(KEYS.sign(BERT))
    fresh = await here.next_token(client)
    await settle()
    assert not other_node.connection.closing, "the token is not used yet"
    told = (await here.done(client, EndSessions(id=3, token=fresh))).token
    assert told is not None
    for other in (same_node, other_node):
        await until_closed(other)
    for place in places:
        assert await place.refused(token) == Code.BAD_TOKEN
        for valid in (fresh, told):
            await place.come(valid)
    await settle()
    assert not client.connection.closing
    assert not stranger.connection.closing
    assert client.connection.user is not None
    assert client.connection.user.name == "Anna"


async def test_a_lost_answer_shuts_nobody_out(places: tuple[Place, Place]) -> None:
    """The client has the new token before the old one becomes invalid."""
    here, there = places
    client, token = await registered(here)
    other = await there.come(token)
    fresh = await here.next_token(client)
    await there.come(fresh)  # after a lost connection: a `hello` ends the others, too
    await until_closed(other)
    assert await here.refused(token) == Code.BAD_TOKEN
    again = await here.come(fresh)
    for _ in range(2):
        await here.done(again, EndSessions(id=3, token=fresh))
    assert not again.connection.closing


async def test_a_token_kept_in_stock_is_worth_nothing(places: tuple[Place, Place]) -> None:
    here, there = places
    client, token = await registered(here)
    thief = await there.come(token)
    stock = await there.next_token(thief)
    fresh = await here.next_token(client)
    await here.done(client, EndSessions(id=3, token=fresh))
    assert await there.refused(stock) == Code.BAD_TOKEN
    assert await here.code(client, EndSessions(id=4, token=stock)) == Code.BAD_TOKEN
    assert await there.refused(token) == Code.BAD_TOKEN
    await here.come(fresh)


async def test_an_ended_session_can_do_nothing_with_the_account(lone: Place) -> None:
    client, token = await registered(lone)
    late = await lone.come(token)
    account = await lone.node.log.tables.accounts.read(ANNA.id)
    assert account is not None
    lone.node.deafen(topic_of(ANNA.id))
    fresh = await lone.next_token(client)
    await lone.done(client, EndSessions(id=3, token=fresh))
    assert not late.connection.closing, "the node has not heard of it"
    for request in (
        Register(id=4, nonce="m", name="Anna"),
        DeleteAccount(id=5),
        EndSessions(id=6),
    ):
        assert await lone.code(late, request) == Code.BAD_TOKEN
    lone.node.hub.gap([topic_of(ANNA.id)])
    await until_closed(late)
    await settle()
    assert not client.connection.closing


@pytest.fixture
async def lone() -> AsyncIterator[Place]:
    async with running() as [node]:
        node.lobby.start()
        await settle()
        yield Place(node)


async def test_a_new_code_comes_with_a_token_of_a_new_session(
    places: tuple[Place, Place],
) -> None:
    here, there = places
    client, token = await registered(here)
    renamed = (await here.done(client, Register(id=3, nonce="o", name="Anne"))).account
    assert renamed is not None
    await there.come(renamed.token)
    other = await there.come(token)
    account = (await here.done(client, Register(id=3, nonce="p", name="Anne"))).account
    assert account is not None
    await there.come(account.token)
    await until_closed(other)
    for ended in (token, renamed.token):
        assert await here.refused(ended) == Code.BAD_TOKEN
    back = Client()
    back.connection.user = None
    recovery = Hello(id=1, name="Anne", recovery=account.recovery)
    welcome = (await here.done(back, recovery)).welcome
    assert welcome is not None
    await there.come(welcome.token)


async def test_a_hello_that_was_accepted_just_before_is_sent_away(lone: Place) -> None:
    """It read the account before the session ended, and entered after the note came."""
    _, token = await registered(lone)
    await lone.node.log.tables.inboxes.put(ANNA.id, ENDED, "", 60_000)
    await settle()
    late = await lone.come(token)
    await until_closed(late)


async def test_a_node_that_dies_in_between_shuts_nobody_out(
    lone: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, token = await registered(lone)
    fresh = await lone.next_token(client)
    accounts = lone.node.log.tables.accounts
    with monkeypatch.context() as broken:

        async def away(*_: str) -> bool:
            raise StoreUnavailable

        broken.setattr(accounts, "begin_session", away)
        assert await lone.code(client, EndSessions(id=3, token=fresh)) == Code.UNAVAILABLE
    await lone.come(token)
    await lone.done(client, EndSessions(id=3, token=fresh))
    assert await lone.refused(token) == Code.BAD_TOKEN


async def test_a_session_that_the_store_has_forgotten_comes_back(lone: Place) -> None:
    """A fail-over may lose the latest writes."""
    client, token = await registered(lone)
    accounts = lone.node.log.tables.accounts
    before = await accounts.read(ANNA.id)
    assert before is not None
    fresh = await lone.next_token(client)
    told = (await lone.done(client, EndSessions(id=3, token=fresh))).token
    assert told is not None
    await accounts.keep(ANNA.id, before)
    await lone.come(told)
    assert await lone.refused(token) == Code.BAD_TOKEN


async def test_only_the_owner_of_an_account_ends_its_sessions(lone: Place) -> None:
    guest = await lone.come(KEYS.sign(BERT))
    assert await lone.code(guest, EndSessions(id=2)) == Code.NO_ACCOUNT
    client, _ = await registered(lone)
    for token in ("x", KEYS.sign(replace(BERT, session="s", instead=""))):
        refusal = EndSessions(id=3, token=token)
        assert await lone.code(client, refusal) == Code.BAD_TOKEN
    assert not client.connection.closing
    vouched = Client(User("p" + "0" * 24, "Vera"))
    assert await lone.code(vouched, EndSessions(id=2)) == Code.NO_ACCOUNT


def test_a_session_is_valid_if_it_goes_on_or_ends_the_one_that_does() -> None:
    first, account = User("anna", "Anna"), Account("Anna", "anna")
    second = next_session(first)
    assert is_valid(first, account)
    assert is_valid(second, account)
    later = Account("Anna", "anna", session=second.session)
    assert is_valid(second, later)
    assert not is_valid(first, later)
    assert not is_valid(next_session(first), later)
