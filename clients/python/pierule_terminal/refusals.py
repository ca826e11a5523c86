"""Refusals of a server, in words that help."""

from __future__ import annotations

import pierule
from pierule_terminal.document import Document
from pierule_terminal.screen import clean


def explain(error: pierule.Refused, document: Document | None = None) -> str:
    """A refusal in words that help: those of the game, where its document is there."""
    if error.code == pierule.Code.STALE:
        return "the board moved on; look again"
    if error.code == pierule.Code.FLAGGED and error.late is not None:
        return f"your action came {error.late} ms too late: your time was up"
    if error.code == pierule.Code.TOO_EARLY and error.left is not None:
        return f"not yet: the other player is awaited for {-(-error.left // 1000)} s more"
    if error.code == pierule.Code.ILLEGAL:
        return f"not legal: {document.reason(error) if document else clean(error.text)}"
    return clean(error.text)
