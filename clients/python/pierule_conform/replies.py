"""The scripted server's answers to whatever a client may ask at any time; anything else is a
breach. The steps of a scenario change the same trial."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from types import UnionType
from typing import Any

import msgspec
from websockets.exceptions import ConnectionClosed

from pierule_conform.answers import acted, log_of, welcome
from pierule_conform.contract import CONTRACT, Breach
from pierule_conform.scripted import PATH, Refusal, ScriptedConnection
from pierule_conform.trial import Asked, Trial
from pierule_conform.truth import ROOM, USER, proof_of, text_of
from pierule_protocol.codec import BadMessage
from pierule_protocol.codes import Code
from pierule_protocol.log.events import Holder, Place
from pierule_protocol.messages import (
    Act,
    BoardMismatch,
    Hello,
    Join,
    Leave,
    LegalQuery,
    LogQuery,
    Ping,
    ProvenPlace,
    Request,
    RoomsQuery,
    Snapshot,
    WatchLobby,
)

SUBPROTOCOLS = frozenset({"pierule.1.msgpack", "pierule.1.json"})
REQUESTS_MOST = 300
"""More requests than this in one scenario are hammering, whatever they are."""
REPEATS_MOST = 5
"""More acts than this at one turn are hammering."""
TOLERANCE = 0.05
"""Seconds by which a client's timer may differ from ours."""
CONNECTIONS_MOST = 3
"""More open connections than this are hammering: one is in use, and some may be about to end."""

NEEDS: tuple[tuple[str, type[Any] | UnionType, tuple[str, ...]], ...] = (
    ("why", LegalQuery, ("turn", "action", "points")),
    ("goto", Join, ("goto",)),
    ("filters", RoomsQuery | WatchLobby, ("game", "size", "status", "free_seat", "after")),
)
"""Features, and the fields of requests that need them (SPEC 15.4)."""


