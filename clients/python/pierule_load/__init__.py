"""Load for a server of your own: many games at once, spectators, storms of reconnects; and what
broke first.

Its clients are lean: they read no boards, and play games that were drawn before. So one core of
this machine is worth more than one core of the server. Nothing in here knows of terminals.
"""
