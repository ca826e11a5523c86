"""All tables that a store keeps beside the logs of rooms."""

from __future__ import annotations

from dataclasses import dataclass

from pierule_server.store.tables.accounts import Accounts
from pierule_server.store.tables.archive_queue import ArchiveQueue
from pierule_server.store.tables.block_lists import BlockLists
from pierule_server.store.tables.chats import Chats
from pierule_server.store.tables.deadlines import Deadlines
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
    """The tables of a store, one object each."""

    accounts: Accounts
    """Registered names and their owners."""
    archive_queue: ArchiveQueue
    """What the archive does not have yet."""
    chats: Chats
    """The chat messages of rooms."""
    deadlines: Deadlines
    """When rooms are due, outages, and when players were last there."""
    memberships: Memberships
    """The rooms that each user holds."""
    inboxes: Inboxes
    """Notes that wait for users."""
    listing: Listing
    """What the lobby shows."""
    origins: Origins
    """The rooms that were made from each address."""
    pools: Pools
    """Seeks that wait for a game."""
    quarantine: Quarantine
    """Damaged rooms that all nodes leave alone."""
    reports: Reports
    """What users report to the operators."""
    secrets: Secrets
    """Secrets that all nodes share."""
    block_lists: BlockLists
    """Whom each user mutes or blocks."""
    webhooks: Webhooks
    """Webhooks of users, and the calls that are due."""
