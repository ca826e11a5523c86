"""`pierule conform`: tests whether a server, a client or a game conforms (protocol/SPEC.md).

The tests of servers judge what is on the wire as plain maps, and mirror rooms with their own code:
our typed decoders and the protocol's fold may not enter `pierule_conform.checks`. The tests of
clients run a scripted server, which encodes and folds as ours does. Neither uses the reference
client's state machine, or any part of the real server.
"""
