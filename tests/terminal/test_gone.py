"""Players who come and go, in words."""

from __future__ import annotations

from typing import Any, cast

import pierule
from pierule_protocol.messages import Presence
from pierule_terminal.gone import Absences
from support.story import START, Story


class Seen:
    """A room as `Absences` looks at it."""

    def __init__(self, *seats: int) -> None:
        self.seats = list(seats)
        self.story = Story()
        self.presence: Presence | None = None

    @property
    def state(self) -> Any:
        return self.story.state

    def tell(self, since: int | None, claim: int | None) -> None:
        self.presence = Presence(
            room="kobadimu", players=(True, since is None), spectators=0,
            gone=(None, since), claim=(None, claim),
        )  # fmt: skip


def absences(room: Seen) -> Absences:
    return Absences(cast("pierule.Room", room))


def test_an_absence_is_announced_when_it_begins_can_be_claimed_and_ends() -> None:
    room = Seen(0)
    shown = absences(room)
    assert shown.news(START) == []
    room.tell(START, START + 30_000)
    assert shown.news(START + 1) == ["-- Bob is gone; the game may be claimed in 30 s"]
    assert shown.news(START + 10_000) == []
    assert shown.countdown(START + 10_001) == "(gone, 20 s) "
    assert shown.news(START + 30_000) == [
        "-- Bob is gone for too long; type claim to win, or claim abort"
    ]
    assert shown.countdown(START + 30_000) == ""
    room.tell(None, None)
    assert shown.news(START + 31_000) == ["-- Bob is back"]
    assert shown.news(START + 31_000) == []


def test_an_absence_that_cannot_be_claimed_shows_no_countdown() -> None:
    room = Seen(0)
    shown = absences(room)
    room.tell(START, None)
    assert shown.news(START) == ["-- Bob is gone"]
    assert shown.countdown(START) == ""


def test_only_the_opponent_is_told_how_to_claim() -> None:
    room = Seen()
    room.tell(START, START + 30_000)
    assert absences(room).news(START + 30_000) == ["-- Bob is gone for too long"]
    room.story.resign(0)
    assert absences(room).news(START + 30_000) == []
    assert absences(room).countdown(START) == ""
