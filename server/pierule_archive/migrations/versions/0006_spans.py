"""When the games of a span of feed numbers ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "spans",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_spans"),
    )
    op.execute(
        "INSERT INTO spans (number, first, last) SELECT feed / 1000, min(ended), max(ended) "
        "FROM games WHERE feed <= (SELECT through FROM counted) GROUP BY feed / 1000"
    )
