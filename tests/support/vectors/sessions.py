"""sessions.json: whole sessions, from the first hello to the room's end."""

from __future__ import annotations

from typing import Any

from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Fischer, requested
from pierule_protocol.log.events import (
    Declined,
    Drawn,
    Offered,
    Seated,
    TakenBack,
)
from pierule_protocol.messages import (
    Accept,
    Act,
    Create,
    Decline,
    Event,
    Join,
    Leave,
    LegalQuery,
    LogQuery,
    Offer,
    Ok,
    Ping,
    Presence,
    ProvenPlace,
    Resign,
    RoomState,
    Seat,
    Snapshot,
)
from pierule_server.rooms.legal import answer
from support.logs import legal
from support.reference import references
from support.story import START, Story
from support.vectors.told import STEPS, Transcript

ROOM = "kobadimu"


def build() -> dict[str, Any]:
    """The file."""
    scripts = [_alone(), _two(), _watcher(), _resigning(), _agreeing()]
    return {
        "about": "Whole sessions of one client. Another user is Bob. " + STEPS,
        "transcripts": [script.told for script in scripts],
    }


def _place(state: RoomState) -> ProvenPlace:
    return ProvenPlace.of(state.place)


def _create(script: Transcript, story: Story, **options: Any) -> None:
    first = story.states[0]
    request = Create(id=script.next, nonce="n0", seat=0, **options)
    script.send(request)
    script.receive(
        Ok(id=request.id, room=script.room, seats=[0], place=_place(first), turn=first.turn)
    )
    script.join(None, first, resumed=False)
    script.receive(Presence(room=script.room, players=(True, False), spectators=0))
    script.shows(first)


def _act(script: Transcript, story: Story, turn: int, action: str, event: Event) -> None:
    """Play an action; `ok` comes first, except at odd turns."""
    id_ = script.send(Act(id=script.next, room=script.room, turn=turn, action=action))
    state = next(state for state in story.states if state.seq == event.seq)
    ok = Ok(id=id_, room=script.room, place=_place(state), turn=state.turn)
    script.receive(*((event, ok) if turn % 2 else (ok, event)))
    script.shows(state)


def _refused(script: Transcript, story: Story, action: str) -> None:
    """Try an illegal action."""
    refusal = story.room.position.play(action)
    assert isinstance(refusal, Refusal)
    id_ = script.send(Act(id=script.next, room=script.room, turn=story.room.turn, action=action))
    text = GAMES[story.room.created.game].sentence(refusal)
    points = list(refusal.points)
    script.refused(id_, Code.ILLEGAL, text=text, rule=refusal.rule, points=points)


def _asked_why(script: Transcript, story: Story, **question: Any) -> None:
    """Ask why something is illegal, and play nothing."""
    ask = LegalQuery(id=script.next, room=script.room, turn=story.room.turn, **question)
    script.receive(Ok(id=script.send(ask), room=script.room, legal=answer(story.room, ask)))


def _sit(script: Transcript, story: Story, seats: list[Seat]) -> None:
    """Take seat 1, too; the room was followed already, so a new snapshot comes."""
    state = story.states[1]
    id_ = script.send(Join(id=script.next, room=script.room, seat=1, nonce="n1"))
    script.receive(
        story.events[0],
        Ok(id=id_, room=script.room, seats=seats, place=_place(state), turn=0, resumed=False),
        Snapshot(state=state),
        Presence(room=script.room, players=(True, True), spectators=0),
    )
    script.shows(state)


def _alone() -> Transcript:
    """One user on both seats."""
    script = Transcript("both-seats", "one user on both seats of Loose 5; refusals; a retry")
    story = Story(open=True)
    script.open(token=None)
    _create(script, story, game="loose", size=5)
    early = script.send(Act(id=script.next, room=ROOM, turn=0, action="komi:12"))
    script.refused(early, Code.NOT_STARTED)
    story.add(Seated(1, "ada", "Ada", "n1"))
    _sit(script, story, [0, 1])
    asked = script.send(LegalQuery(id=script.next, room=ROOM))
    script.receive(Ok(id=asked, room=ROOM, legal=legal(story.room, "")))
    _refused(script, story, "komi:13")
    for turn, action in enumerate(("komi:12", "black", "b4", "d2")):
        _act(script, story, turn, action, story.act(action)[0])
    _refused(script, story, "b4")
    _asked_why(script, story, action="b4")
    _asked_why(script, story, points=["c3"])
    state = story.state
    late = script.send(Act(id=script.next, room=ROOM, turn=2, action="c3"))
    script.refused(late, Code.STALE, place=_place(state), turn=state.turn)
    again = script.send(Act(id=script.next, room=ROOM, turn=3, action="d2"))
    script.receive(Ok(id=again, room=ROOM, place=_place(state), turn=state.turn))
    for turn, action in enumerate(("pass", "pass"), 4):
        _act(script, story, turn, action, story.act(action)[0])
    over = script.send(Act(id=script.next, room=ROOM, turn=6, action="pass"))
    script.refused(over, Code.FINISHED)
    log = script.send(LogQuery(id=script.next, room=ROOM))
    script.receive(Ok(id=log, room=ROOM, log=list(story.log)))
    left = script.send(Leave(id=script.next, room=ROOM))
    script.receive(Ok(id=left, room=ROOM))
    script.closed(1000)
    return script


