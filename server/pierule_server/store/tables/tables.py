"""All tables that a store keeps beside the logs of rooms."""

from __future__ import annotations

from dataclasses import dataclass

from pierule_server.store.clock import StoreClock
from pierule_server.store.driver.access import Access
from pierule_server.store.tables.accounts import Accounts
from pierule_server.store.tables.archive_queue import ArchiveQueue
from pierule_server.store.tables.block_lists import BlockLists
from pierule_server.store.tables.chats import Chats
from pierule_server.store.tables.deadlines import Deadlines
from pierule_server.store.tables.inboxes import Inboxes
from pierule_server.store.tables.keyring import Keyring
from pierule_server.store.tables.listing import Listing
from pierule_server.store.tables.memberships import Memberships
from pierule_server.store.tables.moderation import Moderation
from pierule_server.store.tables.origins import Origins
from pierule_server.store.tables.pools import Pools
from pierule_server.store.tables.quarantine import Quarantine
from pierule_server.store.tables.secrets import Secrets
from pierule_server.store.tables.webhooks import Webhooks


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a store, one object each."""

    accounts: Accounts
    """Registered names and their owners."""
    archive_queue: ArchiveQueue
    """What the archive does not have yet."""
    block_lists: BlockLists
    """Whom each user mutes or blocks."""
    chats: Chats
    """The chat messages of rooms."""
    deadlines: Deadlines
    """When rooms are due, outages, and when players were last there."""
    inboxes: Inboxes
    """Notes that wait for users."""
    keyring: Keyring
    """The serving nodes, and the keys that they have."""
    listing: Listing
    """What the lobby shows."""
    memberships: Memberships
    """The rooms that each user holds."""
    moderation: Moderation
    """Bans, what users report, and what operators have done."""
    origins: Origins
    """The rooms that were made from each address."""
    pools: Pools
    """Seeks that wait for a game."""
    quarantine: Quarantine
    """Damaged rooms that all nodes leave alone."""
    secrets: Secrets
    """Secrets that all nodes share."""
    webhooks: Webhooks
    """Webhooks of users, and the calls that are due."""

    @classmethod
    def of(cls, store: Access, clock: StoreClock) -> Tables:
        """The tables of a store, whose time they tell to `clock`."""
        return cls(
            accounts=Accounts(store.request),
            archive_queue=ArchiveQueue(store),
            block_lists=BlockLists(store.request),
            chats=Chats(store.request),
            deadlines=Deadlines(store, clock),
            inboxes=Inboxes(store.request),
            keyring=Keyring(store.request),
            listing=Listing(store),
            memberships=Memberships(store.request),
            moderation=Moderation(store.request),
            origins=Origins(store.request),
            pools=Pools(store),
            quarantine=Quarantine(store.request),
            secrets=Secrets(store.request),
            webhooks=Webhooks(store),
        )
