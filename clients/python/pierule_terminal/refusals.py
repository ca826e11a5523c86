"""Refusals of a server, in words that help the user."""

from __future__ import annotations

import pierule
from pierule_terminal.document import Document
from pierule_terminal.screen import clean


def explain(error: pierule.Refused, document: Document | None = None) -> str:
    """A refusal in words that help the user. With a game's document, illegal actions are explained
    in its words."""
    if error.code == pierule.Code.STALE:
        return "the game has moved on; look at the board again"
    if error.code == pierule.Code.FLAGGED and error.late is not None:
        return f"your time was up: your action came {error.late} ms too late"
    if error.code == pierule.Code.TOO_EARLY and error.left is not None:
        return f"not yet: the other player may come back for {-(-error.left // 1000)} s more"
    if error.code == pierule.Code.ILLEGAL:
        return f"not legal: {document.reason(error) if document else clean(error.text)}"
    return clean(error.text)
