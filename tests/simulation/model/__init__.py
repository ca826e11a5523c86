"""A model of the store: it speaks RESP, and runs the real scripts."""
