"""The prices of requests, and the budget of an address (SPEC 1.11, law 10).

Connections and guests cost nothing, so a limit per connection or per guest stops nobody: anybody
can make new ones. So all young guests of an address pay from one budget. Guests older than a day
pay from a larger one, and each of them also from a budget of their own (`limits.Allowance`).

A game has a second price. Its log grows with actions, which are free, and a game without a clock
may stay for a month. So an address pays for new games from a budget that fills slowly.
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
    EndSessions,
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
READING = 1
"""The price of a free request about a room that the node has to read first: anybody can name a
thousand rooms that nobody has read lately."""
PLIES = 10
"""Plies of a replay that cost 1."""
LONG = 100
"""Bytes of a chat message that cost 1 more, because the store keeps them."""

PRICES: dict[type[Any], int] = {
    # These are free: whatever others at the address do, a player must be able to go on.
    **dict.fromkeys((Act, Resign, Abort, Offer, Accept, Decline, Withdraw, Claim), 0),
    **dict.fromkeys((Hello, Ping, Leave, CancelSeek, WithdrawChallenge), 0),
    **dict.fromkeys((Say, LogQuery), 2),
    **dict.fromkeys((ReplayQuery, GameQuery, BoardMismatch, ReportMessage, SetWebhook, Block), 5),
    ReceiptQuery: 5,
    Seek: 10,
    RoomsQuery: 10,
    EndSessions: 10,
    Create: 20,
    Challenge: 20,
    Register: 60,
    DeleteAccount: 60,
    DownloadAccount: 60,
}
"""Requests that are not in this table cost 1."""

GAMES: dict[type[Any], float] = {Create: 1, Challenge: 1, Seek: 0.5, Offer: 1}
"""How many games a request may begin; of offers only that of a rematch. It takes two seeks."""

AN_HOUR, AT_ONCE = 2, 1 / 6
"""Games that an address may begin: in an hour, for each unit of its budget per second; and at once,
for each unit of its burst."""


UNFINISHED = 10
"""Unfinished games without a clock that an address may have, for each unit of its budget per second
(SPEC 9.11): with the defaults 600, which are twenty for each of thirty players."""


def price_of(request: ClientMessage) -> float:
    """The price of a request."""
    match request:
        case Hello(recovery=str()):
            return RECOVERY
        case Hello(token=None):
            return NEW_GUEST
        case Join(since=since) if since is not None:
            return 0  # `handlers.rooms` charges later, by what the client missed
        case Offer(what="rematch"):
            return REMATCH
        case DownloadAccount(after=str()):
            return FURTHER_PAGE
        case Say(text=text):
            return PRICES[Say] + len(text.encode(errors="replace")) // LONG
        case ReplayQuery(actions=actions):
            return PRICES[ReplayQuery] + len(actions) / PLIES
    return PRICES.get(type(request), 1)


def games_in(request: ClientMessage) -> float:
    """How many games a request with a price may begin."""
    return GAMES.get(type(request), 0.0)


def buckets_of_games(budget: float, burst: float) -> TokenBuckets:
    """The buckets from which addresses with this budget pay for new games."""
    return TokenBuckets(budget * AN_HOUR / 3_600, burst * AT_ONCE)


def budget_of(address: str, token_buckets: TokenBuckets) -> Budget:
    """The budget of an address. `address` is its name by `addresses.group`."""
    return Budget("address", of_network(address), token_buckets)


def budget_of_games(address: str, token_buckets: TokenBuckets) -> Budget:
    """The budget of an address for new games."""
    return Budget("games", of_network(address), token_buckets)
