"""`pierule conform`: proof that a server or a client keeps the protocol (protocol/SPEC.md).

The half that tries servers judges what is on the wire as plain maps of names to values, and
mirrors rooms by code of its own: our typed decoders and the protocol's fold may not enter
`conform.checks`. The half that tries clients is a server, and speaks and folds as ours does. The
reference client's state machine enters neither, nor does anything of the real server.
"""
