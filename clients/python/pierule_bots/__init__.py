"""House bots: opponents that are ordinary clients of the public protocol.

`player` chooses actions, `house` plays in rooms. What a position is worth is one file a game;
nothing but the rules may enter there.
"""
