"""A store in the memory of one process, for the tests of nodes."""
