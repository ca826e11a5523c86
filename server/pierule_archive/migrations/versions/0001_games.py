"""Games, amendments, players, and the feed that numbers them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _make_feed()
    _make_games()
    _make_indexes()
    _make_the_rest()


def _make_feed() -> None:
    feed = op.create_table(
        "feed",
        sa.Column("id", sa.SmallInteger, nullable=False),
        sa.Column("last", _NUMBER, nullable=False),
        sa.CheckConstraint("id = 1", name="one_row"),
        sa.PrimaryKeyConstraint("id", name="pk_feed"),
    )
    op.bulk_insert(feed, [{"id": 1, "last": 0}])


def _make_games() -> None:
    op.create_table(
        "games",
        sa.Column("feed", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("room", sa.String(32), nullable=False),
        sa.Column("created_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("superseded_by", _NUMBER),
        sa.Column("log", sa.LargeBinary, nullable=False),
        sa.Column("access", sa.String(8), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("cut", sa.Text),
        sa.Column("komi", sa.Integer),
        sa.Column("black", sa.SmallInteger),
        sa.Column("player0", sa.String(64), nullable=False),
        sa.Column("player1", sa.String(64), nullable=False),
        sa.Column("bot0", sa.Boolean, nullable=False),
        sa.Column("bot1", sa.Boolean, nullable=False),
        sa.Column("clock", sa.Text),
        sa.Column("category", sa.String(14), nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("winner", sa.String(4)),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("plies", sa.Integer, nullable=False),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("ended", sa.BigInteger, nullable=False),
        sa.Column("rematch_of", sa.String(32)),
        sa.ForeignKeyConstraint(["superseded_by"], ["games.feed"], name="fk_games_superseded_by"),
        sa.PrimaryKeyConstraint("feed", name="pk_games"),
        sa.UniqueConstraint(
            "room", "created_hash", "epoch", name="uq_games_room_created_hash_epoch"
        ),
    )


def _make_indexes() -> None:
    op.create_index("ix_games_room", "games", ["room"])
    op.create_index("ix_games_player0_feed", "games", ["player0", "feed"])
    op.create_index("ix_games_player1_feed", "games", ["player1", "feed"])
    op.create_index("ix_games_game_size_feed", "games", ["game", "size", "feed"])
    op.create_index("ix_games_ended", "games", ["ended"])


def _make_the_rest() -> None:
    op.create_table(
        "amendments",
        sa.Column("feed", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("game", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.feed"], name="fk_amendments_game"),
        sa.PrimaryKeyConstraint("feed", name="pk_amendments"),
        sa.UniqueConstraint("game", name="uq_amendments_game"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("bot", sa.Boolean, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
    )
    op.create_index("ix_players_name", "players", ["name"])
