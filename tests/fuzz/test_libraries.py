"""Both client libraries get the same input, at random, and must make the same of it."""

from __future__ import annotations

from collections import deque
from itertools import islice
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from fuzz.library import CLIENT, SERVER, Frame, framed, typescript, unframed
from pierule.backoff import retry_delay
from pierule.chat import ChatHistory
from pierule.connection import Address
from pierule.errors import Desync
from pierule.follow import Follower
from pierule.listing import RoomFilter
from pierule.lobby import LiveLobby
from pierule.timekeeping import ServerClock
from pierule_games.game import OTHER
from pierule_protocol.log.controls import Byoyomi, ClockOptions, Correspondence, Fischer, Turnwise
from pierule_protocol.log.events import AGREEMENTS, Declined, Offered, Renewed
from pierule_protocol.messages import (
    CHANNELS,
    Card,
    ChatMessage,
    Event,
    FreeBots,
    LobbyChange,
    LobbyRoom,
    LobbyState,
    Ok,
    Pool,
    PositionDiff,
    RoomState,
    Seat,
    ServerMessage,
    Snapshot,
)
from pierule_protocol.state.mirror import time_left
from support.examples import up_to
from support.shapes import CLIENT_TYPES, messages
from support.story import Story

bounded = settings(database=None, deadline=None, max_examples=up_to(200))
CODECS = st.sampled_from(list(SERVER))
SEATS = st.sampled_from(get_args(Seat))
GAMES = [("loose", 5), ("veletas", 7), ("taugo", 6)]
CLOCKS: list[ClockOptions | None] = [
    None, Fischer(main=10, increment=2), Byoyomi(main=5, periods=3, period=2), Turnwise(time=30),
    Correspondence(days=1),
]  # fmt: skip
EXACT = 2**53 - 1
"""Numbers of JavaScript are exact up to this one (SPEC 1.14)."""


# --- a room: what a server may send, and what goes wrong on the way ---------------------------


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """A room in which both players do what they please."""
    game, size = draw(st.sampled_from(GAMES))
    story = Story(game, size, clock=draw(st.sampled_from(CLOCKS)))
    for _ in range(draw(st.integers(1, 12))):
        _step(draw, story)
    return story


def _step(draw: st.DrawFn, story: Story) -> None:
    room, after, by = story.room, draw(st.integers(1, 3_000)), draw(SEATS)
    if room.deadline is not None:
        after = min(after, room.deadline - room.at)
    if room.status != "running" or after < 0:
        return
    offered = room.offers.standing[OTHER[by]]
    wanted = draw(st.sampled_from(list(AGREEMENTS)))
    able = room.knows(wanted) and not (
        room.offers.hindrance(by, wanted) or room.hindrance(by, wanted)
    )
    match draw(st.integers(0, 9)):
        case 0:
            story.add(Renewed(), after=2_000)
        case 1 | 2 if offered and room.hindrance(OTHER[by], offered) is None:
            story.add(AGREEMENTS[offered](by, "n2"), after=after)
        case 3 if offered:
            story.add(Declined(by, offered, "n3"), after=after)
        case 4 | 5 if able:
            story.add(Offered(by, wanted, "n4"), after=after)
        case _ if room.clock is None or room.clock.paused is None:
            legal = list(islice(room.position.actions(), draw(st.integers(1, 30))))
            story.act(legal[-1], after=after, lag=draw(st.integers(0, 300)))


NEAR = st.integers(-2, 2)
FAULTS = ["epoch", "seq", "chain", "at", "digest", "record", "ply", "cells", "from behind"]


