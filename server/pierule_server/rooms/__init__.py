"""Rooms: what may be done, what follows from it, and who gets it. Nothing here reads a socket."""
