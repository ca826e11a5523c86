"""Servers that know no manners (SPEC 19 and 20)."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import msgspec
from msgspec import UNSET

from conform.mutating import Patch, mutation, told
from pierule_protocol.messages import Event
from pierule_protocol.state.room import Room
from pierule_server.rooms import making, rooms
from pierule_server.rooms.decisions import agreements


def without(kind: str, field: str) -> Patch:
    """Events of a kind are told without a field of their diff."""

    def change(event: Event) -> Event:
        if f'"kind":"{kind}"' not in event.record:
            return event
        diff = msgspec.structs.replace(event.diff, **{field: UNSET})
        return msgspec.structs.replace(event, diff=diff)

    return told(change)


@mutation("19.1", "offers-stand")
def hides_offers() -> Patch:
    return without("offered", "offers")


@mutation("19.1", "offers-unfit")
def takes_any_offer() -> Patch:
    return patch.object(agreements, "_unready", lambda _room, _what: None)


@mutation("19.3", "abort-early")
def aborts_at_any_time() -> Patch:
    return patch.object(Room, "acted", lambda _room, _seat: False)


@mutation("19.4", "takeback-restores")
def keeps_the_clocks() -> Patch:
    return without("taken_back", "clock")


@mutation("19.6", "pause-stops")
def hides_the_pause() -> Patch:
    return without("paused", "clock")


@mutation("19.7", "rematch-made")
def keeps_the_seats() -> Patch:
    real = making.rematch_of

    def rematch_of(room: Any) -> Any:
        made = real(room)
        assert made.players is not None
        return msgspec.structs.replace(made, players=made.players[::-1])

    return patch.object(making, "rematch_of", rematch_of)


@mutation("20.3", "private-rooms")
def lets_everybody_in() -> Patch:
    return patch.object(rooms, "admit", lambda _room, _user, _invitation: None)
