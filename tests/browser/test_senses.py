"""What is heard and what moves, for those who want it: sounds, warnings of clocks, animations."""

from __future__ import annotations

from playwright.sync_api import expect

import pierule
from browser.conftest import Visit
from browser.person import Person, alternate
from browser.rooms import apart, known_as, prepare
from support.games import game
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


def pair(visit: Visit, name: str, size: int, script: str, **how: str) -> tuple[Person, Person]:
    first, second = visit(**how), visit(**how)
    first.page.add_init_script(script)
    link = first.create(name, size)
    second.page.goto(link)
    second.press(second.button("Play here"))
    return first, second


def test_sounds_play_for_actions_and_offers_until_they_are_switched_off(visit: Visit) -> None:
    of = game("loose", 5)
    first, second = pair(visit, of.game, of.size, TONES)
    alternate((first, second), of, 0, 2)
    first.page.wait_for_function(HEARD, arg=330)
    second.press(second.button("Ask for a takeback"))
    first.page.wait_for_function(HEARD, arg=520)
    first.press(first.button("Decline"))
    first.settings()
    first.page.get_by_label("Sounds").uncheck()
    first.press(first.button("Close"))
    first.page.evaluate("window.tones = []")
    alternate((first, second), of, 2, 4)
    assert first.page.evaluate("window.tones") == []


def test_a_low_clock_is_shown_announced_and_heard(visit: Visit, server: Serving) -> None:
    async def opened() -> str:
        async with pierule.connect(server.url) as maker:
            return (await maker.create("loose", 5, clock="12s/action")).id

    room = apart(opened())
    first, second = visit(), visit()
    first.page.add_init_script(TONES)
    for person in (first, second):
        person.open(f"#{room}")
        person.press(person.button("Play here"))
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
    room, tokens = prepare(server, of, flips - 1)
    first, second = people = [visit(reduced_motion="no-preference") for _ in tokens]
    first.page.add_init_script(MOVES)
    for person, token in zip(people, tokens, strict=True):
        known_as(person, token)
        person.open(f"#{room}")
    alternate((first, second), of, flips - 1, flips)
    first.page.wait_for_function(MOVED, arg="land")
    assert not first.page.evaluate(MOVED, "turn-in")
    alternate((first, second), of, flips, flips + 1)
    first.page.wait_for_function(MOVED, arg="turn-in")


def test_nothing_is_animated_with_reduced_motion(visit: Visit) -> None:
    of = game("loose", 5)
    first, second = pair(visit, of.game, of.size, MOVES)
    alternate((first, second), of, 0, 4)
    first.sees_actions(of.actions[:4])
    running = "document.getAnimations().filter(a => a.effect.getTiming().duration > 1).length"
    assert first.page.evaluate(running) == 0
