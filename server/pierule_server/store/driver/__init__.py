"""The way to the store: connections, topology, health, and what is checked of it."""
