"""What a store keeps beside the logs of rooms, each table an object of its own."""

from __future__ import annotations

from dataclasses import dataclass

from pierule_server.store.tables.accounts import Accounts
from pierule_server.store.tables.archive_queue import ArchiveQueue
from pierule_server.store.tables.block_lists import BlockLists
from pierule_server.store.tables.chats import Chats
from pierule_server.store.tables.inboxes import Inboxes
from pierule_server.store.tables.listing import Listing
from pierule_server.store.tables.memberships import Memberships
from pierule_server.store.tables.moderation import Reports
from pierule_server.store.tables.origins import Origins
from pierule_server.store.tables.pools import Pools
from pierule_server.store.tables.quarantine import Quarantine
from pierule_server.store.tables.secrets import Secrets
from pierule_server.store.tables.webhooks import Webhooks


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a store. Hand each to what uses it."""

    accounts: Accounts
    """Who is registered under which name."""
    archive_queue: ArchiveQueue
    """What the archive has yet to learn."""
    chats: Chats
    """What is said in rooms."""
    memberships: Memberships
    """Which rooms each user holds."""
    inboxes: Inboxes
    """What users are to learn."""
    listing: Listing
    """What the lobby shows."""
    origins: Origins
    """From where rooms were made."""
    pools: Pools
    """Who waits for whom."""
    quarantine: Quarantine
    """The rooms that are set aside."""
    reports: Reports
    """What users report to the operators."""
    secrets: Secrets
    """What no client may be able to compute."""
    block_lists: BlockLists
    """Whom each user block_lists."""
    webhooks: Webhooks
    """Where users are called who are not connected."""
