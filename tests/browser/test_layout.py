"""The whole board is in sight in every window, together with what is needed to act."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import PHONE, Visit
from browser.elsewhere import elsewhere
from browser.newcomers import Newcomers
from browser.person import Person
from browser.rooms import TOKEN, apart, meeting, user
from browser.screen import unpainted
from browser.windows import Windows, enter, resize
from support.browsers import Kind
from support.games import Game, game
from support.serving import Serving

SIZES = (
    (320, 568), (360, 740), (740, 360), (640, 360), (768, 1024), (1024, 768), (1366, 650),
    (1366, 768), (1920, 1080), (3840, 2160),
)  # fmt: skip
"""Telephones, upright and on their side; 1280x720 at 200 %; tablets, laptops, and 4K."""

OUTSIDE = """() => [...document.querySelectorAll(".top, .top *:not(.aloud, .aloud *)")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => `${element.tagName} ${element.className}`)"""
"""What of the header is beside the window."""

LONG = ("Ada", "MARY-WILHELMINA-WAGNER-M")

NEEDED = """() => {
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  };
  const main = document.querySelector("main");
  main.scrollTop = 0;
  const over = document.querySelector(".controls .result, .replay .steps");
  const needed = [
    [".board-box svg", true],
    [".player", !document.querySelector(".replay")],
    [".controls :is(.buttons, .choice, .amount) :is(button, input)", !over],
    [".controls .result", over && !document.querySelector(".replay")],
    [".ending .primary", over && !document.querySelector(".replay")],
    [".replay .steps button", over],
  ];
  const broken = [...document.querySelectorAll(".called")]
    .filter((name) => name.offsetHeight > 2 * parseFloat(getComputedStyle(name).fontSize));
  const seen = needed.filter(([, when]) => when).map(([what]) =>
    [what, [...document.querySelectorAll(what)].map(box)]);
  const wide = document.documentElement.scrollWidth - innerWidth;
  return { window: box(main), seen, broken: broken.map((name) => name.textContent), wide };
}"""
"""Where in the window that is which has to be in sight, of an unscrolled page."""


@pytest.fixture(scope="module")
def names() -> tuple[str, ...]:
    return LONG


def acting(
    windows: Windows,
    server: Serving,
    of: Game,
    turns: int,
    size: tuple[int, int] = (1280, 800),
    finger: bool = False,
) -> Person:
    """Whoever is to act at a turn of a game, or the first player if it is over, in a window of this
    size."""
    seat = of.positions[turns].to_act or 0
    tokens = [windows.token(number, finger=finger) for number in range(2)]
    room = apart(meeting(server.url, of, turns, tokens, "20+10"))
    person = windows.get(seat, finger=finger)
    resize(person, size)
    enter(person, room, of, turns)
    if turns == of.turns:
        expect(person.page.locator(".result")).to_be_visible()
    else:
        choices = person.page.locator(".controls :is(.buttons, .choice, .amount), .board .target")
        expect(choices.first).to_be_attached()
    return person


def fits(person: Person) -> list[str]:
    """What is out of sight, over all windows."""
    out: list[str] = []
    with unpainted(person):
        for size in SIZES:
            resize(person, size)
            out += [f"{size[0]}x{size[1]}: {what}" for what in misplaced(person, size)]
    return out


def misplaced(person: Person, size: tuple[int, int]) -> Iterator[str]:
    """What is out of sight in a window of this size."""
    width, height = size
    found = person.page.evaluate(NEEDED)
    window = found["window"]
    if found["wide"] > 0 or window["bottom"] > height + 0.5:
        yield "the page scrolls"
    for name in found["broken"]:
        yield f"{name} is broken"
    for what, boxes in found["seen"]:
        for box in boxes:
            inside = (
                box["left"] >= -0.5 and box["right"] <= width + 0.5
                and box["top"] >= window["top"] - 0.5
                and box["bottom"] <= window["bottom"] + 0.5
            )  # fmt: skip
            if not inside:
                yield f"{what} {box} in {window}"
    board = found["seen"][0][1][0]
    if board["right"] - board["left"] < 0.45 * min(width, height):
        yield f"a board of {board['right'] - board['left']:.0f}"


STATES = {
    "loose": [(9, 0), (9, 1), (13, 3), (5, -1)],
    "veletas": [(10, 0), (10, 1), (10, 2), (10, 9), (7, -1)],
    "taugo": [(16, 0), (16, 1), (16, 12), (8, -1)],
}
"""Sizes and turns of each game: every kind of phase, and games that are over (-1)."""


@pytest.mark.parametrize("name", STATES)
def test_the_whole_board_and_its_controls_are_in_sight(
    windows: Windows, server: Serving, name: str
) -> None:
    for size, turns in STATES[name]:
        of = game(name, size)
        person = acting(windows, server, of, turns if turns >= 0 else of.turns)
        assert fits(person) == [], (size, turns)
        target = person.page.locator(".board-box .target")
        if target.count():  # and once a point is picked
            person.press(person.point(str(target.first.get_attribute("data-point"))))
            person.button("Undo").wait_for()
            assert fits(person) == [], (size, turns, "picked")


def players(
    windows: Windows, server: Serving, turns: int, size: tuple[int, int]
) -> tuple[Person, Person]:
    """Two people at a turn of their game of Loose, in windows of a size; the first has seat 0."""
    of = game("loose", 5)
    tokens = windows.token(), windows.token(1)
    room = apart(meeting(server.url, of, turns, tokens, "20+10"))
    people = windows.get(), windows.get(1)
    for person in people:
        resize(person, size)
        enter(person, room, of, turns)
    return people


def test_an_offer_does_not_push_the_confirmation_out_of_sight(
    windows: Windows, server: Serving
) -> None:
    people = players(windows, server, 4, (320, 568))
    mover = game("loose", 5).positions[4].to_act or 0
    target = people[mover].page.locator(".board-box .target").first
    expect(target).to_be_attached()
    people[mover].press(people[mover].point(str(target.get_attribute("data-point"))))
    people[mover].button("Undo").wait_for()
    people[1 - mover].press(people[1 - mover].button("Ask for a takeback"))
    expect(people[mover].button("Accept")).to_be_attached()
    expect(people[mover].button("Undo")).to_be_in_viewport(ratio=1)
    expect(people[mover].page.locator(".controls .primary")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [(320, 568), (360, 640)])
def test_offers_and_reasons_are_in_sight(
    windows: Windows, server: Serving, size: tuple[int, int]
) -> None:
    """Whoever is to act, and whatever else there is to press."""
    people = players(windows, server, 4, size)
    for asker, asked in (people, people[::-1]):
        asker.press(asker.button("Ask for a takeback"))
        for person in people:
            person.page.locator(".footer").evaluate("footer => footer.scrollIntoView()")
        sign = asked.page.locator(".sign.to-offer")
        expect(sign).to_be_in_viewport(ratio=1)
        asked.press(sign)
        asked.page.evaluate("document.querySelector('main').scrollTop = 0")  # back at the board
        expect(asked.button("Accept")).to_be_in_viewport(ratio=1)
        expect(asked.button("Decline")).to_be_in_viewport(ratio=1)
        expect(sign).to_have_count(0)
        asked.press(asked.button("Decline"))
        told = asker.page.locator(".sign.to-news")
        expect(told).to_contain_text("declined a takeback.")
        expect(told).to_be_in_viewport(ratio=1)
        expect(asker.page.locator("#spent")).to_contain_text("Offered already: a takeback.")
    asker = people[0]
    takeback = asker.button("Ask for a takeback")
    expect(takeback).to_be_disabled()
    takeback.press("Enter")  # which is too early
    expect(asker.page.locator(".refusal")).to_be_in_viewport(ratio=1)
    person = acting(windows, server, game("veletas", 10), 0, size)
    person.press(person.point("a5"))
    expect(person.page.locator(".refusal")).to_be_in_viewport(ratio=1)


LETTERS = "size => { document.documentElement.style.fontSize = size }"


def test_the_board_is_in_sight_with_large_letters(windows: Windows, server: Serving) -> None:
    """At twice the size the whole board is still in sight, and nothing is beside the window."""
    person = acting(windows, server, game("veletas", 10), 9)
    person.page.evaluate(LETTERS, "200%")
    for width, height in ((360, 740), (740, 360), (1024, 768)):
        resize(person, (width, height))
        found = person.page.evaluate(NEEDED)
        [board] = found["seen"][0][1]
        assert found["wide"] <= 0
        assert board["left"] >= 0 <= board["top"]
        assert board["right"] <= width
        assert board["bottom"] <= height
        assert board["right"] - board["left"] > 0.3 * min(width, height)
    person.page.evaluate(LETTERS, "")


def at_ply(person: Person, ply: int) -> None:
    current = person.page.locator('.actions [aria-current="true"] .number')
    if ply:
        expect(current).to_have_text(str(ply))
    else:
        expect(current).to_have_count(0)


def test_a_finished_game_is_stepped_through_beside_its_board(
    windows: Windows, server: Serving
) -> None:
    """On a telephone by its buttons; by arrow keys, but for the board, where they move from point
    to point and comma and full stop step; and by the wheel over the board."""
    of = game("veletas", 7)
    person = acting(windows, server, of, of.turns, (390, 780), finger=True)
    press = person.page.keyboard.press
    at_ply(person, of.turns)
    person.press(person.button("One action back"))
    at_ply(person, of.turns - 1)
    board = person.board()
    for key, ply in (("ArrowLeft", -2), ("ArrowLeft", -3), ("ArrowRight", -2), ("Comma", -2)):
        press(key)
        at_ply(person, of.turns + ply)
    cell = person.page.locator('.board-box [role="gridcell"][tabindex="0"]')
    cell.focus()
    here = cell.get_attribute("data-point")
    press("ArrowLeft")
    assert cell.get_attribute("data-point") != here
    at_ply(person, of.turns - 2)
    for key, ply in (("Comma", -3), ("Period", -2), ("Period", -1)):
        press(key)
        at_ply(person, of.turns + ply)
    assert person.board() == board
    aloud = person.page.locator("[aria-live].aloud")
    expect(aloud).to_have_text(re.compile(f"^Action {of.turns - 1}: .*\\. (Black|White) to act$"))
    person.press(person.button("To the beginning"))
    at_ply(person, 0)
    expect(aloud).to_have_text(re.compile("^Opening\\. "))
    press("ArrowLeft")
    at_ply(person, 0)


def test_the_wheel_over_the_board_steps_through_the_game(windows: Windows, server: Serving) -> None:
    """But not past the ends, where the page scrolls, nor where one writes."""
    of = game("veletas", 7)
    person = acting(windows, server, of, 6, (1024, 600))
    box = person.page.locator(".board-box").bounding_box()
    assert box is not None
    person.page.mouse.move(box["x"] + 50, box["y"] + 50)
    for way, ply in ((-1, 5), (-1, 4), (1, 5)):
        person.page.mouse.wheel(0, way * 120)
        at_ply(person, ply)
    assert person.page.evaluate("document.querySelector('main').scrollTop") == 0
    person.page.mouse.wheel(0, 120)
    at_ply(person, 6)
    person.page.get_by_label("Write a message").focus()
    person.page.keyboard.press("ArrowLeft")
    at_ply(person, 6)
    person.page.locator("body").click(position={"x": 2, "y": 2})
    person.page.keyboard.press("ArrowLeft")
    at_ply(person, 5)


def test_a_record_is_replayed_beside_its_board(
    windows: Windows, server: Serving, tmp_path: Path
) -> None:
    of = game("taugo", 8)
    person = acting(windows, server, of, of.turns)
    with person.page.expect_download() as download:
        person.press(person.button("Download record"))
    file = tmp_path / "record.json"
    download.value.save_as(file)
    person.open("#/replay")
    person.page.locator('input[type="file"]').set_input_files(file)
    person.sees("Every board matches the record.")
    assert fits(person) == []
    person.page.keyboard.press("ArrowRight")
    at_ply(person, 1)


SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) =>
  [entry.value, entry.startTime,
   ...entry.sources.map(({ node }) => node?.className ?? node?.nodeName)]
))).observe({ type: "layout-shift", buffered: true });
"""
"""Writes down what jumps and when, in ms, also after a tap."""


