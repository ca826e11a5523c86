"""Who leaves rated games too often: marks count once and fade, and close new ones (SPEC 30.7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ClockRequest, Correspondence, Fischer, requested
from pierule_protocol.messages import (
    Abort,
    Accept,
    AnswerChallenge,
    Challenge,
    Claim,
    Create,
    Join,
    Notice,
    Offer,
    Seek,
)
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.fair_play import (
    HALF_LIFE,
    KEPT,
    KEPT_MS,
    LEFT,
    MARKS,
    MOST,
    PLAYED,
    fair_from,
)
from pierule_server.rooms.housekeeping import Housekeeper
from pierule_server.settings import Settings
from pierule_server.store.tables.accounts import Account
from support.model_store import HeldClock, ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, running

SLOW, FAST = requested(Correspondence(days=1)), requested(Fischer(main=300))
MINUTE = 60_000
OPENING = ((ANNA, 0, "komi:12"), (BERT, 1, "black"), (BERT, 2, "c3"), (ANNA, 3, "a1"))
_ids = count(1)


class Club:
    """Two nodes, at which Anna and Bert are registered."""

    def __init__(self, nodes: list[Node], hands: HeldClock) -> None:
        self.node, self.other = nodes
        self.hands = hands

    def to(self, moment: int) -> None:
        """Move the clock, past no outage."""
        self.hands.now = moment
        self.node.store.beat(moment)

    async def begun(
        self, clock: ClockRequest | None = SLOW, play: Sequence[Any] = OPENING, **options: Any
    ) -> str:
        """A game in which Bert is to act at ply 4, or in which less was played."""
        request = Create(
            id=1, nonce=f"n{next(_ids)}", game="loose", size=5, seat=0,
            clock=clock, **options,
        )  # fmt: skip
        room = (await self.node.rooms.create(ANNA, request)).room
        assert room is not None
        await self.node.take(BERT, room)
        for user, turn, action in play:
            await self.node.act(user, room, turn, action)
        return room

    async def flagged(self, room: str) -> None:
        """Let Bert's time be up; both nodes see it."""
        deadline = self.node.kept(room).deadline
        assert deadline is not None
        self.to(max(deadline + 1, self.hands.now))
        for node in (self.node, self.other):
            await node.rooms.time_out(room)
        assert self.node.kept(room).result is not None

    async def left(self, games: int) -> list[str]:
        """Let Bert leave so many games that count, all at about the same time."""
        rooms = [await self.begun() for _ in range(games)]
        for room in rooms:
            await self.flagged(room)
        return rooms

    async def challenges(self) -> list[str]:
        """The challenges to Bert that stand."""
        notes = await self.node.log.tables.inboxes.read(BERT.id)
        return [name[10:] for name in notes if name.startswith("challenge:")]

    async def marks(self, user: Any = BERT) -> list[str]:
        """The notes that count, without the rooms."""
        notes = await self.node.log.tables.inboxes.read(user.id)
        return sorted(name.partition(":")[0] for name in notes if name.startswith(MARKS))


@pytest.fixture
async def club() -> AsyncIterator[Club]:
    hands = HeldClock()
    async with running(2, ModelStore(hands)) as nodes:
        for user in (ANNA, BERT):
            await nodes[0].log.tables.accounts.keep(user.id, Account(user.name, user.name.lower()))
        yield Club(nodes, hands)


