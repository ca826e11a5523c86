"""Run by Alembic: migrate over the connection that `database` gives."""

from __future__ import annotations

from alembic import context

from pierule_archive.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
