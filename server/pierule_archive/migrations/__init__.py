"""How the archive's tables came to be, step by step (Alembic)."""
