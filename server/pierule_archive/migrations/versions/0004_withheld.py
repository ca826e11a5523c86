"""Numbers of private games that an archive made of public dumps does not have."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "withheld",
        sa.Column("feed", _NUMBER, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("feed", name="pk_withheld"),
    )
