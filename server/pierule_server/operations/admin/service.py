"""Does what operators ask for, directly on the store, by the functions that a node uses.

Each method returns rows to show: mappings of plain values. The audit log records changes with the
operator's name and reason.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from pierule_archive.batch import ArchiveAway, Batch, Unkeepable, Void
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import DAY
from pierule_protocol.log.events import EMPTY
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import CHANNELS
from pierule_protocol.state.room import CorruptLog, room_state
from pierule_server.identity.bans import moment
from pierule_server.operations.admin.people import check_id, named
from pierule_server.operations.admin.showing import Row, card_row, report_row
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.live import retold
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.moderation import BANS, AuditAction, AuditEntry
from pierule_server.store.tables.paging import RoomFilter
from pierule_server.store.tables.quarantine import Damage, damage_of

DAMAGED_MS = 30 * DAY
"""Milliseconds for which the store keeps a copy of a damaged log after it was cut."""

GIVEN_UP = 100
"""Entries of a bucket that are given up in one step."""

_WRITES = (
    "nodes with an archive serve this store ({}), and games that wait would not reach it: start "
    "all nodes with --archive off; a node that was killed counts for 15 s. Or add --force"
)

CHAT_SHOWN = 1_000
"""Messages of a channel that `show_room` shows: all that a channel can keep."""


@asynccontextmanager
async def opened(
    store: str, operator: str, archive: str | None = None, data: Path | None = None
) -> AsyncIterator[AdminService]:
    """An admin service for the store and the archive at these URLs. The `data` folder, if there is
    one, has the key that signs. Raises StoreUnavailable, StoreUnusable or ValueError."""
    log = await RedisRoomLog.open(store, accept_volatile=True)
    hub = Hub("admin", log, log.tables, 1)
    try:
        log.listen(hub)
        hub.start()
        yield AdminService(hub, log, operator, archive, data)
    finally:
        await hub.stop()
        await log.close()


class AdminService:
    """One operator at work. Every method may raise Refused and StoreUnavailable."""

    def __init__(
        self,
        hub: Hub,
        log: RedisRoomLog,
        operator: str,
        archive: str | None = None,
        data: Path | None = None,
    ) -> None:
        self._log = log
        self._moderation = log.tables.moderation
        self._quarantine = log.tables.quarantine
        self._rooms = Rooms(hub, log, log.tables)
        self._operator = operator
        self._archive = archive
        self._data = data

    # --- rooms ---

    async def list_rooms(self, limit: int) -> list[Row]:
        """The open and running rooms. Those whose makers are away come last."""
        rows: list[Row] = []
        after = None
        while len(rows) < limit:
            page = await self._log.tables.listing.page(
                RoomFilter(), after, min(limit - len(rows), 100)
            )
            rows += [card_row(listed.card) for listed in page.rooms]
            if (after := page.next) is None:
                break
        return rows

    async def show_room(self, room_id: str) -> list[Row]:
        """A room, its log and its chat; of a damaged room what is wrong, and the raw log."""
        damage, _ = await self._examine(room_id)
        if damage is not None:
            return [
                {"damaged": room_id, "entry": damage.seq, "what": f"it {damage.why}"},
                *({"entry": number, "raw": text} for number, text in await self._raw(room_id)),
            ]
        room, told = retold(room_id, await self._log.read(room_id))
        rows: list[Row] = [{"room": msgspec.to_builtins(room_state(room))}]
        rows += [
            {"at": moment(entry.at), "seq": entry.seq, "event": entry.record} for entry in told
        ]
        for channel in CHANNELS:
            lines = await self._log.tables.chats.messages(room_id, channel, 0, CHAT_SHOWN)
            rows += [
                {"at": moment(line.at), "channel": channel, "seq": line.seq, "user": line.user,
                 "name": line.name, "text": line.text}
                for line in lines
            ]  # fmt: skip
        return rows

    async def close_room(self, room_id: str, why: str) -> list[Row]:
        """End a room, or void the result of a room that is over, even if only the archive has it.
        `why` is shown to players and kept in the audit log. A room that is closed or voided already
        stays as it is, and the audit log, too."""
        if await self._is_closed(room_id):
            done = await self._rooms.close(room_id, why)  # what an earlier try left undone
            return [{"closed already": room_id, "seq": done.place.seq}]
        await self._moderation.note(self._act("close", room_id, why))
        try:
            return [await self._close(room_id, why)]
        except (Refused, StoreUnavailable) as error:
            await self._moderation.note(self._act("failed", room_id, f"close: {error}"))
            raise

    async def _close(self, room_id: str, why: str) -> Row:
        if await self._is_compressed(room_id):
            stands = Refused(
                Code.FINISHED, "the room is put away, and no archive has it; its result stands"
            )
            return await self._void(room_id, why, stands)
        try:
            if not await self._repair(room_id):
                return {"closed": room_id, "seq": 0}
        except Refused as refused:
            if refused.code is not Code.UNKNOWN_ROOM:
                raise
            return await self._void(room_id, why, refused)
        done = await self._rooms.close(room_id, why)
        return {"closed": room_id, "seq": done.place.seq}

    async def _is_closed(self, room_id: str) -> bool:
        """Whether the room is closed or voided already. False if more than its log may have to
        change: if it is damaged, in quarantine, or put away."""
        if await self._quarantine.holds(room_id) or await self._is_compressed(room_id):
            return False
        try:
            entries = await self._log.read(room_id)
            return bool(entries) and retold(room_id, entries)[0].closed
        except CorruptLog:
            return False

    async def _is_compressed(self, room_id: str) -> bool:
        """Whether the room is put away: its log is whole, but takes no more entries."""
        if (await self._log.ends([room_id])).get(room_id) != EMPTY:
            return False
        try:
            return bool(await self._log.read(room_id))
        except CorruptLog:
            return False

    async def _void(self, room_id: str, why: str, otherwise: Refused) -> Row:
        """Void the result of a game in the archive. Raises Refused: `otherwise` if there is no
        archive or it lacks the game, and `unavailable` if the archive is away."""
        if self._archive is None:
            raise otherwise
        from pierule_archive.archive import UnknownGame as NotArchived  # see `archive_url`
        from pierule_archive.keys import first_signer
        from pierule_archive.writer import Writer

        keys = os.environ.get("PIERULE_ARCHIVE_KEYS", "")
        writer = Writer(self._archive, first_signer(keys, self._data))
        void = Void(room_id, await self._moderation.now(), why)
        try:
            await asyncio.to_thread(writer.write, Batch(voids=[void]))
        except NotArchived:
            raise otherwise from None
        except (ArchiveAway, Unkeepable) as error:
            raise Refused(Code.UNAVAILABLE, f"{error} (see --archive)") from error
        finally:
            await asyncio.to_thread(writer.close)
        return {"voided": room_id, "in": "the archive"}

    async def list_quarantine(self) -> list[Row]:
        """The rooms in quarantine, and why they are there."""
        return [
            {"room": aside.room, "since": moment(aside.at), "entry": aside.damage.seq,
             "what": f"it {aside.damage.why}"}
            for aside in await self._quarantine.all()
        ]  # fmt: skip

    async def set_aside(self, room_id: str, why: str) -> list[Row]:
        """Put a room in quarantine, so all nodes leave it alone."""
        damage, _ = await self._examine(room_id)
        if await self._quarantine.holds(room_id):
            raise Refused(Code.NOT_NOW, f"{room_id} is in quarantine already")
        await self._moderation.note(self._act("quarantine", room_id, why))
        damage = damage or Damage(0, f"was set aside by {self._operator}: {why}")
        await self._quarantine.put(room_id, damage)
        return [{"in quarantine": room_id}]

    async def let_out(self, room_id: str, why: str) -> list[Row]:
        """Release a room from quarantine. Raises Refused if its log is still damaged."""
        damage, _ = await self._examine(room_id)
        if damage is not None:
            what = f"entry {damage.seq} {damage.why}" if damage.seq else f"it {damage.why}"
            raise Refused(Code.DAMAGED, f"the log of {room_id} is still damaged: {what}")
        if not await self._quarantine.holds(room_id):
            raise Refused(Code.NOT_NOW, f"{room_id} is not in quarantine")
        await self._moderation.note(self._act("release", room_id, why))
        await self._quarantine.let_out(room_id)
        return [{"let out": room_id}]

    async def _examine(self, room_id: str) -> tuple[Damage | None, int]:
        """What is wrong with the log of a room, if anything, and how many good entries come before
        that. Raises Refused if there is no log at all, and UnknownGame."""
        raw = await self._raw(room_id)
        if not raw:
            raise Refused(Code.UNKNOWN_ROOM)
        room, good = None, 0
        try:
            for entry in await self._quarantine.readable(room_id):
                room = fold(room, room_id, entry)
                good += 1
            await self._log.read(room_id)
        except CorruptLog as error:
            return damage_of(error), good
        return None, good

    async def _raw(self, room_id: str) -> list[tuple[str, str]]:
        return await self._quarantine.raw(room_id)

    async def _repair(self, room_id: str) -> bool:
        """Cut off what is damaged at the end of a room's log, and release the room from quarantine.
        Returns False if nothing of the log was good, or there was none: then the room is
        forgotten."""
        if not await self._raw(room_id):
            if not await self._quarantine.forget(room_id):
                raise Refused(Code.UNKNOWN_ROOM)
            return False
        damage, good = await self._examine(room_id)
        if damage is not None:
            await self._quarantine.cut(room_id, good, DAMAGED_MS)
        if good == 0:
            await self._quarantine.forget(room_id)
            return False
        await self._quarantine.let_out(room_id)
        return True

    # --- users and addresses ---

    async def show_user(self, user: str) -> list[Row]:
        """What the store knows about a user: their ban, the rooms that they hold, the reports about
        them and by them."""
        await check_id(self._log.tables.accounts, user)
        now = await self._moderation.now()
        bans, reports = await self._moderation.bans(), await self._moderation.reports()
        ban = bans.get(user)
        rows: list[Row] = [
            {"user": user, "banned until": moment(ban.until) if ban and ban.until > now else "-",
             "why": ban.why if ban and ban.until > now else "-"}
        ]  # fmt: skip
        rows += [
            {"holds": room, "since": moment(at)}
            for at, room in await self._log.tables.memberships.held(user)
        ]
        rows += [
            report_row(name, report)
            for name, report in reports.items()
            if user in (report.message.user, report.by)
        ]
        return rows

    async def ban(self, who: str, seconds: int, why: str) -> list[Row]:
        """Ban a user or an address for this many seconds."""
        await check_id(self._log.tables.accounts, name := named(who))
        until = await self._moderation.now() + seconds * 1_000
        if not await self._moderation.ban(self._act("ban", name, why, until), until):
            raise Refused(Code.LIMIT, f"there are {BANS} bans already; lift some first")
        return [{"banned": name, "until": moment(until)}]

    async def unban(self, who: str, why: str) -> list[Row]:
        """Lift a ban."""
        name = named(who)
        if not await self._moderation.unban(self._act("unban", name, why)):
            raise Refused(Code.BAD_FIELD, f"{name} is not banned")
        return [{"unbanned": name}]

    async def list_bans(self) -> list[Row]:
        """All bans in the store. Expired bans stay there until new ones need their place."""
        now = await self._moderation.now()
        return [
            {"who": name, "until": moment(ban.until), "holds": ban.until > now, "why": ban.why}
            for name, ban in (await self._moderation.bans()).items()
        ]

    # --- reports ---

    async def list_reports(self) -> list[Row]:
        """All open reports."""
        return [report_row(*item) for item in (await self._moderation.reports()).items()]

    async def show_report(self, name: str) -> list[Row]:
        """A report with the messages around the reported one."""
        report = (await self._moderation.reports()).get(name)
        if report is None:
            raise Refused(Code.BAD_FIELD, f"there is no open report {name}")
        return [
            report_row(name, report),
            *(
                {"at": moment(line.at), "seq": line.seq, "user": line.user, "name": line.name,
                 "reported": line.seq == report.message.seq, "text": line.text}
                for line in report.context
            ),
        ]  # fmt: skip

    async def settle_report(self, name: str, why: str) -> list[Row]:
        """Settle a report: it is no longer open."""
        if not await self._moderation.settle(self._act("settle", name, why)):
            raise Refused(Code.BAD_FIELD, f"there is no open report {name}")
        return [{"settled": name}]

    # --- secrets ---

    async def list_secrets(self) -> list[Row]:
        """The ids of the secrets that prove places, but never the secrets (SPEC 6.13)."""
        await self._log.tables.secrets.read()
        return [
            {"secret": kid, "in use": kid == self._log.tables.secrets.kid}
            for kid in self._log.tables.secrets.proofs
        ]

    async def rotate_secret(self, why: str) -> list[Row]:
        """Prove places with a new secret from now on."""
        secrets = self._log.tables.secrets
        await secrets.read()
        await self._moderation.note(self._act("rotate", secrets.following, why))
        return [{"in use": await secrets.rotate()}]

    async def drop_secret(self, kid: str, why: str) -> list[Row]:
        """Forget an earlier secret."""
        secrets = self._log.tables.secrets
        await secrets.read()
        if kid not in secrets.proofs or kid == secrets.kid:
            raise Refused(Code.BAD_FIELD, f"{kid} is unknown or in use; only earlier secrets go")
        await self._moderation.note(self._act("drop", kid, why))
        await secrets.drop(kid)
        return [{"dropped": kid}]

    # --- the archive ---

    async def give_up_archive(self, seconds: int, why: str, *, force: bool) -> list[Row]:
        """Have the store forget, after this many seconds, what waits for an archive. Unless you
        `force` it, a living node that has one refuses this."""
        writers = await self._log.tables.keyring.archivists(await self._moderation.now())
        if writers and not force:
            raise Refused(Code.NOT_NOW, _WRITES.format(", ".join(writers)))
        queue, left = self._log.tables.archive_queue, 0
        await self._moderation.note(self._act("give_up", "archive", why))
        await queue.give_up()
        while waiting := (await queue.look(archives=False, more=GIVEN_UP)).oldest:
            for entry in waiting:
                left += await queue.done(entry, seconds * 1_000)
        return [{"given up": left}]

    # --- everybody ---

    async def announce(self, text: str, seconds: int | None) -> list[Row]:
        """Announce a text to all clients. `seconds` says when the announced thing happens, from
        now; None: it has no time."""
        now = await self._moderation.now()
        at = None if seconds is None else now + seconds * 1_000
        await self._moderation.note(self._act("announce", "all", text, at))
        return [{"announced": text, "at": "-" if at is None else moment(at)}]

    async def audit(self, limit: int) -> list[Row]:
        """What operators did last, at most `limit` entries, the latest at the end."""
        return [
            {"seq": act.seq, "at": moment(act.at), "by": act.by, "action": act.action, "to": act.to,
             "until": "-" if act.until is None else moment(act.until), "why": act.why}
            for act in await self._moderation.latest(limit)
        ]  # fmt: skip

    def _act(self, action: AuditAction, to: str, why: str, until: int | None = None) -> AuditEntry:
        return AuditEntry(by=self._operator, action=action, to=to, why=why, until=until)