def spoilt(draw: st.DrawFn, event: Event, state: RoomState) -> Event:
    """An event with a fault: of its place, of its digest, or of the board."""
    change, size = msgspec.structs.replace, len(state.position.cells)
    board = event.diff.position or PositionDiff()
    match draw(st.sampled_from(FAULTS)):
        case "epoch":
            return change(event, epoch=max(1, event.epoch + draw(NEAR)))
        case "seq":
            return change(event, seq=max(1, event.seq + draw(NEAR)))
        case "chain":
            return change(event, chain=event.chain ^ 1)
        case "at":
            return change(event, at=event.at + draw(NEAR))
        case "digest":
            return change(event, digest=event.digest ^ draw(st.integers(0, 2**32 - 1)))
        case "record":
            return change(event, record=event.record + draw(st.text(max_size=3)))
        case "ply":
            return change(event, diff=change(event.diff, ply=draw(st.integers(0, 3))))
        case "from behind":
            cells = [(index - size, value) for index, value in board.cells or []]
        case _:
            pairs = st.tuples(st.integers(-size - 1, size + 1), st.integers(-1, 70))
            cells = draw(st.lists(pairs, max_size=3))
    return change(event, diff=change(event.diff, position=change(board, cells=cells)))


Step = tuple[str, Any]
WAYS = ["snapshot", "rejoin", "joined", "another past", "jump", "spoilt"]


@st.composite
def deliveries(draw: st.DrawFn) -> list[Step]:
    """A snapshot, then events in any order, some of them twice, late, spoilt or of another past."""
    story = draw(stories())
    past = [story, draw(stories())]
    name = draw(CODECS)

    def snapshot(of: Story, at: int) -> Step:
        state = of.states[min(at, len(of.states) - 1)]
        if draw(st.integers(0, 19)) == 0:
            state = msgspec.structs.replace(state, digest=state.digest ^ 1)
        proof = draw(st.none() | st.text(max_size=66))
        return "frame", framed(name, Snapshot(state=state, proof=proof))

    steps, at = [snapshot(story, 0)], 0
    for _ in range(draw(st.integers(1, 20))):
        match draw(st.sampled_from([*WAYS, *["next"] * len(WAYS)])):
            case "snapshot":
                at = draw(st.integers(0, len(story.states) - 1))
                steps.append(snapshot(draw(st.sampled_from(past)), at))
            case "rejoin":
                steps.append(("rejoin", None))
            case "joined":
                steps.append(("joined", draw(st.booleans())))
            case way:
                of = past[way == "another past"]
                index = max(0, at + (draw(NEAR) if way == "jump" else 0))
                if index >= len(of.events):
                    continue
                event = of.events[index]
                at += way in ("next", "spoilt")
                if way == "spoilt":
                    event = spoilt(draw, event, of.states[index])
                proof = draw(st.none() | st.text(max_size=66))
                event = msgspec.structs.replace(event, proof=proof)
                steps.append(("frame", framed(name, event)))
    return steps


def follow(follower: Follower, step: Step) -> str | None:
    """What the Python library makes of a step, in the words of the other one."""
    what, value = step
    if what == "rejoin":
        follower.rejoin()
        return None
    if what == "joined":
        follower.joined(Ok(id=1, resumed=value))
        return None
    message = unframed(CLIENT, value)
    try:
        if isinstance(message, Snapshot):
            # A snapshot that says nothing new is told to listeners in TypeScript alone.
            follower.snapshot(message.state, message.proof)
            return "changed"
        return follower.event(message).value
    except Desync:
        return "desync"


@bounded
@given(deliveries())
def test_both_follow_a_room_alike(steps: list[Step]) -> None:
    follower = Follower("kobadimu")
    for step, seen in zip(steps, typescript("follow", steps), strict=True):
        verdict = follow(follower, step)
        assert verdict == seen["verdict"], step
        state = seen["state"]
        assert follower.state == (state and convert(state, RoomState)), step
        if verdict == "desync":
            return  # both give the room up
        since = follower.since
        assert (since and to_builtins(since)) == seen["since"], step


