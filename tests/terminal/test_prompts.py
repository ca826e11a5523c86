"""What a player is told, and how what a player types is understood."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.messages import Legal, LegalPart
from pierule_protocol.state.position import PositionState, position_state
from pierule_terminal import prompts
from pierule_terminal.prompts import Action, Word, example, show_legal, show_rules, understand
from pierule_terminal.style import Style
from support.documents import document_of


def hint(position: PositionState, template: Sequence[LegalPart] = ()) -> list[str]:
    """The hint in the words of the position's game."""
    return prompts.hint(document_of(position.game), position, template)


def template(position: Position) -> list[LegalPart]:
    """The template as the server sends it."""
    return [
        LegalPart(
            what=part.what,
            count=part.count,
            points=list(part.points),
            first=part.numbers[0] if part.numbers else None,
            last=part.numbers[-1] if part.numbers else None,
            step=part.numbers.step if part.numbers else None,
        )
        for part in position.template()
    ]


@pytest.mark.parametrize("color", ["black", "white"])
@pytest.mark.parametrize(("game", "size"), [(g, s) for g, r in GAMES.items() for s in r.sizes])
def test_examples_of_set_ups_can_be_played_as_they_stand(game: str, size: int, color: str) -> None:
    position: Position = GAMES[game].opening(size)
    while position.phase != "play":
        parts = template(position)
        action = example(parts) or color
        text = " ".join(hint(position_state(position), parts))
        assert ("black or white" in text) if action == color else text.endswith(f": {action}")
        assert "{" not in text
        after = position.play(action)
        assert not isinstance(after, Refusal), after
        position = after
    assert hint(position_state(position))


def test_hints_fit_the_terminal_and_name_what_counts() -> None:
    loose = GAMES["loose"].opening(9)
    lines = hint(position_state(loose), template(loose))
    assert max(map(len, lines)) <= 78
    assert "From 0 to 80." in " ".join(lines)
    after = loose.play("komi:12")
    assert not isinstance(after, Refusal)
    assert hint(position_state(after)) == ["Choose your color: type black or white. Komi 12."]


def test_an_unknown_phase_has_a_hint() -> None:
    state = position_state(GAMES["loose"].opening(5))
    unknown = msgspec.structs.replace(state, phase="x")
    assert hint(unknown) == [
        "It is your turn: type an action, or type legal to see the legal actions."
    ]


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_told_with_their_examples(game: str) -> None:
    of = document_of(game)
    lines = show_rules(of, Style())
    assert max(map(len, lines)) <= 78
    text = " ".join(" ".join(lines).split())
    for paragraph in (of.texts.aim, *of.texts.rules, *of.texts.captions):
        assert paragraph in text
    assert sum("a b c" in line for line in lines) == len(of.data.examples)


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("", None),
        ("  \t", None),
        ("help", Word("help")),
        ("rules", Word("rules")),
        ("score", Word("score")),
        (" board ", Word("board")),
        ("resign", Word("resign")),
        ("quit", Word("quit")),
        ("takeback", Word("takeback")),
        ("claim", Word("claim")),
        ("claim abort", Word("claim", "abort")),
        ("claim draw", Action("claim draw")),
        (" accept", Word("accept")),
        ("accept it", Action("accept it")),
        ("legal", Word("legal")),
        ("legal c4-", Word("legal", "c4-")),
        ("komi:12", Action("komi:12")),
        (" c4,e7/d5 ", Action("c4,e7/d5")),
        ("Black", Action("Black")),
        ("resign now", Action("resign now")),
    ],
)
def test_typed_lines_are_words_or_actions(line: str, typed: object) -> None:
    assert understand(line) == typed


def test_legal_lists_few_actions_and_sums_up_many() -> None:
    few = Legal(turn=3, total=2, next=["a1", "pass"], actions=["a1", "pass"])
    assert show_legal(few, "") == ["2 legal actions:", "  a1 pass"]
    one = Legal(turn=3, total=1, next=["/b2"], actions=["a1-b1/b2"])
    assert show_legal(one, "a1-b1") == ["1 legal action beginning with a1-b1:", "  a1-b1/b2"]
    none = Legal(turn=3, total=0, actions=[])
    assert show_legal(none, "z") == ["0 legal actions beginning with z"]
    many = Legal(turn=3, total=5210, next=["a1", "b2"])
    assert show_legal(many, "") == ["5,210 legal actions", "they continue with:", "  a1 b2"]
    set_up = Legal(turn=0, total=13, template=[LegalPart(what="komi", first=0, last=24, step=2)])
    assert show_legal(set_up, "") == ["13 legal actions", "for example: komi:4"]
