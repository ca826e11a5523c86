"""The latest messages of a room in memory, and the channel of each user (SPEC 21.1).

Messages are not part of a room's log. They come by the same subscription as events, after the
events before them, so the node knows the seats when it sends a message. If not, the hub catches up
first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pierule_protocol.messages import CHANNELS, Channel, Chat, ChatMessage
from pierule_protocol.state.room import Room
from pierule_server.connections.connection import Connection, frame
from pierule_server.identity.tokens import User

TOLD = 50
"""The most messages of each channel that a client gets after joining."""


def side_of(room: Room, user: User | None) -> Channel:
    """The channel of a user's side."""
    return "players" if user is not None and room.seats_of(user.id) else "spectators"


class ChatHistory:
    """The latest messages of each channel of a room in memory."""

    def __init__(self) -> None:
        # Tuples, not deques: most rooms are silent, and an empty deque takes 760 bytes.
        self.messages: dict[Channel, tuple[ChatMessage, ...]] = dict.fromkeys(CHANNELS, ())

    def last(self, channel: Channel) -> int:
        """The number of the channel's last message; 0 without one."""
        messages = self.messages[channel]
        return messages[-1].seq if messages else 0

    def take(self, channel: Channel, messages: Iterable[ChatMessage]) -> list[ChatMessage]:
        """Add messages to the history. Returns those that are new."""
        last = self.last(channel)
        fresh = [message for message in messages if message.seq > last]
        if fresh:
            self.messages[channel] = (*self.messages[channel], *fresh)[-TOLD:]
        return fresh


def tell(
    room: str, channel: Channel, messages: Collection[ChatMessage], to: Iterable[Connection]
) -> None:
    """Send messages to these connections, serialised once for each codec and set of muted users
    (law 11)."""
    if not messages:
        return
    speakers = {message.user for message in messages}
    frames: dict[tuple[str, frozenset[str]], bytes] = {}
    for follower in to:
        muted = speakers & follower.block_list.keys()
        key = follower.codec.subprotocol, frozenset(muted)
        if key not in frames:
            told = withheld(messages, muted)
            message = Chat(room=room, channel=channel, messages=told)
            frames[key] = frame(follower.codec, message)
        follower.push(frames[key])


def withheld(messages: Iterable[ChatMessage], muted: Collection[str]) -> list[ChatMessage]:
    """The messages, without the content of those from muted users. Those stay in the list, because
    numbers have no holes."""
    return [
        ChatMessage(seq=message.seq, at=message.at, user=message.user)
        if message.user in muted
        else message
        for message in messages
    ]
