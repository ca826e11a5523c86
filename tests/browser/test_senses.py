"""What is heard and what moves, for those who want it: sounds, warnings of clocks, animations."""

from __future__ import annotations

from playwright.sync_api import expect

import pierule
from browser.conftest import Visit
from browser.rooms import apart, continued, known_as, prepare
from support.games import Game, game
from support.serving import Serving

TONES = """
window.tones = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  window.tones.push(this.frequency.value);
  return start.apply(this, when);
};
"""
"""Writes down what the browser is told to sound; it sounds all the same."""

MOVES = """
window.moves = new Set();
addEventListener("animationstart", (event) => window.moves.add(event.animationName), true);
"""

HEARD = "wanted => window.tones.includes(wanted)"
MOVED = "wanted => window.moves.has(wanted)"


class Pair:
    """A game at a turn. The first player has a window, in which a script runs; what the second one
    does comes over the protocol."""

    def __init__(
        self, visit: Visit, server: Serving, of: Game, turns: int, script: str, **how: str
    ) -> None:
        room, self._tokens = prepare(server, of, turns)
        self._of, self._url, self._room = of, server.url, room
        self.first = visit(**how)
        self.first.page.add_init_script(script)
        known_as(self.first, self._tokens[0])
        self.first.open(f"#{room}")
        self.first.sees_actions(of.actions[:turns])

    def play(self, begin: int, end: int) -> None:
        """Both play, until the first one sees it."""
        for turn in range(begin, end):
            action = self._of.actions[turn]
            if self._of.positions[turn].to_act == 1:
                apart(continued(self._url, self._room, self._tokens, [(1, action)], turn))
                self.first.sees_actions(self._of.actions[: turn + 1])
            else:
                self.first.play(action, turn)

    async def ask(self) -> None:
        """The second player asks for a takeback."""
        async with pierule.connect(self._url, token=self._tokens[1]) as client:
            await (await client.join(self._room)).offer("takeback")


def test_sounds_play_for_actions_and_offers_until_they_are_switched_off(
    visit: Visit, server: Serving
) -> None:
    pair = Pair(visit, server, game("loose", 5), 0, TONES)
    first = pair.first
    pair.play(0, 2)
    first.page.wait_for_function(HEARD, arg=330)
    apart(pair.ask())
    first.page.wait_for_function(HEARD, arg=520)
    first.press(first.button("Decline"))
    first.settings()
    first.page.get_by_label("Sounds").uncheck()
    first.press(first.button("Close"))
    first.page.evaluate("window.tones = []")
    pair.play(2, 4)
    assert first.page.evaluate("window.tones") == []


def test_a_low_clock_is_shown_announced_and_heard(visit: Visit, server: Serving) -> None:
    async def opened() -> str:
        async with pierule.connect(server.url) as other:
            room = await other.create("loose", 5, clock="12s/action", seat=1)
            return room.id

    room = apart(opened())
    first = visit()
    first.page.add_init_script(TONES)
    first.open(f"#{room}")
    first.press(first.button("Play here"))
    low = first.page.locator(".clock.running.low .time")
    expect(low).to_be_visible()
    aloud = first.page.locator("[aria-live].aloud")
    expect(aloud).to_contain_text("10 seconds left")
    first.page.wait_for_function(HEARD, arg=880)


def test_changed_pieces_are_animated(visit: Visit, server: Serving) -> None:
    of = game("loose", 5)
    flips = next(
        turn
        for turn in range(3, of.turns)
        if any(a and b and a != b for a, b in zip(*(p.cells for p in of.positions[turn : turn + 2]),
                                                  strict=True))
    )  # fmt: skip
    pair = Pair(visit, server, of, flips - 1, MOVES, reduced_motion="no-preference")
    first = pair.first
    pair.play(flips - 1, flips)
    first.page.wait_for_function(MOVED, arg="land")
    assert not first.page.evaluate(MOVED, "turn-in")
    pair.play(flips, flips + 1)
    first.page.wait_for_function(MOVED, arg="turn-in")


def test_nothing_is_animated_with_reduced_motion(visit: Visit, server: Serving) -> None:
    pair = Pair(visit, server, game("loose", 5), 0, MOVES)
    pair.play(0, 4)
    running = "document.getAnimations().filter(a => a.effect.getTiming().duration > 1).length"
    assert pair.first.page.evaluate(running) == 0
