"""Decides requests, given a room. Pure: no I/O, no time, no randomness."""
