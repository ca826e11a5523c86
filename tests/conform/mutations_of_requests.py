"""Faults in connecting, and in how requests are read and answered (SPEC 1 and 2)."""

from __future__ import annotations

from functools import wraps
from itertools import count
from typing import Any
from unittest.mock import patch

import msgspec

from conform.mutating import Patch, changed, mutation
from pierule_protocol.codec import BadMessage, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import Error, Hello, Ok, Ping
from pierule_protocol.state.room import Done
from pierule_server.gateway import dispatch, listener
from pierule_server.gateway.peer_socket import PeerSocket
from pierule_server.handlers import accounts
from pierule_server.handlers.rooms import RoomRequests
from pierule_server.identity.tokens import Keys, User
from pierule_server.lobby import sessions, webhooks
from pierule_server.lobby.lobby import Lobby
from pierule_server.lobby.outbound_http import OutboundHttp
from pierule_server.rooms import making
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.hub import Hub

# --- connecting -----------------------------------------------------------------------------------


@mutation("1.1", "subprotocol-chosen")
def prefers_json() -> Patch:
    turned = dict(reversed(listener._CODECS.items()))
    return patch.object(listener, "_CODECS", turned)


@mutation("1.3", "hello-first")
def needs_no_hello() -> Patch:
    real = dispatch.Dispatch.answer

    async def answer(self: Any, connection: Any, request: Any) -> None:
        if not isinstance(request, Hello):
            connection.user = connection.user or User("u", "n")
        await real(self, connection, request)

    return patch.object(dispatch.Dispatch, "answer", answer)


@mutation("1.3", "tokens-checked")
def accepts_any_token() -> Patch:
    return patch.object(Keys, "check", lambda _self, _token: User("someone", "Someone"))


@mutation("24.4", "names-forgotten")
def tells_nobody_whose_account_is_gone() -> Patch:
    async def forget(_self: Any, _user: str) -> None:
        pass

    return patch.object(Lobby, "forget", forget)


@mutation("23.13", "webhook-set")
def gives_guests_a_webhook() -> Patch:
    async def registered(_accounts: Any, _user: str) -> bool:
        return True

    return patch.object(webhooks, "is_registered", registered)


@mutation("23.13", "webhook-set")
def takes_any_url() -> Patch:
    return patch.object(OutboundHttp, "target", lambda _self, _url: None)


@mutation("23.14", "webhook-called")
def signs_the_body_alone() -> Patch:
    real = webhooks.signature
    return patch.object(webhooks, "signature", lambda secret, _, body: real(secret, "", body))


@mutation("1.3", "names")
def accepts_any_name() -> Patch:
    return patch.multiple(accounts, clean_name=str, new_guest=lambda name: User("u", name or "n"))


@mutation("1.4", "server-pings")
def never_pings() -> Patch:
    return patch.object(PeerSocket, "keep_alive", lambda _: None)


@mutation("1.6", "rooms-followed")
def ignores_rooms_followed() -> Patch:
    real = RoomRequests.join

    @wraps(real)
    async def join(self: Any, connection: Any, user: Any, request: Any) -> None:
        stated = self._limits
        self._limits = msgspec.structs.replace(stated, rooms_followed=10**6)
        try:
            await real(self, connection, user, request)
        finally:
            self._limits = stated

    return patch.object(RoomRequests, "join", join)


# --- requests and answers -------------------------------------------------------------------------


@mutation("2.1", "ping-tells-time")
def answers_twice() -> Patch:
    real = dispatch.Dispatch.answer

    async def answer(self: Any, connection: Any, request: Any) -> None:
        await real(self, connection, request)
        if isinstance(request, Ping):
            await real(self, connection, request)

    return patch.object(dispatch.Dispatch, "answer", answer)


@mutation("2.2", "fields-checked")
def accepts_unknown_fields() -> Patch:

    class Lenient:
        def __init__(self, codec: Any) -> None:
            self.subprotocol, self.text, self.encode = codec.subprotocol, codec.text, codec.encode
            self._codec = codec
            self._module = msgspec.json if codec.text else msgspec.msgpack

        def decode(self, data: bytes | str) -> Any:
            try:
                return self._codec.decode(data)
            except BadMessage as bad:
                if "unknown field" not in bad.text or bad.field is None:
                    raise
                known = {k: v for k, v in self._module.decode(data).items() if k != bad.field}
                return self._codec.decode(self._module.encode(known))

    return patch.object(
        listener, "_CODECS", {name: Lenient(codec) for name, codec in server_codecs().items()}
    )


@mutation("2.2", "fields-checked")
def names_no_field() -> Patch:
    return changed(lambda m: msgspec.structs.replace(m, field=None) if isinstance(m, Error) else m)


@mutation("2.3", "create-repeated")
def makes_a_room_for_each_retry() -> Patch:
    tries = count()
    real = making.room_id_for
    return patch.object(
        making, "room_id_for", lambda user, nonce, *_: real(user, nonce, next(tries) + 1)
    )


@mutation("2.3", "act-repeated")
def plays_a_retry_again() -> Patch:
    real = decide.act

    def act(room: Any, user: Any, turn: int, action: str, *rest: Any) -> Any:
        decision = real(room, user, turn, action, *rest)
        if not isinstance(decision, Done):
            return decision
        holder = room.seats[room.position.to_act]
        legal = next(room.position.actions())
        return real(room, User(holder.user, holder.name), room.turn, legal, *rest)

    return patch.object(decide, "act", act)


@mutation("2.3", "nonce-reused")
def accepts_a_used_nonce() -> Patch:
    real, fresh = decide.take_seat, count()

    def take_seat(room: Any, user: Any, seat: Any, nonce: str, **known: Any) -> Any:
        decision = real(room, user, seat, nonce, **known)
        if isinstance(decision, decide.Refused) and decision.code is Code.BAD_FIELD:
            return real(room, user, seat, f"fresh{next(fresh)}", **known)
        return decision

    return patch.object(decide, "take_seat", take_seat)


@mutation("2.3", "act-repeated")
def tells_no_place() -> Patch:
    return changed(lambda m: msgspec.structs.replace(m, place=None) if isinstance(m, Ok) else m)


@mutation("2.3", "leave-stops")
def leaves_nothing() -> Patch:
    return patch.object(Hub, "leave", lambda _self, _connection, _room: None)


@mutation("2.5", "not-seated-first")
def lets_anyone_play() -> Patch:
    real = decide.act

    def act(room: Any, user: Any, turn: int, action: str, *rest: Any) -> Any:
        to_act = room.position.to_act
        holder = None if to_act is None else room.seats[to_act]
        return real(room, User(holder.user, holder.name) if holder else user, turn, action, *rest)

    return patch.object(decide, "act", act)


@mutation("24.12", "sessions-ended")
def ends_no_session() -> Patch:
    return patch.object(sessions, "is_valid", lambda _user, _account: True)


@mutation("24.12", "sessions-ended")
def ends_sessions_too_early() -> Patch:
    async def ended(self: Any, connection: Any, user: User, request: Any) -> Ok:
        token = request.token or self._keys.sign(sessions.next_session(user))
        asked = msgspec.structs.replace(request, token=token)
        return await real(self, connection, user, asked)

    real = accounts.AccountRequests.end_sessions
    return patch.object(accounts.AccountRequests, "end_sessions", wraps(real)(ended))
