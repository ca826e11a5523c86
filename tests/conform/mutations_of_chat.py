"""Faults in chat (SPEC 21), and in finding a partner (SPEC 23)."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from conform.mutating import Patch, mutation
from pierule_protocol.messages import Ok
from pierule_server.handlers import chat
from pierule_server.lobby import house_bots, seeking
from pierule_server.rooms import chat_history, rooms
from pierule_server.rooms.live import Live
from pierule_server.store.tables.chats import Chats


@mutation("21.2", "sides-apart")
def tells_players_what_spectators_say() -> Patch:
    return patch.object(Live, "hears", lambda *_: True)


@mutation("21.3", "chat-rate-bounded")
def lets_anyone_flood() -> Patch:
    def take_turn(speech: Any, _: str) -> None:
        speech._pace = speech._pace._replace(rate=0)  # the store's bound goes, too

    return patch.object(chat.ChatRequests, "_take_turn", take_turn)


@mutation("21.3", "say-repeated")
def says_a_retry_again() -> Patch:
    real, names = Chats.say, iter(range(1_000))

    async def say(self: Any, room: Any, channel: Any, saying: Any, nonce: str, pace: Any) -> Any:
        return await real(self, room, channel, saying, f"{nonce}{next(names)}", pace)

    return patch.object(Chats, "say", say)


@mutation("21.7", "muted-withheld")
def tells_what_the_muted_say() -> Patch:
    return patch.object(chat_history, "withheld", lambda lines, _: list(lines))


@mutation("21.7", "blocked-cannot-sit")
def lets_the_blocked_sit() -> Patch:
    async def welcome(*_: Any) -> None:
        pass

    return patch.object(rooms, "check_welcome", welcome)


@mutation("23.1", "seek-of-the-blocked")
def pairs_with_the_blocked() -> Patch:
    return patch.object(seeking, "blocked", lambda _: [])


@mutation("23.15", "people-first")
def keeps_who_agrees_to_a_bot_for_bots() -> Patch:
    real = seeking.Seeking.seek

    async def seek(self: Any, connection: Any, user: Any, request: Any) -> Any:
        if request.bot_after is None:
            return await real(self, connection, user, request)
        return Ok(id=request.id)

    return patch.object(seeking.Seeking, "seek", seek)


@mutation("23.20", "unknown-level")
def waits_for_a_level_that_nobody_runs() -> Patch:
    return patch.object(house_bots, "check_level", lambda *_: None)


@mutation("23.16", "stand-in-refused")
def lets_anybody_stand_in() -> Patch:
    async def stand_in(_self: Any, _connection: Any, _user: Any, request: Any) -> Any:
        return Ok(id=request.id)

    return patch.object(seeking.Seeking, "stand_in", stand_in)
