"""Servers that count games that do not count, or the other way round (SPEC 30)."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from conform.mutating import Patch, mutation
from pierule_protocol.log import fold
from pierule_protocol.state.unrated import why_unrated
from pierule_server.rooms import making
from pierule_server.rooms.decisions import decide


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
