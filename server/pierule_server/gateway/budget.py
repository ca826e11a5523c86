"""What requests cost, and what an address pays from (SPEC 1.11, law 10).

Connections and guests are free, so limits per connection or guest do not bound somebody who makes
new ones. Guests therefore pay from one budget per address; those older than a day have a larger
one, and each one of their own besides (`limits.Allowance`).
"""

from __future__ import annotations

from typing import Any

from pierule_protocol.messages import (
    Abort,
    Accept,
    Act,
    Block,
    BoardMismatch,
    CancelSeek,
    Challenge,
    Claim,
    ClientMessage,
    Create,
    Decline,
    DeleteAccount,
    DownloadAccount,
    GameQuery,
    Hello,
    Join,
    Leave,
    LogQuery,
    Offer,
    Ping,
    ReceiptQuery,
    Register,
    ReplayQuery,
    ReportMessage,
    Resign,
    RoomsQuery,
    Say,
    Seek,
    SetWebhook,
    Withdraw,
    WithdrawChallenge,
)
from pierule_server.connections.limits import Budget, TokenBuckets, of_network

NEW_GUEST = 10
RECOVERY = 30
REMATCH = 20
FURTHER_PAGE = 20
PLIES = 10
"""Plies of a replay that cost 1."""

PRICES: dict[type[Any], int] = {
    # Nobody is to be kept from a game that runs by what others at the address do.
    **dict.fromkeys((Act, Resign, Abort, Offer, Accept, Decline, Withdraw, Claim), 0),
    **dict.fromkeys((Hello, Ping, Leave, CancelSeek, WithdrawChallenge), 0),
    **dict.fromkeys((Say, RoomsQuery, LogQuery), 2),
    **dict.fromkeys((ReplayQuery, GameQuery, BoardMismatch, ReportMessage, SetWebhook, Block), 5),
    ReceiptQuery: 5,
    Seek: 10,
    Create: 20,
    Challenge: 20,
    Register: 60,
    DeleteAccount: 60,
    DownloadAccount: 60,
}
"""Requests that are not listed cost 1."""


def price_of(request: ClientMessage) -> float:
    """What a request costs."""
    match request:
        case Hello(recovery=str()):
            return RECOVERY
        case Hello(token=None):
            return NEW_GUEST
        case Join(since=since) if since is not None:
            return 0  # Paid later, by what was missed (`handlers.rooms`).
        case Offer(what="rematch"):
            return REMATCH
        case DownloadAccount(after=str()):
            return FURTHER_PAGE
        case ReplayQuery(actions=actions):
            return PRICES[ReplayQuery] + len(actions) / PLIES
    return PRICES.get(type(request), 1)


def budget_of(address: str, token_buckets: TokenBuckets) -> Budget:
    """What an address pays from, by the name that `addresses.group` gives it."""
    return Budget("address", of_network(address), token_buckets)
