"""Every request has one answer, by its id, with `ok` or an error of the table (law 8)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_games import GAMES
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.messages import (
    Act,
    CancelSeek,
    Challenge,
    ClientMessage,
    Create,
    Error,
    Hello,
    Join,
    Leave,
    LegalQuery,
    Offer,
    Ok,
    Ping,
    Register,
    Resign,
    RoomsQuery,
    Say,
    Seek,
    Since,
    WithdrawChallenge,
)
from pierule_server.connections.limits import Allowance, Budget, TokenBuckets, Users
from pierule_server.gateway.dispatch import Dispatch
from pierule_server.identity.tokens import User
from pierule_server.settings import Settings
from pierule_server.store.tables.accounts import Account
from pierule_server.store.tables.webhooks import Webhook
from support.examples import up_to
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle
from support.ports import KEYS, limits
from support.shapes import CLIENT_TYPES, messages

LIMITS = limits(Settings(rooms_followed=2))


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    async with running() as [node]:
        yield node


def dispatch_of(node: Node) -> Dispatch:
    return Dispatch(
        node.hub,
        node.rooms,
        node.lobby,
        node.log,
        node.log.tables,
        KEYS,
        LIMITS,
        "pierule/test",
    )


def stranger() -> Client:
    """A connection that has not said hello."""
    client = Client()
    client.connection.user = None
    return client


async def ask(node: Node, client: Client, request: ClientMessage) -> Ok | Error:
    """The one answer to a request."""
    client.forget()
    await dispatch_of(node).answer(client.connection, request)
    (answer,) = [m for m in client.received() if isinstance(m, Ok | Error)]
    assert answer.id == request.id
    if isinstance(answer, Error):
        assert answer.code in MEANINGS
        assert answer.text
    return answer


async def done(node: Node, client: Client, request: ClientMessage) -> Ok:
    answer = await ask(node, client, request)
    assert isinstance(answer, Ok), answer
    return answer


async def refused(node: Node, client: Client, request: ClientMessage, code: Code) -> Error:
    answer = await ask(node, client, request)
    assert isinstance(answer, Error), answer
    assert answer.code == code
    return answer


# --- hello -------------------------------------------------------------------------------------


async def test_hello_without_a_token_makes_a_guest(node: Node) -> None:
    client = stranger()
    welcome = (await done(node, client, Hello(id=4))).welcome
    assert welcome is not None
    user = client.connection.user
    assert user is not None
    assert (user.id, user.name, user.standing) == (welcome.user, welcome.name, "young")
    assert KEYS.check(welcome.token) == user
    assert welcome.limits == LIMITS
    assert welcome.protocol == "pierule.1"
    assert [(g.game, g.sizes, g.default_size) for g in welcome.games] == [
        (name, list(rules.sizes), rules.default_size) for name, rules in GAMES.items()
    ]


async def test_a_token_restores_the_user(node: Node) -> None:
    client = stranger()
    token = KEYS.sign(ANNA)
    welcome = (await done(node, client, Hello(id=4, token=token))).welcome
    assert client.connection.user == ANNA
    assert welcome is not None
    assert (welcome.user, welcome.name) == ("anna", "Anna")


async def test_a_returning_user_finishes_an_interrupted_deletion(node: Node) -> None:
    """The node that deleted it may have died before all was forgotten (SPEC 24.4)."""
    await node.log.tables.accounts.keep(ANNA.id, Account())
    await node.log.tables.webhooks.keep(ANNA.id, Webhook("https://example.org/", "n", "k"))
    for _ in range(2):
        await refused(node, stranger(), Hello(id=1, token=KEYS.sign(ANNA)), Code.BAD_TOKEN)
        assert await node.log.tables.webhooks.read(ANNA.id) is None
        assert await node.log.tables.accounts.read(ANNA.id) == Account(forgotten=True)
    assert await node.log.tables.accounts.gone([ANNA.id, BERT.id]) == {ANNA.id}


async def test_no_hello_of_a_registered_bot_makes_it_a_human(node: Node) -> None:
    """SPEC 16.8: neither the recovery code nor the token of before takes the mark off."""
    before = KEYS.sign(ANNA)
    bot = stranger()
    await done(node, bot, Hello(id=1, token=before, bot=True))
    account = (await done(node, bot, Register(id=2, nonce="n", name="Engine"))).account
    assert account is not None
    recovery = Hello(id=3, name="Engine", recovery=account.recovery)
    for hello in (Hello(id=3, token=account.token), Hello(id=3, token=before), recovery):
        client = stranger()
        welcome = (await done(node, client, hello)).welcome
        assert welcome is not None
        assert KEYS.check(welcome.token) == client.connection.user
        assert client.connection.user == User(ANNA.id, "Engine", bot=True)


async def test_hello_with_a_token_and_another_name_renames_the_user(node: Node) -> None:
    client = stranger()
    request = Hello(id=4, token=KEYS.sign(ANNA), name="Annie")
    welcome = (await done(node, client, request)).welcome
    assert welcome is not None
    assert KEYS.check(welcome.token) == User("anna", "Annie") == client.connection.user


@pytest.mark.parametrize(
    ("request_", "code", "field"),
    [
        (Hello(id=1, token="x"), Code.BAD_TOKEN, "token"),
        (Hello(id=1, token=""), Code.BAD_TOKEN, "token"),
        (Hello(id=1, token="x", name="Ada"), Code.BAD_TOKEN, "token"),
        (Hello(id=1, name=" "), Code.BAD_FIELD, "name"),
        (Hello(id=1, token=KEYS.sign(ANNA), name="A\n"), Code.BAD_FIELD, "name"),
    ],
)
async def test_a_refused_hello_leaves_the_connection_unidentified(
    node: Node, request_: Hello, code: Code, field: str
) -> None:
    client = stranger()
    error = await refused(node, client, request_, code)
    assert error.field == field
    assert client.connection.user is None
    await done(node, client, Hello(id=2))  # one may try again


async def test_a_second_hello_is_refused(node: Node) -> None:
    client = stranger()
    await done(node, client, Hello(id=1))
    user = client.connection.user
    await refused(node, client, Hello(id=2, name="Other"), Code.HELLO_AGAIN)
    assert client.connection.user == user


@pytest.mark.parametrize("kind", [cls for cls in CLIENT_TYPES if cls is not Hello])
async def test_a_request_before_hello_is_refused(node: Node, kind: Any) -> None:
    given_ = {"room": "abc", "nonce": "n", "turn": 0, "action": "a", "game": "loose"}
    given_ |= {"epoch": 1, "seq": 1, "problem": "mismatch", "to": "bert"}
    given_ |= {"challenge": "c", "accept": True, "name": "Ada"}
    given_ |= {"epoch": 1, "seq": 1, "problem": "mismatch", "actions": [], "what": "draw"}
    given_ |= {"epoch": 1, "seq": 1, "problem": "mismatch", "channel": "players", "text": "x"}
    given_ |= {"what": "draw", "actions": [], "outcome": "win"}
    fields = {name: given_[name] for name in kind.__struct_fields__ if name in given_}
    client = stranger()
    await refused(node, client, kind(id=7, **fields), Code.HELLO_FIRST)
    assert node.store.rooms == []


# --- the others --------------------------------------------------------------------------------


async def test_a_whole_game_by_requests(node: Node) -> None:
    anna, bert = Client(ANNA), Client(BERT)
    made = await done(node, anna, Create(id=1, nonce="c", game="loose", size=5, seat=0))
    room = made.room
    assert room is not None
    assert (await done(node, anna, Join(id=2, room=room))).seats == [0]
    assert (await done(node, bert, Join(id=3, room=room, seat="any", nonce="j"))).seats == [1]
    assert (await done(node, anna, Act(id=4, room=room, turn=0, action="komi:12"))).turn == 1
    legal = (await done(node, bert, LegalQuery(id=5, room=room))).legal
    assert legal is not None
    assert legal.actions == ["black", "white"]
    cards = (await done(node, bert, RoomsQuery(id=6))).rooms
    assert cards is not None
    assert [(card.room, card.turn) for card in cards] == [(room, 1)]
    over = await done(node, bert, Resign(id=7, room=room, nonce="r"))
    assert over.place == node.entries(room)[-1].place
    assert (await done(node, bert, Leave(id=8, room=room))).room == room
    assert (await done(node, bert, RoomsQuery(id=9))).rooms == []


async def test_a_ping_is_answered_with_the_time(node: Node) -> None:
    now = (await done(node, Client(), Ping(id=2**32 - 1))).now
    assert now is not None
    assert abs(now - time.time() * 1000) < 10_000


async def test_leaving_an_unfollowed_room_is_no_error(node: Node) -> None:
    assert (await done(node, Client(), Leave(id=1, room="nowhere"))).room == "nowhere"


async def test_a_client_follows_a_bounded_number_of_rooms(node: Node) -> None:
    """Law 10."""
    client = Client(CARL)
    rooms = [await node.make() for _ in range(3)]
    for room in rooms[:2]:
        await done(node, client, Join(id=1, room=room))
    await refused(node, client, Join(id=2, room=rooms[2]), Code.LIMIT)
    await refused(node, client, Join(id=2, room=rooms[2], seat=1, nonce="n"), Code.LIMIT)
    assert len(node.entries(rooms[2])) == 1
    await done(node, client, Join(id=3, room=rooms[0]))  # the same again is no more
    await done(node, client, Leave(id=4, room=rooms[0]))
    await done(node, client, Join(id=5, room=rooms[2]))


async def test_an_error_carries_what_the_code_promises(node: Node) -> None:
    room = await node.started()
    stale = await refused(node, Client(ANNA), Act(id=1, room=room, turn=0, action="a1"), Code.STALE)
    assert (stale.place, stale.turn) == (node.entries(room)[-1].place, 3)
    illegal = await refused(
        node, Client(ANNA), Act(id=1, room=room, turn=3, action="c3"), Code.ILLEGAL
    )
    assert (illegal.rule, illegal.points) == ("occupied", ["c3"])
    unknown = await refused(node, Client(ANNA), LegalQuery(id=1, room="no"), Code.UNKNOWN_ROOM)
    assert unknown.field == "room"


async def test_an_action_is_unavailable_while_the_store_is_away(node: Node) -> None:
    room = await node.started()
    node.log.away = True
    node.log.faults.extend(["before"] * 10)
    act = Act(id=1, room=room, turn=3, action="b3")
    await refused(node, Client(ANNA), act, Code.UNAVAILABLE)
    node.log.away = False
    node.log.faults.clear()
    await done(node, Client(ANNA), act)


async def test_an_internal_error_affects_one_request(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await node.started()

    async def broken(*_: Any) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(node.log, "read", broken)
    client = Client(ANNA)
    error = await refused(node, client, Act(id=1, room=room, turn=9, action="b3"), Code.INTERNAL)
    assert "secret" not in error.text
    await done(node, client, Ping(id=2))


async def test_followers_get_the_event_of_an_action(node: Node) -> None:
    room = await node.started()
    anna, carl = Client(ANNA), Client(CARL)
    await done(node, anna, Join(id=1, room=room))
    await done(node, carl, Join(id=1, room=room))
    await done(node, anna, Act(id=2, room=room, turn=3, action="b3"))
    await settle()
    assert [event.seq for event in carl.events()] == [6]
    assert carl.mirror().actions[-1] == "b3"


requests = st.lists(st.one_of(*map(messages, CLIENT_TYPES)), max_size=8)


@given(requests, st.sampled_from([None, ANNA, BERT]))
@settings(max_examples=up_to(80))
def test_every_request_of_any_sequence_has_one_answer(asked: list[Any], user: User | None) -> None:
    asyncio.run(_ask_all(asked, user))


async def _ask_all(asked: list[Any], user: User | None) -> None:
    async with running() as [node]:
        room = await node.started()
        client = Client()
        client.connection.user = user
        for each in asked:
            request = msgspec.structs.replace(each, room=room) if hasattr(each, "room") else each
            answer = await ask(node, client, request)
            assert not (isinstance(answer, Error) and answer.code == Code.INTERNAL)


def poor(user: User, token_buckets: TokenBuckets) -> Client:
    """A client whose address pays from this bucket."""
    client = Client(user)
    address = Budget("address", [("192.0.2.1", 1)], token_buckets)
    client.connection.allowance = Allowance(0, 0, 0, Users(0, 0, 0), address)
    return client


async def test_a_free_request_about_a_room_that_must_be_read_costs_strangers(node: Node) -> None:
    """They could name a thousand rooms that the node does not have in memory."""
    rooms = [await node.started() for _ in range(5)]
    async with running(store=node.store) as [other]:
        spent = TokenBuckets(rate=0.001, burst=2)
        carl, bert = poor(CARL, spent), poor(BERT, spent)
        since = Since(epoch=1, seq=5, chain=1)
        await refused(other, carl, Resign(id=1, room=rooms[0], nonce="n"), Code.NOT_SEATED)
        await refused(other, carl, Act(id=1, room=rooms[1], turn=3, action="a1"), Code.NOT_SEATED)
        reads = other.log.reads
        for request in (
            Resign(id=1, room=rooms[2], nonce="n"),
            Offer(id=1, room="dada", nonce="n", what="draw"),
            Join(id=1, room=rooms[3], since=since),
        ):
            assert (await refused(other, carl, request, Code.RATE)).retry_ms
        assert other.log.reads == reads, "nothing was read"
        await refused(other, carl, Resign(id=1, room=rooms[0], nonce="n"), Code.NOT_SEATED)
        await done(other, carl, Leave(id=1, room=rooms[4]))
        await done(other, bert, Join(id=1, room=rooms[2], since=since))
        await done(other, bert, Resign(id=1, room=rooms[3], nonce="n"))


async def test_a_withdrawal_costs_those_who_wait_for_nothing(node: Node) -> None:
    """Its note stays in the store for ten minutes."""
    spent = TokenBuckets(rate=0.001, burst=2)
    carl, bert = poor(CARL, spent), poor(BERT, spent)
    await done(node, bert, Seek(id=1, nonce="s", game="loose"))
    await done(node, bert, Challenge(id=1, nonce="c", to="0" * 16, game="loose"))
    await done(node, carl, CancelSeek(id=1, nonce="n1"))
    await done(node, carl, WithdrawChallenge(id=1, nonce="n2"))
    kept = await node.log.tables.inboxes.read(CARL.id)
    assert (await refused(node, carl, CancelSeek(id=1, nonce="n3"), Code.RATE)).retry_ms
    assert (await refused(node, carl, WithdrawChallenge(id=1, nonce="n4"), Code.RATE)).retry_ms
    assert await node.log.tables.inboxes.read(CARL.id) == kept
    for _ in range(2):  # they may ask again
        await done(node, bert, CancelSeek(id=1, nonce="s"))
        await done(node, bert, WithdrawChallenge(id=1, nonce="c"))
    kinds = {name.partition(":")[0] for name in await node.log.tables.inboxes.read("0" * 16)}
    assert kinds == {"withdrawn"}


async def test_a_store_short_of_memory_refuses_what_would_grow(node: Node) -> None:
    client = stranger()
    await done(node, client, Hello(id=1))
    room = (await done(node, client, Create(id=2, nonce="n1", game="loose", size=5, seat=0))).room
    assert room is not None
    node.log.full = True
    growing: list[ClientMessage] = [
        Create(id=3, nonce="n2", game="loose"),
        Register(id=4, nonce="n3", name="Ada"),
        Seek(id=5, nonce="n4", game="loose"),
        Challenge(id=6, nonce="n5", to="somebody", game="loose"),
        Say(id=7, nonce="n6", room=room, text="hello"),
        Offer(id=8, nonce="n7", room=room, what="rematch"),
    ]
    for request in growing:
        await refused(node, client, request, Code.FULL)
    other = stranger()
    await done(node, other, Hello(id=1))
    await done(node, other, Join(id=2, room=room, seat=1, nonce="n8"))
    await done(node, client, Act(id=10, room=room, turn=0, action="komi:12"))
    node.log.full = False
    await done(node, client, Create(id=11, nonce="n2", game="loose"))


async def test_a_store_short_of_memory_refuses_the_actions_of_those_who_play_alone(
    node: Node,
) -> None:
    client = stranger()
    await done(node, client, Hello(id=1))
    room = (await done(node, client, Create(id=2, nonce="n1", game="loose", size=5, seat=0))).room
    assert room is not None
    await done(node, client, Join(id=3, room=room, seat=1, nonce="n2"))
    node.log.full = True
    action = Act(id=4, room=room, turn=0, action="komi:12")
    assert not dispatch_of(node).short_way.act(client.connection, action, lambda _: None)
    await refused(node, client, action, Code.FULL)
    node.log.full = False
    await done(node, client, action)


@pytest.mark.parametrize("to", ["nobody", "anna", "p" + "0" * 23, "0" * 15, "A" * 16])
async def test_an_impossible_user_is_refused_at_once(node: Node, to: str) -> None:
    client = stranger()
    await done(node, client, Hello(id=1))
    asked = Challenge(id=2, nonce="n", to=to, game="loose")
    assert (await refused(node, client, asked, Code.NO_ACCOUNT)).field == "to"
