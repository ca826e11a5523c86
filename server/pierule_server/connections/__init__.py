"""The open connections of clients, and their limits."""
