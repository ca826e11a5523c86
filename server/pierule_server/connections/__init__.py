"""The open connections of clients: everything sends to them, and each has its bounds."""
