"""The log of a room: its events, their chain, and what follows from them."""
