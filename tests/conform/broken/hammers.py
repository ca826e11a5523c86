"""Joins again after every event."""

import plain_client


class Broken(plain_client.Client):
    async def answered(self, request, ok):
        await super().answered(request, ok)
        if request["type"] == "join":
            await self.join()


plain_client.main(Broken)
