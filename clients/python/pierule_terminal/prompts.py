"""What to tell a player: what to type now, with an example, the rules of the game, and the words to
type in every game.

The texts about a game come from its document. An example of a set-up is made from the template that
the server sends, so it is legal. Nothing here knows the rules.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pierule_protocol.games.document import Picture
from pierule_protocol.messages import Legal, LegalPart
from pierule_protocol.state.position import PositionState
from pierule_terminal.document import Document
from pierule_terminal.drawing import LAST, PICKED, Marks, draw_board, points_of
from pierule_terminal.style import Style

WIDTH = 78

WORDS = """\
words you can type besides actions:
  help            this, and what an action looks like now
  legal [BEGIN]   the legal actions, or those that begin with BEGIN, as in: legal c4
  board           the board again
  rules           the rules of the game, with examples
  score           where the score comes from
  resign          give up the game; asks you to type it a second time
  say TEXT        write to the other player; spectators can read it when the game is over
  mute NAME       see no more messages of someone; block NAME: also never play with them;
                  hear NAME: undo both
  report N TEXT   report message number N to the operators; TEXT says what is wrong with it
  abort           end the game before you have acted in it; nobody loses
  takeback        ask to take your latest action back; also draw, pause and resume
  rematch         ask for another game when this one is over
  accept          accept what the other player offers; decline: refuse it
  withdraw        take your offer back
  claim           win if the other player has been gone too long; claim abort: nobody wins
  quit            leave; you keep your seat, and `pierule play` continues (also Ctrl-D)"""


def hint(
    document: Document, position: PositionState, template: Sequence[LegalPart] = ()
) -> list[str]:
    """What you can type when it is your turn, wrapped for a terminal."""
    text = document.typed(position.phase)
    if position.phase == "color" and position.komi is not None:
        text += f" {document.number('komi', position.komi)}."
    for part in template:
        if part.first is not None:
            text += f" From {part.first} to {part.last}."
    if shown := example(template):
        text += f" For example: {shown}"
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


def example(template: Sequence[LegalPart]) -> str:
    """A set-up action that fits the template; empty for an empty template."""
    taken: list[str] = []
    spelled = []
    for part in template:
        if part.first is not None:
            return f"{part.what}:{_some_number(part)}"
        free = [point for point in part.points if point not in taken]
        chosen = [free[(2 * i + 1) * len(free) // (2 * part.count)] for i in range(part.count)]
        taken += chosen
        spelled.append(",".join(chosen))
    return "/".join(spelled)


def _some_number(part: LegalPart) -> int:
    """A reasonable number: a sixth of the way from the lowest to the highest."""
    first, last, step = part.first or 0, part.last or 0, part.step or 1
    return first + (last - first) // 6 // step * step


def show_legal(legal: Legal, prefix: str) -> list[str]:
    """The answer to `legal [PREFIX]`."""
    total = f"{legal.total:,} legal action{'' if legal.total == 1 else 's'}"
    if prefix:
        total += f" beginning with {prefix}"
    if legal.actions is not None and len(legal.actions) <= _LISTED:
        return [f"{total}{':' if legal.actions else ''}", *_wrap(legal.actions)]
    lines = [total]
    if legal.next:
        lines += ["they continue with:", *_wrap(legal.next)]
    if shown := example(legal.template):
        lines.append(f"for example: {shown}")
    return lines


_LISTED = 200


def show_rules(document: Document, style: Style) -> list[str]:
    """The rules of the game, with its examples."""
    texts = document.texts
    lines = [f"{texts.name} ({texts.by})", "", *_paragraph(texts.aim)]
    for paragraph in texts.rules:
        lines += ["", *_paragraph(paragraph)]
    for picture, caption in zip(document.data.examples, texts.captions, strict=False):
        lines += ["", *_paragraph(caption), "", *_drawn(document, picture, style)]
    return lines


def _drawn(document: Document, picture: Picture, style: Style) -> list[str]:
    """A drawn example: the board after its changes."""
    cells, plan = list(picture.cells), document.plan(picture.size)
    for at, value in picture.changes:
        cells[at] = value
    last = points_of(document, picture.size, picture.action or "")
    pointed = [cell for point in picture.pointed for cell in plan.between(point, point)]
    brackets = dict.fromkeys(last, LAST) | dict.fromkeys(pointed, PICKED)
    return draw_board(document, picture.size, cells, Marks(brackets), style)


def _paragraph(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


def _wrap(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    return textwrap.wrap(" ".join(words), WIDTH, initial_indent="  ", subsequent_indent="  ",
                         break_on_hyphens=False)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its argument."""

    word: Literal[
        "help", "legal", "board", "rules", "score", "resign", "quit", "abort", "takeback", "draw",
        "pause", "resume", "rematch", "accept", "decline", "withdraw", "claim", "say", "mute",
        "block", "hear", "report",
    ]  # fmt: skip
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """Anything else: an action, which the server checks."""

    text: str


Typed: TypeAlias = Word | Action


def understand(line: str) -> Typed | None:
    """The meaning of a typed line; None for a blank line."""
    words = line.split()
    match words:
        case []:
            return None
        case ["help" | "board" | "rules" | "score" | "resign" | "quit" | "abort" as word]:
            return Word(word)
        case ["takeback" | "draw" | "pause" | "resume" | "rematch" as word]:
            return Word(word)
        case ["accept" | "decline" | "withdraw" as word]:
            return Word(word)
        case ["claim"]:
            return Word("claim")
        case ["claim", "abort"]:
            return Word("claim", "abort")
        case ["legal"]:
            return Word("legal")
        case ["legal", prefix]:
            return Word("legal", prefix)
        case ["say" | "mute" | "block" | "hear" | "report" as word, _, *_]:
            return Word(word, line.strip().partition(" ")[2].strip())
    return Action(line.strip())
