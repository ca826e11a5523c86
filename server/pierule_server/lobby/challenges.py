"""Lets users challenge each other to a game (SPEC 23.10).

A challenge is in two inboxes: as `sent:NONCE` in the challenger's, as `challenge:ID` in the
recipient's. The recipient's inbox decides: there one script replaces the challenge by its outcome,
once. Everything after that is safe to repeat, so the client may send the same request again.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TypeVar

import msgspec

from pierule_games.game import OTHER
from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import requested
from pierule_protocol.log.events import Holder, Rated
from pierule_protocol.messages import (
    AnswerChallenge,
    Challenge,
    Challenged,
    Create,
    Notice,
    Ok,
    Paired,
    Seat,
    WithdrawChallenge,
)
from pierule_protocol.state.unrated import why_unrated
from pierule_server.identity.tokens import User
from pierule_server.lobby.names import owner_of
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.making import check_clock, check_rated, rules_of
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.tables.accounts import is_registered
from pierule_server.store.tables.tables import Tables

T = TypeVar("T")

LIFE_MS = 86_400_000
"""Milliseconds after which a challenge expires (SPEC 23.10)."""

KEPT_MS = 600_000
"""Milliseconds for which inboxes keep the outcome of a challenge."""

RECEIVED = 50
"""The most open challenges to one user, including news of withdrawn ones."""

FROM_GUESTS = 20
"""How many of these may come from guests: anybody can become any number of guests."""

FROM_ONE = 2
"""How many of these may come from the same user."""

UNSENT = 100
"""The most withdrawals of challenges that a user's inbox keeps."""


class Sent(Challenged, frozen=True, kw_only=True, tag="challenged"):
    """A challenge as inboxes keep it: what clients see of it, its recipient, its nonce, whether a
    guest sent it, and the player who accepted it, if any."""

    to: str
    nonce: str
    guest: bool = False
    accepted_by: Holder | None = None

    @property
    def sender(self) -> Holder:
        """The challenger, as the holder of a seat."""
        return Holder(self.user, self.name, self.bot, registered=not self.guest)


