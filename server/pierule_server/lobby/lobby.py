"""Puts the lobby of a node together: its requests, and connections that come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial

from pierule_protocol.messages import MyRoom, Ok, WatchLobby
from pierule_server import metrics
from pierule_server.connections.connection import Connection
from pierule_server.identity.tokens import User
from pierule_server.lobby.challenges import Challenges
from pierule_server.lobby.erasure import GONE, Unlisting
from pierule_server.lobby.inbox_delivery import PAUSE, InboxDelivery
from pierule_server.lobby.my_rooms import my_rooms
from pierule_server.lobby.seeking import Seeking
from pierule_server.lobby.turns import Turns
from pierule_server.lobby.view import View
from pierule_server.lobby.waiting import Waiting
from pierule_server.lobby.webhooks import Webhooks
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.lists import filter_of
from pierule_server.rooms.rooms import Rooms
from pierule_server.rooms.standings import Standings
from pierule_server.store.buckets import TOPICS
from pierule_server.store.room_log import RoomLog, StoreUnavailable
from pierule_server.store.tables.accounts import deleted_of, nameless
from pierule_server.store.tables.tables import Tables
from pierule_server.tasks import Tasks


class Lobby:
    """Everything that spans rooms, at one node."""

    def __init__(
        self,
        hub: Hub,
        rooms: Rooms,
        log: RoomLog,
        tables: Tables,
        node: str,
        standings: Standings,
        seeks_per_user: int = 0,
        challenges_per_user: int = 0,
        webhooks: Webhooks | None = None,
    ) -> None:
        self._hub = hub
        self._log = log
        self._tables = tables
        self._listed = Unlisting(hub, log, tables)
        self.webhooks = webhooks
        self._inbox_delivery = InboxDelivery(tables.inboxes, self._told, tables.deadlines.of)
        self.turns = Turns(hub, tables.inboxes, called=webhooks is not None)
        self._view = View(hub, tables.listing, node)
        self.seeking = Seeking(
            tables, rooms, seeks_per_user, self.turns.tell, self._view.levels, standings
        )
        self.challenges = Challenges(tables, rooms, challenges_per_user)
        self._missed = asyncio.Event()
        self._tasks = Tasks()

    def start(self) -> None:
        """Begin to deliver inboxes, renew seeks, show the lobby and call webhooks."""
        self._hub.topics.update(dict.fromkeys(TOPICS, self))
        self._tasks.keep(partial(self._inbox_delivery.run, self._log.subscribe), "inboxes")
        self._tasks.keep(self.turns.run, "turns")
        self._tasks.keep(self._look, "changed accounts")
        self._tasks.keep(self.seeking.run, "seeks")
        self._tasks.keep(self._view.run, "lobby")
        self._tasks.keep(self._view.count_spectators, "spectators")
        if self.webhooks is not None:
            self._tasks.begin(self.webhooks.run())

    async def stop(self) -> None:
        """End all tasks."""
        await self._tasks.stop()

    def measure(self) -> None:
        """Update the gauge of seeks."""
        metrics.SEEKS.set(self.seeking.waiting)

    def enter(self, connection: Connection) -> None:
        """A client has said hello."""
        self._inbox_delivery.enter(connection)

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._inbox_delivery.leave(connection)
        self._view.leave(connection)
        seeks = self.seeking.leave(connection)
        if seeks:
            self._tasks.begin(self._away(seeks))

    async def mine(self, user: User) -> list[MyRoom]:
        """The rooms in which a user plays. Raises StoreUnavailable."""
        async with self._hub.slices.alone():
            return await my_rooms(self._hub, self._tables.memberships, user.id)

    async def has_note(self, user: User, nonce: str, *kinds: str) -> bool:
        """Whether a user's inbox has a note of one of these kinds about a nonce. Raises
        StoreUnavailable."""
        notes = await self._tables.inboxes.read(user.id)
        return any(f"{kind}:{nonce}" in notes for kind in kinds)

    async def watch(self, connection: Connection, request: WatchLobby) -> None:
        """Answer, then send the lobby and its changes from now on; or stop sending them. Raises
        Refused and StoreUnavailable."""
        wanted = filter_of(request)
        if request.watch:
            await self._view.refresh()
        connection.send(Ok(id=request.id))
        if request.watch:
            self._view.watch(connection, wanted)
        else:
            self._view.leave(connection)

    def _told(self, connection: Connection, names: list[str]) -> None:
        if self.webhooks is not None and connection.user is not None:
            self._tasks.begin(self._settle(self.webhooks, connection, connection.user.id, names))

    async def _settle(
        self, webhooks: Webhooks, connection: Connection, user: str, names: list[str]
    ) -> None:
        """If the notes reached the user, no webhook needs a call. The client must prove it: a
        network may have cut the connection silently."""
        if await connection.reached():
            await webhooks.told(user, names)

    async def _away(self, seeks: list[Waiting]) -> None:
        with suppress(StoreUnavailable):  # then their leases expire
            await self.seeking.away(seeks)

    async def forget(self, user: str) -> None:
        """Remove the name of a user who deleted their account, and their webhook. Raises
        StoreUnavailable."""
        await self._tables.archive_queue.forget(user)
        await self._tables.webhooks.keep(user, None)
        await self._listed.forget(user)

    def note(self, text: str) -> None:
        """Somebody has put a note into an inbox (see `rooms.hub.Topic`)."""
        user, name, message = text.split(" ", 2)
        self._inbox_delivery.note(user, name, message)
        if name == GONE:
            self._forget({user})

    def gap(self) -> None:
        """The node may have missed notes."""
        self._inbox_delivery.gap()
        self._missed.set()

    async def _look(self) -> None:
        """Forget names whose deletion this node may have missed, and close connections whose
        sessions have ended, until cancelled."""
        while True:
            await self._missed.wait()
            self._missed.clear()
            try:
                known = self._hub.cache.players() | self._inbox_delivery.users()
                accounts = await self._tables.accounts.known(known)
                self._forget(deleted_of(accounts))
                self._inbox_delivery.check_sessions(accounts)
            except StoreUnavailable:
                self._missed.set()
                await asyncio.sleep(PAUSE)

    def _forget(self, users: Collection[str]) -> None:
        known = (self._hub.cache.players() | self._inbox_delivery.users()).intersection(users)
        for user in users:
            for connection in self._inbox_delivery.of(user):
                if connection.user is not None:
                    connection.user = replace(connection.user, name=nameless(user))
        self._hub.cache.forget(users)
        if known:
            self._tasks.begin(self._unlist(known))

    async def _unlist(self, users: Collection[str]) -> None:
        """Remove the names of these users from listings again. This node may have written a card
        with the name after the deletion. That card is at the store or on its way there, and what
        this writes comes after it, on the same connection."""
        try:
            for user in users:
                await self._listed.unlist(user)
        except StoreUnavailable:
            await asyncio.sleep(PAUSE)
            self._missed.set()
