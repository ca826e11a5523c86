"""Believes that the room is where a `stale` said, though a join has said since where it is."""

import plain_client


class Broken(plain_client.Client):
    async def answered(self, request, ok):
        known = self.known
        await super().answered(request, ok)
        if request["type"] == "join":
            self.known = known


plain_client.main(Broken)
