"""Game documents: all that a client without rules draws and says of a game (SPEC 26)."""
