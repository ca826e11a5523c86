"""What a request comes to, given a room. Pure: no I/O, no time, no randomness."""
