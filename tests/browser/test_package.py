"""A game that a package adds is played in a browser, which knows nothing of it: on hexagons, with
missing points, a kind of piece of its own, and a set-up from a template."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from browser.conftest import PHONE, Visit
from browser.newcomers import Newcomers
from browser.person import Person, room_of
from browser.rooms import apart, both_seats, continued, meeting
from browser.screen import check, violations
from browser.test_keyboard import Typist
from browser.test_layout import fits, speak
from browser.touched import Touched, touched
from browser.windows import Windows, enter, go_on_unseen, resize
from pierule_protocol.messages import GameQuery
from support.browsers import CHROMIUM, FIREFOX, Kind
from support.games import Game, game
from support.peer import Peer
from support.serving import Serving

GAME = ["a3,c3/b2", "black", "e2", "d2", "c5", "e3", "d1", "b5", "e1", "d3", "d4", "a5", "a4",
        "b4", "b3", "c2", "c1", "c4"]  # fmt: skip
"""A whole game, of which seat 0 plays every other action, from the first on."""

BEGINNING, END = 4, 2
"""How many actions are played in browsers where two of them play, or Firefox does; a finger in
Chromium plays all of them. Either player has both forms among theirs."""
MIDDLE = [(turn % 2, GAME[turn]) for turn in range(BEGINNING, len(GAME) - END)]
"""What is played elsewhere meanwhile: seats and actions."""

LISTED = "document.querySelectorAll('.actions ol button').length"
"""So many actions are listed."""

ENDED = {
    **dict.fromkeys(("b2", "d2", "e3", "b5", "d3", "a5", "b4", "c2", "c4"), "black stone"),
    **dict.fromkeys(("e2", "c5", "d1", "e1", "d4", "a4", "b3", "c1"), "white stone"),
}
"""The stones at the end; the two rocks have become towers."""

SCORES = [
    ["Black", "largest group", "9", "towers: 1", "2", "Score", "11"],
    ["White", "largest group", "4", "towers: 1", "2", "Score", "6"],
]


@pytest.fixture(scope="module")
def citadel_server(
    tmp_path_factory: pytest.TempPathFactory, citadel: dict[str, str]
) -> Iterator[Serving]:
    """A node with the package."""
    with Serving(tmp_path_factory.mktemp("citadel"), environment=citadel) as serving:
        yield serving


@pytest.fixture
def home(citadel_server: Serving) -> str:
    """The address of its page."""
    return f"http://{citadel_server.http}"


@pytest.fixture(scope="module")
def host(citadel_server: Serving) -> Serving:
    return citadel_server


def citadel_of(size: int) -> Game:
    return Game("citadel", size, GAME, [], {}, [])


def ended(person: Person) -> None:
    """The end of the game is on the screen: the board, who won, and where the score comes from."""
    person.sees_actions(GAME)
    result = person.page.locator(".result")
    expect(result).to_contain_text("Black wins by 5: 11 to 6")
    board = person.board()
    assert sorted(board.items()) == sorted(
        {**ENDED, "a3": "white tower", "c3": "black tower"}.items()
    )
    sides = person.page.locator(".sums table")
    expect(sides).to_have_count(2)
    told = [each.locator("caption, th, td").all_inner_texts() for each in sides.all()]
    assert [[text.strip() for text in side] for side in told] == SCORES
    for color, counted in (("black", 10), ("white", 5)):
        expect(person.page.locator(f".board .mark.{color}")).to_have_count(counted)
    label = person.page.locator('[data-point="c3"]').get_attribute("aria-label")
    assert label == "c3, black tower, Black: towers"


def go(person: Person, where: str) -> None:
    person.page.evaluate("where => { location.hash = where }", where)


def makes(person: Person) -> str:
    """Make a game of the package from the first screen, which is there; its link."""
    person.press(person.page.locator('.game:has(input[value="citadel"])'))
    person.page.get_by_role("combobox", name="Size").select_option("5")
    person.press(person.button("Create game"))
    return person.page.get_by_label("Send this link").input_value()


def test_a_package_is_played_by_mouse_and_by_keyboard_in_firefox(
    windows: Windows, citadel_server: Serving
) -> None:
    """From the first screen to the end, but for the middle. Both see every picture of the set-up,
    and nothing is typed."""
    first = windows.get(0, CHROMIUM)
    second = Typist(windows.get(1, FIREFOX))
    go(first, "#/")
    link = makes(first)
    go(second.person, f"#{room_of(link)}")
    second.push("Play here")
    first.sees("You cut. Place two rocks and a black stone.")
    first.sees("Tap a cell for a rock. Left to place: 2.")
    for turn in range(BEGINNING):
        (second if turn % 2 else first).play(GAME[turn], turn)
    people = first, second.person
    go_on_unseen(people, citadel_server, citadel_of(5), MIDDLE, BEGINNING)
    for turn in range(len(GAME) - END, len(GAME)):
        (second if turn % 2 else first).play(GAME[turn], turn)
    for person in people:
        ended(person)
    assert violations(first) == []
    second.push("To the beginning")
    expect(second.person.page.locator(".board .mark")).to_have_count(0)


def test_a_package_is_played_by_finger(newcomers: Newcomers, citadel_server: Serving) -> None:
    person = newcomers.get(citadel_server, PHONE)
    person.open()
    makes(person)
    person.press(person.button("Take the other seat too"))
    person.sees("You play both sides.")
    for turn, action in enumerate(GAME):
        person.play(action, turn)
    ended(person)
    assert fits(person) == []


async def taps_move_and_confirm(window: Touched) -> None:
    """A tap elsewhere moves the pieces; a double tap is one tap, though this browser does not count
    a finger's taps; a tap on what is shown confirms it."""
    shown = "document.querySelector('.controls .primary:enabled')?.textContent === 'Play %s'"
    await window.sees("document.querySelector('.board-box .target')")
    for point, times in (("d4", 1), ("b2", 2), ("c3", 3)):
        await window.tap(point, times=times)
        await window.sees(shown % point)
        assert await window.acts() == []
    await window.tap("c3")
    await window.sees(f"{LISTED} === 3")
    assert await window.acts() == [(2, "c3")]


