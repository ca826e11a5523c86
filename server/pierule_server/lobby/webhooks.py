"""Calls the webhooks of users who are to act and nowhere connected (SPEC 23.13 and 23.14).

With the note that it is somebody's turn goes a call (`store.webhooks`). A node that tells the user
takes it out, so what is left after a while is the call of one whom nobody serves; any node makes
it. A call that was claimed and not settled is made again: a node's death loses none.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from random import sample
from typing import Literal

import msgspec
import structlog

from pierule_protocol.codes import Code
from pierule_protocol.messages import Notice, Notify, Ok, Seat
from pierule_server import metrics
from pierule_server.lobby.turns import LIFE_MS, OFF, turn_of
from pierule_server.room.decide import Refused
from pierule_server.room.hub import Hub
from pierule_server.room.live import refold
from pierule_server.store.log import StoreUnavailable
from pierule_server.store.webhooks import TRIES, Call, Claimed, Webhook
from pierule_server.wire.identity import Keys, User
from pierule_server.wire.outward import Outcome, Outward, Unfit
from pierule_server.wire.provider import vouched

log = structlog.get_logger()

LOOK = 1.0
"""Seconds between two looks at what is due."""

AT_ONCE = 32
"""Calls that a node makes at the same time; of a user one, so that nobody's receiver, however
slow, is in the way of another's for long."""


class YourTurn(msgspec.Struct, frozen=True):
    """The body of a call (SPEC 23.13)."""

    id: str
    user: str
    room: str
    game: str
    seat: Seat
    turn: int
    deadline: int | None
    link: str | None
    kind: str = "your_turn"


class Webhooks:
    """The webhooks of all users, at one node. `page` is the address of the page, if it has one."""

    def __init__(self, hub: Hub, keys: Keys, outward: Outward, page: str) -> None:
        self._hub = hub
        self._kept = hub.log.webhooks
        self._keys = keys
        self._outward = outward
        self._page = page
        self._calling: dict[str, asyncio.Task[None]] = {}

    async def notify(self, user: User, request: Notify) -> Ok:
        """Set the user's webhook, or remove it. Raises Refused or StoreUnavailable."""
        if request.url is None:
            await self.forget(user.id)
            return Ok(id=request.id)
        try:
            self._outward.target(request.url)
        except Unfit as error:
            raise Refused(Code.BAD_FIELD, str(error), field="url") from None
        if not await self._stays(user.id):
            raise Refused(Code.NO_ACCOUNT, "guests have no webhook; register a name first")
        webhook = await self._kept.read(user.id)
        if webhook is None or webhook.nonce != request.nonce:
            webhook = Webhook(request.url, request.nonce, self._keys.current)
            await self._kept.keep(user.id, webhook)
            await self._hub.log.inboxes.drop(user.id, OFF)
        elif webhook.url != request.url:
            raise Refused(
                Code.BAD_FIELD, "this nonce has set another URL; take a fresh one", field="nonce"
            )
        return Ok(id=request.id, secret=self._secret(user.id, webhook))

    async def forget(self, user: str) -> None:
        """A user is called no more. Raises StoreUnavailable."""
        await self._kept.keep(user, None)
        await self._hub.log.inboxes.drop(user, OFF)

    async def told(self, user: str, names: Collection[str]) -> None:
        """A user was told of these notes: nobody need call."""
        with suppress(StoreUnavailable):  # then one call is made too many
            await asyncio.gather(*(self._kept.settle(Call(user, name), "moot") for name in names))

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                await asyncio.sleep(LOOK)
                with suppress(StoreUnavailable):
                    self._begin(await self._kept.due())
        finally:
            for task in self._calling.values():
                task.cancel()
            await asyncio.gather(*self._calling.values(), return_exceptions=True)
            self._outward.close()

    def _begin(self, due: Sequence[Call]) -> None:
        for call in sample(due, len(due)):  # or those of one bucket would always come first
            if len(self._calling) < AT_ONCE and call.user not in self._calling:
                task = asyncio.create_task(self._call(call))
                self._calling[call.user] = task
                task.add_done_callback(partial(self._end, call.user))

    def _end(self, user: str, _: asyncio.Task[None]) -> None:
        del self._calling[user]

    async def _call(self, call: Call) -> None:
        """Try a call, if it is ours and its reason still stands. The store going away now means
        that it is tried again."""
        with suppress(StoreUnavailable):
            claimed = await self._kept.claim(call)
            if claimed is None:
                return
            body = await self._body(call) if await self._stays(call.user) else None
            if body is None:
                await self._kept.settle(call, "moot")
                return
            outcome = await self._send(call, claimed.webhook, body)
            metrics.WEBHOOKS.labels(outcome).inc()
            # Neither the URL nor its host: both may hold what only the user knows.
            log.info(
                "webhook", user=call.user, name=call.name, outcome=outcome, tries=claimed.tries
            )
            await self._settle(call, claimed, delivered=outcome == "delivered")

    async def _settle(self, call: Call, claimed: Claimed, *, delivered: bool) -> None:
        nonce = claimed.webhook.nonce
        if delivered:
            await self._kept.settle(call, "made", nonce)
        elif claimed.tries >= TRIES and await self._kept.settle(call, "failed", nonce):
            metrics.WEBHOOKS.labels("switched_off").inc()
            text = msgspec.json.encode(Notice(kind="webhook_off")).decode()
            await self._hub.log.inboxes.put(call.user, OFF, text, LIFE_MS)

    async def _body(self, call: Call) -> bytes | None:
        """What is to be said; None if there is no reason any more."""
        room_id, turn = turn_of(call.name)
        # What is at hand here may be behind, and a call that seems moot is gone for good.
        entries = await self._hub.log.read(room_id)
        room = refold(room_id, entries) if entries else None
        if room is None or room.status != "running" or room.turn != turn:
            return None
        seat = room.position.to_act
        if seat is None or seat not in room.seats_of(call.user):
            return None
        link = f"{self._page}#{room_id}" if self._page else None
        game = room.created.game
        return msgspec.json.encode(
            YourTurn(call.name, call.user, room_id, game, seat, turn, room.deadline, link)
        )

    async def _send(
        self, call: Call, webhook: Webhook, body: bytes
    ) -> Outcome | Literal["keyless"]:
        secret = self._secret(call.user, webhook)
        if secret is None:
            return "keyless"
        stamp = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "pierule",
            "Pierule-Timestamp": stamp,
            "Pierule-Signature": signature(secret, stamp, body),
        }
        return await self._outward.post(webhook.url, headers, body)

    def _secret(self, user: str, webhook: Webhook) -> str | None:
        """The same at every node and for a retry, so that it need not be kept; None once the key
        is not known any more."""
        return self._keys.derived(webhook.key, f"webhook {user} {webhook.nonce}")

    async def _stays(self, user: str) -> bool:
        """Whether this is a user who can come back: guests come and go."""
        if vouched(user):
            return True
        account = await self._hub.log.accounts.read(user)
        return account is not None and bool(account.name)


def signature(secret: str, stamp: str, body: bytes) -> str:
    """What proves that a call is ours (SPEC 23.14)."""
    return hmac.new(secret.encode(), stamp.encode() + b"." + body, "sha256").hexdigest()
