"""The first screen lives: its boards move, and cost nobody anything."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from browser.elsewhere import elsewhere
from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import apart, continued, prepare
from browser.screen import check
from pierule import Room
from support.browsers import CHROMIUM, Kind
from support.games import game
from support.serving import Serving
from support.stores import wait_for


def strike(person: Person, target: Locator) -> None:
    """Press with a key. In Firefox a window gets keys only in front."""
    person.page.bring_to_front()
    target.press("Enter")


def watched_by(room: Room, others: int) -> None:
    """Wait until so many watch this room, besides the client that tells it."""
    wait_for(
        lambda: room.presence is not None and room.presence.spectators == others + 1,
        f"{others} spectators",
    )


HEIGHTS = "all => all.map((each) => each.offsetHeight)"


def test_a_running_game_moves_on_the_first_screen_until_it_is_paused(
    newcomers: Newcomers, engine: Kind, tmp_path: Path
) -> None:
    """Whoever sees it move watches it. A client elsewhere counts them."""
    of = game("loose", 5)
    moves = [(of.positions[turn].to_act or 0, of.actions[turn]) for turn in range(of.turns)]
    with Serving(tmp_path) as serving:
        room, tokens = prepare(serving, of, 4)
        prepare(serving, of, 3, names=("Cy", "Dee"))  # one more, which a phone shows only in part
        watcher = newcomers.get(serving, engine=engine)
        watcher.open()
        watched = watcher.page.locator(".show", has_text="Ada")
        expect(watched.locator(".piece").first).to_be_visible()
        cards = watcher.page.locator(".show")
        expect(cards.locator(".caption").first).not_to_be_empty()
        heights = cards.evaluate_all(HEIGHTS)
        assert max(heights) <= min(heights) + 1  # so a game that comes or ends moves nothing
        apart(continued(serving.url, room, tokens, moves[4:6], 4))
        stones = sum(1 for cell in of.positions[6].cells if cell)
        expect(watched.locator(".piece")).to_have_count(stones)
        empty = watcher.page.locator(".sample .cell:not(:has(.piece, .last, .changed))")
        expect(empty).to_have_count(0)  # nobody plays on these boards
        if engine is CHROMIUM:
            check(watcher)
        listed = watcher.page.locator(".list li", has_text="Ada")
        expect(listed).not_to_contain_text("spectator")
        spectators = watcher.page.locator(".spectators").first
        with elsewhere(serving.url) as other:
            joined = other.do(other.client.join(room))
            watched_by(joined, 1)
            strike(watcher, watcher.button("Pause"))
            watched_by(joined, 0)
            strike(watcher, watcher.button("Animate the boards"))
            watched_by(joined, 1)
            strike(watcher, watched.get_by_role("link"))
            expect(watcher.page.locator(".board-box")).to_be_visible()
            expect(spectators).to_contain_text("1")
            watched_by(joined, 1)
        expect(spectators).to_contain_text("nobody")
