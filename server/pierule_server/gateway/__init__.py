"""The clients' port: handshakes, limits, the page's files, and the way from a request to its
answer."""
