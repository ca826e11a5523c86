"""Which games count for ratings, and why others do not (SPEC 30). It follows from the log alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pierule_protocol.log.events import Access, Holder, Rated, Unrated
from pierule_protocol.messages import Result

SHORTEST = 4
"""The fewest plies of a game that counts."""

WORDS: Final[dict[Unrated, str]] = {
    "before": "the room was made before this server rated games",
    "wish": "a player wanted an unrated game",
    "private": "the room is private",
    "same_player": "one player has both seats",
    "bot": "a player is a bot",
    "guest": "a player has not registered a name",
    "closed": "the server ended the game",
    "voided": "the operators have voided the result",
    "aborted": "the game ended without a winner or a draw",
    "short": f"the game ended before ply {SHORTEST}",
}


def why_unrated(
    rated: Rated | None,
    access: Access,
    seats: Sequence[Holder | None],
    result: Result | None = None,
    plies: int = 0,
) -> Unrated | None:
    """The first reason why a game does not count, or will not count in any case; None if there is
    none so far."""
    if rated in (None, "no"):
        return "before" if rated is None else "wish"
    if access == "private":
        return "private"
    players = [holder for holder in seats if holder is not None]
    if len(players) == 2 and players[0].user == players[1].user:
        return "same_player"
    bots = [player for player in players if player.bot]
    if len(bots) == 2 or any(bot.standing is None for bot in bots):  # SPEC 30.9
        return "bot"
    if not all(player.registered or player.bot for player in players):
        return "guest"
    return None if result is None else _of_result(result, plies)


def _of_result(result: Result, plies: int) -> Unrated | None:
    match result.reason:
        case "closed":
            return "closed"
        case "voided":
            return "voided"
    if result.winner is None:
        return "aborted"
    return "short" if plies < SHORTEST else None
