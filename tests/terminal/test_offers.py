"""What happens beside the game, in words."""

from __future__ import annotations

import msgspec

from pierule_protocol.log.events import Closed, Offered
from pierule_protocol.messages import Seat
from pierule_terminal.offers import tell_offer, tell_standing
from support.story import Story


def test_operators_say_why_they_end_a_room() -> None:
    state = Story().state
    told = tell_offer(Closed("a broken clock\x1b[2J"), state, [0])
    assert told == ["-- the operators: a broken clock?[2J"]


def test_an_offer_tells_the_opponent_how_to_answer() -> None:
    state, offered = Story().state, Offered(0, "pause", "n" * 16)
    assert tell_offer(offered, state, [1], "y or n")[0].endswith("offers a pause; y or n")
    sides: tuple[list[Seat], list[Seat]] = ([0], [])
    for mine in sides:
        assert tell_offer(offered, state, mine, "y or n")[0].endswith("offers a pause")


def test_a_standing_offer_is_shown_on_joining() -> None:
    state = msgspec.structs.replace(Story().state, offers=("rematch", None))
    (told,) = tell_standing(state, [1])
    assert told.endswith("offers a rematch; type accept or decline")
    assert tell_standing(state, [0]) == []