def _two() -> Transcript:
    """Against Bob, on clocks, until Bob's time is up."""
    script = Transcript("on-clocks", "seat 0 of a timed Loose 5; Bob's time runs out")
    clock = Fischer(main=10, increment=2)
    story = Story(clock=clock, open=True)
    script.open(token=None)
    _create(script, story, game="loose", size=5, clock=requested(clock))
    script.receive(story.add(Seated(1, "bob", "Bob", "n1")))
    script.receive(Presence(room=ROOM, players=(True, True), spectators=0))
    script.shows(story.state)
    ping = script.send(Ping(id=script.next))
    script.receive(Ok(id=ping, now=START + 1500))
    _act(script, story, 0, "komi:12", story.act("komi:12", lag=30)[0])
    wrong = script.send(Act(id=script.next, room=ROOM, turn=1, action="black"))
    script.refused(wrong, Code.NOT_YOUR_TURN)
    script.receive(*story.act("black", "c3", lag=50))
    script.shows(story.state)
    _act(script, story, 3, "b2", story.act("b2", lag=30)[0])
    script.receive(story.flag())
    script.shows(story.state)
    script.closed(1000)
    return script


def _done(script: Transcript, story: Story, id_: int, event: Event) -> None:
    """A request that is not about an action has led to the latest event."""
    state = story.state
    script.receive(Ok(id=id_, room=ROOM, place=_place(state), turn=state.turn), event)
    script.shows(state)


def _agreeing() -> Transcript:
    """Taugo with Bob: what players do beside playing, from a takeback to a draw."""
    script = Transcript("agreeing", "seat 0 of Taugo 6: a takeback and a draw")
    story = Story("taugo", 6, open=True)
    script.open(token=None)
    _create(script, story, game="taugo", size=6)
    script.receive(story.add(Seated(1, "bob", "Bob", "n1")))
    script.shows(story.state)
    _act(script, story, 0, "c3", story.act("c3")[0])
    asked = script.send(Offer(id=script.next, room=ROOM, what="takeback", nonce="n2"))
    _done(script, story, asked, story.add(Offered(0, "takeback", "n2")))
    script.receive(story.add(TakenBack(1, "m2")))
    script.shows(story.state)
    late = script.send(Act(id=script.next, room=ROOM, turn=1, action="d3"))
    script.refused(late, Code.STALE, place=_place(story.state), turn=story.room.turn)
    _act(script, story, 2, "d4", story.act("d4")[0])
    script.receive(story.add(Offered(1, "draw", "m3")))
    script.shows(story.state)
    declined = script.send(Decline(id=script.next, room=ROOM, what="draw", nonce="n3"))
    _done(script, story, declined, story.add(Declined(0, "draw", "n3")))
    none = script.send(Accept(id=script.next, room=ROOM, what="draw", turn=3, nonce="n4"))
    script.refused(none, Code.NO_OFFER, field="what")
    script.receive(*story.act("black"), story.add(Offered(1, "draw", "m4")))
    script.shows(story.state)
    accepted = script.send(Accept(id=script.next, room=ROOM, what="draw", turn=4, nonce="n5"))
    _done(script, story, accepted, story.add(Drawn(0, "n5")))
    script.closed(1000)
    return script


def _watcher() -> Transcript:
    """A spectator of a whole game of Taugo, from its middle on."""
    script = Transcript("spectator", "a spectator of Taugo 6, from the middle of the game on")
    game = min((r for r in references() if (r.game, r.size) == ("taugo", 6)),
               key=lambda r: len(r.actions))  # fmt: skip
    story, half = Story("taugo", 6), len(game.actions) // 2
    story.act(*game.actions[:half])
    script.open(token=None)
    id_ = script.send(Join(id=script.next, room=ROOM))
    state = story.state
    script.receive(
        Ok(id=id_, room=ROOM, seats=[], place=_place(state), turn=state.turn, resumed=False),
        Snapshot(state=state),
        Presence(room=ROOM, players=(True, True), spectators=1),
    )
    script.shows(state)
    no_seat = script.send(Act(id=script.next, room=ROOM, turn=state.turn, action="pass"))
    script.refused(no_seat, Code.NOT_SEATED)
    for event in story.act(*game.actions[half:]):
        script.receive(event)
        script.shows(story.states[event.seq - 1])
    script.closed(1000)
    return script


def _resigning() -> Transcript:
    """A game of Veletas that ends by resignation."""
    script = Transcript("resigning", "seat 0 of Veletas 7; what is legal; given up, twice asked")
    game = next(r for r in references() if (r.game, r.size) == ("veletas", 7))
    story = Story("veletas", 7, open=True)
    script.open(token=None)
    _create(script, story, game="veletas", size=7)
    script.receive(story.add(Seated(1, "bob", "Bob", "n1")))
    script.shows(story.state)
    asked = script.send(LegalQuery(id=script.next, room=ROOM))
    script.receive(Ok(id=asked, room=ROOM, legal=legal(story.room, "")))
    for turn, action in enumerate(game.actions[:4]):
        mine = story.room.position.to_act == 0
        event = story.act(action)[0]
        if mine:
            _act(script, story, turn, action, event)
        else:
            script.receive(event)
            script.shows(story.state)
    shooter = game.actions[4].partition("-")[0]
    asked = script.send(LegalQuery(id=script.next, room=ROOM, prefix=f"{shooter}-"))
    script.receive(Ok(id=asked, room=ROOM, legal=legal(story.room, f"{shooter}-")))
    event = story.resign(0)
    for again in (False, True):
        id_ = script.send(Resign(id=script.next, room=ROOM, nonce="n2"))
        script.receive(Ok(id=id_, room=ROOM, place=_place(story.state), turn=story.room.turn))
        if not again:
            script.receive(event)
    script.shows(story.state)
    script.closed(1000)
    return script
