"""House bots: opponents that are ordinary clients of the public protocol.

`player` chooses actions, `house` plays in rooms. The evaluation of a position is in each game's
package.
"""