SETTLED = """new Promise((told) =>
  requestAnimationFrame(() => setTimeout(() => told(window.shifts), 50)))"""
"""All of it, once the latest change is drawn and observed."""


def jumped(shifts: list[list[float]]) -> float:
    """The cumulative layout shift, as browsers' makers define it: the worst stretch of 5 s at most
    in which shifts follow each other within a second."""
    worst = total = first = last = 0.0
    for value, at, *_ in shifts:
        if at - last > 1_000 or at - first > 5_000:
            total, first = 0.0, at
        total, last = total + value, at
        worst = max(worst, total)
    return worst


SHORT = """all => all.filter((each) => each.scrollHeight > each.clientHeight)
  .map((each) => each.textContent)"""
"""Which captions show only in part."""


def first_screen(visit: Visit, size: tuple[int, int]) -> Person:
    """Somebody before whom the first screen came, and hardly anything jumped."""
    person = visit(viewport={"width": size[0], "height": size[1]})
    person.page.add_init_script(SHIFTS)
    person.open()
    expect(person.page.locator(".bot-card").first).to_be_visible()
    expect(person.page.locator(".show .board")).to_have_count(3)
    expect(person.page.locator(".game .board")).to_have_count(3)
    shifts = person.page.evaluate("window.shifts")
    assert jumped(shifts) < 0.05, shifts
    assert person.page.locator(".show .caption").evaluate_all(SHORT) == []
    return person


