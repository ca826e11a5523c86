"""fold.json: rooms as a client sees them, a snapshot and then event after event; and the verdict on
an event at a known place."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from pierule_games.clock import PAUSE_TIME
from pierule_protocol.log.controls import Byoyomi, ClockOptions, Fischer, Turnwise
from pierule_protocol.log.events import (
    Aborted,
    Claimed,
    Closed,
    Credited,
    Declined,
    Drawn,
    Offered,
    Paused,
    Rematched,
    Rematching,
    Renewed,
    Resigned,
    Resumed,
    Seated,
    Standing,
    TakenBack,
    Withdrawn,
    chain,
)
from pierule_protocol.messages import Diff, Event, PositionDiff, RoomState, Snapshot
from pierule_protocol.state.mirror import Trouble, advance
from support.reference import references
from support.story import Story
from support.vectors.layout import plain

ABOUT = (
    "Rooms followed (SPEC 4 and 6.2). `rooms`: after `snapshot`, each `event` gives the `state` "
    "beside it, whole. `verdicts`: what an event is to a client whose state is that of room "
    "`room` after `after` events: next, duplicate, hole, fork, or mismatch (the next one, but its "
    "digest differs)."
)


def build() -> dict[str, Any]:
    """The file."""
    rooms = [
        _game("loose", 5),
        _game("veletas", 7),
        _game("taugo", 6),
        _told("timed", "Fischer clocks: a lag is compensated, seat 1 is flagged", _timed()),
        _told("byoyomi", "periods are lost; an outage is credited; resigned", _byoyomi()),
        _told("aborted", "nobody began in time", _aborted()),
        _told("closed", "the operators closed the room", _closed()),
        _told("renewed", "the log was cut: a new epoch begins", _renewed()),
        _told("taken-back", "a takeback is asked for, declined, asked for again, allowed", _back()),
        _told("draw", "Taugo on clocks: paused, resumed, a draw by agreement, a rematch", _draw()),
        _told("left", "seat 1 is gone, and seat 0 claims the game", _left()),
        _told("rated", "both players have ratings as they sit down", _rated()),
        _told("paused", "a pause that ends by itself; what a player aborts", _paused()),
        _future(),
        _rewritten(),
    ]
    return {"about": ABOUT, "rooms": rooms, "verdicts": _verdicts()}


def _told(name: str, about: str, story: Story) -> dict[str, Any]:
    pairs = zip(story.events, story.states[1:], strict=True)
    return {
        "name": name,
        "about": about,
        "snapshot": Snapshot(state=story.states[0]),
        "steps": [{"event": event, "state": state} for event, state in pairs],
    }


def _game(game: str, size: int) -> dict[str, Any]:
    same = [r for r in references() if (r.game, r.size) == (game, size)]
    reference = min(same, key=lambda r: len(r.actions))
    story = Story(game, size, open=True)
    story.add(Seated(1, "bob", "Bob", "n1"))
    story.act(*reference.actions)
    return _told(f"{game}-{size}", "a whole game, seated to over", story)


def _timed() -> Story:
    story = Story(clock=Fischer(main=10, increment=2), room="lomitaze")
    story.act("komi:12", after=4000, lag=120)
    story.act("black", after=500, lag=40)
    story.act("c3", after=2500, lag=60)
    story.act("b2", after=9_500)
    story.flag()
    return story


def _byoyomi() -> Story:
    story = Story(clock=Byoyomi(main=5, periods=3, period=2), room="lomitaze")
    story.act("komi:12", after=6999)
    story.act("white", after=3000)
    started = story.room.at
    story.add(Credited(started - 1000, started + 4000), after=5000)
    story.act("c3", after=4500)
    story.add(Resigned(1, "n2"))
    return story


def _rated() -> Story:
    story = Story(room="lomitaze", open=True, standing=Standing(1583, 84))
    story.add(Seated(1, "bob", "Bob", "n1", registered=True, standing=Standing(1497, 204)))
    story.act("komi:12")
    return story


def _aborted() -> Story:
    clock: ClockOptions = Fischer(main=10)
    story = Story(clock=clock, room="lomitaze")
    deadline = story.room.deadline
    assert deadline is not None
    story.add(Aborted(), after=deadline + 1 - story.room.at)
    return story


def _closed() -> Story:
    story = Story(room="lomitaze")
    story.act("komi:12")
    story.add(Closed("This room broke the rules of the server."))
    return story


def _renewed() -> Story:
    story = Story(room="lomitaze")
    story.act("komi:12", "black")
    story.add(Renewed())
    story.act("c3")
    return story


def _back() -> Story:
    """Two takebacks: of an action that the opponent answered, then of one without an answer."""
    story = Story(clock=Fischer(main=60, increment=2), room="lomitaze")
    story.act("komi:12", "black", "c3", after=3000, lag=20)
    story.add(Offered(1, "takeback", "n2"))
    story.add(Declined(0, "takeback", "n3"))
    story.act("b2", after=9_000)
    story.add(Offered(1, "takeback", "n4"))
    story.add(TakenBack(0, "n5"))
    story.act("d4")
    story.add(Offered(1, "takeback", "n6"))
    story.add(Withdrawn(1, "takeback", "n7"))
    story.act("b2")
    story.add(Offered(0, "takeback", "n8"), after=7_000)
    story.add(TakenBack(1, "n9"), after=7_000)
    story.act("b3", after=2_000)
    return story


def _draw() -> Story:
    story = Story("taugo", 6, clock=Byoyomi(main=5, periods=3, period=2), room="lomitaze")
    story.act("c3", after=4000)
    story.add(Offered(1, "pause", "n2"), after=2000)
    story.add(Paused(0, "n3"))
    story.add(Offered(0, "resume", "n4"), after=60_000)
    story.add(Resumed(1, "n5"))
    story.act("white", after=3000)
    story.act("d3", after=1000)
    story.add(Offered(1, "draw", "n6"))
    story.add(Drawn(0, "n7"))
    story.add(Offered(0, "rematch", "n8"), after=20_000)
    story.add(Rematching(1, "n9"))
    story.add(Rematched(1, "n9", "kobadimu"), after=2)
    return story


def _paused() -> Story:
    story = Story(clock=Turnwise(time=30), room="lomitaze")
    story.add(Offered(0, "pause", "n2"), after=10_000)
    story.add(Paused(1, "n3"))
    story.add(Resumed(), after=PAUSE_TIME + 1)
    story.act("komi:12", after=18_000)
    story.add(Offered(0, "pause", "n4"))
    story.add(Aborted(1, "n5"))
    return story


def _left() -> Story:
    """Seat 1 is gone after its first action; acting in a pause counted as being present."""
    story = Story(clock=Fischer(main=60, increment=2), room="lomitaze")
    story.act("komi:12", "black")
    story.add(Claimed(0, "win", story.room.at + 4_000, 30_000, "n2"), after=34_000)
    return story


def _future() -> dict[str, Any]:
    """An event of an unknown kind takes an action back, with new fields."""
    story = Story(room="lomitaze")
    story.act("komi:12", "black", "c3")
    told = plain(_told("future", "an unknown kind of event, unknown fields: a takeback", story))
    step = _unknown(story, story.states[-2], [], '{"kind":"undone","by":1}', [(_point("c3"), 0)])
    step["event"] |= {"wind": "north"}
    step["event"]["diff"] |= {"mood": "sorry"}
    step["event"]["diff"]["position"] |= {"sun": [1, 2]}
    told["steps"].append(step)
    return told  # type: ignore[no-any-return]


def _rewritten() -> dict[str, Any]:
    """One event takes two actions back and adds another one."""
    story = Story(room="lomitaze")
    story.act("komi:12", "black", "c3")
    other = story.fork()
    story.act("b2", "d4")
    other.act("b4")
    told = plain(_told("rewritten", "one event shortens the actions and adds one", story))
    cells = [(_point("b2"), 0), (_point("d4"), 0), (_point("b4"), 2)]
    told["steps"].append(_unknown(story, other.states[-1], ["b4"], '{"kind":"rewritten"}', cells))
    return told  # type: ignore[no-any-return]


def _point(name: str) -> int:
    """A point's index on the boards of these rooms."""
    return (int(name[1]) - 1) * 5 + "abcde".index(name[0])


