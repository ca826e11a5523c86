"""The driver of the store: connections, topology, health, checks, and the embedded store."""
