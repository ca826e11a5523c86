"""The documents of the games, as terminals use them."""

from __future__ import annotations

from functools import cache

from pierule_games import GAMES
from pierule_protocol.games.writing import document
from pierule_terminal.document import Document


@cache
def document_of(game: str) -> Document:
    """The document of a game that is installed."""
    return Document(document(GAMES[game]))
