"""The open connections of clients: what all floors send to, and what bounds each of them."""
