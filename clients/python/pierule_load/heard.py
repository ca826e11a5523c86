"""The parts of the server's messages that a lean client reads."""

from __future__ import annotations

import msgspec

from pierule_protocol.messages import Since


class Spot(msgspec.Struct, frozen=True, gc=False):
    """A place in a room's log."""

    epoch: int
    seq: int
    chain: int
    proof: str | None = None


class State(msgspec.Struct, frozen=True, gc=False):
    """The parts of a snapshot's state that a lean client reads."""

    room: str
    epoch: int
    seq: int
    chain: int


class Heard(msgspec.Struct, frozen=True, gc=False):
    """Any message. Fields that are not listed here are skipped."""

    type: str
    id: int | None = None
    room: str | None = None
    epoch: int = 0
    seq: int = 0
    chain: int = 0
    proof: str | None = None
    place: Spot | None = None
    state: State | None = None
    code: str = ""
    text: str | None = None
    retry_ms: int | None = None

    @property
    def about(self) -> str | None:
        """The room that the message is about."""
        return self.room if self.state is None else self.state.room

    @property
    def since(self) -> Since | None:
        """The room's place after this message, if it is an event or a snapshot."""
        if self.type == "event":
            return Since(self.epoch, self.seq, self.chain, self.proof)
        if self.state is not None:
            return Since(self.state.epoch, self.state.seq, self.state.chain, self.proof)
        return None


read = msgspec.msgpack.Decoder(Heard).decode
"""The message in a frame. Raises msgspec.DecodeError."""
