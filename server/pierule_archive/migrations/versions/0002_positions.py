"""Positions of games, and what was played in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _make_positions()
    _make_counts()


def _make_positions() -> None:
    op.create_table(
        "positions",
        sa.Column("feed", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("ply", sa.SmallInteger, nullable=False),
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("action", sa.Text),
        sa.Column("following", sa.LargeBinary(16)),
        sa.ForeignKeyConstraint(["feed"], ["games.feed"], name="fk_positions_feed"),
        sa.PrimaryKeyConstraint("feed", "ply", name="pk_positions"),
    )
    op.create_index("ix_positions_key_feed", "positions", ["key", "feed"])


def _make_counts() -> None:
    op.create_table(
        "moves",
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("month", sa.Integer, nullable=False),
        sa.Column("bots", sa.Boolean, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("following", sa.LargeBinary(16), nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("black", sa.Integer, nullable=False),
        sa.Column("white", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("key", "month", "bots", "action", name="pk_moves"),
    )
    op.create_table(
        "cuts",
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("month", sa.Integer, nullable=False),
        sa.Column("bots", sa.Boolean, nullable=False),
        sa.Column("cut", sa.Text, nullable=False),
        sa.Column("chosen", sa.String(5), nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("black", sa.Integer, nullable=False),
        sa.Column("white", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint(
            "game", "size", "rules", "month", "bots", "cut", "chosen", name="pk_cuts"
        ),
    )
