"""A store in the memory of one process: what the tests of nodes stand on."""
