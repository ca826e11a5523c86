"""The offers of a room's players, by its log: did somebody offer what they agree on?

It follows the SPEC (19) alone. The server's fold may not enter here: it would agree with itself.
"""

from __future__ import annotations

from pierule_protocol.log.events import (
    AGREEMENTS,
    Acted,
    AnyRecord,
    Declined,
    Offered,
    Resumed,
    TakenBack,
    Withdrawn,
)


class Offers:
    """The offers that stand."""

    def __init__(self) -> None:
        self._standing: dict[int, str] = {}
        self._made: set[tuple[int, str]] = set()
        """The offers of each seat since the latest action."""

    def take(self, happened: AnyRecord, *, over: bool) -> str:
        """Take a record, in a game that was `over` or not; return what is wrong with it, if
        anything."""
        wrong = ""
        match happened:
            case Offered(seat=seat, what=what):
                if over and what != "rematch":
                    wrong = f"seat {seat} offers a {what} in a game that is over"
                elif seat in self._standing or (seat, what) in self._made:
                    wrong = f"seat {seat} offers a {what} once more"
                self._standing[seat] = what
                self._made.add((seat, what))
            case Declined(seat=seat, what=what) | Withdrawn(seat=seat, what=what):
                by = seat if isinstance(happened, Withdrawn) else 1 - seat
                if self._standing.pop(by, None) != what:
                    wrong = f"no {what} of seat {by} stands that could end"
            case Resumed(seat=None):
                self._standing.clear()
            case _ if type(happened) in _AGREED:
                agreed: str = _AGREED[type(happened)]
                other: int = 1 - happened.seat  # type: ignore[union-attr,operator]
                if self._standing.get(other) != agreed:
                    wrong = f"they agree on a {agreed} that seat {other} does not offer now"
                self._standing.clear()
        if isinstance(happened, Acted | TakenBack):
            self._standing.clear()
            self._made.clear()
        return wrong

    def end(self) -> None:
        """The game is over: its offers lapse."""
        self._standing.clear()


_AGREED: dict[type, str] = {kind: what for what, kind in AGREEMENTS.items()}
