"""resume.json: how a client resumes and recovers from trouble (SPEC 6)."""

from __future__ import annotations

from typing import Any

import msgspec

from pierule_protocol.codes import Close
from pierule_protocol.log.events import Renewed
from pierule_protocol.messages import Act, Ok, ProvenPlace
from support.story import Story
from support.vectors.told import STEPS, Transcript


def build() -> dict[str, Any]:
    """The file."""
    scripts = [
        _missed(), _unproven(), _nothing(), _unknown(), _hole(), _fork(), _mismatch(), _desync(),
        _duplicates(), _epoch(), _lost_answer(), _lost_request(),
    ]  # fmt: skip
    return {
        "about": "Losing and resuming (SPEC 6). " + STEPS,
        "transcripts": [script.told for script in scripts],
    }


def _story() -> Story:
    """Six events: states[0] is after the first, events[i] leads from states[i] to states[i+1]."""
    story = Story()
    story.act("komi:12", "black", "b4", "c3")
    return story


def _begun(name: str, about: str, story: Story, at: int) -> Transcript:
    script = Transcript(name, about)
    script.open()
    script.join(None, story.states[at], resumed=False)
    script.shows(story.states[at])
    return script


def _missed() -> Transcript:
    story = _story()
    script = _begun("missed", "two events were missed and come after the ok", story, 1)
    script.closed(None)
    script.open()
    script.join(story.states[1], story.states[3], resumed=True)
    script.receive(*story.events[1:3])
    script.shows(story.states[3])
    script.receive(story.events[3])
    script.shows(story.states[4])
    return script


def _unproven() -> Transcript:
    story = _story()
    about = "a server that proves nothing: the client goes on without"
    script = Transcript("no-proof", about, proving=False)
    script.open()
    script.join(None, story.states[1], resumed=False)
    script.receive(story.events[1])
    script.shows(story.states[2])
    script.closed(None)
    script.open()
    script.join(story.states[2], story.states[3], resumed=True)
    script.receive(story.events[2])
    script.shows(story.states[3])
    return script


def _nothing() -> Transcript:
    story = _story()
    script = _begun("nothing-missed", "nothing has happened: only the ok comes", story, 3)
    script.closed(Close.RESTART)
    script.open()
    script.join(story.states[3], story.states[3], resumed=True)
    script.shows(story.states[3])
    return script


def _unknown() -> Transcript:
    story = _story()
    other = Story()
    other.act("komi:14")
    script = _begun("unknown-place", "the log does not know the place: a snapshot", other, 2)
    script.closed(None)
    script.open()
    script.join(other.states[2], story.states[4], resumed=False)
    script.shows(story.states[4])
    return script


def _hole() -> Transcript:
    story = _story()
    script = _begun("hole", "an event is missing: join from where one is", story, 1)
    script.receive(story.events[2])
    script.shows(story.states[1])
    script.join(story.states[1], story.states[3], resumed=True)
    script.receive(*story.events[1:4])
    script.shows(story.states[4])
    return script


def _fork() -> Transcript:
    story, other = _story(), Story()
    other.act("komi:14", "white")
    script = _begun("fork", "the next event continues another past: join anew", other, 2)
    script.receive(story.events[2])
    script.shows(other.states[2])
    script.join(None, story.states[3], resumed=False)
    script.shows(story.states[3])
    return script


def _mismatch() -> Transcript:
    story = _story()
    wrong = msgspec.structs.replace(story.events[1], digest=story.events[1].digest ^ 1)
    script = _begun("mismatch", "the digest differs: report it and join anew", story, 1)
    script.receive(wrong)
    script.shows(story.states[1])
    script.report(wrong, "mismatch")
    script.join(None, story.states[2], resumed=False)
    script.shows(story.states[2])
    script.receive(story.events[2])
    script.shows(story.states[3])
    return script


def _desync() -> Transcript:
    story = _story()
    first, second = (
        msgspec.structs.replace(event, digest=event.digest ^ 1) for event in story.events[1:3]
    )
    script = _begun("desync", "the digest differs again after the snapshot: stop", story, 1)
    script.receive(first)
    script.report(first, "mismatch")
    script.join(None, story.states[2], resumed=False)
    script.receive(second)
    script.report(second, "desync")
    script.stopped()
    return script


def _duplicates() -> Transcript:
    story = _story()
    script = _begun("duplicates", "what was seen is ignored, however old", story, 1)
    script.receive(story.events[1], story.events[1], story.events[0], story.events[2])
    script.shows(story.states[3])
    return script


def _epoch() -> Transcript:
    story = _story()
    left = Story()
    left.act("komi:12")
    left.add(Renewed())
    script = _begun("new-epoch", "the store lost events: a shorter truth by snapshot", story, 4)
    script.closed(None)
    script.open()
    script.join(story.states[4], left.states[3], resumed=False)
    script.shows(left.states[3])
    script.receive(story.events[3])
    script.shows(left.states[3])
    left.act("white")
    script.receive(left.events[3])
    script.shows(left.states[4])
    return script


def _ok(id_: int, story: Story, after: int) -> Ok:
    state = story.states[after]
    return Ok(id=id_, room=state.room, place=ProvenPlace.of(state.place), turn=state.turn)


def _lost_answer() -> Transcript:
    story = _story()
    script = _begun("lost-answer", "the action was played, its ok was lost: sent again", story, 1)
    script.send(Act(id=script.next, room=script.room, turn=0, action="komi:12"))
    script.closed(None)
    script.open()
    script.join(story.states[1], story.states[2], resumed=True)
    script.receive(story.events[1])
    script.shows(story.states[2])
    again = script.send(Act(id=script.next, room=script.room, turn=0, action="komi:12"))
    script.receive(_ok(again, story, 2))
    script.shows(story.states[2])
    return script


def _lost_request() -> Transcript:
    story = _story()
    script = _begun("lost-request", "the action did not arrive: sent again, played once", story, 1)
    script.send(Act(id=script.next, room=script.room, turn=0, action="komi:12"))
    script.closed(None)
    script.open()
    script.join(story.states[1], story.states[1], resumed=True)
    again = script.send(Act(id=script.next, room=script.room, turn=0, action="komi:12"))
    script.receive(_ok(again, story, 2), story.events[1])
    script.shows(story.states[2])
    return script
