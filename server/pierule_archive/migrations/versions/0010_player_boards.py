"""A player's games of one board have an index of their own."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"

_LISTED = (
    "feed", "access", "superseded_by", "game", "size", "category", "rated", "reason", "winner",
    "player0", "player1", "bot0", "bot1", "ended", "plies",
)  # fmt: skip


def upgrade() -> None:
    for seat in ("player0", "player1"):
        columns = dict.fromkeys((seat, "game", "size", *_LISTED))
        op.create_index(f"ix_games_{seat}_board", "games", list(columns))
