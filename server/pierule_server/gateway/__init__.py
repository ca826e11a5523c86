"""Clients: the port, who is let in, what each may ask, and the way from a request to its answer."""
