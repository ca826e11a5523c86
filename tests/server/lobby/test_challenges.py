"""Challenges between users of different nodes: answered once, whatever meets (SPEC 23.10)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count
from typing import Any

import pytest

from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Created, encode_record
from pierule_protocol.messages import AnswerChallenge, Challenge, Ok, Register, WithdrawChallenge
from pierule_server.identity.lookalikes import fold
from pierule_server.identity.tokens import User
from pierule_server.lobby import challenges as module
from pierule_server.lobby.challenges import Challenges
from pierule_server.lobby.names import Names
from pierule_server.lobby.sessions import Sessions
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.making import TRIES, room_id_for
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Account
from pierule_server.terms import AppendOptions
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Node, running

DORA = User("dora", "Dora")
_ids = count(1)


class Side:
    """One node's challenges."""

    def __init__(self, node: Node, most: int = 3) -> None:
        self.node = node
        self.inboxes = node.log.tables.inboxes
        self._challenges = Challenges(node.log.tables, node.rooms, most)

    async def ask(self, user: User, to: User, nonce: str = "n", **wanted: Any) -> Ok:
        request = Challenge(
            id=next(_ids), nonce=nonce, to=to.id, **{"game": "loose", "size": 5, **wanted}
        )
        return await self._challenges.challenge(user, request)

    async def withdraw(self, user: User, nonce: str = "n") -> Ok:
        return await self._challenges.withdraw(user, WithdrawChallenge(id=next(_ids), nonce=nonce))

    async def answer(self, user: User, challenge: str, accept: bool) -> Ok:
        request = AnswerChallenge(id=next(_ids), challenge=challenge, accept=accept)
        return await self._challenges.answer(user, request)

    async def standing(self, user: User) -> list[str]:
        notes = await self.inboxes.read(user.id)
        return [name[10:] for name in notes if name.startswith("challenge:")]

    async def notes(self, user: User) -> set[str]:
        return {name.partition(":")[0] for name in await self.inboxes.read(user.id)}


@pytest.fixture
async def sides() -> AsyncIterator[tuple[Side, Side]]:
    async with running(2, ModelStore()) as [one, other]:
        yield Side(one), Side(other)


async def code_of(work: Any) -> Code:
    with pytest.raises(Refused) as caught:
        await work
    return caught.value.code


async def test_a_challenge_can_be_accepted_at_any_node_and_again(sides: tuple[Side, Side]) -> None:
    here, there = sides
    assert (await here.ask(ANNA, BERT, seat=1)).room is None
    assert (await here.ask(ANNA, BERT, seat=1)).room is None
    (challenge,) = await there.standing(BERT)
    answers = [await side.answer(BERT, challenge, True) for side in (there, here, there)]
    (room,) = {answer.room for answer in answers}
    assert room is not None
    assert [answer.seats for answer in answers] == [[0]] * 3
    kept = here.node.kept(room)
    assert [holder and holder.name for holder in kept.seats] == ["Bert", "Anna"]
    assert kept.place.seq == 1
    again = await there.ask(ANNA, BERT, seat=1)
    assert (again.room, again.seats) == (room, [1])
    late = await here.withdraw(ANNA)
    assert late.room == room
    assert await here.notes(ANNA) == {"paired", "unsent"}
    assert await here.standing(BERT) == []


