"""Reads everything that the server stores about a user, line by line (SPEC 24.11).

The lines have an order, and each line has a place in it. So a download can go on where a page
ended, whatever has come or gone since then.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec

from pierule_archive.batch import ArchiveAway, KeptGame
from pierule_protocol.codes import Code
from pierule_protocol.messages import CHANNELS
from pierule_protocol.state.room import CorruptLog, UnknownGame
from pierule_server.identity.provider import vouched
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.slices import Slices
from pierule_server.store.tables.tables import Tables

PAGE_BYTES = 262_144
"""The most bytes of a page, unless a single line is longer."""

LINE_BYTES = 393_216
"""The most bytes of a game's record in a line. A message has at most 1 MiB (SPEC 1.7), and many
characters become longer there because they are escaped."""

MESSAGES = 250
GAMES = 8
"""Messages and games to read in one step."""

Item: TypeAlias = dict[str, Any]

_CURSOR = re.compile(r"(account|room|game)-([0-9a-z]{1,32})-([0-9])-([0-9]{1,10})")


class Place(NamedTuple):
    """The place of a line. `name` is the number of an item of the account, the id of a room, or the
    feed number of a game. A chat message in a room or game has a `channel` (from 1) and a `seq`;
    both are 0 for other lines."""

    stage: str
    name: str
    channel: int = 0
    seq: int = 0

    @property
    def cursor(self) -> str:
        """The place as a text, for clients."""
        return "-".join(map(str, self))

    def within(self, place: Place) -> bool:
        """Whether a page that starts here has the own line of the room or game at `place`, and not
        only messages of it."""
        return (self.channel, self.seq) == (0, 0) or self.name != place.name


class Finished(Protocol):
    """Reads finished games of a player: see `rooms.archive_writer`."""

    async def games_of(self, player: str, first: int, most: int) -> list[KeptGame]: ...


class AccountData:
    """Reads what is stored about a user. `finished` reads games from the archive, if there is
    one."""

    def __init__(self, tables: Tables, slices: Slices, finished: Finished | None) -> None:
        self._tables = tables
        self._slices = slices
        self._finished = finished

    async def page(self, user: User, after: str | None) -> tuple[list[str], str | None]:
        """A page of lines from a cursor on, each JSON; and the cursor of the next page, None after
        the last. Raises Refused and StoreUnavailable."""
        lines: list[str] = []
        size = 0
        async for place, item in self._from(user, _place(after)):
            line = msgspec.json.encode(item)
            if lines and size + len(line) > PAGE_BYTES:
                return lines, place.cursor
            lines.append(line.decode())
            size += len(line)
        return lines, None

    async def _from(self, user: User, start: Place) -> AsyncIterator[tuple[Place, Item]]:
        if start.stage == "account":
            for number, item in enumerate(await self._account(user)):
                if number >= int(start.name):
                    yield Place("account", str(number)), item
            start = Place("room", "a")
        if start.stage == "room":
            held = await self._tables.memberships.held(user.id)
            for room, since in sorted((room, since) for since, room in held):
                if room >= start.name:
                    place = Place("room", room)
                    if start.within(place):
                        yield place, {"kind": "room", "room": room, "since": since}
                    async for each in self._messages(user, room, place, start):
                        yield each
            start = Place("game", "1")
        async for each in self._games(user, start):
            yield each

    async def _account(self, user: User) -> list[Item]:
        tables = self._tables
        account = await tables.accounts.read(user.id)
        webhook = await tables.webhooks.read(user.id)
        items: list[Item] = [
            {
                "kind": "account", "user": user.id, "name": user.name, "bot": user.bot,
                "registered": account is not None and not account.deleted,
                "provider": vouched(user.id), "since": user.born * 1_000 or None,
                "webhook": webhook and webhook.url,
                "former": account.former.split() if account else [],
            }
        ]  # fmt: skip
        blocks = await tables.block_lists.read(user.id)
        items += [{"kind": "block", "user": each, "how": blocks[each]} for each in sorted(blocks)]
        notes = await tables.inboxes.read(user.id)
        items += [{"kind": "note", "name": name, "text": notes[name]} for name in sorted(notes)]
        items += [
            {"kind": "report", "room": report.room, "channel": report.channel,
             "message": report.message, "text": report.text}
            for report in await tables.moderation.by(user.id)
        ]  # fmt: skip
        return items

    async def _games(self, user: User, start: Place) -> AsyncIterator[tuple[Place, Item]]:
        first, more = int(start.name), True
        while self._finished is not None and more:
            try:
                games = await self._finished.games_of(user.id, first, GAMES)
            except ArchiveAway:
                raise Refused(
                    Code.UNAVAILABLE, "the archive of finished games is away; try again later"
                ) from None
            more = len(games) == GAMES
            for game in games:
                place = Place("game", str(game.feed))
                if start.within(place):
                    yield place, await self._game(game)
                async for each in self._messages(user, game.room, place, start):
                    yield each
                first = game.feed + 1

    async def _game(self, game: KeptGame) -> Item:
        item: Item = {"kind": "game", "feed": game.feed, "room": game.room, "access": game.access}
        try:
            record = msgspec.json.encode(await self._slices.work(game.record))
        except (ValueError, CorruptLog, UnknownGame):
            return item | {"record": None, "void": game.void}
        fits = len(record) <= LINE_BYTES
        return item | {"record": msgspec.Raw(record) if fits else None, "void": game.void}

    async def _messages(
        self, user: User, room: str, place: Place, start: Place
    ) -> AsyncIterator[tuple[Place, Item]]:
        """The user's messages in the chat of a room or game at `place`; from `start` on if `start`
        lies in it."""
        begin = start if start.name == place.name else place
        for number, channel in enumerate(CHANNELS, 1):
            first = max(1, begin.seq if number == begin.channel else 1)
            more = number >= begin.channel
            while more:
                messages = await self._tables.chats.messages(room, channel, first, MESSAGES)
                for message in messages:
                    if message.user == user.id:
                        yield place._replace(channel=number, seq=message.seq), {
                            "kind": "message", "room": room, "channel": channel,
                            "seq": message.seq, "at": message.at, "name": message.name,
                            "text": message.text,
                        }  # fmt: skip
                more = len(messages) == MESSAGES
                first = messages[-1].seq + 1 if messages else first


def _place(cursor: str | None) -> Place:
    """The place that a cursor names. Raises Refused."""
    if cursor is None:
        return Place("account", "0")
    match = _CURSOR.fullmatch(cursor)
    if match is None or (match[1] != "room" and not match[2].isdecimal()):
        raise Refused(
            Code.BAD_FIELD, "no page ended there; send the `next` of the page before", field="after"
        )
    return Place(match[1], match[2], int(match[3]), int(match[4]))
