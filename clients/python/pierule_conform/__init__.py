"""`pierule conform`: tests whether a server, a client or a game conforms (protocol/SPEC.md).

The half that tests servers judges what is on the wire as plain maps of names to values, and mirrors
rooms with its own code: our typed decoders and the protocol's fold may not enter `conform.checks`.
The half that tests clients is a server, and speaks and folds as ours does. Neither contains the
reference client's state machine, or anything of the real server.
"""
