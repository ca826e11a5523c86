"""A game document as terminals use it (SPEC 26). Everything that they draw and say about a game
comes from it.

Its texts come from somebody else, so characters that could control a terminal are removed (26.3).
Terminals use the English texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unicodedata import combining, east_asian_width

import msgspec

import pierule
from pierule_games.description import Account, BoardShape, Piece
from pierule_games.package import FALLBACK, fill, fill_points
from pierule_protocol.games.document import GameDocument
from pierule_protocol.messages import LegalRefusal, RoomState
from pierule_terminal.plan import Plan
from pierule_terminal.screen import clean


class Document:
    """The document of a game. `data` is the whole document, `texts` its English texts."""

    def __init__(self, document: GameDocument) -> None:
        self.data = msgspec.convert(_cleaned(msgspec.to_builtins(document)), GameDocument)
        self.texts = self.data.texts[FALLBACK]
        self._plans: dict[int, Plan] = {}

    @classmethod
    async def ask(cls, client: pierule.Client, game: str) -> Document:
        """The document of a game that the server has. Raises Refused and BadReply."""
        try:
            return cls(await client.game(game))
        except (msgspec.DecodeError, KeyError) as error:
            raise pierule.BadReply(f"cannot read the document of {game}: {error}") from error

    def plan(self, size: int) -> Plan:
        """Where the points of a board stand. A size without a board gets all points of the box."""
        if size not in self._plans:
            shapes = {shape.size: shape for shape in self.data.board.boards}
            self._plans[size] = Plan(self.data.board, shapes.get(size) or BoardShape(size=size))
        return self._plans[size]

    def named(self, cell: int) -> str:
        """The name of the piece with this cell value."""
        cells = [piece.cell for piece in self.data.pieces]
        names = dict(zip(cells, self.texts.pieces, strict=False))
        return names.get(cell, "unknown piece")

    def character(self, piece: Piece, *, unicode: bool) -> str:
        """The character for a piece. It takes one column."""
        for character in (piece.glyph, piece.plain) if unicode else (piece.plain,):
            wide = east_asian_width(character) in "WF" or combining(character)
            if not wide and (unicode or character.isascii()) and not character.isspace():
                return character
        return "?"

    def change(self, old: int, new: int, *, named: bool) -> int | None:
        """The index of the first change that fits a cell; None if none does."""
        for at, each in enumerate(self.data.changes[: len(self.texts.changes)]):
            if old in each.of and new in each.to and each.named in (None, named):
                return at
        return None

    def prompt(self, phase: str) -> str:
        """What to tell the player who is to act."""
        texts = self.texts.phases.get(phase)
        return texts.prompt if texts else "It is your turn."

    def typed(self, phase: str) -> str:
        """The help for a phase: what you can type when it is your turn."""
        texts = self.texts.phases.get(phase)
        return (texts and texts.typed) or ANY

    def step(self, phase: str, step: str, values: Sequence[str]) -> str:
        """What the next pick is for; empty if the document does not say it."""
        texts = self.texts.phases.get(phase)
        return fill(texts.steps.get(step, ""), values) if texts else ""

    def number(self, what: str, value: int) -> str:
        """A number that was set, in words."""
        texts = self.texts.numbers.get(what)
        return fill(texts.shown, [str(value)]) if texts else f"{what} {value}"

    def again(self, word: str) -> str:
        """What a word such as `pass` does if it was also the last action; empty if the document
        does not say it."""
        texts = self.texts.words.get(word)
        return (texts and texts.again) or ""

    def reason(self, refusal: pierule.Refused | LegalRefusal) -> str:
        """Why something is not legal, in the document's words, or in the server's if the document
        has none."""
        text = self.texts.refusals.get(refusal.rule or "")
        return clean(fill_points(text, refusal.points or ()) if text else refusal.text)


async def account_of(client: pierule.Client, state: RoomState) -> Account:
    """Where the score of a room in this state comes from (SPEC 26.12)."""
    position = state.position
    return await client.account(position.game, state.actions, position.size, state.rules)


ANY = "It is your turn: type an action, or type legal to see the legal actions."


def _cleaned(value: Any) -> Any:
    """A JSON value whose texts are safe to write to a terminal."""
    match value:
        case str():
            return clean(value)
        case list() | tuple():
            return [_cleaned(each) for each in value]
        case dict():
            return {clean(key): _cleaned(each) for key, each in value.items()}
    return value
