"""What to show of a room, as data, and the marks and the guide that follow from it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pierule_games.board import board
from pierule_games.description import Account
from pierule_protocol.messages import Presence, RoomState, Seat
from pierule_protocol.state.position import PositionState
from pierule_terminal.document import Document
from pierule_terminal.drawing import COUNTED, CURSOR, LAST, PICKED, Marks, points_of
from pierule_terminal.fullscreen.draft import Draft, Number, Parts, Steps
from pierule_terminal.scene import color_of, headline


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything to show, except the clocks. `cursor` is a cell."""

    document: Document
    state: RoomState
    mine: tuple[Seat, ...] = ()
    my_turn: bool = False
    presence: Presence | None = None
    cursor: int = 0
    draft: Draft | None = None
    sending: str = ""
    """The action, or its beginning, that was sent to the server and has no answer yet."""
    past: tuple[int, PositionState] | None = None
    """The earlier ply that the user looks at, with its position."""
    account: tuple[int, Account] | None = None
    """A ply, and where the score there comes from, once the user has asked for it."""
    lag: str = ""
    """What the latest event gave its player back for lag."""
    connected: bool = True
    message: str = ""
    notice: str = ""
    """Something important, such as an announcement."""
    confirms: bool = True
    """Whether a complete action waits for confirmation."""
    hints: bool = False
    """Whether to mark the points that may be picked before the first pick."""

    @property
    def shown(self) -> RoomState:
        """The state as the board shows it: with the position and actions of an earlier ply while
        the user looks at that."""
        if self.past is None:
            return self.state
        ply, position = self.past
        return msgspec.structs.replace(
            self.state, ply=ply, position=position, actions=self.state.actions[:ply]
        )

    @property
    def counted(self) -> Account:
        """Where the shown score comes from; empty if that is not known."""
        known = self.account is not None and self.account[0] == self.shown.ply
        return self.account[1] if self.account and known else Account()

    @property
    def point(self) -> str:
        """The name of the point under the cursor."""
        return board(self.state.position.size).names[self.cursor]


def marks(view: View) -> Marks:
    """What the board shows besides the position. It marks points that may be picked if they are
    fewer than the others, or if the user wants hints."""
    state, draft = view.shown, view.draft
    position = state.position
    index = board(position.size).index
    last = state.actions[-1] if state.actions else ""
    counted = [mark.points for mark in view.counted.marks if mark.value is not None]
    brackets = {index[point]: COUNTED for points in counted for point in points if point in index}
    brackets |= dict.fromkeys(points_of(view.document, position.size, last), LAST)
    targets: frozenset[int] = frozenset()
    pieces: dict[int, int] = {}
    if view.past is None and isinstance(draft, Steps | Parts):
        brackets |= {index[point]: PICKED for point in draft.picked}
        begun = bool(draft.picked)
        if view.hints or begun:
            targets = frozenset(index[point] for point in draft.targets)
        if isinstance(draft, Parts):
            pieces = {index[point]: cell for point, cell in draft.pieces.items()}
    if view.past is not None or position.phase != "color":  # where only a word is chosen
        brackets[view.cursor] = CURSOR
    return Marks(brackets, targets, pieces)


def guide(view: View) -> str:
    """What the user can do now, or what the room waits for, in one or two lines."""
    line = headline(view.document, view.state, view.mine)
    if view.past is not None:
        return f"Ply {view.past[0]} of {view.state.ply}: , and . step, End goes to the present"
    if view.sending:
        return f"{view.sending}: waiting for the server ..."
    if view.state.status == "over" and view.mine and view.state.rematch is None:
        return f"{line}; m for a rematch"
    if not view.my_turn or view.state.position.to_act is None:
        return line
    match view.draft:
        case None:
            return f"{line}; Enter asks what is legal"
        case Number(text=text, part=part):
            shown = view.document.texts.numbers.get(part.what)
            label = shown.label if shown else part.what
            return f"{text}: up and down change it, Enter sends. {label}."
        case Parts() as parts:
            return _guide_parts(parts, view)
        case Steps() as steps:
            return _guide_steps(steps, view)


def _guide_parts(parts: Parts, view: View) -> str:
    if parts.part is None:
        return _guide_complete(parts, view)
    part, count = parts.part
    left = str(part.count - count)
    step = view.document.step(view.state.position.phase, part.what, [left])
    step = step or f"Enter places {part.what}, left to place: {left}."
    return f"{parts.text}: {step} Escape takes back." if parts.picked else step


def _guide_complete(draft: Steps | Parts, view: View) -> str:
    """How to send a complete action."""
    key = "s" if draft.picked else key_of(draft.text)
    if view.confirms and draft.picked[-1:] == (view.point,):
        key = "Enter"
    line = f"{draft.text}: {key} sends it, Escape takes back"
    position = view.state.position
    if draft.targets:
        step = view.document.step(position.phase, f"{len(draft.picked)}+", draft.picked)
        return f"{line}; x: goes on. {step}".rstrip()
    again = view.document.again(draft.text) if position.passes else ""
    return f"{line}. {again}" if again else line


def _guide_steps(steps: Steps, view: View) -> str:
    if steps.complete:
        return _guide_complete(steps, view)
    position, document = view.state.position, view.document
    if "black" in steps.words:
        number = "" if position.komi is None else f"; {document.number('komi', position.komi)}"
        return f"You choose: b for Black, w for White{number}"
    if steps.text:
        step = document.step(position.phase, str(len(steps.picked)), steps.picked)
        return f"{steps.text}: {step or 'Enter picks the next point (x).'} Escape takes back."
    color = color_of(view.state, position.to_act or 0)
    words = "".join(f", {key_of(word)} to {word}" for word in steps.words)
    return f"Your turn, {color}: Enter picks {view.point}{_legality(steps, view)}{words}"


KEYS = {"black": "b", "white": "w", "pass": "p"}
"""Words that are actions and have their own keys. The user types all others."""


def key_of(word: str) -> str:
    """The key, or the text to type, for a word that is an action."""
    return KEYS.get(word, f":{word}")


def _legality(steps: Steps, view: View) -> str:
    return "" if view.point in steps.targets else " (not legal)"
