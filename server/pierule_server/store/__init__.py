"""The store: where rooms' logs are kept. Nothing here knows the games or the connections."""
