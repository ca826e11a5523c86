"""Calls the webhook of a user whose turn it is and who is not connected (SPEC 23.13 and 23.14).

Together with the your-turn note, the store keeps a call (`store.tables.webhooks`). A node that
tells the user removes the call. So if the call is still there after a while, the user is not
connected, and any node makes it. If a node claims a call but does not settle it, the call is made
again. So no call is lost when a node dies.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import OrderedDict
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import msgspec
import structlog

from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.messages import Notice, Ok, Seat, SetWebhook
from pierule_server import metrics
from pierule_server.identity.tokens import Keys, User
from pierule_server.lobby.outbound_http import OutboundHttp, Outcome, Unfit
from pierule_server.lobby.turns import LIFE_MS, OFF, turn_of
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import is_registered
from pierule_server.store.tables.tables import Tables
from pierule_server.store.tables.webhooks import TRIES, Call, Claimed, Webhook
from pierule_server.tasks import Tasks, kept

logger = structlog.get_logger()

LOOK = 1.0
"""Seconds between two looks for calls that are due."""

AT_ONCE = 32
"""Places for calls in each lane. A user has only one call at a time."""

QUICK = 1.0
"""Seconds after which a call gives up its place and goes on without one. So each lane can begin
`AT_ONCE` calls in this time, whatever the receivers do, and at most five times as many are under
way."""

KNOWN = 10_000
"""The most users of whom this node remembers that their receiver is quick."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One of two lanes of calls: for users whose receiver was quick the last time, and for all
    others. So quick receivers never wait for the others, not even when names are resolved."""

    outward: OutboundHttp
    places: set[str] = field(default_factory=set)


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
    """Sets and calls webhooks, at one node. `page` is the address of the page; empty if there is
    none."""

    def __init__(
        self, hub: Hub, tables: Tables, keys: Keys, outward: OutboundHttp, page: str
    ) -> None:
        self._hub = hub
        self._tables = tables
        self._kept = tables.webhooks
        self._keys = keys
        self._outward = outward
        self._page = page
        self._quick: OrderedDict[str, None] = OrderedDict()
        self._lanes = {True: Lane(outward), False: Lane(outward.apart())}
        self._calling: set[str] = set()
        self._tasks = Tasks()

    async def notify(self, user: User, request: SetWebhook) -> Ok:
        """Set the user's webhook, or remove it. Raises Refused or StoreUnavailable."""
        if request.url is None:
            await self.forget(user.id)
            return Ok(id=request.id)
        try:
            self._outward.target(request.url)
        except Unfit as error:
            raise Refused(Code.BAD_FIELD, str(error), field="url") from None
        if not await is_registered(self._tables.accounts, user.id):
            raise Refused(Code.NO_ACCOUNT, "guests cannot have a webhook; register a name first")
        webhook = await self._kept.read(user.id)
        if webhook is None or webhook.nonce != request.nonce:
            webhook = Webhook(request.url, request.nonce, self._keys.current)
            await self._kept.keep(user.id, webhook)
            await self._tables.inboxes.drop(user.id, OFF)
        elif webhook.url != request.url:
            raise Refused(
                Code.BAD_FIELD, "this nonce set another URL; take a fresh one", field="nonce"
            )
        return Ok(id=request.id, secret=self._secret(user.id, webhook))

    async def forget(self, user: str) -> None:
        """Remove a user's webhook. Raises StoreUnavailable."""
        await self._kept.keep(user, None)
        await self._tables.inboxes.drop(user, OFF)

    async def told(self, user: str, names: Collection[str]) -> None:
        """The user has got these notes, so remove their calls."""
        with suppress(StoreUnavailable):  # then the user gets a call too many
            await asyncio.gather(*(self._kept.settle(Call(user, name), "moot") for name in names))

    async def run(self) -> None:
        """Make calls that are due, until cancelled."""
        try:
            await kept(self._look, "webhooks")
        finally:
            await self._tasks.stop()
            for lane in self._lanes.values():
                lane.outward.close()

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            with suppress(StoreUnavailable):
                self._begin(await self._kept.due())

    def _begin(self, due: Sequence[Call]) -> None:
        # The order is random: otherwise the calls of the first buckets would always come first.
        for call in world.random().sample(due, len(due)):
            lane = self._lanes[call.user in self._quick]
            if len(lane.places) < AT_ONCE and call.user not in self._calling:
                self._start(call, lane)

    def _start(self, call: Call, lane: Lane) -> None:
        user = call.user
        lane.places.add(user)
        leaving = asyncio.get_running_loop().call_later(QUICK, lane.places.discard, user)
        task = self._tasks.begin(self._call(call, lane.outward), "a call of a webhook")
        self._calling.add(user)

        def end(_: asyncio.Task[None]) -> None:
            leaving.cancel()
            lane.places.discard(user)
            self._calling.discard(user)

        task.add_done_callback(end)

    async def _call(self, call: Call, outward: OutboundHttp) -> None:
        """Make a call, if no other node has claimed it and it is still the user's turn. If the
        store stops answering, the call is tried again."""
        with suppress(StoreUnavailable):
            claimed = await self._kept.claim(call)
            if claimed is None:
                return
            stays = await is_registered(self._tables.accounts, call.user)
            body = await self._body(call) if stays else None
            if body is None:
                await self._kept.settle(call, "moot")
                return
            began = world.monotonic()
            outcome = await self._send(call, claimed.webhook, body, outward)
            self._note(call.user, quick=world.monotonic() - began < QUICK)
            metrics.WEBHOOKS.labels(outcome).inc()
            # Never log the URL or its host: both may contain secrets of the user.
            logger.info(
                "called a webhook",
                user=call.user,
                name=call.name,
                outcome=outcome,
                tries=claimed.tries,
            )
            await self._settle(call, claimed, delivered=outcome == "delivered")

    def _note(self, user: str, *, quick: bool) -> None:
        self._quick.pop(user, None)
        if quick:
            self._quick[user] = None
        if len(self._quick) > KNOWN:
            self._quick.popitem(last=False)

    async def _settle(self, call: Call, claimed: Claimed, *, delivered: bool) -> None:
        nonce = claimed.webhook.nonce
        if delivered:
            await self._kept.settle(call, "made", nonce)
        elif claimed.tries >= TRIES and await self._kept.settle(call, "failed", nonce):
            metrics.WEBHOOKS.labels("switched_off").inc()
            text = msgspec.json.encode(Notice(kind="webhook_off")).decode()
            await self._tables.inboxes.put(call.user, OFF, text, LIFE_MS)

    async def _body(self, call: Call) -> bytes | None:
        """The body of the call; None if it is no longer the user's turn."""
        room_id, turn = turn_of(call.name)
        # Read the log: the room in memory may be behind, and a moot call is dropped for good.
        room = await self._hub.read(room_id)
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
        self, call: Call, webhook: Webhook, body: bytes, outward: OutboundHttp
    ) -> Outcome | Literal["keyless"]:
        secret = self._secret(call.user, webhook)
        if secret is None:
            return "keyless"
        stamp = str(int(world.wall()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "pierule",
            "Pierule-Timestamp": stamp,
            "Pierule-Signature": signature(secret, stamp, body),
        }
        return await outward.post(webhook.url, headers, body)

    def _secret(self, user: str, webhook: Webhook) -> str | None:
        """The secret that signs a user's calls. It is derived, so every node and every retry has
        the same, and nobody keeps it. None if the key is unknown."""
        return self._keys.derived(webhook.key, f"webhook {user} {webhook.nonce}")


def signature(secret: str, stamp: str, body: bytes) -> str:
    """The signature that proves that a call comes from this server (SPEC 23.14)."""
    return hmac.new(secret.encode(), stamp.encode() + b"." + body, "sha256").hexdigest()
