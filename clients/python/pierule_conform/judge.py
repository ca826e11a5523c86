"""Compares the boards that a client reports with the scripted truth, in the order in which they are
due. Pure: no network, no time."""

from __future__ import annotations

from dataclasses import dataclass

from pierule_conform.contract import Board, Breach
from pierule_conform.truth import Truth, text_of
from pierule_protocol.messages import RoomState


@dataclass(slots=True)
class Due:
    """A board that the client has to report, or may report if it may have missed it
    (`optional`)."""

    epoch: int
    seq: int
    by: str
    """What brought it: `snapshot` or `event`."""
    optional: bool = False

    @property
    def key(self) -> tuple[int, int]:
        return self.epoch, self.seq


class Judge:
    """Knows which boards are due. A wrong board breaks `section` once the script has done its
    trick."""

    def __init__(self, truth: Truth, section: str) -> None:
        self.truth = truth
        self.tricked = False
        self.distrusted: tuple[int, int] | None = None
        """An event that was sent with a fault: the client must not report it before it has joined
        again."""
        self.last: tuple[int, int] | None = None
        self._reported: RoomState | None = None
        self._section = section
        self._due: list[Due] = []

    @property
    def wanted(self) -> Board | None:
        """The board that must be reported next."""
        due = self.waiting
        return None if due is None else expected(self.truth.states[due.key])

    @property
    def waiting(self) -> Due | None:
        """The first board that must still be reported."""
        return next((due for due in self._due if not due.optional), None)

    def told(self, state: RoomState, by: str) -> None:
        """The client was sent this state in this way, maybe not for the first time."""
        if by == "snapshot":
            self.lost()
        key = state.epoch, state.seq
        self._due = [due for due in self._due if due.key != key]
        self._due.append(Due(*key, by, optional=state == self._reported))

    def lost(self) -> None:
        """What was sent until now may not have arrived, or may not matter any more."""
        for due in self._due:
            due.optional = True

    def report(self, board: Board) -> None:
        """The client has this board. Raises Breach."""
        key = board.epoch, board.seq
        if key == self.distrusted:
            raise Breach(
                "6.2", f"event {board.seq} was applied though it does not fit",
                "a join without since, before any report of it", board,
            )  # fmt: skip
        state = self.truth.states.get(key)
        if state is None:
            section = self._section if self.tricked else "6.2"
            why = f"epoch {board.epoch} of this room never had an event {board.seq}"
            raise Breach(section, why, None, board)
        due = self._take(key, board)
        self._compare(state, board, due)
        self.last, self._reported = key, state

    def _take(self, key: tuple[int, int], board: Board) -> Due:
        at = next((i for i, due in enumerate(self._due) if due.key == key), None)
        if at is None:
            if key == self.last:  # sent again, and reported again: allowed
                return Due(*key, "snapshot", optional=True)
            why = f"the board after event {board.seq} was reported again, or before it was sent"
            raise Breach("6.2", why, self.wanted, board)
        missed = next((due for due in self._due[:at] if not due.optional), None)
        if missed is not None:
            why = f"the board after event {missed.seq} of epoch {missed.epoch} was not reported"
            raise Breach("6.2", why, self.wanted, board)
        found = self._due[at]
        del self._due[: at + 1]
        return found

    def _compare(self, state: RoomState, board: Board, due: Due) -> None:
        wanted = expected(state)
        if board == wanted:
            return
        wrong = next(name for name in reversed(board.__struct_fields__)
                     if getattr(board, name) != getattr(wanted, name))  # fmt: skip
        section = "4.2"
        if due.by == "snapshot" and not self.tricked:
            section = "5.3" if wrong == "text" else "4.1"
        elif self.tricked and wrong == "text":
            section = self._section
        raise Breach(section, f"the board after event {board.seq} is wrong in `{wrong}`",
                     getattr(wanted, wrong), getattr(board, wrong))  # fmt: skip


def expected(state: RoomState) -> Board:
    """What a client has to report of a state."""
    return Board(
        epoch=state.epoch,
        seq=state.seq,
        turn=state.turn,
        status=state.status,
        actions=state.actions,
        text=text_of(state),
    )
