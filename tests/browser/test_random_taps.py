"""Random taps and keys in every phase of every game: what is sent was seen and confirmed.

What the player sees is noted in the page whenever a finger or a key goes down, before the page's
own code hears of it. What was sent is what went through the socket.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from browser import wire
from browser.conftest import PHONE, Visit
from browser.person import Person
from browser.rooms import apart, both_seats, keeps, known_as
from browser.wire import Act, acts
from support.browsers import CHROMIUM, FIREFOX, Kind
from support.games import Game, game
from support.serving import Serving

PHASES = [("loose", 5, 0), ("loose", 5, 1), ("loose", 5, 2), ("veletas", 7, 0), ("veletas", 7, 2),
          ("veletas", 7, 3), ("taugo", 6, 0), ("taugo", 6, 6)]  # fmt: skip
"""Games, sizes, and turns at which the phases begin, or are well under way."""

NOTES = """(() => {
  window.seen = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const note = (event) => {
    if (event.key && !["Enter", " "].includes(event.key)) return;
    const at = event.key ? document.activeElement : event.target;
    seen.push({
      turn: all(".actions ol button").length,
      point: at?.closest("[data-point]")?.dataset.point ?? "",
      button: at?.closest("button")?.textContent ?? "",
      shown: all(".controls .buttons .primary:enabled")[0]?.textContent ?? "",
      komi: document.getElementById("amount")?.value ?? "",
      picked: all('.board-box [aria-selected="true"]').map((cell) => cell.dataset.point),
      targets: all(".board-box .target").map((cell) => cell.dataset.point),
    });
  };
  addEventListener("pointerdown", note, { capture: true });
  addEventListener("keydown", note, { capture: true });
})();"""

AIM = """([selector, number]) => {
  const found = document.querySelectorAll(selector);
  if (!found.length) return null;
  const one = found[number % found.length];
  one.scrollIntoView({ block: "nearest" });
  const { x, y, width, height } = one.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""

AIMS = {
    "target": ".board-box .target .hit",
    "picked": '.board-box [aria-selected="true"] .hit',
    "point": ".board-box .hit",
    "button": ".controls button:enabled",
}
KEYS = ["Enter", " ", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "Escape"]


EXAMPLES = 6
"""How many rooms each test plays in. For more of them there is clients/web/test/table.test.ts."""


class Gesture(NamedTuple):
    """A tap on one of its kind by number, or the press of a key; `twice`: a double tap."""

    kind: str
    number: int
    twice: bool


GESTURES = st.lists(
    st.builds(
        Gesture,
        st.sampled_from(["target"] * 4 + ["picked", "picked", "point", "button", "key", "key"]),
        st.integers(0, 400),
        st.sampled_from([False, False, False, True]),
    ),
    min_size=4,
    max_size=14,
)


def make(page: Page, gesture: Gesture, *, finger: bool) -> None:
    """Tap or press at once, whatever is under way."""
    if gesture.kind == "key":
        page.keyboard.press(KEYS[gesture.number % len(KEYS)])
        return
    spot = page.evaluate(AIM, [AIMS[gesture.kind], gesture.number])
    for _ in range(1 + gesture.twice if spot else 0):
        (page.touchscreen.tap if finger else page.mouse.click)(*spot)


def confirmed(act: Act, asks: bool, seen: dict[str, Any]) -> bool:
    """Whether a gesture that was made when this was seen confirmed the action."""
    turn, action = act
    if seen["turn"] != turn:
        return False
    if action.startswith("komi:") and not asks:
        return action == f"komi:{seen['komi']}"
    word = action.replace(":", " ").capitalize()
    named = {f"Play {action}", f"Confirm: {word}"}
    if seen["button"]:
        return seen["button"] in named or (not asks and seen["button"] in {word, f"Play {word}"})
    if asks:
        return seen["shown"] in named and seen["point"] in seen["picked"]
    points = {*seen["picked"], seen["point"]}
    return seen["point"] in seen["targets"] and points == set(re.findall(r"[a-z]\d", action))


class Player:
    """A person at a page that notes what they do, and goes from room to room."""

    def __init__(self, person: Person, serving: Serving, *, asks: bool) -> None:
        self.person = person
        self.page = person.page
        self._serving = serving
        room, self._token = apart(both_seats(serving.url, None, game("loose", 5), 0))
        known_as(person, self._token)
        wire.tap(person)
        keeps(person, "confirming", "yes" if asks else "no")
        self.page.context.add_init_script(NOTES)
        person.open(f"#{room}")

    def enter(self, of: Game, turns: int) -> None:
        """Be in a new room, to act."""
        room, self._token = apart(both_seats(self._serving.url, self._token, of, turns))
        self.page.evaluate("room => location.hash = room", room)
        listed = self.page.locator(".actions ol button")
        expect(listed).to_have_count(turns)
        to_do = self.page.locator(".board-box .target, .controls button")
        expect(to_do.first).to_be_attached()


# Each pair of a browser, a pointer and a setting; that Firefox asks is also what test_keyboard is
# about, and that a mouse in Chromium sends at once is what test_games is.
@pytest.mark.parametrize(
    ("engine", "how", "asks"),
    [(CHROMIUM, {}, True), (CHROMIUM, PHONE, True), (CHROMIUM, PHONE, False), (FIREFOX, {}, False)],
    ids=["mouse-asks", "finger-asks", "finger-sends", "Firefox-sends"],
)
def test_only_seen_and_confirmed_actions_are_sent(
    visit: Visit, server: Serving, engine: Kind, how: dict[str, Any], asks: bool
) -> None:
    player = Player(visit(engine=engine, **how), server, asks=asks)

    @settings(max_examples=EXAMPLES, phases=[Phase.generate], database=None)
    @given(st.sampled_from(PHASES), GESTURES)
    def attempt(phase: tuple[str, int, int], gestures: list[Gesture]) -> None:
        name, size, turns = phase
        player.enter(game(name, size), turns)
        player.page.evaluate("seen.length = wire.length = 0")
        for gesture in gestures:
            make(player.page, gesture, finger=bool(how))
        seen = player.page.evaluate("seen")
        for act in acts(player.person):
            assert any(confirmed(act, asks, each) for each in seen), (act, seen)

    attempt()
