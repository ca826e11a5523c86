"""Signatures of games and amendments, the keys that made them, and digests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    for table in ("games", "amendments"):
        op.add_column(table, sa.Column("signed_by", sa.String(16)))
        op.add_column(table, sa.Column("signature", sa.LargeBinary(64)))
    op.create_table(
        "signing_keys",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("public", sa.LargeBinary(32), nullable=False),
        sa.Column("until", sa.String(64)),
        sa.PrimaryKeyConstraint("id", name="pk_signing_keys"),
    )
    op.create_table(
        "digests",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("last", _NUMBER, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_digests"),
        sa.UniqueConstraint("last", name="uq_digests_last"),
    )
