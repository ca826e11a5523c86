"""Repeats places and digests as they were sent, and the board that it had at first."""

import plain_client


class Broken(plain_client.Client):
    async def event(self, event):
        after = plain_client.apply(self.state, event)
        self.change({**after, "position": self.state["position"]})


plain_client.main(Broken)
