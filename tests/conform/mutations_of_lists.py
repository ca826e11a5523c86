"""Faults in pages of rooms and in parts of the lobby (SPEC 23.18 and 23.19)."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import msgspec

from conform.mutating import Patch, changed, mutation
from pierule_protocol.messages import Ok
from pierule_server.lobby import lobby
from pierule_server.rooms import lists
from pierule_server.store.tables.paging import Position, RoomFilter


@mutation("23.18", "pages-complete")
def lists_what_nobody_wanted() -> Patch:
    return patch.object(lists, "filter_of", lambda _request: RoomFilter())


@mutation("23.18", "pages-complete")
def leaves_out_the_last_of_a_page() -> Patch:
    def shortened(message: Any) -> Any:
        if isinstance(message, Ok) and message.rooms and message.next:
            return msgspec.structs.replace(message, rooms=message.rooms[:-1])
        return message

    return changed(shortened)


@mutation("23.18", "pages-refused")
def begins_anew_at_a_made_up_cursor() -> Patch:
    real = Position.parse
    return patch.object(
        Position, "parse", classmethod(lambda _cls, text: real(text) or Position("here"))
    )


@mutation("23.19", "lobby-in-part")
def shows_all_of_the_lobby() -> Patch:
    return patch.object(lobby, "filter_of", lambda _request: RoomFilter())
