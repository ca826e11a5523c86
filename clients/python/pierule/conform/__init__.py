"""`pierule conform`: proof that a server or a client keeps the protocol (protocol/SPEC.md).

Both halves judge what is on the wire, as plain maps of names to values: our own typed decoders
and the reference client's state machine may not enter here, nor anything of the server.
"""
