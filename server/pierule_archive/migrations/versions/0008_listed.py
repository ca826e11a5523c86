"""The indexes of players hold all columns that lists need."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"

_LISTED = (
    "feed", "access", "superseded_by", "game", "size", "category", "rated", "reason", "winner",
    "player0", "player1", "bot0", "bot1", "ended", "plies",
)  # fmt: skip


def upgrade() -> None:
    for seat in ("player0", "player1"):
        op.drop_index(f"ix_games_{seat}_feed", "games")
        op.create_index(f"ix_games_{seat}", "games", list(dict.fromkeys((seat, *_LISTED))))
