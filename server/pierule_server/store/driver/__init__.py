"""The way to the store: connections, topology, health, and checks of the store."""
