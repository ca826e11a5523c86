"""The store: it keeps the logs of rooms. Nothing here knows the games or the connections."""
