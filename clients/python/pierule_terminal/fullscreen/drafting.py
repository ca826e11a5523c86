"""Putting an action together at the board, and sending it after the user has seen it.

Each key and click counts for the view that was shown at that moment. While one waits for the
server, later ones may change the draft, but do not send it. So an action is sent only if it was
shown completely, at the same turn and on the same board, when the user confirmed it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pierule_terminal.fullscreen.draft import Ask, Confirmed, Draft, Number, Picked, Steps, begin
from pierule_terminal.fullscreen.view import View
from pierule_terminal.scene import headline

if TYPE_CHECKING:
    from pierule_terminal.fullscreen.controller import Controller

Command: TypeAlias = Callable[[View], Awaitable[None]]

PAST = "This is the past: End goes to the present."
MOVED_ON = "The game has moved on; look at the board again."
NOTHING = "The action is not complete yet."
NUMBER = "Up and down change the number, Enter sends it."


class Drafting:
    """Changes the draft in `controller.view`, and sends it. Without the view's `confirms`, the tap
    that completes the draft sends it."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._touches = 0

    # --- commands ---

    def pick(self) -> None:
        """Tap the point under the cursor, or send a number."""
        self._do(self._pick)

    def click(self, cell: int) -> None:
        """Tap a cell, if it exists. This does not send a number."""
        if cell not in self._controller.plan.points:
            return
        self._controller.point(cell)
        if isinstance(self._controller.view.draft, Number) and self._controller.view.past is None:
            self._controller.say(NUMBER)
        else:
            self.pick()

    def say(self, word: str) -> None:
        """Choose a word that is an action, such as `pass`."""
        self._do(lambda seen: self._say(word, seen))

    def send(self) -> None:
        """Send the draft that is shown."""
        self._do(self._send_shown)

    def type(self, action: str) -> None:
        """Send a typed action."""
        self._do(lambda seen: self._act(action, seen))

    def undo(self) -> None:
        """Take the latest point back."""
        self._touches += 1
        draft = self._controller.view.draft
        if draft is None or isinstance(draft, Number):
            self._controller.say("")
        else:
            self._controller.change(draft=draft.undo() or draft, message="")

    def _do(self, command: Command) -> None:
        seen = self._controller.view
        self._touches += 1

        async def later() -> None:
            await self.begin()
            view = self._controller.view
            if view.draft is None:
                self._controller.say(headline(view.document, view.state, view.mine))
            elif _place(view) != _place(seen):
                self._controller.say(MOVED_ON)
            else:
                await command(seen)

        if seen.past is not None:
            self._controller.say(PAST)
        else:
            self._controller.do(later)

    # --- how they work ---

    async def begin(self) -> None:
        """Ask what is legal, and begin a draft, if it is the user's turn."""
        controller, room = self._controller, self._controller.room
        if not room.my_turn or controller.view.draft is not None:
            return
        legal = await room.legal()
        if room is controller.room and legal.turn == controller.view.state.turn and room.my_turn:
            controller.change(draft=begin(legal, segments=controller.document.data.segments))
            controller.prompt()

    async def _pick(self, seen: View) -> None:
        draft = self._controller.view.draft
        if draft is None or isinstance(draft, Number):
            await self._send_shown(seen)
            return
        tap = draft.tap(seen.point, confirms=seen.confirms)
        if isinstance(tap, Confirmed):
            await self._send_shown(seen)
        elif isinstance(tap, Ask):
            await self._explain(points=tap.points)
        else:
            await self._turn_to(tap.draft, seen, completing=isinstance(tap, Picked))

    async def _turn_to(self, draft: Draft, seen: View, *, completing: bool) -> None:
        """Show another draft. If a tap on the shown draft has completed it, this may send it."""
        before, touches = self._controller.view.draft, self._touches
        after = await self._known(draft)
        if self._controller.view.draft != before or _place(self._controller.view) != _place(seen):
            return  # meanwhile the user took it back, or the game moved on
        self._controller.change(draft=after, message="")
        shown = seen.draft == before and not seen.sending and touches == self._touches
        settled = not isinstance(after, Number) and after.complete and not after.targets
        if completing and shown and settled and not seen.confirms:
            await self._act(after.text, seen)

    async def _known(self, draft: Draft) -> Draft:
        """The draft, with the server's answer about how it may go on."""
        if not isinstance(draft, Steps) or draft.legal is not None:
            return draft
        self._controller.change(sending=draft.text, message="")
        legal = await self._controller.room.legal(draft.text)
        self._controller.change(sending="")
        return replace(draft, legal=legal)

    async def _say(self, word: str, seen: View) -> None:
        draft = self._controller.view.draft
        if not isinstance(draft, Steps) or word not in draft.words:
            await self._explain(action=word)
        elif draft.text == word:
            await self._send_shown(seen)
        else:
            await self._turn_to(draft.say(word), seen, completing=True)

    async def _send_shown(self, seen: View) -> None:
        """Send the draft if it is complete and was shown as it is."""
        draft = self._controller.view.draft
        if draft is None or not draft.complete:
            self._controller.say(NOTHING)
        elif seen.draft == draft and not seen.sending:
            await self._act(draft.text, seen)

    async def _act(self, action: str, seen: View) -> None:
        """Send an action that the user chose for the view `seen`."""
        if self._controller.view.past is not None:
            return
        self._controller.change(sending=action, message="")
        await self._controller.room.act(action, seen.state.turn, seen.state.epoch)
        self._controller.change(draft=None)  # even if the view has not reached the new turn yet

    async def _explain(self, *, action: str = "", points: tuple[str, ...] = ()) -> None:
        """Ask the server why an action is not legal, and show it. It plays nothing (SPEC 6.12)."""
        controller = self._controller
        named = action or points[-1]
        why = None
        if "why" in controller.features:
            why = await controller.room.why(action, points=points, turn=controller.view.state.turn)
        otherwise = f"{named} cannot come next: l shows what can."
        controller.say(f"not legal: {controller.document.reason(why)}" if why else otherwise)


def _place(view: View) -> tuple[str, int, int]:
    """The room, the epoch and the turn of a view."""
    return view.state.room, view.state.epoch, view.state.turn