class Replies:
    """The host of all connections of a trial (see `scripted.Host`). `spent` are the nonces that
    the client has used in any scenario."""

    def __init__(self, trial: Trial, ping_seconds: int, spent: set[str]) -> None:
        self._trial = trial
        self._ping_seconds = ping_seconds
        self._token = trial.task.token
        self._nonce: str | None = None
        self._spent = spent
        self._count = 0
        self._repeats: Counter[int] = Counter()
        self._again: dict[str, float] = {}  # when a request that was refused may come again
        self._open: dict[int, float] = {}  # when a node that was busy may be tried again

    # --- connections ---

    def refuses(self, node: int) -> Refusal | None:
        """The answer to a client that asks why its handshake was refused. It stays the same until
        the client may try again: a node that accepts connections again would not name the time."""
        waits = self._open.get(node, 0.0) > asyncio.get_running_loop().time()
        return self._trial.refusal if waits or self._is_away(node) else None

    def _is_away(self, node: int) -> bool:
        trial = self._trial
        return node in trial.refusing or len(trial.handshakes) <= trial.turned_away

    def admits(self, node: int, path: str, offered: list[str]) -> Refusal | None:
        trial, now = self._trial, asyncio.get_running_loop().time()
        trial.handshakes.append(node)
        if trial.ended_at is not None:
            trial.delays.append(now - trial.ended_at)
            trial.ended_at = None
        trial.wake()
        if path != PATH:
            trial.fail(Breach("1.1", "asks for another path than PIERULE_URL has", PATH, path))
            return Refusal(HTTPStatus.NOT_FOUND)
        if not SUBPROTOCOLS & set(offered):
            wanted = " or ".join(sorted(SUBPROTOCOLS))
            trial.fail(Breach("1.1", "offers no subprotocol of pierule.1", wanted, offered))
            return Refusal(HTTPStatus.BAD_REQUEST)
        early = self._open.get(node, now) - now
        if early > TOLERANCE:
            why = f"tries a node again {early:.2f} s before its Retry-After"
            trial.fail(Breach("1.13", why, trial.refusal.retry_after))
        refusal = trial.refusal if self._is_away(node) else None
        if refusal is not None:
            self._open[node] = now + (refusal.retry_after or 0)
        return refusal

    async def serve(self, connection: ScriptedConnection) -> None:
        trial = self._trial
        trial.connections.append(connection)
        alive = [other for other in trial.connections if other.open and not other.silent]
        if len(alive) > CONNECTIONS_MOST:
            trial.fail(Breach("7", "opens connection after connection", None, len(alive)))
        pinging = asyncio.create_task(self._ping(connection))
        try:
            with suppress(ConnectionClosed):
                async for data in connection.socket:
                    await self._read(connection, data)
            trial.check_frames()
        except Breach as breach:
            trial.fail(breach)
        finally:
            pinging.cancel()
            trial.wake()

    async def _ping(self, connection: ScriptedConnection) -> None:
        while self._ping_seconds:
            await asyncio.sleep(self._ping_seconds)
            await connection.ping()

    async def _read(self, connection: ScriptedConnection, data: bytes | str) -> None:
        trial = self._trial
        if not connection.open or connection.silent:
            return
        self._count += 1
        if self._count > REQUESTS_MOST:
            raise Breach("7", "hammers the server with requests", None, trial.heard)
        if isinstance(data, str) is not connection.codec.text:
            raise Breach("1.1", "sends frames of the wrong kind", connection.codec.subprotocol)
        try:
            message = connection.codec.decode(data)
        except BadMessage as bad:
            raise Breach(
                "1.2", f"sends something that is not a request: {bad.text}", None, data
            ) from None
        trial.heard = _without_secrets(message)
        if message.id in connection.pending:
            raise Breach("2.1", f"uses the id {message.id} again before its answer has come")
        connection.pending.add(message.id)
        if trial.lag:
            await asyncio.sleep(trial.lag)
        await self._dispatch(connection, message)
        trial.wake()

    async def _dispatch(self, connection: ScriptedConnection, message: Request) -> None:
        trial, asked = self._trial, Asked(connection, message)
        self._check_place(connection, message)
        if await self._puts_off(asked):
            return
        match message:
            case Hello():
                await self._hello(asked, message)
            case Join():
                await self._join(asked, message)
            case Act():
                await self._act(asked, message)
            case Leave():
                connection.following = False
                await trial.answer(asked, room=message.room)
            case Ping():
                await trial.answer(asked, now=trial.truth.state.at)
            case LogQuery():
                log = log_of(trial.truth, message.first)
                await trial.answer(asked, room=ROOM, log=log)
            case BoardMismatch():
                trial.reports.append(message)
                await trial.answer(asked, room=message.room)
            case _:
                await trial.refuse(asked, Code.LIMIT)

    def _check_place(self, connection: ScriptedConnection, message: Request) -> None:
        """Raises Breach if this request may not come on this connection now."""
        if isinstance(message, Hello) is connection.greeted:
            why = "hello comes first, and once on each connection"
            raise Breach("1.3", why, None, self._trial.heard)
        feature = _needed(message)
        if feature is not None and feature not in self._trial.features:
            why = f"uses the feature `{feature}`, which the welcome does not announce"
            raise Breach("15.3", why, None, self._trial.heard)

    async def _puts_off(self, asked: Asked) -> bool:
        """Refuse a request for now, if the script says so. Returns whether it did."""
        trial, kind = self._trial, str(asked.message.__struct_config__.tag)
        now = asyncio.get_running_loop().time()
        if now < self._again.pop(kind, 0) - TOLERANCE:
            why = f"sends its {kind} again before retry_ms"
            raise Breach("7", why, None, trial.heard, trial.last_sent)
        if kind not in trial.passing or kind in trial.put_off:
            return False
        code, retry_ms = trial.passing[kind]
        if code == Code.GOTO and not asked.message.goto:
            return False
        self._again[kind] = now + (retry_ms or 0) / 1_000
        await trial.refuse(asked, code, retry_ms=retry_ms)
        trial.put_off.add(kind)
        trial.wake()
        return True

    async def _hello(self, asked: Asked, hello: Hello) -> None:
        trial = self._trial
        asked.connection.greeted = True
        for news in trial.greeting:
            await trial.send(asked.connection, news)
        if hello.token != self._token:
            why = "says hello with a token other than the last that it was given"
            raise Breach("1.3", why, "PIERULE_TOKEN at first, later welcome.token")
        if hello.bot is not trial.task.bot:
            why = "says `bot`, though PIERULE_BOT is empty" if hello.bot else "does not say `bot`"
            raise Breach("1.3", why, trial.task.bot, hello.bot)
        if trial.hello_refused is not None:
            await trial.refuse(asked, trial.hello_refused)
            return
        self._token = "token-of-the-welcome"  # noqa: S105 - nobody's
        await trial.answer(asked, welcome=welcome(self._token, self._ping_seconds, trial.features))

    # --- joining ---

    async def _join(self, asked: Asked, join: Join) -> None:
        trial = self._trial
        if join.room != ROOM:
            raise Breach(CONTRACT, "joins a room other than PIERULE_ROOM", ROOM, trial.heard)
        trial.asked += 1
        trial.wake()
        await trial.admitting.wait()
        async with trial.lock:
            if join.seat is not None and await self._sit(join) and trial.cut_when_seated:
                trial.cut_when_seated = False
                asked.connection.cut()
                return
            await self._admit(asked, join)

    async def _sit(self, join: Join) -> bool:
        """Take the seat. Returns False if the same request has taken it before."""
        trial, told = self._trial, self._trial.task.seat
        if told is None or join.seat not in (told, "any"):
            raise Breach(CONTRACT, "takes a seat other than PIERULE_SEAT", told, join.seat)
        if join.nonce is None or (self._nonce or join.nonce) != join.nonce:
            why = "takes its seat again with another nonce, or without one"
            raise Breach("2.3", why, self._nonce, join.nonce)
        if self._nonce is not None:
            return False
        if join.nonce in self._spent:
            why = "takes its seat with a nonce that an earlier process has used"
            raise Breach("2.3", why, "a fresh nonce", join.nonce)
        self._spent.add(join.nonce)
        self._nonce = join.nonce
        event = trial.truth.sit(told, Holder(USER, "Client"), join.nonce)
        for connection in trial.followers:
            await trial.send_event(connection, event)
        return True

    async def _admit(self, asked: Asked, join: Join) -> None:
        trial, connection, since = self._trial, asked.connection, join.since
        state = trial.truth.state
        place = since and Place(since.epoch, since.seq, since.chain)
        if place is not None and place not in trial.truth.places:
            why = "joins with a `since` that never was a place of this log"
            raise Breach("6.1", why, trial.judge.last, since)
        given = proof_of(place) if place is not None and trial.proves else None
        if since is not None and since.proof != given:
            why = "joins with a proof that did not come with that place"
            raise Breach("6.13", why, given, since)
        if since is None and trial.judge.last is not None and not trial.judge.tricked:
            raise self._distrusts(trial.judge.last)
        trial.joins.append(asked)
        trial.judge.distrusted = None
        missed = None if since is None or trial.forgetful else trial.truth.after(since)
        proof = proof_of(state.place) if trial.proves else None
        await trial.answer(
            asked,
            room=ROOM,
            seats=trial.truth.room.seats_of(USER),
            place=ProvenPlace.of(state.place, proof),
            turn=state.turn,
            resumed=missed is not None,
        )
        connection.following = True
        if missed is None:
            trial.judge.told(state, "snapshot")
            if trial.spoilt:
                state = msgspec.structs.replace(state, digest=state.digest ^ 1)
            await trial.send(connection, Snapshot(state=state, proof=proof))
        for event in [] if trial.gappy else missed or []:
            await trial.send_event(connection, event)

    def _distrusts(self, last: tuple[int, int]) -> Breach:
        """The client asks for a snapshot, as after a fork, though all events so far were right."""
        trial = self._trial
        here = next(i for i, kept in enumerate(trial.truth.kept)
                    if (kept.event.epoch, kept.event.seq) == last)  # fmt: skip
        if here + 1 == len(trial.truth.kept):
            why = "joins without since, as after a fork, though nothing new has come"
            return Breach("6.2", why, "no join without since", trial.heard)
        before, after = trial.truth.kept[here].event, trial.truth.kept[here + 1]
        event = after.event
        if trial.reports:
            why = f"gets another board from the diff of event {event.seq}, or another text of it"
            return Breach("4.2", why, text_of(after.state), trial.heard, event)
        line = f"{event.epoch} {event.seq} {event.record} {event.at}"
        why = (f"takes event {event.seq} for a fork, though it fits: the CRC-32 carried on from "
               f"{before.chain} over the UTF-8 of `{line}` is {event.chain}")  # fmt: skip
        return Breach("3.4", why, "no join without since", trial.heard, event)

    # --- acting ---

    async def _act(self, asked: Asked, act: Act) -> None:
        trial = self._trial
        self._repeats[act.turn] += 1
        if self._repeats[act.turn] > REPEATS_MOST:
            raise Breach("7", f"sends the act of turn {act.turn} again and again", None, act)
        if asyncio.get_running_loop().time() < trial.not_before:
            raise Breach("7", "sends its act again before retry_ms", None, act, trial.last_sent)
        done = trial.truth.done(act.turn, act.action)
        if done is None:
            self._check_act(act)
            trial.acts.append(asked)
        else:
            await trial.answer(asked, **acted(done))

    def _check_act(self, act: Act) -> None:
        """Raises Breach unless the client was told to play this action, and may play it now."""
        trial, sent = self._trial, self._trial.last_sent
        played, left = trial.task.actions[: trial.played], trial.task.actions[trial.played :]
        state = trial.truth.state
        wanted = {"turn": state.turn, "action": next(iter(left), None)}
        if act.action in played:
            raise Breach("2.3", f"plays {act.action} twice", wanted, act, sent)
        if act.turn != state.turn:
            why = f"aims at turn {act.turn}; the room is at {state.turn}"
            raise Breach("6.3", why, wanted, act, sent)
        if act.epoch not in (None, state.epoch):
            why = f"names epoch {act.epoch}; the room is in {state.epoch}"
            raise Breach("6.3", why, state.epoch, act, sent)
        if trial.task.seat is None or trial.truth.to_act != trial.task.seat:
            raise Breach("6.3", "acts though it is not its turn", None, act, sent)
        if act.action in left[1:]:
            section = trial.section if trial.judge.tricked else "6.3"
            raise Breach(section, f"skips the action {left[0]}", wanted, act, sent)
        if act.action != wanted["action"]:
            raise Breach(
                CONTRACT, "plays an action that it was not told to play", wanted, act, sent
            )


def _without_secrets(message: Request) -> Any:
    plain = msgspec.to_builtins(message)
    if plain.get("token"):
        plain["token"] = "(hidden)"  # noqa: S105 - exactly not
    return plain


def _needed(message: Any) -> str | None:
    """The feature that a request needs, by the fields that it sets; None if it needs none."""
    for feature, kinds, fields in NEEDS:
        told = (getattr(message, name, None) for name in fields)
        if isinstance(message, kinds) and any(each not in (None, "", [], False) for each in told):
            return feature
    return None
