"""How people find somebody to play with: by `Play now`, by a list, by a link; or a house bot."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import Visit
from browser.person import BOUND_MS, Person
from support.serving import Serving

TURNS = 60
"""More than a player has in any game on the small boards."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with a house bot."""
    serving = Serving(tmp_path_factory.mktemp("bots"), "--bots", "random")
    try:
        serving.start()
        yield serving
    finally:
        serving.clear()


def waiting(person: Person, text: str) -> Locator:
    """The games in the list of open ones in which this stands."""
    return person.page.locator(".list li").filter(has_text=text)


def test_a_whole_game_with_a_house_bot(visit: Visit) -> None:
    person = visit()
    person.wish("veletas", 7)
    offered = waiting(person, "Veletas 7").filter(has_text="Bot (random)")
    expect(offered.locator(".tag")).to_have_text("bot", timeout=BOUND_MS)
    person.press(person.button("Play now"))
    expect(person.page.locator(".player .tag", has_text="bot")).to_be_visible(timeout=BOUND_MS)
    rng = random.Random(7)
    for _ in range(TURNS):
        if not take_turn(person, rng):
            break
    expect(person.page.locator(".result")).to_contain_text("shooters claimed", timeout=BOUND_MS)
    expect(person.button("Offer a rematch")).to_have_count(0)  # it would not answer
    person.press(person.page.get_by_role("link", name="New game"))
    person.page.get_by_role("heading", name="New game").wait_for()


def take_turn(person: Person, rng: random.Random) -> bool:
    """Play something that the board offers, once it is one's turn; False if the game is over."""
    page = person.page
    color = person.button("Play Black")
    target, result = page.locator(".board-box .target"), page.locator(".result")
    expect(color.or_(target.first).or_(result).first).to_be_attached(timeout=BOUND_MS)
    if result.count():
        return False
    played = page.locator(".actions ol button").count()
    if color.count():
        person.press(color)
    else:
        pick(person, target, rng)
    expect(page.locator(".actions ol button").nth(played)).to_be_attached(timeout=BOUND_MS)
    return True


def pick(person: Person, target: Locator, rng: random.Random) -> None:
    """Point after point, until that is an action; then play it."""
    play = person.page.locator(".controls button.primary:enabled")
    step = person.page.locator(".controls")
    while not play.count():
        points = target.evaluate_all("cells => cells.map(cell => cell.dataset.point)")
        before = step.inner_text()
        person.press(person.point(rng.choice(points)))
        expect(step).not_to_have_text(before, timeout=BOUND_MS, use_inner_text=True)
        expect(play.or_(target.first).first).to_be_attached(timeout=BOUND_MS)
    person.press(play)


def test_play_now_opens_a_game_or_joins_the_one_of_a_person(visit: Visit) -> None:
    first, second = visit(), visit()
    first.wish("taugo", 6)
    first.press(first.button("Play now"))
    first.sees("Nobody waits for this game, so yours is open now")
    second.wish("taugo", 6)
    second.press(second.button("Play now"))
    first.sees("You cut")
    assert second.page.url == first.page.url


def test_people_come_before_bots(visit: Visit) -> None:
    first, second = visit(), visit()
    link = first.create("loose", 5)
    room = link.rpartition("#")[2]
    second.wish("loose", 5)
    expect(waiting(second, "Bot (random)").first).to_be_visible(timeout=BOUND_MS)
    opens = second.page.locator(".list", has_text="Open games").locator("li")
    expect(opens.first.get_by_role("link")).to_have_attribute("href", f"#{room}/play")
    second.press(second.button("Play now"))
    expect(second.page).to_have_url(re.compile(f"#{room}$"), timeout=BOUND_MS)
    first.sees("You cut")


def test_an_unlisted_game_is_found_by_its_link(visit: Visit) -> None:
    first, second = visit(), visit()
    link = first.create("taugo", 6, finds="unlisted")
    room = link.rpartition("#")[2]
    assert re.fullmatch("[a-z]+", room)
    second.open()
    expect(waiting(second, "Bot (random)").first).to_be_visible(timeout=BOUND_MS)
    expect(second.page.get_by_role("link", name=re.compile(room))).to_have_count(0)
    second.page.goto(link)
    second.press(second.button("Play here"))
    first.sees("You cut")


def test_the_link_of_a_private_game_is_found_again(visit: Visit) -> None:
    first = visit()
    link = first.create("taugo", 6, finds="private")
    first.open()
    first.press(first.page.get_by_role("link", name=re.compile("^Go on:")))
    expect(first.page.get_by_label("Send this link")).to_have_value(link, timeout=BOUND_MS)


def test_a_seat_at_random_and_spectators_that_are_behind(visit: Visit) -> None:
    first, second = visit(), visit()
    first.wish("taugo", 6)
    first.page.get_by_role("combobox", name="You").select_option("random")
    first.press(first.page.get_by_text("More", exact=True))
    first.page.get_by_role("combobox", name="Spectators see it").select_option("5")
    first.press(first.button("Create game"))
    second.page.goto(first.page.get_by_label("Send this link").input_value())
    second.press(second.button("Play here"))
    for person in (first, second):
        person.sees("Spectators are 5 actions behind.")
        person.sees(re.compile("You cut|is to act"))
    cuts = [person.page.get_by_text("You cut").count() for person in (first, second)]
    assert sorted(cuts) == [0, 1]
