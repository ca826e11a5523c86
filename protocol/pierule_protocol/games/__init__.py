"""Game documents: everything that a client without rules needs to draw and explain a game (SPEC
26)."""
