"""Mistakes that a stranger makes who writes a server after the SPEC: in types and numbers that
another language has, in users with several connections, in what is easily forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

import msgspec

from conform.mutating import Patch, changed, mutation, told
from conform.mutations_of_agreements import without
from pierule_protocol.codec import BadMessage, server_codecs
from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import Error, Event, Ok
from pierule_protocol.state.room import room_state
from pierule_server.connections.connection import Broadcast, Connection, frame
from pierule_server.gateway import listener
from pierule_server.handlers import accounts
from pierule_server.handlers.accounts import AccountRequests
from pierule_server.handlers.play import Play
from pierule_server.identity.tokens import BadName, clean_name
from pierule_server.lobby import names
from pierule_server.rooms import rooms
from pierule_server.rooms.decisions import agreements, decide
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.recovery import Recovery

replace = msgspec.structs.replace

# --- types and numbers ----------------------------------------------------------------------------


def _strict(judge: Any) -> Patch:
    """A server that refuses more messages than it should: those of which `judge` names a field."""

    class Strict:
        def __init__(self, codec: Any) -> None:
            self.subprotocol, self.text, self.encode = codec.subprotocol, codec.text, codec.encode
            self._codec = codec
            self._module = msgspec.json if codec.text else msgspec.msgpack

        def decode(self, data: bytes | str) -> Any:
            message = self._codec.decode(data)
            field = judge(self._module.decode(data))
            if field is not None:
                raise BadMessage(Code.BAD_FIELD, f"{field} is wrong", field, message.id)
            return message

    codecs = {name: Strict(codec) for name, codec in server_codecs().items()}
    return patch.object(listener, "_CODECS", codecs)


@mutation("1.2", "nulls-taken")
def refuses_nulls() -> Patch:
    return _strict(lambda plain: next((n for n, value in plain.items() if value is None), None))


@mutation("2.1", "ids")
def has_signed_ids() -> Patch:
    return _strict(lambda plain: "id" if plain["id"] >= 2**31 else None)


@mutation("1.3", "names")
def counts_the_bytes_of_names() -> Patch:
    def clean(name: object) -> str:
        if len(str(name).encode()) > 24:
            raise BadName("a name has 1 to 24 characters")
        return clean_name(name)

    return patch.object(accounts, "clean_name", clean)


@mutation("24.1", "names-registered")
def gives_former_names_to_anybody() -> Patch:
    return patch.object(names, "FORMER", 0)


@mutation("3.2", "turns-counted")
def has_signed_checksums() -> Patch:
    return told(
        lambda event: replace(event, chain=event.chain - 2**32, digest=event.digest - 2**32)
    )


@mutation("1.2", "turns-counted")
def tells_times_with_a_fraction() -> Patch:
    return told(lambda event: replace(event, at=event.at + 0.5))


@mutation("2.3", "ping-tells-time")
def tells_the_time_in_seconds() -> Patch:
    return changed(lambda m: replace(m, now=m.now // 1_000) if isinstance(m, Ok) and m.now else m)


@mutation("5.4", "join-again")
def begins_at_the_highest_row() -> Patch:
    def send_snapshot(self: Any, follower: Connection) -> None:
        state: Any = msgspec.to_builtins(room_state(self.room))
        size, cells = state["position"]["size"], state["position"]["cells"]
        rows = [cells[at : at + size] for at in range(0, size * size, size)]
        state["position"]["cells"] = [cell for row in reversed(rows) for cell in row]
        message: Any = {"type": "snapshot", "state": state}
        follower.push(frame(follower.codec, message))

    return patch.object(Live, "send_snapshot", send_snapshot)


@mutation("8.1", "one-spelling")
def takes_capital_letters() -> Patch:
    real = decide.act

    def act(room: Any, user: Any, turn: int, action: str, *rest: Any) -> Any:
        return real(room, user, turn, action.lower(), *rest)

    return patch.object(decide, "act", act)


# --- connections ----------------------------------------------------------------------------------


@mutation("6.1", "connections-follow")
def tells_the_last_connection_of_a_user() -> Patch:
    real = Hub.follow

    def follow(self: Any, connection: Any, live: Any, missed: Any, answer: Any) -> bool:
        for other in [each for each in live.followers if each.user.id == connection.user.id]:
            live.followers.discard(other)
        return real(self, connection, live, missed, answer)

    return patch.object(Hub, "follow", follow)


@mutation("6.1", "connections-follow")
def counts_who_has_left_one_connection_as_gone() -> Patch:
    real = Hub.leave

    def leave(self: Any, connection: Any, room: str) -> None:
        live = self._live.get(room)
        for other in [] if live is None else list(live.followers):
            if other.user.id == connection.user.id:
                real(self, other, room)

    return patch.object(Hub, "leave", leave)


@mutation("2.3", "act-twice-at-once")
def ends_the_session_before() -> Patch:
    real = AccountRequests.hello
    last: dict[str, Any] = {}

    @wraps(real)
    async def hello(self: Any, connection: Any, user: Any, request: Any) -> None:
        await real(self, connection, user, request)
        before = last.get(connection.user.id)
        last[connection.user.id] = connection
        if before is not None:
            before.close(Close.NORMAL)

    return patch.object(AccountRequests, "hello", hello)


@mutation("6.1", "join-again")
def tells_twice_who_joined_twice() -> Patch:
    real_follow, real_send = Hub.follow, Broadcast.send
    twice: set[int] = set()

    def follow(self: Any, connection: Any, live: Any, missed: Any, answer: Any) -> bool:
        if connection in live.followers:
            twice.add(id(connection))
        return real_follow(self, connection, live, missed, answer)

    def send(self: Broadcast, followers: Iterable[Connection]) -> None:
        everybody = list(followers)
        again = [each for each in everybody if id(each) in twice]
        real_send(self, everybody + again if isinstance(self.message, Event) else everybody)

    @contextmanager
    def both() -> Iterator[None]:
        with patch.object(Hub, "follow", follow), patch.object(Broadcast, "send", send):
            yield

    return both()


@mutation("2.3", "leave-stops")
def follows_who_acts() -> Patch:
    real = Play.act

    @wraps(real)
    async def act(self: Any, connection: Any, user: Any, request: Any) -> Ok:
        live = await self._rooms._hub.cache.get(request.room)
        live.followers.add(connection)
        return await real(self, connection, user, request)

    return patch.object(Play, "act", act)


@mutation("6.3", "illegal-told")
def closes_on_what_is_illegal() -> Patch:
    real = Connection.send

    def send(self: Any, message: Any) -> None:
        if isinstance(message, Error) and message.code == Code.ILLEGAL:
            self.close(Close.NORMAL)
        else:
            real(self, message)

    return patch.object(Connection, "send", send)


# --- easily forgotten -----------------------------------------------------------------------------


@mutation("6.1", "resume-everywhere")
def never_resumes() -> Patch:
    async def missed(*_: Any) -> None:
        """Whatever the place, a snapshot will do."""

    return patch.object(Recovery, "missed", missed)


@mutation("2.3", "act-repeated-late")
def remembers_the_last_action_only() -> Patch:
    real = decide.act

    def act(room: Any, user: Any, turn: int, *rest: Any) -> Any:
        if turn < room.turn - 1:
            return decide.Refused(Code.STALE, place=room.place, turn=room.turn)
        return real(room, user, turn, *rest)

    return patch.object(decide, "act", act)


@mutation("4.4", "resigning-ends")
def lets_the_clocks_run_on() -> Patch:
    return without("resigned", "clock")


@mutation("4.4", "resigning-ends")
def keeps_offers_when_the_game_is_over() -> Patch:
    return without("resigned", "offers")


@mutation("19.4", "takeback-restores")
def counts_the_turn_back() -> Patch:
    def back(event: Event) -> Event:
        if '"kind":"taken_back"' not in event.record:
            return event
        return replace(event, diff=replace(event.diff, turn=event.diff.ply))

    return told(back)


@mutation("19.2", "offers-end")
def accepts_ones_own_offer() -> Patch:
    return patch.object(agreements, "OTHER", (0, 1))


@mutation("6.4", "legal-listed")
def lists_legal_actions_for_players_alone() -> Patch:
    real = rooms.Rooms.legal

    async def legal(self: Any, user: Any, request: Any, *, admitted: bool) -> Ok:
        room = (await self._hub.cache.get(request.room)).room
        if not room.seats_of(user.id):
            raise decide.Refused(Code.NOT_SEATED)
        return await real(self, user, request, admitted=admitted)

    return patch.object(rooms.Rooms, "legal", legal)


@mutation("2.3", "log-from")
def counts_the_log_from_0() -> Patch:
    return changed(lambda m: replace(m, log=m.log[1:]) if isinstance(m, Ok) and m.log else m)