@bounded
@given(st.data())
def test_both_show_the_same_time_on_clocks(data: st.DataObject) -> None:
    story = data.draw(stories())
    state = data.draw(st.sampled_from(story.states))
    if state.clock is None:
        return
    seat = data.draw(SEATS)
    now = state.at + data.draw(st.integers(-5_000, 200_000_000))
    left = time_left(state, seat, now)
    assert left is not None
    seen = typescript("left", [to_builtins(state.control), to_builtins(state.clock), seat, now])
    assert seen == {"main": left.main, "periods": left.periods, "period": left.period}


# --- the codecs -----------------------------------------------------------------------------


def exact(value: Any) -> bool:
    """Whether all numbers of a message are exact in JavaScript."""
    if isinstance(value, dict):
        return all(map(exact, value.values()))
    if isinstance(value, list | tuple):
        return all(map(exact, value))
    return not isinstance(value, int) or -EXACT <= value <= EXACT


@bounded
@given(CODECS, st.one_of(*map(messages, get_args(ServerMessage))))
def test_both_read_the_same_in_a_message(name: str, message: msgspec.Struct) -> None:
    if not exact(to_builtins(message)):
        return
    frame = framed(name, message)
    assert unframed(CLIENT, frame) == convert(typescript("read", frame), ServerMessage)


@bounded
@given(CODECS, st.one_of(*map(messages, CLIENT_TYPES)))
def test_a_server_reads_the_same_of_both(name: str, request: msgspec.Struct) -> None:
    if not exact(to_builtins(request)):
        return
    frame: Frame = name, typescript("write", [name, to_builtins(request)])
    assert unframed(SERVER, frame) == unframed(SERVER, framed(name, request))


# --- chat, the lobby, time ------------------------------------------------------------------

TALK = st.lists(
    st.builds(
        ChatMessage, seq=st.integers(1, 12), at=st.integers(0, 99), user=st.just("ada"),
        text=st.none() | st.text(max_size=3),
    ),
    max_size=6,
)  # fmt: skip


@bounded
@given(st.lists(st.tuples(st.sampled_from(CHANNELS), TALK, st.booleans()), max_size=8))
def test_both_miss_the_same_messages(steps: list[tuple[Any, list[ChatMessage], bool]]) -> None:
    history = ChatHistory()
    seen = typescript("chat", to_builtins(steps))
    for (channel, said, trimmed), (missing, players, spectators, known) in zip(
        steps, seen, strict=True
    ):
        assert history.take(channel, said, trimmed=trimmed) == missing
        assert [history.last("players"), history.last("spectators")] == [players, spectators]
        assert len(history.heard) == known


ROOMS = st.sampled_from(["kobadimu", "lomitaze", "zutafoma", "bekolipa"])
CARDS = st.builds(
    Card, room=ROOMS, game=st.sampled_from(["loose", "taugo"]), size=st.sampled_from([5, 6]),
    status=st.sampled_from(["open", "running"]), names=st.tuples(*[st.none() | st.just("Ada")] * 2),
    turn=st.integers(0, 9), away=st.booleans(), at=st.integers(0, 5),
)  # fmt: skip
SHOWN = st.lists(
    st.builds(LobbyRoom, card=CARDS, spectators=st.integers(0, 9)),
    max_size=3, unique_by=lambda room: room.card.room,
)  # fmt: skip
POOLS = st.lists(
    st.builds(
        Pool, game=st.sampled_from(["loose", "taugo"]), size=st.just(5),
        control=st.sampled_from(CLOCKS), waiting=st.integers(0, 2),
    ),
    max_size=3, unique_by=lambda pool: (pool.game, pool.control),
)  # fmt: skip
LEVELS = st.lists(messages(FreeBots).filter(lambda level: exact(level.free)), max_size=2)


