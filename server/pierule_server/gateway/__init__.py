"""Clients: the port, admission, what each client may ask, and the way from a request to its
answer."""