async def refusal(work: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        await work
    return caught.value


# --- what is a mark ----------------------------------------------------------------------------


async def test_leaving_a_game_leaves_one_mark(club: Club) -> None:
    await club.left(2)
    assert await club.marks() == ["left", "left"]
    assert await club.marks(ANNA) == []


async def test_a_claimed_game_leaves_one_mark(club: Club) -> None:
    room = await club.begun(None)
    await club.node.hub.attendance.greet(await club.node.live(room), ANNA)
    club.to(club.hands.now + 10 * MINUTE)
    request = Claim(id=1, room=room, outcome="win", nonce="c")
    await club.node.rooms.claim(ANNA, request)
    await club.other.rooms.claim(ANNA, request)
    assert await club.marks() == ["left"]


@pytest.mark.parametrize(("thinking", "marks"), [(0, ["left"]), (290_000, [])])
async def test_a_time_out_leaves_a_mark_only_on_a_player_who_was_absent(
    club: Club, thinking: int, marks: list[str]
) -> None:
    """Only somebody who did nothing for as long as the opponent waits for an absent player has
    left."""
    room = await club.begun(FAST)
    club.to(club.hands.now + thinking)
    await club.node.act(BERT, room, 4, "b2")
    await club.node.act(ANNA, room, 5, "d4")
    await club.flagged(room)
    assert await club.marks() == marks


@pytest.mark.parametrize(
    "options", [{"rated": "no"}, {"access": "private", "invitation": "i" * 20}], ids=str
)
async def test_unrated_games_leave_no_mark(club: Club, options: dict[str, Any]) -> None:
    request = Create(id=1, nonce="n", game="loose", size=5, seat=0, clock=SLOW, **options)
    room = (await club.node.rooms.create(ANNA, request)).room
    assert room is not None
    invitation = options.get("invitation")
    await club.node.rooms.join(
        BERT, Join(id=1, room=room, seat=1, nonce="s", invitation=invitation)
    )
    for user, turn, action in OPENING:
        await club.node.act(user, room, turn, action)
    await club.flagged(room)
    assert await club.marks() == []


async def test_a_voided_result_leaves_no_mark(club: Club) -> None:
    (room,) = await club.left(1)
    await club.other.rooms.close(room, "the network of a city was down")
    assert await club.marks() == []


async def test_a_resignation_takes_a_mark_away(club: Club) -> None:
    resigned, other = await club.begun(None), await club.begun(None)
    await club.node.resign(BERT, other)
    assert await club.marks() == []  # There was none to take away.
    await club.left(3)
    await club.node.resign(BERT, resigned)
    assert await club.marks() == ["left", "left", "left", "played"]
    assert await club.marks(ANNA) == []


async def test_whoever_ends_a_game_before_it_counts_gets_a_mark(club: Club) -> None:
    """A player who does not like the opponent, or the color, could otherwise choose for ever."""
    for number, play in enumerate((OPENING[:0], OPENING[:1], OPENING[:3])):
        room = await club.begun(FAST, play)
        await club.node.resign(BERT, room)
        assert await club.marks() == ["left"] * (number + 1)
    refused = await refusal(club.node.rooms.create(BERT, _create("n", "either")))
    assert refused.code is Code.UNRATED
    assert await club.marks(ANNA) == []


async def test_an_abort_of_two_players_leaves_a_mark(club: Club) -> None:
    room = await club.begun(FAST, OPENING[:1])
    await club.node.rooms.agree(BERT, Abort(id=1, room=room, nonce="a"))
    assert (await club.marks(), await club.marks(ANNA)) == (["left"], [])
    alone = (await club.node.rooms.create(ANNA, _create("alone", "either"))).room
    assert alone is not None
    await club.node.rooms.agree(ANNA, Abort(id=1, room=alone, nonce="a"))
    assert await club.marks(ANNA) == []


async def test_whoever_does_not_begin_on_a_clock_gets_a_mark(club: Club) -> None:
    room = await club.begun(FAST, [])
    await club.flagged(room)
    assert (await club.marks(ANNA), await club.marks()) == (["left"], [])


async def test_whoever_leaves_before_ply_4_gets_a_mark(club: Club) -> None:
    await club.flagged(await club.begun(FAST, OPENING[:2]))
    assert (await club.marks(), await club.marks(ANNA)) == (["left"], [])


async def test_a_short_game_that_could_not_count_leaves_no_mark(club: Club) -> None:
    unrated: dict[str, Any] = {"rated": "no"}
    for number, options in enumerate((unrated, {})):
        request = Create(id=1, nonce=f"g{number}", game="loose", size=5, seat=0, **options)
        room = (await club.node.rooms.create(ANNA, request)).room
        assert room is not None
        await club.node.take(CARL if number else BERT, room)
        await club.node.resign(ANNA, room)
    assert await club.marks(ANNA) == []


async def test_a_short_game_takes_no_mark_away(club: Club) -> None:
    await club.left(1)
    await club.node.resign(ANNA, await club.begun(None, []))
    assert (await club.marks(), await club.marks(ANNA)) == (["left"], ["left"])


async def test_a_rematch_leaves_the_marks_as_they_are(club: Club) -> None:
    """It is kept in the room that is over, whose game counts once."""
    room = await club.begun(FAST)
    await club.flagged(room)
    mark = LEFT + room, str(club.hands.now)
    club.to(club.hands.now + MINUTE)
    turn = club.node.kept(room).turn
    await club.node.rooms.agree(ANNA, Offer(id=1, room=room, what="rematch", nonce="o"))
    await club.node.rooms.agree(BERT, Accept(id=1, room=room, what="rematch", turn=turn, nonce="a"))
    assert club.node.kept(room).rematch is not None
    notes = await club.node.log.tables.inboxes.read(BERT.id)
    assert [note for note in notes.items() if note[0].startswith(MARKS)] == [mark]
    assert await club.marks(ANNA) == []


async def test_a_mark_is_noted_later_if_the_node_dies(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*_: Any) -> None:
        pass

    room, short = await club.begun(), await club.begun(SLOW, [])
    with monkeypatch.context() as patch:
        for node in (club.node, club.other):
            patch.setattr(node.rooms.fair_play, "over", dies)
        await club.node.resign(ANNA, short)
        await club.flagged(room)
    assert (await club.marks(), await club.marks(ANNA)) == ([], [])
    ended = club.hands.now
    club.to(ended + MINUTE)
    keeper = Housekeeper(
        club.other.hub, club.other.log, club.other.log.tables, Settings(put_away_after=0)
    )
    assert await keeper.look() == 2
    assert room not in club.node.store.rooms
    notes = await club.node.log.tables.inboxes.read(BERT.id)
    assert notes == {LEFT + room: str(ended)}
    assert LEFT + short in await club.node.log.tables.inboxes.read(ANNA.id)


# --- what follows ------------------------------------------------------------------------------


async def test_a_user_with_too_many_marks_cannot_enter_rated_games(club: Club) -> None:
    node, bert = club.node, Client(BERT)
    *two, third = [await club.begun() for _ in range(3)]
    for room in two:
        await club.flagged(room)
    await node.ask_lobby(bert.connection, BERT, _seek("two", "either"))
    await club.flagged(third)
    open_room = (await node.rooms.create(ANNA, _create("open", "either"))).room
    assert open_room is not None
    await node.lobby.challenges.challenge(ANNA, _challenge(BERT, "before", "yes"))
    (challenge,) = await club.challenges()
    for request in (
        _seek("s", "either"),
        _seek("t", "yes"),
        AnswerChallenge(id=1, challenge=challenge, accept=True),
    ):
        refused = await refusal(node.ask_lobby(bert.connection, BERT, request))
        assert refused.code is Code.UNRATED
        assert HALF_LIFE / 2 < refused.fields["left"] < HALF_LIFE
        assert refused.text.startswith("you left rated games too often: you cannot enter new ones")
    assert await club.challenges() == [challenge]
    refused = await refusal(node.lobby.challenges.challenge(BERT, _challenge(ANNA, "c")))
    assert (refused.code, refused.fields["field"]) == (Code.UNRATED, "rated")
    for wish in ("either", "yes"):
        refused = await refusal(node.rooms.create(BERT, _create("m", wish)))
        assert (refused.code, refused.fields["field"]) == (Code.UNRATED, "rated")
    refused = await refusal(node.take(BERT, open_room))
    assert (refused.code, refused.fields["field"]) == (Code.UNRATED, "seat")
    # What does not count stays open, and so does what was asked for before.
    await node.ask_lobby(bert.connection, BERT, _seek("two", "either"))
    await node.ask_lobby(bert.connection, BERT, _seek("u", "no"))
    refused = await refusal(node.ask_lobby(bert.connection, BERT, _seek("u", "either")))
    assert (refused.code, refused.fields) == (Code.BAD_FIELD, {"field": "nonce"})
    assert (await node.rooms.create(BERT, _create("unrated", "no"))).room is not None
    by_guest = (await node.rooms.create(CARL, _create("guest", "either"))).room
    assert by_guest is not None
    await node.take(BERT, by_guest)


async def test_a_challenge_that_need_not_count_begins_a_game_that_does_not(club: Club) -> None:
    node, bert = club.node, Client(BERT)
    await club.left(3)
    await node.lobby.challenges.challenge(ANNA, _challenge(BERT, "c", "either"))
    (challenge,) = await club.challenges()
    request = AnswerChallenge(id=1, challenge=challenge, accept=True)
    room = (await node.ask_lobby(bert.connection, BERT, request)).room
    assert room is not None
    kept = node.kept(room)
    assert (kept.created.rated, kept.unrated) == ("no", "wish")
    assert (await club.other.ask_lobby(bert.connection, BERT, request)).room == room
    again = await node.lobby.challenges.challenge(ANNA, _challenge(BERT, "c", "either"))
    assert again.room == room


async def test_marks_fade_and_rated_games_open_again(club: Club) -> None:
    await club.left(3)
    refused = await refusal(club.node.rooms.create(BERT, _create("now", "yes")))
    club.to(club.hands.now + refused.fields["left"] - 1)
    await refusal(club.node.rooms.create(BERT, _create("soon", "yes")))
    club.to(club.hands.now + 1)
    assert (await club.node.rooms.create(BERT, _create("then", "yes"))).room is not None


async def test_users_are_told_from_when_they_may_play_rated_games(club: Club) -> None:
    async def told(client: Client, when: Callable[[int], bool]) -> int:
        """What a client is told in the end."""
        for _ in range(10_000):
            for news in client.received():
                if isinstance(news, Notice) and news.kind == "rated_from" and when(news.at or 0):
                    return news.at or 0
            await asyncio.sleep(0)
        raise AssertionError(client.received())

    clients = [Client(BERT), Client(BERT)]
    for node, client in zip((club.node, club.other), clients, strict=True):
        node.lobby.start()
        node.lobby.enter(client.connection)
    running_game = await club.begun(None)
    await club.left(3)
    late = Client(BERT)
    club.other.lobby.enter(late.connection)
    closed = {await told(client, lambda at: at > club.hands.now) for client in (late, *clients)}
    assert len(closed) == 1
    for client in clients:
        client.forget()
    await club.node.resign(BERT, running_game)
    for client in clients:
        await told(client, lambda at: at <= club.hands.now)


def _create(nonce: str, rated: Any) -> Create:
    return Create(id=1, nonce=nonce, game="loose", size=5, seat=0, rated=rated)


def _seek(nonce: str, rated: Any) -> Seek:
    return Seek(id=next(_ids), nonce=nonce, game="loose", size=5, rated=rated)


def _challenge(to: Any, nonce: str, rated: Any = "either") -> Challenge:
    return Challenge(id=next(_ids), nonce=nonce, to=to.id, game="loose", size=5, rated=rated)


# --- the formula -------------------------------------------------------------------------------

NOTES = st.dictionaries(
    st.builds(str.__add__, st.sampled_from(MARKS), st.sampled_from("abcdefghij")),
    st.integers(0, 10 * HALF_LIFE).map(str),
)


@given(NOTES, st.integers(0, 10 * HALF_LIFE))
def test_a_game_left_closes_rated_games_for_longer_and_a_game_played_for_less(
    notes: dict[str, str], at: int
) -> None:
    def until(more: dict[str, str]) -> int:
        return fair_from(notes | more) or 0

    closed = until({})
    assert until({f"{LEFT}z": str(at)}) >= closed or closed <= at
    assert until({f"{PLAYED}z": str(at)}) <= max(closed, at)


def test_marks_halve_every_day() -> None:
    def closed_for(marks: int) -> int | None:
        return fair_from({f"{LEFT}{number}": "0" for number in range(marks)})

    assert closed_for(0) is None
    assert [closed_for(marks) for marks in (1, 2, 4, 8, KEPT)] == [
        0, 0, HALF_LIFE, 2 * HALF_LIFE, KEPT_MS,
    ]  # fmt: skip
    # Two that are a day apart, and a third at once: 1/2 + 1 + 1 marks, which is too much.
    two = {f"{LEFT}a": "0", f"{LEFT}b": str(HALF_LIFE)}
    assert fair_from(two) == HALF_LIFE
    third = fair_from(two | {f"{LEFT}c": str(HALF_LIFE)})
    assert third is not None
    assert HALF_LIFE < third < 2 * HALF_LIFE
    # A game that is played to its end takes one away.
    assert fair_from(two | {f"{LEFT}c": str(HALF_LIFE), f"{PLAYED}d": str(HALF_LIFE + 1)}) == (
        HALF_LIFE + 1
    )
    assert MOST == 2
