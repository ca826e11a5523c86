"""A whole store as a file, and back."""
