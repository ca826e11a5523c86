"""What a request leads to, given a room. Pure: no I/O, no time, no randomness."""
