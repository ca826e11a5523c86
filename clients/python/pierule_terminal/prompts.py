"""What to say to a player: what they can type now, with an example, and the words they may type."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pierule_protocol.messages import Legal, LegalPart
from pierule_protocol.state.position import PositionState

WIDTH = 78

WORDS = """\
words you can type besides actions:
  help            this, and what an action looks like now
  legal [BEGIN]   the legal actions, or those that begin so, as in: legal c4
  board           the board again
  resign          give the game up; asks you to type it a second time
  say TEXT        say something to the other player; spectators read it when the game is over
  mute NAME       hear nothing more of someone; block NAME: nor sit at a board with them;
                  hear NAME: neither any longer
  report N TEXT   show line number N to the operators, and say what is wrong with it
  abort           end the game before you have acted in it; nobody loses
  takeback        ask to take your latest action back; also draw, pause and resume
  rematch         ask for another game when this one is over
  accept          accept what the other player asks for; decline: refuse it
  withdraw        ask no longer
  claim           win the game of a player who is gone for too long; claim abort: end it
  quit            leave; your seat is kept, `pierule play` takes it again (also Ctrl-D)"""


def hint(position: PositionState, template: Sequence[LegalPart] = ()) -> list[str]:
    """What the player who is to act can type, wrapped for a terminal."""
    text = _HINTS.get((position.game, position.phase), _ANY)
    if position.phase == "color":
        text = _COLOR if position.komi is None else f"{_COLOR} Komi is {position.komi}."
    counts = {part.what: part.count for part in template}
    shooters = counts.get("shooter", 0)
    text = text.format(
        shooters=f"{shooters} shooter{'' if shooters == 1 else 's'}",
        last=next((part.last for part in template if part.what == "komi"), "?"),
    )
    if shown := example(template):
        text += f" For example: {shown}"
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


_COLOR = "You choose your color: type black or white."
_ANY = "It is your turn: type an action, or legal to see which there are."
_HINTS = {
    ("loose", "komi"): "You cut, your opponent chooses a color: set the komi, the points that "
    "White gets on top. Type komi: and an even number from 0 to {last}.",
    ("loose", "play"): "Type the point for your stone, as in d3, or pass. Two passes in "
    "succession end the game.",
    ("veletas", "first"): "You cut, your opponent chooses a color: place {shooters} and a black "
    "stone. Type the squares of the shooters (by column, then row; not on the outermost ring) "
    "with commas between, a slash, and the square of the stone.",
    ("veletas", "second"): "You play White: place {shooters} more and a white stone. Type the "
    "squares of the shooters (by column, then row; not on the outermost ring) with commas "
    "between, a slash, and the square of the stone.",
    ("veletas", "play"): "Move a shooter and shoot a stone of yours from there, as in c4-c7/e5, "
    "or only name the square to shoot at from where a shooter stands, as in e5.",
    ("taugo", "first"): "You cut, your opponent chooses a color: place a black stone on an inner "
    "point; White then goes on.",
    ("taugo", "play"): "Place a stone, as in e5; or a segment that grows from a stone of yours, "
    "first end first, as in c3-c7; or pass. Two passes in succession end the game.",
}


def example(template: Sequence[LegalPart]) -> str:
    """A set-up action that fits the template; nothing for an empty one."""
    taken: list[str] = []
    spelled = []
    for part in template:
        if part.what == "komi":
            return f"komi:{_some_komi(part)}"
        free = [point for point in part.points if point not in taken]
        chosen = [free[(2 * i + 1) * len(free) // (2 * part.count)] for i in range(part.count)]
        taken += chosen
        spelled.append(",".join(chosen))
    return "/".join(spelled)


def _some_komi(part: LegalPart) -> int:
    """A komi that is not absurd: about a sixth of the points."""
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
        lines += ["they go on with:", *_wrap(legal.next)]
    if shown := example(legal.template):
        lines.append(f"for example {shown}")
    return lines


_LISTED = 200


def _wrap(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    return textwrap.wrap(" ".join(words), WIDTH, initial_indent="  ", subsequent_indent="  ",
                         break_on_hyphens=False)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its argument."""

    word: Literal[
        "help", "legal", "board", "resign", "quit", "abort", "takeback", "draw", "pause", "resume",
        "rematch", "accept", "decline", "withdraw", "claim", "say", "mute", "block", "hear",
        "report",
    ]  # fmt: skip
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """Anything else: an action, for the server to judge."""

    text: str


Typed: TypeAlias = Word | Action


def understand(line: str) -> Typed | None:
    """What a typed line says; None for a blank one."""
    words = line.split()
    match words:
        case []:
            return None
        case ["help" | "board" | "resign" | "quit" | "abort" as word]:
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
