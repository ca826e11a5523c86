"""House bots: opponents that are ordinary clients of the public protocol.

`player` chooses actions, and `house` plays in rooms. Each game's package has the evaluation of its
positions.
"""