class Challenges:
    """Handles challenges. A user may have at most `most` open ones (0: no bound)."""

    def __init__(self, tables: Tables, rooms: Rooms, most: int) -> None:
        self._tables = tables
        self._inboxes = tables.inboxes
        self._rooms = rooms
        self._most = most

    async def challenge(self, user: User, request: Challenge) -> Ok:
        """Challenge another user. The answer has a room if the challenge is accepted already."""
        guest = not await is_registered(self._tables.accounts, user.id)
        sent = _sent(user, request, await self._asked(request), guest=guest)
        notes = await self._inboxes.read(user.id)
        if paired := notes.get(f"paired:{request.nonce}"):
            return _answer(request.id, _decode(paired, Paired))
        if f"declined:{request.nonce}" in notes:
            raise Refused(Code.DECLINED, field="nonce")
        name = f"sent:{request.nonce}"
        if sent.rated != "no" and name not in notes:
            self._rooms.fair_play.check(notes, "rated")
        if (await self._tables.block_lists.read(sent.to)).get(user.id) == "block":
            raise Refused(Code.BLOCKED, field="to")
        await self._rooms.quota.check(user.id)
        done = await self._inboxes.put(
            user.id, name, _encode(sent), LIFE_MS, most=self._most, told=False,
            unless=[f"unsent:{request.nonce}"],
        )  # fmt: skip
        if done == "barred":
            raise Refused(Code.EXPIRED, field="nonce")
        if done == "full":
            raise Refused(Code.LIMIT, f"you have {self._most} open challenges; withdraw one first")
        if isinstance(done, tuple):
            known = _decode(done[0], Sent)
            same = msgspec.structs.replace(
                known, challenge=sent.challenge, name=sent.name, guest=sent.guest
            )
            if same != sent:
                raise Refused(
                    Code.BAD_FIELD, "this nonce belongs to another challenge; take a fresh one",
                    field="nonce",
                )  # fmt: skip
            sent = known
        full = await self._present(sent)
        if full is not None:
            await self._inboxes.drop(user.id, name)
            raise Refused(Code.LIMIT, full, field="to")
        return Ok(id=request.id)

    async def _asked(self, request: Challenge) -> str:
        """The id of the recipient. Raises Refused."""
        found = await owner_of(self._tables.accounts, request.to) if request.named else request.to
        if found is None:
            raise Refused(Code.NO_ACCOUNT, "nobody is registered under this name", field="to")
        return found

    async def withdraw(self, user: User, request: WithdrawChallenge) -> Ok:
        """Take a challenge back. The answer has a room if it is too late. Raises Refused and
        StoreUnavailable.

        The challenge may still be on its way, over a connection that broke. The note that this
        writes first keeps it out of both inboxes.
        """
        done = await self._inboxes.put(
            user.id, f"unsent:{request.nonce}", "1", KEPT_MS, most=UNSENT, told=False
        )
        if done == "full":
            raise Refused(Code.LIMIT, f"you may withdraw at most {UNSENT} challenges in 10 minutes")
        notes = await self._inboxes.read(user.id)
        if paired := notes.get(f"paired:{request.nonce}"):
            return _answer(request.id, _decode(paired, Paired))
        text = notes.get(f"sent:{request.nonce}")
        if text is None:
            return Ok(id=request.id)
        sent = _decode(text, Sent)
        if not await self._withdraw(sent):
            accepted = (await self._inboxes.read(sent.to)).get(f"accepted:{sent.challenge}")
            if accepted is not None:
                paired_now = await self._carry_out(_decode(accepted, Sent))
                return _answer(request.id, paired_now[user.id])
        await self._inboxes.drop(user.id, f"sent:{request.nonce}")
        return Ok(id=request.id)

    async def answer(self, user: User, request: AnswerChallenge) -> Ok:
        """Accept or decline a challenge. Declining succeeds even if the challenge is gone. Raises
        Refused and StoreUnavailable."""
        notes = await self._inboxes.read(user.id)
        text = notes.get(f"challenge:{request.challenge}")
        accepted = notes.get(f"accepted:{request.challenge}")
        if request.accept and (accepted or text):
            sent = _decode(accepted or text or "", Sent)
            if not accepted:
                await self._rooms.quota.check(user.id)
                name = f"accepted:{request.challenge}"
                registered = await is_registered(self._tables.accounts, user.id)
                by = Holder(user.id, user.name, user.bot, registered)
                rated = self._rated(sent, by, notes)
                sent = msgspec.structs.replace(sent, accepted_by=by, rated=rated)
                if await self._replace(sent, name, _encode(sent)) == "missing":
                    raise Refused(Code.UNKNOWN_CHALLENGE, field="challenge")
            return _answer(request.id, (await self._carry_out(sent))[user.id])
        if request.accept or accepted:
            raise Refused(Code.UNKNOWN_CHALLENGE, field="challenge")
        declined = text or notes.get(f"answered:{request.challenge}")
        if declined is not None:
            sent = _decode(declined, Sent)
            await self._replace(sent, f"answered:{request.challenge}", declined)
            news = Notice(kind="challenge_declined", nonce=sent.nonce)
            await self._inboxes.put(
                sent.user, f"declined:{sent.nonce}", _encode(news), KEPT_MS,
                instead=f"sent:{sent.nonce}", needed=True,
            )  # fmt: skip
        return Ok(id=request.id)

    def _rated(self, sent: Sent, by: Holder, notes: Mapping[str, str]) -> Rated:
        """Whether the game counts if this user accepts the challenge. It does not if their notes
        have too many marks. Raises Refused if it must count."""
        check_rated(sent.rated, "public", sent.sender, by)
        if why_unrated(sent.rated, "public", (sent.sender, by)) is None:
            try:
                self._rooms.fair_play.check(notes, "challenge")
            except Refused:
                if sent.rated == "yes":
                    raise
                return "no"
        return sent.rated

    async def _present(self, sent: Sent) -> str | None:
        """Put a challenge into the recipient's inbox, unless it has an outcome. If there are too
        many there, returns a sentence about it; otherwise None."""
        challenge = sent.challenge
        shares = [(f'"user":"{sent.user}"', FROM_ONE), ('"guest":true', FROM_GUESTS)]
        done = await self._inboxes.put(
            sent.to, f"challenge:{challenge}", _encode(sent), LIFE_MS, most=RECEIVED,
            unless=[f"{state}:{challenge}" for state in ("accepted", "answered", "withdrawn")],
            shares=shares,
        )  # fmt: skip
        match done:
            case "full":
                return "this user has too many open challenges; try again later"
            case 0:
                return f"this user has {FROM_ONE} open challenges of yours already"
            case 1:
                return "too many guests have challenged this user; register a name, then try again"
        return None

    async def _withdraw(self, sent: Sent) -> bool:
        """Take a challenge out of the recipient's inbox, and keep it out. False if the recipient
        has answered it."""
        challenge = sent.challenge
        news = Notice(kind="challenge_withdrawn", challenge=challenge)
        done = await self._inboxes.put(
            sent.to, f"withdrawn:{challenge}", _encode(news), KEPT_MS, most=RECEIVED,
            instead=f"challenge:{challenge}",
            unless=[f"{state}:{challenge}" for state in ("accepted", "answered")],
        )  # fmt: skip
        if done == "full":  # no room for the news; take the challenge out without it
            return await self._inboxes.drop(sent.to, f"challenge:{challenge}")
        return done != "barred"

    async def _replace(self, sent: Sent, name: str, text: str) -> str:
        """Record the outcome of a challenge, once. Returns `missing` if it has another outcome, or
        has expired; otherwise `put`."""
        done = await self._inboxes.put(
            sent.to, name, text, KEPT_MS, instead=f"challenge:{sent.challenge}",
            needed=True, told=False,
        )  # fmt: skip
        return "missing" if done == "missing" else "put"

    def _lot(self, challenge: str) -> Seat:
        """The challenger's seat, drawn by lot: the same at every node. The recipient knows the id
        of the challenge before they answer, so the lot needs a secret."""
        key = self._tables.secrets.rooms
        drawn = blake2b(challenge.encode(), key=key, person=b"seat").digest()
        return 1 if drawn[0] % 2 else 0

    async def _carry_out(self, sent: Sent) -> dict[str, Paired]:
        """Make the room and tell both players. Returns what each of them is told, by user. It is
        safe to repeat."""
        assert sent.accepted_by is not None
        seat = self._lot(sent.challenge) if sent.seat is None else OTHER[sent.seat]
        room = await self._rooms.start(
            sent.sender,
            sent.accepted_by,
            Create(
                id=0,
                nonce=f"challenge-{sent.challenge}",
                game=sent.game,
                size=sent.size,
                seat=seat,
                clock=None if sent.control is None else requested(sent.control),
                rated=sent.rated,
            ),
        )
        asker = Paired(nonce=sent.nonce, room=room, seat=seat)
        asked = Paired(nonce=sent.challenge, room=room, seat=OTHER[seat])
        await self._inboxes.put(
            sent.user, f"paired:{sent.nonce}", _encode(asker), KEPT_MS,
            instead=f"sent:{sent.nonce}",
        )  # fmt: skip
        await self._inboxes.put(sent.to, f"paired:{sent.challenge}", _encode(asked), KEPT_MS)
        return {sent.user: asker, sent.to: asked}


def _sent(user: User, request: Challenge, to: str, *, guest: bool) -> Sent:
    """The requested challenge, with a random id. Raises Refused."""
    _, size = rules_of(request.game, request.size)
    check_clock(request.clock)
    if to == user.id:
        raise Refused(Code.BAD_FIELD, "you cannot challenge yourself", field="to")
    sent = Sent(
        challenge=world.token_hex(8),
        user=user.id,
        name=user.name,
        game=request.game,
        size=size,
        control=request.clock,
        seat=None if request.seat is None else OTHER[request.seat],
        to=to,
        nonce=request.nonce,
        guest=guest,
        bot=user.bot,
        rated=request.rated,
    )
    check_rated(sent.rated, "public", sent.sender)
    # The same types as when it is read back from the store, so that both compare equal.
    return _decode(_encode(sent), Sent)


def _encode(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


def _decode(text: str, kind: type[T]) -> T:
    return msgspec.json.decode(text, type=kind)


def _answer(request_id: int, paired: Paired) -> Ok:
    return Ok(id=request_id, room=paired.room, seats=[paired.seat])