def _unknown(story: Story, back: RoomState, actions: list[str], record: str,
             cells: list[tuple[int, int]]) -> dict[str, Any]:  # fmt: skip
    """An event of an unknown kind after all of the story, which leads to the board of `back`."""
    state, seq, at = story.state, story.state.seq + 1, story.state.at + 1000
    place = {"epoch": 1, "seq": seq, "at": at, "digest": back.digest,
             "chain": chain(state.chain, 1, seq, record.encode(), at)}  # fmt: skip
    position = PositionDiff(to_act=back.position.to_act, score=back.position.score, cells=cells)
    diff = Diff(turn=state.turn + 1, ply=back.ply, actions=actions or UNSET, position=position)
    event = {"type": "event", "room": story.room.id, "record": record, "diff": plain(diff), **place}
    after = msgspec.structs.replace(back, turn=state.turn + 1, **place)
    assert advance(state, msgspec.convert(event, Event)) == after
    return {"event": event, "state": plain(after)}


def _verdicts() -> list[dict[str, Any]]:
    """Events judged in the room `renewed`, whose log has 4 events of one epoch and 2 of the
    next."""
    story = _renewed()
    events = story.events  # events[i] leads from states[i] to states[i + 1]
    wrong_chain = msgspec.structs.replace(events[1], chain=events[1].chain ^ 1)
    wrong_digest = msgspec.structs.replace(events[1], digest=events[1].digest ^ 1)
    wrong_board = msgspec.structs.replace(
        events[2], diff=msgspec.structs.replace(events[2].diff, position=UNSET)
    )
    fork = Story(room="lomitaze")
    fork.act("komi:14", "white", "c3")
    cases: list[tuple[str, int, Event, str]] = [
        ("next", 1, events[1], "next"),
        ("seen just now", 2, events[1], "duplicate"),
        ("seen long ago", 3, events[0], "duplicate"),
        ("one is missing", 1, events[2], "hole"),
        ("many are missing", 0, events[4], "hole"),
        ("the next one, of a new epoch", 3, events[3], "next"),
        ("of an older epoch", 4, events[3 - 1], "duplicate"),
        ("of an older epoch, though beyond the next", 4, _moved(events[2], seq=9), "duplicate"),
        ("the chain is wrong", 1, wrong_chain, "fork"),
        ("the next, of another past", 2, fork.events[2], "fork"),
        ("the same number, of another past", 2, fork.events[1], "fork"),
        ("an older number, of a newer epoch", 3, _moved(events[1], epoch=events[3].epoch), "fork"),
        ("the digest is wrong", 1, wrong_digest, "mismatch"),
        ("the diff is wrong", 2, wrong_board, "mismatch"),
    ]
    found = []
    for name, after, event, verdict in cases:
        assert _verdict(story.states[after], event) == verdict, name
        found.append({"name": name, "room": "renewed", "after": after, "event": event,
                      "verdict": verdict})  # fmt: skip
    return found


def _moved(event: Event, **place: int) -> Event:
    return msgspec.structs.replace(event, **place)


def _verdict(state: RoomState, event: Event) -> str:
    after = advance(state, event)
    return after.value if isinstance(after, Trouble) else "next"
