"""Faults in rooms: their logs and states, following and playing, codes and clocks (SPEC 3 to 9)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import msgspec

from conform.mutating import Patch, changed, mutation, told, unsent
from pierule_protocol.codes import Close, Code
from pierule_protocol.log.proof import hashing
from pierule_protocol.messages import Act, Error, Event, Ok, ProvenPlace
from pierule_protocol.state import room as fold_module
from pierule_protocol.state.room import room_state
from pierule_server.connections.connection import Broadcast, Connection, frame
from pierule_server.handlers.board_mismatches import BoardMismatches
from pierule_server.rooms import legal as legal_module
from pierule_server.rooms import receipts, rooms
from pierule_server.rooms.attendance import Attendance
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import Live
from pierule_server.rooms.proofs import Proofs
from pierule_server.rooms.recovery import Recovery
from pierule_server.rooms.rooms import Rooms
from pierule_server.terms import Deadline

# --- the log and the state ------------------------------------------------------------------------


@mutation("3.2", "acknowledged-is-kept")
def acknowledges_before_appending() -> Patch:
    real = Rooms.act
    running: set[Any] = set()

    async def act(self: Any, user: Any, request: Any, lag: int) -> Ok:
        room = (await self._hub.cache.get(request.room)).room
        decision = decide.act(room, user, request.turn, request.action, lag)
        if not isinstance(decision, decide.Append):
            return await real(self, user, request, lag)

        async def later() -> None:
            await asyncio.sleep(0.1)
            await real(self, user, request, lag)

        running.add(asyncio.create_task(later()))
        place = ProvenPlace(room.place.epoch, room.place.seq + 1, 1)
        return Ok(id=request.id, room=request.room, place=place, turn=decision.turn)

    return patch.object(Rooms, "act", act)


@mutation("6.1", "spectators-see")
def drops_one_event() -> Patch:
    real = Broadcast.send

    def send(self: Broadcast, followers: Any) -> None:
        if not (isinstance(self.message, Event) and self.message.seq == 4):
            real(self, followers)

    return patch.object(Broadcast, "send", send)


@mutation("3.4", "turns-counted")
def carries_a_wrong_chain() -> Patch:
    return told(lambda event: msgspec.structs.replace(event, chain=event.chain ^ 1))


@mutation("3.5", "turns-counted")
def counts_no_turn() -> Patch:
    return told(
        lambda event: msgspec.structs.replace(
            event, diff=msgspec.structs.replace(event.diff, turn=msgspec.UNSET)
        )
    )


@mutation("4.1", "join-then-snapshot")
def leaves_a_field_out() -> Patch:
    def send_snapshot(self: Any, follower: Connection) -> None:
        state = msgspec.to_builtins(room_state(self.room))
        del state["ply"]
        message: Any = {"type": "snapshot", "state": state}
        follower.push(frame(follower.codec, message))

    return patch.object(Live, "send_snapshot", send_snapshot)


@mutation("4.2", "turns-counted")
def tells_what_has_not_changed() -> Patch:
    return told(
        lambda event: msgspec.structs.replace(
            event, diff=msgspec.structs.replace(event.diff, status="running", result=None)
        )
    )


@mutation("5.4", "turns-counted")
def tells_a_wrong_digest() -> Patch:
    return told(lambda event: msgspec.structs.replace(event, digest=event.digest ^ 1))


# --- following and playing ------------------------------------------------------------------------


@mutation("6.1", "join-then-snapshot")
def sends_before_the_ok() -> Patch:
    real = Hub.follow

    def follow(self: Any, connection: Any, live: Any, missed: Any, answer: Any) -> bool:
        if missed is None:
            live.send_snapshot(connection)
        return real(self, connection, live, [] if missed is None else missed, answer)

    return patch.object(Hub, "follow", follow)


@mutation("6.1", "resume-everywhere")
def resumes_with_a_hole() -> Patch:
    real = Recovery.missed

    async def missed(self: Any, live: Any, user: Any, since: Any) -> Any:
        events = await real(self, live, user, since)
        return events[1:] if events else events

    return patch.object(Recovery, "missed", missed)


@mutation("6.1", "resume-unknown-place")
def believes_any_place() -> Patch:
    real = Recovery.missed

    async def missed(self: Any, live: Any, user: Any, since: Any) -> Any:
        events = await real(self, live, user, since)
        return [] if events is None else events

    return patch.object(Recovery, "missed", missed)


@mutation("6.13", "forged-proof")
def believes_any_proof() -> Patch:
    return patch.object(Proofs, "hold", lambda *_: True)


@mutation("6.13", "proof-comes-back")
def refuses_what_is_not_proved() -> Patch:
    real = Rooms.join

    async def join(self: Any, user: Any, request: Any) -> Any:
        if request.since and not self._hub.proofs.hold(request.room, request.since):
            raise decide.Refused(Code.BAD_FIELD, field="since")
        return await real(self, user, request)

    return patch.object(Rooms, "join", join)


@mutation("6.14", "false-board-mismatches")
def takes_any_report() -> Patch:
    async def take(_self: Any, _user: Any, _following: Any, request: Any) -> Ok:
        return Ok(id=request.id, room=request.room)

    return patch.object(BoardMismatches, "take", take)


@mutation("20.5", "spectators-behind")
def shows_all_to_spectators() -> Patch:
    return patch.object(Live, "view", lambda self, _user: self.room)


@mutation("6.3", "stale-told")
def answers_no_stale_action() -> Patch:
    return unsent(lambda message: isinstance(message, Error) and message.code == Code.STALE)


@mutation("6.3", "illegal-told")
def tells_no_rule() -> Patch:
    return changed(lambda m: msgspec.structs.replace(m, rule=None) if isinstance(m, Error) else m)


@mutation("6.4", "legal-listed")
def omits_a_legal_action() -> Patch:
    real = legal_module.listing

    def listing(room: Any, request: Any) -> Any:
        told = yield from real(room, request)
        if not told.actions:
            return told
        return msgspec.structs.replace(told, actions=told.actions[:-1], total=told.total - 1)

    return patch.object(rooms, "listing", listing)


@mutation("6.12", "why-judged")
def judges_points_by_the_last() -> Patch:
    real = legal_module.answer

    def answer(room: Any, request: Any) -> Any:
        return real(room, msgspec.structs.replace(request, points=request.points[-1:]))

    return patch.object(rooms, "answer", answer)


@mutation("6.12", "why-judged")
def says_no_reason() -> Patch:
    return changed(
        lambda m: (
            msgspec.structs.replace(m, legal=msgspec.structs.replace(m.legal, refusal=None))
            if isinstance(m, Ok) and m.legal
            else m
        )
    )


@mutation("6.12", "why-plays-nothing")
def plays_what_is_asked_about() -> Patch:
    real = Rooms.legal

    async def legal(self: Any, user: Any, request: Any, *, admitted: bool) -> Ok:
        room = (await self._hub.cache.get(request.room)).room
        ok = await real(self, user, request, admitted=admitted)
        if request.action and ok.legal is not None and ok.legal.total:
            await self.act(user, Act(id=0, room=room.id, turn=room.turn, action=request.action), 0)
        return ok

    return patch.object(Rooms, "legal", legal)


@mutation("6.12", "why-at-a-turn")
def answers_for_any_turn() -> Patch:
    real = legal_module.answer

    def answer(room: Any, request: Any) -> Any:
        return real(room, msgspec.structs.replace(request, turn=None))

    return patch.object(rooms, "answer", answer)


@mutation("6.12", "why-one-question")
def answers_two_questions_at_once() -> Patch:
    return patch.object(rooms, "check_question", lambda _request: None)


@mutation("6.5", "presence-told")
def tells_no_presence() -> Patch:
    async def settle(self: Any, room: str) -> None:
        """Nobody is told."""

    return patch.object(Attendance, "_settle", settle)


# --- codes and clocks -----------------------------------------------------------------------------


@mutation("2.8", "garbage-refused")
def closes_on_what_is_malformed() -> Patch:
    real = Connection.send

    def send(self: Any, message: Any) -> None:
        if isinstance(message, Error) and message.code == Code.MALFORMED:
            self.close(Close.NORMAL)
        else:
            real(self, message)

    return patch.object(Connection, "send", send)


@mutation("9.3", "flagged-in-time")
def plays_after_the_deadline() -> Patch:
    real = decide.act

    def act(room: Any, user: Any, turn: int, action: str, *rest: Any) -> Any:
        decision = real(room, user, turn, action, *rest)
        if isinstance(decision, decide.Append):  # the store gives the other seat a minute
            return replace(decision, deadline=Deadline("in", 60_000))
        return decision

    return patch.object(decide, "act", act)


@mutation("9.3", "deadlines-right")
def tells_a_wrong_deadline() -> Patch:
    real = fold_module._clock_state

    def clock_state(clock: Any) -> Any:
        told = real(clock)
        if told is None or told.deadline is None:
            return told
        return msgspec.structs.replace(told, deadline=told.deadline + 1_000)

    return patch.object(fold_module, "_clock_state", clock_state)


@mutation("9.5", "lag-measured")
def measures_no_lag() -> Patch:
    return patch.object(Live, "measure_lag", lambda _self: None)


# --- receipts -------------------------------------------------------------------------------------


@mutation("28.10", "receipts-signed")
def leaves_the_last_event_out_of_receipts() -> Patch:
    return patch.object(receipts, "hashing", lambda events: hashing(list(events)[:-1]))


@mutation("20.5", "spectators-behind")
def signs_what_spectators_may_not_know() -> Patch:
    return patch.object(receipts, "horizon", lambda room: room.place.seq)
