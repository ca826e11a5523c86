"""Nothing is sent that was not seen and confirmed: random keys and clicks in every phase of every
game, by the program's own table of keys, while answers are late and the board moves on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from textual.actions import parse

import pierule
from pierule_games import GAMES
from pierule_games.board import board
from pierule_games.description import Account
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Acted, AnyRecord, Created, Offered, Seated, TakenBack
from pierule_protocol.messages import Error, Legal, LegalQuery, LegalRefusal, RoomState, Seat
from pierule_protocol.state.room import Room, room_state
from pierule_server.rooms.legal import answer
from pierule_terminal.fullscreen.app import RoomApp
from pierule_terminal.fullscreen.controller import Controller
from pierule_terminal.fullscreen.view import View, guide
from pierule_terminal.style import Style
from support import logs
from support.documents import document_of
from support.examples import up_to
from support.games import game
from support.logs import folded, write

POINT = re.compile(r"[a-z][0-9]+")


def refused(code: Code) -> pierule.Refused:
    return pierule.Refused(Error(id=0, code=code, text=str(code)))


class Table:
    """A room in which one user holds both seats, by the real rules and the server's answers, which
    come `lag` turns of the event loop late. `sent` is called with what is sent."""

    id = "room"
    seats: tuple[Seat, Seat] = (0, 1)
    presence = None

    def __init__(self, records: list[AnyRecord], lag: int, sent: Any) -> None:
        self._records, self._lag, self._sent = records, lag, sent
        self._news: asyncio.Queue[pierule.Update] = asyncio.Queue()
        self.append()

    def append(self, *records: AnyRecord) -> None:
        self._records += records
        self.room: Room = folded(write(EMPTY, *self._records))
        self.state: RoomState = room_state(self.room)
        self._news.put_nowait(pierule.Update(self.state))

    def take_back(self) -> None:
        """The latest action is taken back, if one can be."""
        nonce = f"n{len(self._records)}"
        seats: tuple[Seat, ...] = (0, 1)
        for seat in seats:
            barred = self.room.hindrance(seat, "takeback")
            if not self.over and not barred and not self.room.offers.hindrance(seat, "takeback"):
                other: Seat = 0 if seat else 1
                self.append(Offered(seat, "takeback", nonce), TakenBack(other, f"{nonce}b"))
                break

    @property
    def position(self) -> Any:
        return self.state.position

    @property
    def to_act(self) -> Seat | None:
        return self.room.position.to_act

    def time_left(self, _seat: Seat) -> None:
        return None

    @property
    def my_turn(self) -> bool:
        return self.room.status == "running" and self.room.position.to_act is not None

    @property
    def over(self) -> bool:
        return self.room.status == "over"

    async def updates(self, *, beyond: bool) -> AsyncIterator[pierule.Update]:
        assert beyond
        while True:
            yield await self._news.get()

    async def chat(self) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield None

    async def late(self) -> None:
        await turns(self._lag)

    async def legal(self, prefix: str = "") -> Legal:
        await self.late()
        legal = logs.legal(self.room, prefix)
        await self.late()
        return legal

    async def why(
        self, action: str = "", *, points: tuple[str, ...] = (), turn: int
    ) -> LegalRefusal | None:
        await self.late()
        assert all(re.fullmatch("[a-z][0-9]{1,2}", point) for point in points)
        if turn != self.room.turn:
            raise refused(Code.STALE)
        query = LegalQuery(id=0, room=self.id, action=action, points=list(points))
        return answer(self.room, query).refusal

    async def act(self, action: str, turn: int, epoch: int) -> None:
        self._sent(action, turn)
        await self.late()
        position = self.room.position
        if (turn, epoch) != (self.room.turn, self.room.place.epoch) or position.to_act is None:
            raise refused(Code.STALE)
        if isinstance(position.play(action), Refusal):
            raise refused(Code.ILLEGAL)
        self.append(Acted(position.to_act, action))
        await self.late()


async def no_account(*_: object) -> Account:
    return Account()


@dataclass
class Player:
    """Presses keys, clicks, and notes what that confirms, by what the screen says."""

    records: list[AnyRecord]
    lag: int
    confirms: bool
    confirmed: list[tuple[str, int]] = field(default_factory=list)
    sent: list[tuple[str, int]] = field(default_factory=list)
    last: int = 0
    """The cell that was clicked on last."""

    def __post_init__(self) -> None:
        self.table = Table(self.records, self.lag, self.hear)
        client = SimpleNamespace(
            server_time=lambda: 0, welcome=SimpleNamespace(features=("why",)), account=no_account
        )
        room = cast("pierule.Room", self.table)
        self.controller = Controller(
            cast("pierule.Client", client),
            document_of(room.position.game),
            room,
            confirms=self.confirms,
        )
        self.app = RoomApp(cast("pierule.Client", client), self.controller, Style())
        self.controller.changed = lambda: None
        self.keys = {
            key: parse(binding.action)  # type: ignore[union-attr]
            for binding in RoomApp.BINDINGS
            for key in binding.key.split(",")  # type: ignore[union-attr]
        }

    def hear(self, action: str, turn: int) -> None:
        assert (action, turn) in self.confirmed, (action, turn, guide(self.controller.view))
        self.confirmed.remove((action, turn))
        self.sent.append((action, turn))

    def press(self, key: str) -> None:
        """Press a key."""
        self.confirm(self.controller.view, key)
        _, name, parameters = self.keys[key]
        getattr(self.app, f"action_{name}")(*parameters)

    def click(self, cell: int) -> None:
        """Click on a cell of the board."""
        self.confirm(replace(self.controller.view, cursor=cell), "click")
        self.last = cell
        self.app.on_board_clicked(SimpleNamespace(cell=cell))  # type: ignore[arg-type]

    def type(self, line: str) -> None:
        """Type a line."""
        self.confirmed.append((line, self.controller.view.state.turn))
        self.controller.obey(line)

    def confirm(self, view: View, key: str) -> None:
        """What a key confirms, if it is pressed while this is shown."""
        shown, turn = guide(view), view.state.turn
        tap = "Enter" if key in ("enter", "space", "click") else key
        if whole := re.match(r"(\S+): (?:up and down change it, )?(\S+) sends", shown):
            by_click_on_number = key == "click" and whole[1].startswith("komi")
            if tap in (whole[2], "s") and not by_click_on_number:
                self.confirmed.append((whole[1], turn))
        if view.confirms or view.past is not None:
            return
        if view.draft is None or "waiting for the server" in shown:
            return
        for word in ("pass", "black", "white"):
            if key == word[0]:  # it names the whole action, whatever points stand
                self.confirmed.append((word, turn))
        if tap == "Enter":
            self.confirmed += [(action, turn) for action in with_point(view.point, shown)]


def with_point(point: str, shown: str) -> list[str]:
    """What a tap on a point makes of the text that is shown. In a set-up the point becomes what the
    guide says that it places: the stone may stand already, and a shooter be what is missing."""
    begun = re.match(r"(\S+): ", shown)
    text = begun[1] if begun and POINT.search(begun[1]) else ""
    if places := re.search(r"[Tt]ap a \w+ for (?:a|the) (shooter|\w+ stone)", shown):
        shooters, _, stone = text.partition("/")
        if places[1] == "shooter":
            points = [*POINT.findall(shooters), point]
            return [f"{','.join(sorted(points, key=lambda p: (p[0], int(p[1:]))))}/{stone}"]
        return [f"{shooters}/{point}" if shooters else point]
    onward = [text + between + point for between in ("-", "/")] if text else [point]
    return [*onward, f"{point}-{text}"]  # a segment may be begun at either end


KEYS = st.sampled_from(
    ["enter"] * 6
    + ["up", "down", "left", "right", "escape", "s", "s", "b", "w", "p", "p", "space"]
    + ["comma", "full_stop", "end", "l"]
)
DEEDS = st.one_of(
    st.tuples(st.just("press"), KEYS),
    st.tuples(st.just("click"), st.integers(0, 48)),
    st.tuples(st.just("again"), st.integers(1, 3)),
    st.tuples(st.just("aim"), st.integers(0, 999)),
    st.tuples(st.just("wait"), st.sampled_from([0, 1, 3, 60, 60])),
    st.tuples(st.just("type"), st.sampled_from(["pass", "c3", "komi:4", "black", "nonsense"])),
    st.tuples(st.just("takeback"), st.just(0)),
)
PHASES = [
    (name, phase)
    for name in GAMES
    for phase in dict.fromkeys(p.phase for p in game(name, min(GAMES[name].sizes)).positions)
    if phase != "over"
]


async def do(player: Player, kind: str, what: Any) -> None:
    size = player.table.state.position.size
    match kind:
        case "click":
            player.click(what % size**2)
        case "again":
            for _ in range(what):
                player.click(player.last)
        case "aim":
            for point in aim(player.table.room.position, what):
                player.click(board(size).index[point])
                await turns(what % 70)
        case "wait":
            await turns(what)
        case "takeback":
            player.table.take_back()
        case _:
            getattr(player, kind)(what)


async def turns(count: int) -> None:
    """Let so many turns of the event loop go by."""
    for _ in range(count):
        await asyncio.sleep(0)


def aim(position: Position, what: int) -> list[str]:
    """The points of something that can be played, or nothing would ever be complete."""
    parts = position.template()
    if parts:
        chosen = [p.points[(what + i) % len(p.points)] for p in parts if p.points
                  for i in range(p.count)]  # fmt: skip
        return list(dict.fromkeys(chosen))
    actions = list(position.actions()) or ["pass"]
    return POINT.findall(actions[what % len(actions)])


async def played(name: str, ply: int, lag: int, deeds: list[Any], *, confirms: bool) -> Player:
    """What a player does from that ply of a game on."""
    size = min(GAMES[name].sizes)
    records: list[AnyRecord] = [Created(name, size, "u", "U", "0", 0), Seated(1, "u", "U", "1")]
    reference = game(name, size)
    for position, action in zip(reference.positions, reference.actions[:ply], strict=False):
        assert position.to_act is not None
        records.append(Acted(position.to_act, action))
    player = Player(records, lag, confirms)
    running = asyncio.create_task(player.controller.run())
    try:
        for deed in [*deeds, ("wait", 200)]:
            await do(player, *deed)
            assert not running.done(), running.result()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return player


@pytest.mark.parametrize("confirms", [True, False])
@pytest.mark.parametrize(("name", "phase"), PHASES)
@settings(database=None, deadline=None, max_examples=up_to(25))
@given(nth=st.integers(0, 99), lag=st.integers(0, 4), deeds=st.lists(DEEDS, max_size=25))
@example(  # the second set-up of Veletas gets its stone first, and its second shooter last
    nth=0,
    lag=0,
    deeds=[("press", "enter"), ("click", 8), *[("press", "enter")] * 2, ("aim", 170)],
)
@example(nth=0, lag=0, deeds=[("aim", 2), *[("press", "enter")] * 2, ("press", "p")])
def test_only_seen_and_confirmed_actions_are_sent(
    name: str, phase: str, confirms: bool, nth: int, lag: int, deeds: list[Any]
) -> None:
    positions = game(name, min(GAMES[name].sizes)).positions
    plies = [ply for ply, position in enumerate(positions) if position.phase == phase]
    asyncio.run(played(name, plies[nth % len(plies)], lag, deeds, confirms=confirms))


SETTLED = ("wait", 60)


def clicks(size: int, *points: str) -> list[Any]:
    return [deed for p in points for deed in (("click", board(size).index[p]), SETTLED)]


@pytest.mark.parametrize("confirms", [True, False])
def test_undoing_a_draft_sends_nothing(confirms: bool) -> None:
    """The way of the defect: in the cut of Veletas c3, e4, then d5."""
    deeds = [SETTLED, *clicks(7, "c3", "e4", "d5")]
    player = asyncio.run(played("veletas", 0, 2, deeds, confirms=confirms))
    assert player.sent == ([] if confirms else [("c3/e4", 0)])
    if confirms:
        assert guide(player.controller.view).startswith("c3/d5: Enter sends it")
        player = asyncio.run(played("veletas", 0, 2, [*deeds, ("press", "enter")], confirms=True))
        assert player.sent == [("c3/d5", 0)]


def test_a_shooter_that_comes_last_completes_the_set_up_as_it_is_shown() -> None:
    """The stone that stands stays the stone, though another piece is tapped after it."""
    fast = [("click", board(7).index[point]) for point in ("b2", "d4", "c6")]
    deeds = [SETTLED, *fast, SETTLED, *clicks(7, "d4")]
    player = asyncio.run(played("veletas", 2, 1, deeds, confirms=False))
    assert player.sent == []
    assert guide(player.controller.view).startswith("b2/c6: Tap a square for a shooter (1 left).")
    player = asyncio.run(played("veletas", 2, 1, [*deeds, *clicks(7, "e4")], confirms=False))
    assert player.sent == [("b2,e4/c6", 2)]


def test_a_key_that_is_too_fast_confirms_nothing() -> None:
    """Two at once: the second was pressed before anybody saw what the first would lead to."""
    ply = next(i for i, p in enumerate(game("loose", 5).positions) if p.phase == "play")
    legal = next(iter(game("loose", 5).positions[ply].actions()))
    cell = board(5).index[legal]
    fast = [SETTLED, ("click", cell), ("click", cell), SETTLED]
    player = asyncio.run(played("loose", ply, 2, fast, confirms=True))
    assert player.sent == []
    assert guide(player.controller.view).startswith(f"{legal}: Enter sends it")
    player = asyncio.run(played("loose", ply, 2, [*fast, ("press", "enter")], confirms=True))
    assert player.sent == [(legal, ply)]


def test_asking_about_a_point_plays_nothing() -> None:
    ply = next(i for i, p in enumerate(game("loose", 5).positions) if sum(p.cells) > 0)
    taken = game("loose", 5).actions[ply - 1]
    player = asyncio.run(played("loose", ply, 1, [SETTLED, *clicks(5, taken)], confirms=False))
    assert player.sent == []
    assert player.controller.view.message == f"not legal: {taken} is not empty"
