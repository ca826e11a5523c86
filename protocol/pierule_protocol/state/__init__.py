"""The state of a room: as it is folded, and as clients see it."""
