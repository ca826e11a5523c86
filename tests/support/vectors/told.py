"""Transcripts: the steps of one client, in order."""

from __future__ import annotations

from typing import Any

import msgspec

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Place
from pierule_protocol.messages import (
    BoardMismatch,
    Event,
    Hello,
    Join,
    Ok,
    ProvenPlace,
    Reply,
    Request,
    RoomState,
    Since,
    Snapshot,
)
from pierule_protocol.state.position import position_text
from support.vectors.examples import TOKEN, WELCOME, proof_of, refusal

STEPS = (
    "Steps of one client, in order: `open` a connection; `send` and `receive` messages; `closed` "
    "with a code (null: without one); `shows` is what the client has of the room by then; "
    "`stopped`: it gives up and says so."
)


class Transcript:
    """What one client sends and receives, and its state of the room after each step. The server
    proves every place (SPEC 6.13), unless it is a server without proofs."""

    def __init__(
        self, name: str, about: str, room: str = "kobadimu", *, proving: bool = True
    ) -> None:
        self.name = name
        self._proving = proving
        self.about = about
        self.room = room
        self.steps: list[dict[str, Any]] = []
        self._id = 0

    @property
    def told(self) -> dict[str, Any]:
        return {"name": self.name, "about": self.about, "steps": self.steps}

    def open(self, token: str | None = TOKEN) -> None:
        """Connect and say hello."""
        self.steps.append({"open": "/ws"})
        name = "Ada" if token is None else None
        id_ = self.send(Hello(id=self.next, token=token, name=name))
        self.receive(Ok(id=id_, welcome=WELCOME))

    def closed(self, code: int | None) -> None:
        self.steps.append({"closed": code})

    @property
    def next(self) -> int:
        """A fresh id for a request."""
        self._id += 1
        return self._id

    def send(self, request: Request) -> int:
        self.steps.append({"send": request})
        return request.id

    def receive(self, *replies: Reply) -> None:
        self.steps += ({"receive": self._proven(reply)} for reply in replies)

    def _proof(self, at: RoomState | Event | Place) -> str | None:
        return proof_of(at) if self._proving else None

    def _proven(self, reply: Reply) -> Reply:
        replace = msgspec.structs.replace
        match reply:
            case Ok(place=ProvenPlace() as place):
                return replace(reply, place=replace(place, proof=self._proof(place)))
            case Snapshot(state=state):
                return replace(reply, proof=self._proof(state))
            case Event():
                return replace(reply, proof=self._proof(reply))
        return reply

    def refused(self, id_: int, code: Code, **fields: object) -> None:
        self.receive(refusal(id_, code, **fields))

    def join(self, since: RoomState | None, now: RoomState, *, resumed: bool) -> None:
        """Join the room, which is at `now`; the events or the snapshot come with `now` after."""
        known = None
        if since is not None:
            known = Since(since.epoch, since.seq, since.chain, self._proof(since))
        id_ = self.send(Join(id=self.next, room=self.room, since=known))
        place = ProvenPlace.of(now.place)
        self.receive(
            Ok(id=id_, room=self.room, seats=[0], place=place, turn=now.turn, resumed=resumed)
        )
        if not resumed:
            self.receive(Snapshot(state=now))

    def report(self, event: Event | RoomState, problem: str) -> None:
        id_ = self.send(BoardMismatch(id=self.next, room=self.room, epoch=event.epoch,
                                      seq=event.seq, problem=problem))  # type: ignore[arg-type]  # fmt: skip
        self.receive(Ok(id=id_, room=self.room))

    def stopped(self) -> None:
        self.steps.append({"stopped": "desync"})

    def shows(self, state: RoomState) -> None:
        self.steps.append({"shows": {
            "epoch": state.epoch, "seq": state.seq, "chain": state.chain, "turn": state.turn,
            "status": state.status, "actions": state.actions,
            "text": position_text(state.position), "digest": state.digest,
        }})  # fmt: skip
