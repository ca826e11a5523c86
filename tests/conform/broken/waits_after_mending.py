"""Waits for an event after a snapshot that has mended what was wrong."""

import plain_client


class Broken(plain_client.Client):
    async def snapshot(self, state):
        await super().snapshot(state)
        if self.mended:
            self.known = state["epoch"], state["seq"] + 1


plain_client.main(Broken)