def goes_on(person: Person, server: Serving, of: Game, first: int) -> None:
    """Somebody before whom ten turns of their game are played, and hardly anything jumps. Each turn
    is drawn before the next one comes: otherwise the machine decides how much there is to see."""
    tokens = [person.page.evaluate(TOKEN), apart(user(server.url, "Bo"))]
    room = apart(meeting(server.url, of, first, tokens))
    enter(person, room, of, first)
    expect(person.page.locator(".controls .prompt")).to_be_visible()
    person.page.evaluate("window.shifts = []")
    ada, bo = (elsewhere(server.url, token=token) for token in tokens)
    with ada as first_player, bo as second_player:
        people = first_player, second_player
        rooms = [each.do(each.client.join(room)) for each in people]
        for turn in range(first, min(first + 10, of.turns - 1)):
            seat = of.positions[turn].to_act or 0
            people[seat].do(rooms[seat].act(of.actions[turn], turn))
            person.sees_actions(of.actions[: turn + 1])
    shifts = person.page.evaluate("window.shifts")
    assert jumped(shifts) < 0.05, (of.game, shifts)


ON_ITS_SIDE = [(740, 360), (640, 360)]


@pytest.mark.parametrize("size", [(320, 568), (360, 740), *ON_ITS_SIDE, (1366, 768), (1920, 1080)])
def test_the_layout_hardly_shifts(visit: Visit, server: Serving, size: tuple[int, int]) -> None:
    """Neither as the first screen comes, nor as a game is played; nor any other game on its side,
    where what you are told to do has little room."""
    person = first_screen(visit, size)
    goes_on(person, server, game("loose", 5), 2)
    if size in ON_ITS_SIDE:
        goes_on(person, server, game("veletas", 7), 0)
        goes_on(person, server, game("taugo", 8), 0)