async def touch_package(window: Touched, turns: range) -> None:
    """Play these turns of the package's game."""
    for turn in turns:
        if GAME[turn] == "black":
            await window.touch(".choice .black")
            await window.sees("document.querySelector('.controls .primary:enabled')")
            await window.touch(".controls .primary")
        points = re.findall(r"[a-z]\d", GAME[turn])
        for point in points:
            target = f"""document.querySelector('.target[data-point="{point}"]')"""
            await window.sees(target)
            await window.tap(point)
        if points:
            ready = "document.querySelector('.controls .primary:enabled')?.textContent"
            await window.sees(f"{ready} === 'Play {GAME[turn]}'")
            await window.tap(points[-1])
        await window.sees(f"{LISTED} === {turn + 1}")


def test_a_finger_in_firefox_moves_and_confirms_and_plays_a_package(
    citadel_server: Serving, home: str
) -> None:
    """First on squares, then on hexagons from the first screen to the end, but for the middle."""

    async def play() -> None:
        room, token = await both_seats(citadel_server.url, None, game("loose", 5), 2)
        beginning, end = range(BEGINNING), range(len(GAME) - END, len(GAME))
        async with touched() as window:
            await window.known_as(token)
            await window.open(f"{home}/#{room}")
            await taps_move_and_confirm(window)
            await window.ask('JSON.stringify([location.hash = "#/", wire.length = 0])')
            await window.sees("""document.querySelector('[name=game][value="citadel"]')""")
            await window.touch('.game:has([value="citadel"])')
            await window.touch(".ways .way:last-child button")
            await window.sees("document.querySelector('.seats .link')")
            await window.touch(".seats .link")
            await window.sees("document.querySelector('.board-box .target')")
            await touch_package(window, beginning)
            room = await window.ask("JSON.stringify(location.hash.slice(1))")
            await continued(citadel_server.url, room, [token] * 2, MIDDLE, BEGINNING)
            await window.sees(f"{LISTED} === {end.start}")
            await touch_package(window, end)
            await window.sees("document.querySelectorAll('.sums table').length === 2")
            assert await window.acts() == [(turn, GAME[turn]) for turn in (*beginning, *end)]

    apart(play())


def test_the_preview_of_an_action_is_shown(windows: Windows) -> None:
    """In the set-up by the template, later as the server says; and why a point is none is told in
    the game's words, in the language that is chosen, or in English."""
    person = windows.alone(citadel_of(5), 0)
    ghosts = person.page.locator(".moving .ghost")
    target = person.page.locator(".board-box .target").first
    expect(target).to_be_attached()
    for number, point in enumerate(("c3", "a3", "b2"), 1):
        person.press(person.point(point))
        expect(ghosts).to_have_count(number)
    expect(person.page.locator(".moving .ghost.neutral")).to_have_count(2)
    person.press(person.button("Play a3,c3/b2"))
    person.play("black", 1)
    expect(target).to_be_attached()
    person.press(person.point("a3"))
    person.sees("a3 is not empty.")
    person.press(person.point("d4"))
    expect(person.page.locator('[data-point="d4"] .moving .ghost.white')).to_have_count(1)
    for language, label in (
        ("es", "Te toca: pon una piedra."),
        ("ko", "Your turn: place a stone."),
    ):
        speak(person, language)
        person.page.keyboard.press("Escape")
        person.sees(label)
    speak(person, "en")


