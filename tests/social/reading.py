"""Reads one journal frame by frame: besides what `chaos.reading` compares with the log, it reads
rooms, opponents, presence, chat and the lobby.

It judges at once what it can; the rest is recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chaos.account import Account, Asked
from chaos.journal import Journal
from chaos.reading import READ, Reader
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ClockOptions
from pierule_protocol.messages import (
    CHANNELS,
    AnswerChallenge,
    Block,
    CancelSeek,
    Challenge,
    Channel,
    Chat,
    ChatMessage,
    ClientMessage,
    Error,
    Event,
    LobbyChange,
    LobbyRoom,
    LobbyState,
    Ok,
    Paired,
    Pool,
    Presence,
    RoomState,
    Say,
    Seek,
    ServerMessage,
    Snapshot,
    WithdrawChallenge,
)
from social.truth import Match

SLACK_MS = 50
"""The greatest apparent difference between the clocks of the journals and of the store, which are
the same."""

NEVER = {Code.INTERNAL, Code.MALFORMED, Code.BAD_FIELD}


@dataclass
class Story(Account):
    """An account, and everything about dealings between people. Times are in seconds since 1970."""

    rooms: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The rooms to which each nonce of a seek or challenge led."""
    mentioned: set[str] = field(default_factory=set)
    """All rooms that were ever reported as its own."""
    said: dict[tuple[str, Channel, int], ChatMessage] = field(default_factory=dict)
    spoke: set[tuple[str, str]] = field(default_factory=set)
    """Rooms, and the messages that it tried to send there."""
    heard: list[tuple[str, Channel, ChatMessage]] = field(default_factory=list)
    last: dict[tuple[int, str, Channel], int] = field(default_factory=dict)
    """The last message received, by connection, room and channel."""
    presence: dict[str, list[tuple[float, Presence]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    blocks: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    """When each user was certainly blocked."""


class StoryReader(Reader):
    """Reads the journal of a person."""

    account: Story

    def __init__(
        self, journal: Journal, matches: Mapping[str, Match], taken_back: Sequence[float] = ()
    ) -> None:
        super().__init__(journal.name, matches, taken_back)
        self.account = Story(journal.name)
        self._matches = matches
        self._lobbies: dict[int, _Lobby] = defaultdict(_Lobby)
        for line in journal.lines:
            self.take(line)
        self.finish()

    def _got(self, message: ServerMessage, connection: int, at: float) -> None:
        told = self.account
        asked = self._asked.get((connection, message.id or 0)) if isinstance(message, Ok) else None
        super()._got(message, connection, at)
        match message:
            case Ok():
                if asked is not None:
                    self._noted(asked, message, at)
            case Error(code=code) if code in NEVER:
                self._violate("what is asked in order is done", "", f"{message}")
            case Paired(nonce=nonce, room=room):
                told.counts["paired"] += 1
                told.rooms[nonce].add(room)
                told.mentioned.add(room)
            case Chat():
                self._hear(message, connection)
            case Presence(room=room):
                told.presence[room].append((at, message))
            case Snapshot(state=state):
                self._look(state, state.seq, at)
            case Event(room=room) if (view := self._views[room].state) is not None:
                self._look(view, message.seq, at)
            case LobbyState() | LobbyChange():
                self._lobby(message, connection)

    def _sent(self, message: ClientMessage, connection: int, at: float) -> None:
        super()._sent(message, connection, at)
        if isinstance(message, Say):
            self.account.spoke.add((message.room, message.text))

    def _noted(self, asked: Asked, ok: Ok, at: float) -> None:
        told, request = self.account, asked.message
        told.counts[f"done: {request.__struct_config__.tag}"] += 1
        if ok.room is not None:
            told.mentioned.add(ok.room)
        told.mentioned |= {mine.card.room for mine in ok.my_rooms or []}
        match request:
            case Seek() | CancelSeek() | Challenge() | WithdrawChallenge() if ok.room is not None:
                told.rooms[request.nonce].add(ok.room)
            case AnswerChallenge(challenge=nonce) if ok.room is not None:
                told.rooms[nonce].add(ok.room)
            case Say(room=room) if ok.channel and ok.messages:
                told.said[room, ok.channel, ok.messages[0].seq] = ok.messages[0]
            case Block(user=str(user), level=how):
                spans = told.blocks[user]
                if spans and spans[-1][1] == float("inf"):
                    spans[-1] = spans[-1][0], asked.sent
                if how == "block":
                    spans.append((at, float("inf")))

    def _lobby(self, message: LobbyState | LobbyChange, connection: int) -> None:
        wrong = self._lobbies[connection].take(message)
        self.account.counts["lobby"] += 1
        if wrong:
            self._violate("the lobby's changes are its snapshot", "", wrong)

    def _look(self, state: RoomState, seq: int, at: float) -> None:
        """Check what the client may see of a room at that time: not the latest actions of a delayed
        one."""
        told, match = self.account, self._matches.get(state.room)
        if any(holder and holder.user == told.user for holder in state.seats):
            told.mentioned.add(state.room)
        told.mentioned |= {state.rematch} if state.rematch else set()
        if match is None or not match.delay or told.user in match.seats:
            return
        now = 1_000 * at + SLACK_MS
        if match.over is not None and match.over <= now:
            return
        acts = [seq for seq, written in match.acts if written <= now]
        told.counts["seen with a delay"] += 1
        if acts and seq >= acts[-match.delay :][0]:
            self._violate("spectators are behind", state.room, f"event {seq} at {at:.3f}")

    def _hear(self, chat: Chat, connection: int) -> None:
        """Messages arrive in order, without holes, and while the game runs only from the own
        side."""
        told, view = self.account, self._views.get(chat.room)
        follow = self._follows.get(chat.room)
        if view is None or view.state is None or follow is None or follow.connection != connection:
            return  # it has left, and this was under way
        key = connection, chat.room, chat.channel
        if view.state.status == "running" and chat.channel != self._side(view.state):
            self._violate("sides are apart", chat.room, f"hears {chat}")
        for line in chat.messages:
            last = told.last.get(key, 0)
            if last and line.seq > last + 1:
                self._violate("chat has no holes", chat.room, f"{line.seq} after {last}")
            told.last[key] = max(last, line.seq)
            told.heard.append((chat.room, chat.channel, line))

    def _side(self, state: RoomState) -> Channel:
        user = self.account.user
        return CHANNELS[0 if any(each and each.user == user for each in state.seats) else 1]


@dataclass
class _Lobby:
    """The lobby of one connection, assembled from its messages."""

    seq: int | None = None
    rooms: dict[str, LobbyRoom] = field(default_factory=dict)
    pools: dict[tuple[str, int, ClockOptions | None], Pool] = field(default_factory=dict)

    def take(self, message: LobbyState | LobbyChange) -> str:
        """Apply a message; return what is wrong with it, if anything."""
        wrong = ""
        rooms = {room.card.room: room for room in message.rooms}
        pools = {(pool.game, pool.size, pool.control): pool for pool in message.pools}
        if isinstance(message, LobbyState):
            if message.seq == self.seq and (rooms, pools) != (self.rooms, self.pools):
                wrong = f"the lobby {message.seq} is another than its changes have led to"
            self.rooms, self.pools = rooms, pools
        elif self.seq is not None:
            if message.seq != self.seq + 1:
                wrong = f"after {self.seq} comes {message.seq}"
            self.rooms = {id_: room for id_, room in self.rooms.items() if id_ not in message.gone}
            self.rooms |= rooms
            self.pools |= pools
            self.pools = {key: pool for key, pool in self.pools.items() if pool.waiting}
        self.seq = message.seq
        return wrong


def rooms_of(journals: Iterable[Journal]) -> set[str]:
    """All rooms that somebody heard of."""
    rooms: set[str] = set()
    for journal in journals:
        for line in journal.lines:
            if line.what != "got":
                continue
            match READ.decode(line.data):  # type: ignore[arg-type]
                case Ok(room=str(room)) | Paired(room=room) | Presence(room=room):
                    rooms.add(room)
                case LobbyState(rooms=listed) | LobbyChange(rooms=listed):
                    rooms |= {each.card.room for each in listed}
    return rooms
