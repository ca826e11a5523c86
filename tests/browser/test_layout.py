"""The whole board is in sight in every window, together with what is needed to act."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import PHONE, Visit
from browser.person import Person
from browser.rooms import apart, continued, known_as, prepare
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


def enter(visit: Visit, serving: Serving, of: Game, turns: int, **how: Any) -> Person:
    """The page of whoever is to act at a turn of a game, or of the first player if it is over."""
    room, tokens = prepare(serving, of, turns, names=LONG, clock="20+10")
    person = visit(**how)
    known_as(person, tokens[of.positions[turns].to_act or 0])
    person.open(f"#{room}")
    if turns == of.turns:
        expect(person.page.locator(".result")).to_be_visible()
    else:
        choices = person.page.locator(".controls :is(.buttons, .choice, .amount), .board .target")
        expect(choices.first).to_be_attached()
    return person


def fits(person: Person) -> list[str]:
    """What is out of sight, over all windows."""
    out: list[str] = []
    for width, height in SIZES:
        person.page.set_viewport_size({"width": width, "height": height})
        found = person.page.evaluate(NEEDED)
        window = found["window"]
        if found["wide"] > 0 or window["bottom"] > height + 0.5:
            out.append(f"{width}x{height}: the page scrolls")
        out += [f"{width}x{height}: {name} is broken" for name in found["broken"]]
        for what, boxes in found["seen"]:
            for box in boxes:
                inside = (
                    box["left"] >= -0.5 and box["right"] <= width + 0.5
                    and box["top"] >= window["top"] - 0.5
                    and box["bottom"] <= window["bottom"] + 0.5
                )  # fmt: skip
                if not inside:
                    out.append(f"{width}x{height}: {what} {box} in {window}")
        board = found["seen"][0][1][0]
        least = 0.45 * min(width, height)
        if board["right"] - board["left"] < least:
            out.append(f"{width}x{height}: a board of {board['right'] - board['left']:.0f}")
    return out


STATES = [
    ("loose", 9, 0), ("loose", 9, 1), ("loose", 13, 3), ("veletas", 10, 0), ("veletas", 10, 1),
    ("veletas", 10, 2), ("veletas", 10, 9), ("taugo", 16, 0), ("taugo", 16, 1), ("taugo", 16, 12),
    ("loose", 5, -1), ("veletas", 7, -1), ("taugo", 8, -1),
]  # fmt: skip
"""Every kind of phase of every game, and games that are over (-1)."""


@pytest.mark.parametrize(("name", "size", "turns"), STATES)
def test_the_whole_board_and_its_controls_are_in_sight(
    visit: Visit, server: Serving, name: str, size: int, turns: int
) -> None:
    of = game(name, size)
    person = enter(visit, server, of, turns if turns >= 0 else of.turns)
    assert fits(person) == []
    target = person.page.locator(".board-box .target")
    if target.count():  # and once a point is picked
        person.press(person.point(str(target.first.get_attribute("data-point"))))
        person.button("Undo").wait_for()
        assert fits(person) == []


def test_an_offer_does_not_push_the_confirmation_out_of_sight(
    visit: Visit, server: Serving
) -> None:
    of = game("loose", 5)
    room, tokens = prepare(server, of, 4, names=LONG, clock="20+10")
    mover = of.positions[4].to_act or 0
    people = [visit(viewport={"width": 320, "height": 568}) for _ in tokens]
    for person, token in zip(people, tokens, strict=True):
        known_as(person, token)
        person.open(f"#{room}")
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
    visit: Visit, server: Serving, size: tuple[int, int]
) -> None:
    """Whoever is to act, and whatever else there is to press."""
    of = game("loose", 5)
    room, tokens = prepare(server, of, 4, clock="20+10")
    viewport = {"width": size[0], "height": size[1]}
    people = [visit(viewport=viewport) for _ in tokens]
    for person, token in zip(people, tokens, strict=True):
        known_as(person, token)
        person.open(f"#{room}")
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
    person = enter(visit, server, game("veletas", 10), 0, viewport=viewport)
    person.press(person.point("a5"))
    expect(person.page.locator(".refusal")).to_be_in_viewport(ratio=1)


def test_the_board_is_in_sight_with_large_letters(visit: Visit, server: Serving) -> None:
    """At twice the size the whole board is still in sight, and nothing is beside the window."""
    person = enter(visit, server, game("veletas", 10), 9)
    person.page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width, height in ((360, 740), (740, 360), (1024, 768)):
        person.page.set_viewport_size({"width": width, "height": height})
        found = person.page.evaluate(NEEDED)
        [board] = found["seen"][0][1]
        assert found["wide"] <= 0
        assert board["left"] >= 0 <= board["top"]
        assert board["right"] <= width
        assert board["bottom"] <= height
        assert board["right"] - board["left"] > 0.3 * min(width, height)


def at_ply(person: Person, ply: int) -> None:
    current = person.page.locator('.actions [aria-current="true"] .number')
    if ply:
        expect(current).to_have_text(str(ply))
    else:
        expect(current).to_have_count(0)


def test_a_finished_game_is_stepped_through_beside_its_board(visit: Visit, server: Serving) -> None:
    """On a telephone by its buttons; by arrow keys, but for the board, where they move from point
    to point and comma and full stop step; and by the wheel over the board."""
    of = game("veletas", 7)
    person = enter(visit, server, of, of.turns, **PHONE)
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
    person.press(person.button("To the beginning"))
    at_ply(person, 0)
    press("ArrowLeft")
    at_ply(person, 0)


def test_the_wheel_over_the_board_steps_through_the_game(visit: Visit, server: Serving) -> None:
    """But not past the ends, where the page scrolls, nor where one writes."""
    of = game("veletas", 7)
    person = enter(visit, server, of, 6, viewport={"width": 1024, "height": 600})
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
    visit: Visit, server: Serving, tmp_path: Path
) -> None:
    of = game("taugo", 8)
    person = enter(visit, server, of, of.turns)
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
    room, tokens = prepare(server, of, first)
    known_as(person, tokens[0])
    person.open(f"#{room}")
    person.page.reload()
    expect(person.page.locator(".controls .prompt")).to_be_visible()
    person.sees_actions(of.actions[:first])
    person.page.evaluate("window.shifts = []")
    for turn in range(first, min(first + 10, of.turns - 1)):
        move = (of.positions[turn].to_act or 0, of.actions[turn])
        apart(continued(server.url, room, tokens, [move], turn))
        person.sees_actions(of.actions[: turn + 1])
    shifts = person.page.evaluate("window.shifts")
    assert jumped(shifts) < 0.05, shifts


ON_ITS_SIDE = [(740, 360), (640, 360)]


@pytest.mark.parametrize("size", [(320, 568), (360, 740), *ON_ITS_SIDE, (1366, 768), (1920, 1080)])
def test_the_layout_hardly_shifts(visit: Visit, server: Serving, size: tuple[int, int]) -> None:
    """Neither as the first screen comes, nor as a game is played."""
    goes_on(first_screen(visit, size), server, game("loose", 5), 2)


@pytest.mark.parametrize(("name", "side"), [("veletas", 7), ("taugo", 8)])
@pytest.mark.parametrize("size", ON_ITS_SIDE)
def test_no_game_shifts_on_its_side(
    visit: Visit, server: Serving, size: tuple[int, int], name: str, side: int
) -> None:
    """Where what you are told to do has little room."""
    person = visit(viewport={"width": size[0], "height": size[1]})
    person.page.add_init_script(SHIFTS)
    goes_on(person, server, game(name, side), 0)


@pytest.mark.parametrize("tag", ["en", "es", "ko"])
def test_the_header_fits_with_large_letters(
    visit: Visit, server: Serving, tag: str, engine: Kind
) -> None:
    """Also when it shows the name of a guest."""
    person = visit(locale=tag, engine=engine)
    person.open()
    expect(person.page.locator(".me")).to_be_visible()
    person.page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width, height in (*SIZES, (390, 780), (480, 800), (568, 320), (900, 600)):
        person.page.set_viewport_size({"width": width, "height": height})
        outside: list[str] = person.page.evaluate(OUTSIDE)
        assert outside == [], (width, height)


CUT = """() => {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } =
    document.querySelector(".connection .text");
  return scrollWidth > clientWidth || scrollHeight > clientHeight;
}"""
"""Whether the message about the connection shows only in part."""


@pytest.mark.parametrize("tag", ["en", "es", "ko"])
def test_a_phone_shows_the_whole_message_about_the_connection(
    visit: Visit, server: Serving, tag: str
) -> None:
    """And the bar is as high as with a connection."""
    person = visit(locale=tag, **PHONE)
    person.open()
    high = "document.querySelector('.top').offsetHeight"
    before: list[int] = []
    for width, height in (*SIZES[:2], (390, 780)):
        person.page.set_viewport_size({"width": width, "height": height})
        before.append(person.page.evaluate(high))
    person.page.wait_for_load_state("networkidle")  # it loads rooms ahead
    person.page.context.set_offline(True)
    expect(person.page.locator('[data-status="waiting"]')).to_be_attached()
    for (width, height), was in zip((*SIZES[:2], (390, 780)), before, strict=True):
        person.page.set_viewport_size({"width": width, "height": height})
        assert not person.page.evaluate(CUT), (width, height)
        assert person.page.evaluate(high) <= was, (width, height)