def test_the_screens_of_a_package_fit_and_are_accessible(
    windows: Windows, citadel_server: Serving
) -> None:
    """At every width, in both schemes: the first one, the rules, the set-up."""
    person, other = windows.get(), windows.get(1)
    person.open()
    expect(person.page.locator(".game .sample svg")).to_have_count(4)
    check(person)
    person.open("#/rules/citadel")
    person.page.get_by_role("heading", name="Citadel").wait_for()
    person.sees("A rock without an empty cell beside it becomes a tower")
    expect(person.page.locator("figure .board")).to_have_count(2)
    check(person)
    of = citadel_of(7)
    room = apart(meeting(citadel_server.url, of, 0, [windows.token(), windows.token(1)]))
    for each in (person, other):
        enter(each, room, of, 0)
    person.sees("You cut.")
    assert fits(person) == []
    check(person)


def test_the_lesson_of_a_package_needs_no_server(windows: Windows, engine: Kind) -> None:
    """By keyboard, and without a connection once the page is there."""
    person = windows.get(engine=engine)
    resize(person, (360, 640))
    typist = Typist(person)
    person.open("#/learn/citadel")
    lesson = person.page.get_by_role("link", name="Start: Make a tower")
    lesson.wait_for()
    # Chromium may ask for the page's icon again when it comes to another address of it.
    person.page.route(re.compile(r"^(?!.*/icon\.svg$)"), lambda route: route.abort())
    person.page.evaluate("dispatchEvent(new Event('offline'))")
    typist.reach(lesson)
    typist.press("Enter")
    person.sees("You are White. The rock on a3 has three cells beside it. Play a4.")
    person.sees("Lesson 1 of 1 · Step 1 of 2")
    for part in (".prompt", ".board-box"):
        expect(person.page.locator(f".lesson-table {part}")).to_be_in_viewport(ratio=1)
    person.press(person.point("b2"))
    person.sees("b2 is not empty.")
    person.press(person.point("c4"))
    person.sees("This is not part of the lesson.")
    typist.choose("e3")
    person.sees("That is far from the rock. Try again.")
    typist.push("Try again")
    typist.choose("a4")
    person.sees("Black plays elsewhere, on e1.")
    expect(person.button("Continue")).to_be_focused()
    assert person.board()["e1"] == "black stone"
    if engine is CHROMIUM:
        assert violations(person) == []
    typist.press("Enter")
    person.sees("Step 2 of 2")
    typist.choose("b3")
    person.sees("it is your tower.")
    person.sees("You finished this lesson.")
    assert person.board()["a3"] == "white tower"
    typist.push("Start again")
    person.sees("Step 1 of 2")
    assert person.board()["a3"] == "rock"
    person.page.unroute_all()
    person.page.evaluate("dispatchEvent(new Event('online'))")
    person.online()


def test_a_document_missing_at_one_node_is_asked_of_the_own_node(visit: Visit, home: str) -> None:
    """During an update a file can be where its node is not (SPEC 26.2); then nothing is lost."""
    person = visit(home)
    person.page.route("**/games/**", lambda route: route.fulfill(status=404))
    person.open()
    expect(person.page.locator(".game .sample svg")).to_have_count(4)
    person.sees("Join stones into one large group")
    person.faults[:] = [fault for fault in person.faults if "404" not in fault]


def test_a_broken_document_is_replaced_by_that_of_the_node(windows: Windows) -> None:
    """Whatever a file has in it: the page asks its node, which has the right one."""
    person = windows.get()
    person.page.goto("about:blank")
    person.page.route("**/games/**", lambda route: route.fulfill(body="[]"))
    person.open("#/rules/citadel")
    person.page.get_by_role("heading", name="Citadel").wait_for()
    person.page.unroute_all()


def test_texts_of_a_package_are_escaped(visit: Visit, citadel_server: Serving, home: str) -> None:
    """Nothing in a document is run, or becomes a part of the page."""

    async def told() -> str:
        async with await Peer.open(citadel_server.url) as peer:
            return str((await peer.do(GameQuery, game="citadel")).document)

    evil = "<img src=x onerror=alert(1)>"
    text = apart(told()).replace("Join stones into one large group", evil)
    text = text.replace('"shape":"disc"', '"shape":"constructor"')
    person = visit(home)
    person.page.route("**/games/citadel/**", lambda route: route.fulfill(body=text))
    person.open()
    person.sees(evil)
    assert person.page.locator("main img").count() == 0
    plain = person.page.locator(".sample .plain").first
    expect(plain).to_have_text(re.compile("^[XO]$"))
