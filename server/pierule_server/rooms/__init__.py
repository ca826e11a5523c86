"""Rooms in memory: decisions about requests, events, and their delivery. It reads no sockets."""
