"""The lines of the lobby."""

from __future__ import annotations

from pierule.clocks import parse_clock
from pierule.lobby import LobbyView
from pierule_protocol.log.controls import requested
from pierule_protocol.messages import Card, Challenged, LobbyRoom, MyRoom, Pool
from pierule_terminal.fullscreen.listing import HEADINGS, Entry, entries

NOW = 1_000_000
CLOCK = requested(parse_clock("5+3"))


def _card(room: str, status: str = "open", **how: object) -> Card:
    fields = {"names": ("Ada", None), "turn": 0, "at": NOW - 61_000, "control": CLOCK, **how}
    return Card(room=room, game="loose", size=9, status=status, **fields)  # type: ignore[arg-type]


VIEW = LobbyView(
    [
        LobbyRoom(card=_card("runningx", "running", names=("Ada", "Bo"), turn=7), spectators=3),
        LobbyRoom(card=_card("openopen"), spectators=0),
        LobbyRoom(card=_card("ofrobots", bots=(True, False)), spectators=0),
        LobbyRoom(card=_card("mineminx", names=("Me", None)), spectators=0),
    ],
    [Pool(game="taugo", size=8, control=None, waiting=2)],
)
ASKED = [
    Challenged(
        challenge="c1", user="eve", name="Eve", game="loose", size=7, control=None, seat=None
    )
]
MINE = [MyRoom(card=_card("mineminx", names=("Me", None)), seats=[0], to_act=None)]


def _lines(width: int = 74) -> list[Entry]:
    found = entries(VIEW, MINE, ASKED, None, NOW, width)
    assert all(len(entry.text) <= width for entry in found)
    return found


def test_each_entry_is_listed_once_under_its_heading() -> None:
    found = _lines()
    assert [entry.kind for entry in found] == list(HEADINGS)
    assert [entry.room for entry in found] == [
        "mineminx",
        "",
        "ofrobots",
        "openopen",
        "",
        "runningx",
    ]
    assert len({entry.key for entry in found}) == len(found)


def test_a_line_of_the_lobby_shows_game_clock_and_players() -> None:
    mine, asked, robots, waits, seek, running = (entry.text for entry in _lines())
    assert mine.startswith("Loose 9     5+3          Me ")
    assert mine.endswith("waits for a player  1 min  mineminx")
    assert asked == "Loose 7     no clock     Eve asks you to take a random seat"
    assert "Ada, bot" in robots
    assert waits.endswith("  1 min  openopen")
    assert seek == "Taugo 8     no clock     2 players seek this"
    assert "Ada - Bo" in running
    assert running.endswith("turn 7  3 watching  runningx")


def test_a_narrow_line_names_the_players_and_leaves_out_other_facts() -> None:
    mine, _, robots, waits, _, running = (entry.text.rstrip() for entry in _lines(38))
    assert mine.startswith("Loose 9     5+3 ")
    assert mine.endswith("  waits for ~")
    assert robots.endswith("5+3          Ada, bot")
    assert waits.endswith("5+3          Ada")
    assert running.endswith("5+3          Ada - Bo")


def test_your_games_show_whose_turn_it_is() -> None:
    for to_act, said in ((0, "your turn"), (1, "not your turn")):
        card = _card("runningx", "running", names=("Me", "Bo"))
        mine = MyRoom(card=card, seats=[0], to_act=to_act)  # type: ignore[arg-type]
        (entry,) = entries(LobbyView([], []), [mine], [], None, NOW, 74)
        assert f"  {said}  1 min  " in entry.text


def test_a_game_that_was_set_aside_is_nobodys_turn() -> None:
    card = _card("runningx", "running", names=("Me", "Bo"))
    mine = MyRoom(card=card, seats=[0], to_act=None, aside=True)
    (entry,) = entries(LobbyView([], []), [mine], [], None, NOW, 74)
    assert "  set aside  1 min  " in entry.text


def test_a_users_own_seek_is_not_listed_as_somebody_elses() -> None:
    (pool,) = VIEW.pools
    for waiting, said in ((2, ["1 player seeks this"]), (1, [])):
        view = LobbyView([], [Pool(game="taugo", size=8, control=None, waiting=waiting)])
        found = entries(view, [], [], pool, NOW, 74)
        assert [entry.text.split("  ")[-1].strip() for entry in found] == said


def test_long_names_and_control_characters_keep_the_layout() -> None:
    card = _card("openopen", names=("\x1b[31m" + "宽" * 40, None))
    (entry,) = entries(LobbyView([LobbyRoom(card=card, spectators=0)], []), [], [], None, NOW, 74)
    assert "\x1b" not in entry.text
    assert entry.text.endswith("1 min  openopen")


def test_lines_of_the_lobby_fit_any_width() -> None:
    for width in range(10, 74):
        _lines(width)
