"""Writes a whole store to a file, and back."""