async def test_nobody_can_tell_their_seat_from_the_id_of_a_challenge(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = sides
    drawn = {}
    for number in range(0, 32, 2):
        challenge = f"{number:016x}"
        monkeypatch.setattr(world, "token_hex", lambda _, told=challenge: told)
        await here.ask(ANNA, BERT, nonce=challenge)
        answer = await there.answer(BERT, challenge, True)
        assert (await here.answer(BERT, challenge, True)).seats == answer.seats
        drawn[challenge] = answer.seats
        await here.node.resign(BERT, answer.room or "")
    assert sorted({tuple(seats or ()) for seats in drawn.values()}) == [(0,), (1,)]


async def test_a_user_can_be_challenged_by_registered_name(sides: tuple[Side, Side]) -> None:
    here, there = sides
    accounts = here.node.log.tables.accounts
    sessions = Sessions(accounts, here.node.log.tables.inboxes)
    names = Names(accounts, sessions, lambda: b"secret", lambda user: user.id)
    wanted: dict[str, Any] = {"named": True}
    assert await code_of(here.ask(ANNA, User("Bert_1", ""), **wanted)) is Code.NO_ACCOUNT
    assert await here.notes(ANNA) == set()
    await names.register(BERT, Register(id=1, nonce="n", name="Bert_1"))
    await accounts.claim(fold("claimed"), CARL.id)  # and no more: nobody is called so
    await here.ask(ANNA, User("BERT-i", ""), **wanted)
    (challenge,) = await there.standing(BERT)
    room = (await there.answer(BERT, challenge, True)).room
    assert (await there.ask(ANNA, User("bert_1", ""), **wanted)).room == room
    assert await code_of(here.ask(ANNA, User("claimed", ""), "m", **wanted)) is Code.NO_ACCOUNT
    assert await code_of(here.ask(BERT, User("Bert_1", ""), "m", **wanted)) is Code.BAD_FIELD


async def test_a_rated_challenge_is_for_two_with_names_of_their_own(
    sides: tuple[Side, Side],
) -> None:
    here, there = sides
    accounts = here.node.log.tables.accounts
    assert await code_of(here.ask(ANNA, BERT, rated="yes")) is Code.UNRATED
    await accounts.keep(ANNA.id, Account("Anna", "anna"))
    await here.ask(ANNA, BERT, rated="yes")
    (challenge,) = await there.standing(BERT)
    assert await code_of(there.answer(BERT, challenge, True)) is Code.UNRATED
    assert await there.standing(BERT) == [challenge]
    await accounts.keep(BERT.id, Account("Bert", "bert"))
    room = (await there.answer(BERT, challenge, True)).room
    assert room is not None
    kept = here.node.kept(room)
    assert (kept.created.rated, kept.unrated) == ("yes", None)


async def test_a_blocked_user_cannot_challenge(sides: tuple[Side, Side]) -> None:
    here, there = sides
    await here.node.log.tables.block_lists.put(BERT.id, ANNA.id, "block", 10)
    assert await code_of(there.ask(ANNA, BERT)) is Code.BLOCKED
    assert await there.standing(BERT) == []
    assert await there.notes(ANNA) == set()
    await here.node.log.tables.block_lists.put(BERT.id, ANNA.id, "mute", 10)
    await there.ask(ANNA, BERT)
    assert len(await here.standing(BERT)) == 1


async def test_a_declined_challenge_stays_declined(sides: tuple[Side, Side]) -> None:
    here, there = sides
    await here.ask(ANNA, BERT)
    (challenge,) = await there.standing(BERT)
    for side in (there, here):
        await side.answer(BERT, challenge, False)
    assert await code_of(here.ask(ANNA, BERT)) is Code.DECLINED
    assert await code_of(here.answer(BERT, challenge, True)) is Code.UNKNOWN_CHALLENGE
    assert await here.standing(BERT) == []
    await here.withdraw(ANNA)
    assert "sent" not in await here.notes(ANNA)


async def test_a_withdrawn_challenge_cannot_be_accepted(sides: tuple[Side, Side]) -> None:
    here, there = sides
    await here.ask(ANNA, BERT)
    (challenge,) = await there.standing(BERT)
    for side in (there, here):
        assert (await side.withdraw(ANNA)).room is None
    assert await code_of(there.answer(BERT, challenge, True)) is Code.UNKNOWN_CHALLENGE
    assert "withdrawn" in await there.notes(BERT)
    await there.answer(BERT, challenge, False)


@pytest.mark.parametrize("step", ["read:", "put:sent:", "put:challenge:"])
async def test_a_challenge_that_is_still_on_its_way_is_withdrawn(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """As if the connection had broken off: another node hears of the withdrawal first."""
    here, there = sides
    begun, go_on = asyncio.Event(), asyncio.Event()
    known: dict[str, Any] = {"read": here.inboxes.read, "put": here.inboxes.put}

    def slow(verb: str) -> Any:
        async def one(user: str, name: str = "", *args: Any, **more: Any) -> Any:
            if f"{verb}:{name}".startswith(step) and not begun.is_set():
                begun.set()
                await go_on.wait()
            return await known[verb](user, *filter(None, (name,)), *args, **more)

        return one

    for verb in known:
        monkeypatch.setattr(here.inboxes, verb, slow(verb))
    on_its_way = asyncio.ensure_future(here.ask(ANNA, BERT))
    await begun.wait()
    assert (await there.withdraw(ANNA)).room is None
    go_on.set()
    (done,) = await asyncio.gather(on_its_way, return_exceptions=True)
    assert isinstance(done, Ok) == (step == "put:challenge:")
    assert await there.standing(BERT) == []
    assert await there.notes(ANNA) == {"unsent"}
    assert await code_of(there.ask(ANNA, BERT)) is Code.EXPIRED


async def test_withdrawals_before_a_challenge_are_bounded(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = sides
    monkeypatch.setattr(module, "UNSENT", 3)
    monkeypatch.setattr(module, "RECEIVED", 2)
    for number in range(3):
        await here.ask(ANNA, BERT, f"n{number}")
        await there.withdraw(ANNA, f"n{number}")
    assert await there.standing(BERT) == []
    notes = await there.inboxes.read(BERT.id)
    assert sum(name.startswith("withdrawn:") for name in notes) == 2
    assert await code_of(here.withdraw(ANNA, "n3")) is Code.LIMIT


async def test_the_first_of_accept_decline_and_withdraw_counts(sides: tuple[Side, Side]) -> None:
    """Accept, decline and withdraw at once: one of them is what both know."""
    here, there = sides
    for number in range(20):
        nonce = f"n{number}"
        await here.ask(ANNA, BERT, nonce)
        (challenge,) = await there.standing(BERT)
        deeds: list[Any] = [
            there.answer(BERT, challenge, True), here.withdraw(ANNA, nonce),
            here.answer(BERT, challenge, False),
        ]  # fmt: skip
        deeds = deeds[number % 3 :] + deeds[: number % 3]
        done = await asyncio.gather(*deeds, return_exceptions=True)
        rooms = {each.room for each in done if isinstance(each, Ok)} - {None}
        assert len(rooms) <= 1
        names = await here.inboxes.read(ANNA.id)
        assert (f"paired:{nonce}" in names) == bool(rooms)
        assert f"sent:{nonce}" not in names
        assert await there.standing(BERT) == []


async def test_invalid_challenges_and_those_over_a_limit_are_refused(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = sides
    for number in range(2):
        await here.ask(ANNA, BERT, f"n{number}")
    await here.ask(ANNA, DORA, "n2")
    assert await code_of(here.ask(ANNA, CARL, "n3")) is Code.LIMIT
    await here.ask(ANNA, BERT, "n0")
    monkeypatch.setattr(module, "RECEIVED", 2)
    assert await code_of(here.ask(CARL, BERT, "c")) is Code.LIMIT
    assert await here.notes(CARL) == set()
    assert await code_of(here.ask(ANNA, ANNA, "me")) is Code.BAD_FIELD
    assert await code_of(here.ask(ANNA, BERT, "n0", size=7)) is Code.BAD_FIELD
    assert await code_of(here.ask(CARL, ANNA, "c", game="chess")) is Code.BAD_FIELD


async def test_a_retry_finishes_an_interrupted_challenge(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node dies between the decision and the room, or between the two inboxes."""
    here, there = sides
    put = here.inboxes.put

    async def failing(user: str, name: str, *args: Any, **how: Any) -> Any:
        if name.startswith(stage):
            raise StoreUnavailable
        return await put(user, name, *args, **how)

    for number, stage in enumerate(("challenge:", "paired:")):
        nonce = f"n{number}"
        with monkeypatch.context() as patched:
            patched.setattr(here.inboxes, "put", failing)
            if stage == "challenge:":
                with pytest.raises(StoreUnavailable):
                    await here.ask(ANNA, BERT, nonce)
            else:
                patched.undo()
                await here.ask(ANNA, BERT, nonce)
                (challenge,) = await there.standing(BERT)
                patched.setattr(here.inboxes, "put", failing)
                with pytest.raises(StoreUnavailable):
                    await here.answer(BERT, challenge, True)
        await here.ask(ANNA, BERT, nonce)
        if stage == "challenge:":
            (challenge,) = await there.standing(BERT)
        answer = await there.answer(BERT, challenge, True)
        assert (await here.ask(ANNA, BERT, nonce)).room == answer.room


async def test_the_challenged_user_cannot_take_the_room_id(sides: tuple[Side, Side]) -> None:
    """Its ids follow from the challenge's name, which both know, and from a secret."""
    here, there = sides
    await here.ask(ANNA, BERT)
    (challenge,) = await there.standing(BERT)
    for attempt in range(2 * TRIES):
        room = room_id_for(ANNA.id, f"challenge-{challenge}", attempt)
        record = encode_record(Created("loose", 9, BERT.id, BERT.name, "x"))
        await here.node.log.append(room, EMPTY, record, AppendOptions())
    answer = await there.answer(BERT, challenge, accept=True)
    assert answer.room is not None
    assert (await there.answer(BERT, challenge, accept=True)).room == answer.room
    assert [holder and holder.user for holder in here.node.kept(answer.room).seats].count(
        "bert"
    ) == 1


async def test_many_guests_cannot_fill_an_inbox(sides: tuple[Side, Side]) -> None:
    """Who is anybody's guest may be any number of them."""
    here, there = sides
    tables = here.node.log.tables
    sessions = Sessions(tables.accounts, tables.inboxes)
    names = Names(tables.accounts, sessions, lambda: b"secret", lambda _: "")
    guests = [User(f"g{number}", "Guest") for number in range(30)]
    for side, guest in zip([here, there] * 15, guests, strict=True):
        for nonce in "abc":
            with suppress(Refused):
                await side.ask(guest, BERT, nonce)
    kept = [here.node.log.tables.inboxes.read(guest.id) for guest in guests]
    sent = [sum(name.startswith("sent:") for name in await notes) for notes in kept]
    assert sent == [2] * 10 + [0] * 20
    assert len(await there.standing(BERT)) == module.FROM_GUESTS
    assert await code_of(here.ask(CARL, BERT)) is Code.LIMIT
    await names.register(CARL, Register(id=1, nonce="r", name="Carl"))
    await here.ask(CARL, BERT)
    await there.ask(User("p" + "0" * 24, "Zoe"), BERT)
    assert len(await there.standing(BERT)) == module.FROM_GUESTS + 2


async def test_each_challenger_may_have_two_standing_challenges(sides: tuple[Side, Side]) -> None:
    here, there = sides
    done = await asyncio.gather(
        *(side.ask(ANNA, BERT, f"n{number}") for number in range(3) for side in sides[:1]),
        return_exceptions=True,
    )
    (refused,) = (each for each in done if isinstance(each, Refused))
    assert (refused.code, refused.fields) == (Code.LIMIT, {"field": "to"})
    await here.ask(ANNA, CARL)
    await here.ask(CARL, BERT)
    await there.answer(BERT, (await there.standing(BERT))[0], False)
    await here.ask(ANNA, BERT, "later")
    assert await code_of(there.ask(ANNA, BERT, "latest")) is Code.LIMIT
