"""What is shown of a room, as data, and what the board and the guide make of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pierule_games.board import board
from pierule_protocol.messages import Presence, RoomState, Seat
from pierule_protocol.state.position import PositionState
from pierule_terminal.drawing import CURSOR, LAST, PICKED, Marks, points_of
from pierule_terminal.fullscreen.draft import Draft, Number, Parts, Steps
from pierule_terminal.scene import color_of, headline


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything that is shown, except the clocks. `cursor` is a cell."""

    state: RoomState
    mine: tuple[Seat, ...] = ()
    my_turn: bool = False
    presence: Presence | None = None
    cursor: int = 0
    draft: Draft | None = None
    sending: str = ""
    """What was sent, an action or its beginning, and has no answer yet."""
    past: tuple[int, PositionState] | None = None
    """The earlier ply that is shown, with its position."""
    lag: str = ""
    """What the latest event gave its player for lag."""
    connected: bool = True
    message: str = ""
    notice: str = ""
    """Something important besides the room, such as an announcement."""
    confirms: bool = True
    """Whether a complete action waits for confirmation."""
    hints: bool = False
    """Whether the points that may be chosen are marked before the first pick."""

    @property
    def shown(self) -> RoomState:
        """The state as the board shows it: with the position and actions of an earlier ply while
        that is looked at."""
        if self.past is None:
            return self.state
        ply, position = self.past
        return msgspec.structs.replace(
            self.state, ply=ply, position=position, actions=self.state.actions[:ply]
        )

    @property
    def point(self) -> str:
        """The name of the point under the cursor."""
        return board(self.state.position.size).names[self.cursor]


def marks(view: View) -> Marks:
    """What the board shows beside the position. Points that may be chosen are marked once there
    are fewer of them than others, or when hints are wanted."""
    state, draft = view.shown, view.draft
    position = state.position
    index = board(position.size).index
    last = state.actions[-1] if state.actions else ""
    brackets = dict.fromkeys(points_of(position.game, position.size, last), LAST)
    targets: frozenset[int] = frozenset()
    if view.past is None and isinstance(draft, Steps | Parts):
        brackets |= {index[point]: PICKED for point in draft.picked}
        begun = bool(draft.picked)
        if view.hints or begun:
            targets = frozenset(index[point] for point in draft.targets)
    brackets[view.cursor] = CURSOR
    return Marks(brackets, targets)


def guide(view: View) -> str:
    """One line: what the player can do now, or what the room waits for."""
    if view.past is not None:
        return f"Ply {view.past[0]} of {view.state.ply}: , and . go back and on, End to the present"
    if view.sending:
        return f"{view.sending}: waiting for the server ..."
    if view.state.status == "over" and view.mine and view.state.rematch is None:
        return f"{headline(view.state)}; m for a rematch"
    if not view.my_turn or view.state.position.to_act is None:
        return headline(view.state, view.mine)
    match view.draft:
        case None:
            return f"{headline(view.state, view.mine)}; Enter asks what is legal"
        case Number(text=text):
            return f"{text}: up and down change it, Enter sends; your opponent picks a color"
        case Parts() as parts:
            return _guide_parts(parts, view)
        case Steps() as steps:
            return _guide_steps(steps, view)


def _guide_parts(parts: Parts, view: View) -> str:
    if parts.part is None:
        return _guide_complete(parts, view)
    part, count = parts.part
    color = "white" if view.state.position.phase == "second" else "black"
    what = f"{color} stone" if part.what == "stone" else part.what
    what = f"{what} {count + 1} of {part.count}" if part.count > 1 else f"a {what}"
    head = f"{parts.text}: " if parts.picked else "You set up. "
    return f"{head}Enter places {what}" + (", Escape takes back" if parts.picked else "")


def _guide_complete(draft: Steps | Parts, view: View) -> str:
    """What sends an action that is complete."""
    key = "s" if draft.picked else draft.text[0]
    if view.confirms and draft.picked[-1:] == (view.point,):
        key = "Enter"
    onward = "; x: goes on" if draft.targets else ""
    return f"{draft.text}: {key} sends it, Escape takes back{onward}"


def _guide_steps(steps: Steps, view: View) -> str:
    if steps.complete:
        return _guide_complete(steps, view)
    if "black" in steps.words:
        komi = view.state.position.komi
        return "You choose: b for Black, w for White" + ("" if komi is None else f"; komi {komi}")
    if steps.text:
        return f"{steps.text}: Enter picks the next point (x), Escape takes back"
    color = color_of(view.state, view.state.position.to_act or 0)
    words = "".join(f", {word[0]} to {word}" for word in steps.words)
    return f"Your turn, {color}: Enter picks {view.point}{_legality(steps, view)}{words}"


def _legality(steps: Steps, view: View) -> str:
    return "" if view.point in steps.targets else " (not legal)"
