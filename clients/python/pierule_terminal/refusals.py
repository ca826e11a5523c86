"""Refusals of a server, in words that help."""

from __future__ import annotations

import pierule
from pierule_terminal.screen import clean


def explain(error: pierule.Refused) -> str:
    """A refusal in words that help."""
    if error.code == pierule.Code.STALE:
        return "the board moved on; look again"
    if error.code == pierule.Code.FLAGGED and error.late is not None:
        return f"your action came {error.late} ms too late: your time was up"
    if error.code == pierule.Code.TOO_EARLY and error.left is not None:
        return f"not yet: the other player is awaited for {-(-error.left // 1000)} s more"
    text = clean(error.text)
    return f"not legal: {text}" if error.code == pierule.Code.ILLEGAL else text
