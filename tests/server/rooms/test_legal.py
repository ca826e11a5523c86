"""Answers to `legal`, against the rules' own list (law 13: asked for, and never too much)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from pierule_games import GAMES
from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, Acted, AnyRecord, Created, Resigned, Seated
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Legal, LegalPart, LegalQuery, LegalRefusal
from pierule_protocol.state.room import Room
from pierule_server.rooms import legal as legal_module
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.legal import MOST_ACTIONS, answer, check_question, listing
from support.logs import folded, legal, write
from support.reference import Reference, references

TOKENS = re.compile(r"[a-z]+[0-9]+|[-/,]|[a-z]+")


def room_of(game: str, size: int, *actions: tuple[int, str]) -> Room:
    records: list[AnyRecord] = [
        Created(game, size, "u", "U", "0", 0),
        Seated(1, "u", "U", "1"),
        *[Acted(seat, action) for seat, action in actions],  # type: ignore[arg-type]
    ]
    return folded(write(EMPTY, *records))


@cache
def tokens(text: str) -> list[str]:
    return TOKENS.findall(text)


def begins(action: str, prefix: str) -> bool:
    """Whether the first tokens of an action are those of the prefix, and all of them."""
    head = tokens(prefix)
    return action.startswith(prefix) and tokens(action)[: len(head)] == head


def steps(reference: Reference) -> list[Room]:
    """Some rooms of a game, from beginning to end."""
    entries = reference.log()
    room, found = None, []
    for number, entry in enumerate(entries):
        room = fold(room, "room", entry)
        if number % 9 == 5 or number == len(entries) - 1:
            found.append(folded(entries[: number + 1]))
    return found


SMALL = [reference for reference in references() if reference.size < 10]


@pytest.mark.parametrize("reference", SMALL, ids=[reference.name for reference in SMALL])
def test_every_prefix_lists_the_actions_of_the_rules(reference: Reference) -> None:
    for room in steps(reference):
        actions = list(room.position.actions()) if room.status == "running" else []
        if room.status == "running" and room.position.template():
            continue
        whole = legal(room, "")
        assert (whole.turn, whole.total) == (room.turn, len(actions))
        assert whole.actions == (actions if len(actions) <= MOST_ACTIONS else None)
        prefixes = {""}
        for action in actions[:40]:
            parts = tokens(action)
            prefixes |= {"".join(parts[: n + 1]) for n in range(len(parts))} | {action[:1]}
        for prefix in sorted(prefixes):
            expected = [action for action in actions if begins(action, prefix)]
            answer = legal(room, prefix)
            assert answer.actions == (expected if len(expected) <= MOST_ACTIONS else None), prefix
            assert answer.total == len(expected)
            for action in expected:
                rest = action[len(prefix) :]
                assert not rest or any(rest.startswith(point) for point in answer.next)
            for point in answer.next:
                assert any(action.startswith(prefix + point) for action in expected)
            assert len(set(answer.next)) == len(answer.next)


def test_a_point_is_not_a_prefix_of_another_point() -> None:
    """`c1` does not begin `c10-c12`."""
    room = room_of("taugo", 16, (0, "c9"), (1, "black"))
    assert [action for action in room.position.actions() if action.startswith("c1")]
    assert legal(room, "c1").total == 0
    assert legal(room, "c10").actions == ["c10"]


@pytest.mark.parametrize("prefix", ["c", "zz", "c3-", "-", "é", "c3 ", "COLOR", "c03", "pas", "1"])
def test_a_prefix_of_no_action_lists_nothing(prefix: str) -> None:
    room = room_of("loose", 5, (0, "komi:2"), (1, "black"))
    answer = legal(room, prefix)
    assert (answer.total, answer.actions, answer.next) == (0, [], [])


def test_the_color_phase_lists_both_colors_as_next_tokens() -> None:
    assert legal(room_of("loose", 5, (0, "komi:2")), "").next == ["black", "white"]


def test_actions_beyond_the_limit_are_counted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    room = room_of("taugo", 16, (0, "c9"), (1, "black"))
    total = room.position.count()
    monkeypatch.setattr(legal_module, "MOST_ACTIONS", total)
    assert legal(room, "").total == len(legal(room, "").actions or []) == total
    monkeypatch.setattr(legal_module, "MOST_ACTIONS", total - 1)
    answer = legal(room, "")
    assert (answer.total, answer.actions) == (total, None)
    assert answer.next
    assert legal(room, answer.next[0]).actions
    assert MOST_ACTIONS == 1000


@pytest.mark.parametrize("game", GAMES)
def test_set_ups_are_described_not_listed(game: str) -> None:
    """Veletas has four million first actions."""
    room = room_of(game, GAMES[game].default_size)
    answer = legal(room, "")
    assert answer.total == room.position.count()
    assert answer.actions is None
    expected = [
        LegalPart(what="komi", first=0, last=80, step=2)
        if part.what == "komi"
        else LegalPart(what=part.what, count=part.count, points=list(part.points), cell=part.cell)
        for part in room.position.template()
    ]
    assert answer.template == expected != []


def test_only_running_games_have_legal_actions() -> None:
    made = Created("loose", 5, "u", "U", "0", 0)
    opened = folded(write(EMPTY, made))
    over = folded(write(EMPTY, made, Seated(1, "u", "U", "1"), Resigned(0, "r")))
    for room in (opened, over):
        answer = legal(room, "")
        assert (answer.total, answer.actions, answer.template, answer.next) == (0, [], [], [])


# --- one action, or a draft


def asking(**question: Any) -> LegalQuery:
    return LegalQuery(id=1, room="room", **question)


PLAYED = room_of("loose", 5, (0, "komi:2"), (1, "black"), (1, "c3"))
TAKEN = LegalRefusal(rule="occupied", points=["c3"], text="c3 is not empty")


@pytest.mark.parametrize("question", [{"action": "c3"}, {"points": ["c3"]}])
def test_an_illegal_action_is_explained(question: dict[str, Any]) -> None:
    assert answer(PLAYED, asking(**question)) == Legal(turn=3, total=0, refusal=TAKEN)


@pytest.mark.parametrize("question", [{"action": "c4"}, {"points": ["c4"]}, {"action": "pass"}])
def test_a_legal_action_is_counted_and_previewed(question: dict[str, Any]) -> None:
    told = answer(PLAYED, asking(turn=3, **question))
    preview = [(17, 2)] if "points" in question else []
    assert told == Legal(turn=3, total=1, preview=preview)


@pytest.mark.parametrize("question", [{"action": "c4"}, {"points": ["c4"]}, {"prefix": "c"}, {}])
@pytest.mark.parametrize("turn", [0, 2, 4])
def test_a_question_about_another_turn_is_stale(turn: int, question: dict[str, Any]) -> None:
    ask = listing if not question or "prefix" in question else answer
    with pytest.raises(Refused) as refused:
        ask(PLAYED, asking(turn=turn, **question))
    assert refused.value.code is Code.STALE
    assert refused.value.fields == {"place": PLAYED.place, "turn": 3}


@pytest.mark.parametrize("question", [{"action": "c3"}, {"points": ["c3"]}])
def test_questions_before_the_start_and_after_the_end_are_refused(question: dict[str, Any]) -> None:
    made = Created("loose", 5, "u", "U", "0", 0)
    opened = folded(write(EMPTY, made))
    over = folded(write(EMPTY, made, Seated(1, "u", "U", "1"), Resigned(0, "r")))
    for room, code in ((opened, Code.NOT_STARTED), (over, Code.FINISHED)):
        with pytest.raises(Refused) as refused:
            answer(room, asking(**question))
        assert refused.value.code is code


def test_a_question_about_one_action_lists_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs one call into the rules, whatever the position."""
    for size in (7, 10):
        room = room_of("veletas", size)
        monkeypatch.setattr(type(room.position), "actions", None)
        monkeypatch.setattr(type(room.position), "count", None)
        assert answer(room, asking(points=["c4"])).total == 1
        assert answer(room, asking(action="c4")).total == 0


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"prefix": "c", "action": "c3"}, "action"),
        ({"prefix": "c", "points": ["c3"]}, "points"),
        ({"action": "c3", "points": ["c3"]}, "points"),
    ],
)
def test_a_request_with_two_questions_is_refused(question: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused, match="not both") as refused:
        check_question(asking(**question))
    assert (refused.value.code, refused.value.fields) == (Code.BAD_FIELD, {"field": field})
