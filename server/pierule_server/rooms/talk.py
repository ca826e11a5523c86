"""The latest lines of a room at hand, and who speaks where (SPEC 21.1).

Lines are no part of a room's log. They come by the same subscription, behind the events that went
before them, so who sits where is known when they are told; where it is not, the hub catches up
first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from pierule_protocol.messages import CHANNELS, Channel, Chat, Line
from pierule_protocol.state.room import Room
from pierule_server.gateway.connection import Connection, frame
from pierule_server.identity.tokens import User

TOLD = 50
"""Lines of each channel that one is sent after joining."""


def side_of(room: Room, user: User | None) -> Channel:
    """The channel of a user's side."""
    return "players" if user is not None and room.seats_of(user.id) else "spectators"


class Talk:
    """The latest lines of each channel of a room at hand."""

    def __init__(self) -> None:
        self.lines: dict[Channel, deque[Line]] = {
            channel: deque(maxlen=TOLD) for channel in CHANNELS
        }

    def last(self, channel: Channel) -> int:
        """The number of the channel's last line; 0 without one."""
        lines = self.lines[channel]
        return lines[-1].seq if lines else 0

    def take(self, channel: Channel, lines: Iterable[Line]) -> list[Line]:
        """Those of the lines that are new, which are known from now on."""
        last = self.last(channel)
        fresh = [line for line in lines if line.seq > last]
        self.lines[channel].extend(fresh)
        return fresh


def tell(room: str, channel: Channel, lines: Collection[Line], to: Iterable[Connection]) -> None:
    """Send lines to these, serialised once for each codec and choice of muted users (law 11)."""
    if not lines:
        return
    speakers = {line.user for line in lines}
    frames: dict[tuple[str, frozenset[str]], bytes] = {}
    for follower in to:
        muted = speakers & follower.shunned.keys()
        key = follower.codec.subprotocol, frozenset(muted)
        if key not in frames:
            told = withheld(lines, muted)
            message = Chat(room=room, channel=channel, lines=told)
            frames[key] = frame(follower.codec, message)
        follower.push(frames[key])


def withheld(lines: Iterable[Line], muted: Collection[str]) -> list[Line]:
    """The lines, of the muted users nothing but that there is one: numbers have no holes."""
    return [
        Line(seq=line.seq, at=line.at, user=line.user) if line.user in muted else line
        for line in lines
    ]
