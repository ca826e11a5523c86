"""Servers that count games that do not count, or the other way round (SPEC 30)."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from conform.mutating import Patch, mutation
from pierule_protocol.log import fold
from pierule_protocol.log.events import Standing
from pierule_protocol.state.room import own_card
from pierule_protocol.state.unrated import why_unrated
from pierule_server.lobby import seeking
from pierule_server.rooms import making
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.making import Maker
from pierule_server.store.tables.pools import Seeker


@mutation("30.1", "rated-seats")
def seats_anybody() -> Patch:
    return patch.object(decide, "why_unrated", lambda *_: None)


@mutation("30.1", "rated-seats", "rated-pools")
def takes_guests_at_their_word() -> Patch:
    return patch.object(making, "why_unrated", lambda *_: None)


@mutation("30.2", "rated-reasons")
def counts_everything() -> Patch:
    def counted(rated: Any, access: Any, seats: Any, *rest: Any) -> Any:
        return None if rated == "either" else why_unrated(rated, access, seats, *rest)

    return patch.object(fold, "why_unrated", counted)


@mutation("30.6", "rated-standings")
def rates_guests() -> Patch:
    async def standings(_maker: Any, _room: Any, *players: Any) -> list[Standing]:
        return [Standing(1500, 250) for _ in players]

    return patch.object(Maker, "standings", standings)


@mutation("30.9", "rated-bots")
def rates_any_bot() -> Patch:
    async def standings(_maker: Any, _room: Any, *players: Any) -> list[Standing | None]:
        return [Standing(1500, 30) if each.bot else None for each in players]

    return patch.object(Maker, "standings", standings)


@mutation("30.6", "rated-standings")
def lists_other_ratings() -> Patch:
    def other(room: Any) -> Any:
        return replace(own_card(room), standings=(Standing(1500, 250), None))

    return patch("pierule_server.lobby.my_rooms.own_card", other)


@mutation("23.22", "rating-ranges")
def forgets_ranges() -> Patch:
    return patch.object(
        seeking, "Seeker", lambda *given, **more: Seeker(*given, **{**more, "range": None})
    )


@mutation("23.22", "rating-ranges")
def takes_ranges_of_guests() -> Patch:
    async def stands(*_: Any, **__: Any) -> Standing:
        return Standing(1_500, 250)

    return patch.object(seeking, "standing_of", stands)