@pytest.mark.parametrize(
    ("path", "last"), [("#/learn", ".courses .board"), ("#/analysis", ".begin button:enabled")]
)
def test_screens_hardly_shift_at_a_first_visit(visit: Visit, path: str, last: str) -> None:
    """Where the documents of games and what the server knows come one after the other."""
    person = visit(viewport={"width": 360, "height": 740})
    person.page.add_init_script(SHIFTS)
    person.open(path)
    expect(person.page.locator(last).last).to_be_visible()
    shifts = person.page.evaluate(SETTLED)
    assert jumped(shifts) < 0.05, shifts


LANGUAGES = ("en", "es", "ko")


def speak(person: Person, language: str) -> None:
    """Choose a language in the settings."""
    person.settings()
    person.page.locator(".settings select").first.select_option(language)
    expect(person.page.locator("html")).to_have_attribute("lang", language)
    person.settings()
    expect(person.page.locator(".settings")).to_have_count(0)
    person.closed()


def test_the_header_fits_with_large_letters(
    newcomers: Newcomers, server: Serving, engine: Kind
) -> None:
    """In every language, also when it shows the name of a guest. All screens have the same header;
    this one is so long that its scroll bar takes room from it."""
    person = newcomers.get(server, engine=engine)
    person.open("#/rules/loose")
    person.page.get_by_role("heading", name="Loose").wait_for()
    expect(person.page.locator(".me")).to_be_visible()
    for language in LANGUAGES:
        speak(person, language)
        person.page.evaluate(LETTERS, "200%")
        with unpainted(person):
            for size in (*SIZES, (390, 780), (480, 800), (568, 320), (900, 600)):
                resize(person, size)
                outside: list[str] = person.page.evaluate(OUTSIDE)
                assert outside == [], (language, size)
        person.page.evaluate(LETTERS, "")


CUT = """() => {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } =
    document.querySelector(".connection .text");
  return scrollWidth > clientWidth || scrollHeight > clientHeight;
}"""
"""Whether the message about the connection shows only in part."""


def heights(person: Person, *, whole: bool = False) -> dict[tuple[str, int], int]:
    """How high the bar is on a phone, for each language and width. With `whole`, the message about
    the connection has to show in whole."""
    found = {}
    for language in LANGUAGES:
        speak(person, language)
        with unpainted(person):
            for size in (*SIZES[:2], (390, 780)):
                resize(person, size)
                assert not whole or not person.page.evaluate(CUT), (language, size)
                high = person.page.evaluate("document.querySelector('.top').offsetHeight")
                found[language, size[0]] = high
    return found


def test_a_phone_shows_the_whole_message_about_the_connection(visit: Visit) -> None:
    """In every language. And the bar is as high as with a connection."""
    person = visit(**PHONE)
    person.open("#/rules/loose")
    person.page.get_by_role("heading", name="Loose").wait_for()
    before = heights(person)
    person.page.wait_for_load_state("networkidle")  # it loads rooms ahead
    person.page.context.set_offline(True)
    expect(person.page.locator('[data-status="waiting"]')).to_be_attached()
    for which, high in heights(person, whole=True).items():
        assert high <= before[which], which