@st.composite
def lobbies(draw: st.DrawFn) -> list[LobbyState | LobbyChange]:
    """A lobby and its changes; now and then one is missing, or a new lobby comes."""
    seq, told = draw(st.integers(0, 9)), list[LobbyState | LobbyChange]()
    for _ in range(draw(st.integers(1, 10))):
        seq += 1 + (draw(st.integers(0, 9)) == 0)
        rooms, pools = draw(SHOWN), draw(POOLS)
        if not told or draw(st.integers(0, 5)) == 0:
            bots = draw(st.integers(0, 3))
            levels = draw(LEVELS)
            told.append(LobbyState(seq=seq, rooms=rooms, pools=pools, bots=bots, bot_levels=levels))
            continue
        shown = {room.card.room for room in rooms}
        gone = [
            room for room in draw(st.lists(ROOMS, max_size=2, unique=True)) if room not in shown
        ]
        told.append(
            LobbyChange(
                seq=seq, rooms=rooms, pools=pools, gone=gone,
                bots=draw(st.none() | st.integers(0, 3)), bot_levels=draw(st.none() | LEVELS),
            )
        )  # fmt: skip
    return told


@bounded
@given(CODECS, lobbies())
def test_both_see_the_same_lobby(name: str, told: list[LobbyState | LobbyChange]) -> None:
    """Rooms of the same moment have no order."""
    lobby = LiveLobby()
    frames = [framed(name, message) for message in told]
    for message, frame, seen in zip(told, frames, typescript("lobby", frames), strict=True):
        lobby.hear(unframed(CLIENT, frame))
        view = lobby.view
        assert (view is None) == (seen is None), message
        if view is None:
            continue
        assert view.bots == seen["bots"]
        assert list(view.bot_levels) == convert(seen["levels"], list[FreeBots])
        rooms = convert(seen["rooms"], list[LobbyRoom])
        assert _ordered(view.rooms) == _ordered(rooms), message
        pools = convert(seen["pools"], list[Pool])
        assert sorted(map(repr, view.pools)) == sorted(map(repr, pools)), message


def _ordered(rooms: list[LobbyRoom]) -> list[Any]:
    keys = [(room.card.away, -room.card.at) for room in rooms]
    return [keys, sorted(map(repr, rooms))]


PINGS = st.floats(0, 1e9).flatmap(
    lambda sent: st.tuples(
        st.just(sent), st.floats(sent, sent + 1e5), st.integers(0, 2_000_000_000_000)
    )
)


@bounded
@given(st.lists(st.none() | PINGS, max_size=12))
def test_both_take_the_same_ping_for_the_best(pings: list[tuple[float, float, int] | None]) -> None:
    """None: there is a new connection."""
    clock = ServerClock()
    for ping, offset in zip(pings, typescript("time", pings), strict=True):
        if ping is None:
            clock.restart()
        else:
            clock.measured(*ping)
        assert clock.known == (offset is not None)
        assert not clock.known or clock.time(0) == offset


class Chance(Random):
    """Draws this share."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def random(self) -> float:
        return self.share


@bounded
@given(st.integers(0, 2_000), st.floats(0, 1, exclude_max=True))
def test_both_wait_equally_long(attempt: int, share: float) -> None:
    seen = typescript("delay", [attempt, share])
    assert retry_delay(attempt, Chance(share)) * 1_000 == pytest.approx(seen)


@bounded
@given(st.sampled_from(["ws://a/ws", "ws://a/ws?x=1"]), st.text(max_size=12))
def test_both_give_the_same_hint_of_a_room(url: str, room: str) -> None:
    seen = typescript("hint", [url, room])
    assert Address(deque([url]), "json", 1, room=room or None).hinted == seen


@bounded
@given(
    st.builds(
        RoomFilter, st.sampled_from([None, "loose", "taugo"]), st.sampled_from([None, 5, 6]),
        st.sampled_from([None, "open", "running"]), st.sampled_from([None, 0, 1, "any"]),
    ),
    CARDS,
)  # fmt: skip
def test_both_filter_rooms_alike(wanted: RoomFilter, card: Card) -> None:
    assert wanted.has(card) == typescript("agrees", [wanted._asdict(), to_builtins(card)])
