"""The number up to which the explorer has counted: so far, all numbers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "counted",
        sa.Column("id", sa.SmallInteger, nullable=False),
        sa.Column("through", _NUMBER, nullable=False),
        sa.CheckConstraint("id = 1", name="one_row"),
        sa.PrimaryKeyConstraint("id", name="pk_counted"),
    )
    op.execute("INSERT INTO counted (id, through) SELECT id, last FROM feed")
