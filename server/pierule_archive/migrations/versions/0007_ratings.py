"""Ratings, and what each game did to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_index(
        "ix_games_rated", "games", ["game", "feed"],
        sqlite_where=sa.text("rated"), postgresql_where=sa.text("rated"),
    )  # fmt: skip
    op.create_table(
        "rated",
        sa.Column("id", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("through", _NUMBER, nullable=False),
        sa.CheckConstraint("id = 1", name="one_row"),
        sa.PrimaryKeyConstraint("id", name="pk_rated"),
    )
    op.execute("INSERT INTO rated (id, version, through) VALUES (1, 1, 0)")
    op.create_table(
        "pools",
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("through", _NUMBER, nullable=False),
        sa.Column("back", _NUMBER),
        sa.PrimaryKeyConstraint("game", name="pk_pools"),
    )
    _ratings()


def _ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        *_rating(""),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("game", "player", name="pk_ratings"),
    )
    op.create_index("ix_ratings_game_value", "ratings", ["game", "value"])
    op.create_table(
        "rating_steps",
        sa.Column("feed", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        *_rating("0"),
        sa.Column("games0", sa.Integer, nullable=False),
        sa.Column("at0", sa.BigInteger, nullable=False),
        *_rating(""),
        sa.ForeignKeyConstraint(["feed"], ["games.feed"], name="fk_rating_steps_feed"),
        sa.PrimaryKeyConstraint("feed", "seat", name="pk_rating_steps"),
    )
    op.create_index("ix_rating_steps_player_game_feed", "rating_steps", ["player", "game", "feed"])


def _rating(when: str) -> list[sa.Column[int]]:
    names = f"value{when}", f"deviation{when}"
    return [sa.Column(name, sa.BigInteger, nullable=False) for name in names]
