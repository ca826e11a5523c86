"""The state of a room, as the fold makes it and as clients see it."""
