"""Says from which address a request comes, without telling the address."""

from __future__ import annotations

from contextlib import suppress

from pierule_server.connections.connection import Connection
from pierule_server.connections.limits import of_network
from pierule_server.identity.tokens import Keys, User
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.listing import Listing


class RoomOrigins:
    """Keyed hashes of clients' addresses: nobody can read the addresses in the store."""

    def __init__(self, keys: Keys, listing: Listing) -> None:
        self._keys = keys
        self._listing = listing

    def of(self, connection: Connection) -> str:
        """What stands for the client's address; empty if it has none."""
        return "" if connection.address is None else self._hash(connection.address)

    def of_games(self, connection: Connection, user: User) -> list[tuple[str, int]]:
        """What stands for the client's address and its wider network where their unfinished games
        are counted, and how many times as many each may have. Nothing for users whose games are not
        counted (SPEC 9.11)."""
        if connection.address is None or user.standing == "vouched":
            return []
        shares = of_network(connection.address)
        return [(f"games {self._hash(name)}", times) for name, times in shares]

    async def note(self, connection: Connection, room: str) -> None:
        """The client has made this room, or begun to play in it: lists show only so many rooms of
        one network before those of others (SPEC 23.6)."""
        if connection.address is None:
            return
        widest, _ = of_network(connection.address)[-1]
        with suppress(StoreUnavailable):  # then the room counts to an unknown address
            await self._listing.note_origin(room, self._hash(widest))

    def _hash(self, address: str) -> str:
        return (self._keys.derived(self._keys.current, f"origin {address}") or "")[:16]
