"""Load for your own server: many games at the same time, spectators, storms of reconnects; and a
report of what broke first.

Its clients are lean: they do not read boards, and play games that were prepared before. So one core
here can load more than one core of the server. Nothing in here depends on terminals.
"""
