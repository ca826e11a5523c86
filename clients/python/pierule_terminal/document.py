"""A game document as terminals use it (SPEC 26): what they draw and say of a game, they draw and
say from it alone.

Its texts are somebody else's, so what could steer a terminal is taken out of them (26.3). They are
English, as all that terminals say.
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
    """The document of one game. `data` is all of it, `texts` what is said of the game."""

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
            raise pierule.BadReply(f"the document of {game} cannot be read: {error}") from error

    def plan(self, size: int) -> Plan:
        """Where the points of a board stand; of a size that it does not have, all of a box."""
        if size not in self._plans:
            shapes = {shape.size: shape for shape in self.data.board.boards}
            self._plans[size] = Plan(self.data.board, shapes.get(size) or BoardShape(size=size))
        return self._plans[size]

    def named(self, cell: int) -> str:
        """What a piece is called."""
        cells = [piece.cell for piece in self.data.pieces]
        names = dict(zip(cells, self.texts.pieces, strict=False))
        return names.get(cell, "unknown piece")

    def character(self, piece: Piece, *, unicode: bool) -> str:
        """The character that stands for a piece: one that takes one column."""
        for character in (piece.glyph, piece.plain) if unicode else (piece.plain,):
            wide = east_asian_width(character) in "WF" or combining(character)
            if not wide and (unicode or character.isascii()) and not character.isspace():
                return character
        return "?"

    def change(self, old: int, new: int, *, named: bool) -> int | None:
        """The number of the first change that fits a cell, if one does."""
        for at, each in enumerate(self.data.changes[: len(self.texts.changes)]):
            if old in each.of and new in each.to and each.named in (None, named):
                return at
        return None

    def prompt(self, phase: str) -> str:
        """What whoever is to act is told."""
        texts = self.texts.phases.get(phase)
        return texts.prompt if texts else "It is your turn."

    def typed(self, phase: str) -> str:
        """What whoever is to act can type."""
        texts = self.texts.phases.get(phase)
        return (texts and texts.typed) or ANY

    def step(self, phase: str, step: str, values: Sequence[str]) -> str:
        """What the next pick is for, if the document says it."""
        texts = self.texts.phases.get(phase)
        return fill(texts.steps.get(step, ""), values) if texts else ""

    def number(self, what: str, value: int) -> str:
        """A number that was set."""
        texts = self.texts.numbers.get(what)
        return fill(texts.shown, [str(value)]) if texts else f"{what} {value}"

    def again(self, word: str) -> str:
        """What a word does that was an action just now, if the document says it."""
        texts = self.texts.words.get(word)
        return (texts and texts.again) or ""

    def reason(self, refusal: pierule.Refused | LegalRefusal) -> str:
        """Why something is not legal: in the document's words, or else in the server's."""
        text = self.texts.refusals.get(refusal.rule or "")
        return clean(fill_points(text, refusal.points or ()) if text else refusal.text)


async def account_of(client: pierule.Client, state: RoomState) -> Account:
    """Where the score of a room in this state comes from (SPEC 26.12)."""
    position = state.position
    return await client.account(position.game, state.actions, position.size, state.rules)


ANY = "It is your turn: type an action, or legal to see which there are."


def _cleaned(value: Any) -> Any:
    """A value of JSON, with texts that can be written to a terminal."""
    match value:
        case str():
            return clean(value)
        case list() | tuple():
            return [_cleaned(each) for each in value]
        case dict():
            return {clean(key): _cleaned(each) for key, each in value.items()}
    return value
