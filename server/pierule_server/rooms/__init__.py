"""Rooms: what may be done, what follows from it, and who is told. Nothing here reads a socket."""
