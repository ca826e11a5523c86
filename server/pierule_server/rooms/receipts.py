"""Signs receipts, with which a player can later prove what the server acknowledged (SPEC 28.10).

A receipt promises as much as an `ok` (law 4), so the log is confirmed before it is signed.
"""

from __future__ import annotations

from typing import Protocol

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Entry
from pierule_protocol.log.proof import hashing, receipt_statement
from pierule_protocol.messages import Ok, Receipt, ReceiptQuery
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.decisions.delay import horizon
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.making import admit
from pierule_server.store.room_log import RoomLog, StoreUnavailable

TRIES = 8
"""How often to read a log that loses its end meanwhile."""


class Signer(Protocol):
    """The signing key of this installation (`pierule_archive.keys`)."""

    @property
    def id(self) -> str: ...

    def sign(self, statement: bytes) -> bytes: ...


class Receipts:
    """Signs logs. Without a signer it refuses."""

    def __init__(self, hub: Hub, log: RoomLog, signer: Signer | None) -> None:
        self._hub = hub
        self._log = log
        self._signer = signer

    async def sign(self, user: User, request: ReceiptQuery, *, admitted: bool) -> Ok:
        """The receipt of a log up to the requested place, if the user may see it. `admitted` says
        that the user follows the room already. Raises Refused and StoreUnavailable."""
        if self._signer is None:
            raise Refused(Code.NOT_NOW, "this server has no key for signing receipts")
        for _ in range(TRIES):
            told = await self._told(user, request.room, admitted=admitted)
            seq = len(told) if request.seq is None else request.seq
            if seq > len(told):
                raise Refused(Code.BAD_FIELD, f"this room has no event {seq} yet", field="seq")
            place = told[seq - 1].place
            if not await self._log.confirm(request.room, place):
                continue
            log = await self._hub.slices.work(hashing(told[:seq]))
            signature = self._signer.sign(receipt_statement(request.room, log, place))
            receipt = Receipt(
                epoch=place.epoch, seq=place.seq, chain=place.chain, log=log,
                key=self._signer.id, signature=signature.hex(),
            )  # fmt: skip
            return Ok(id=request.id, room=request.room, receipt=receipt)
        raise StoreUnavailable

    async def _told(self, user: User, room_id: str, *, admitted: bool) -> list[Entry]:
        """The entries of a log that a user may see (SPEC 20.3, 20.5)."""
        entries = await self._hub.recovery.entries(room_id)
        room = await self._hub.recovery.fold(room_id, entries)
        if not admitted:
            admit(room, user, None)
        return entries if room.seats_of(user.id) else entries[: horizon(room)]
