"""The index of names does not tell upper from lower case."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_index("ix_players_lower_name", "players", [sa.text("lower(name)")])
    op.drop_index("ix_players_name", "players")
