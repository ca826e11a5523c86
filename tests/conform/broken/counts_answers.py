"""Sends its act again with each join, and counts each `ok` of it as another action played."""

import plain_client


class Broken(plain_client.Client):
    async def answered(self, request, ok):
        if request["type"] == "join":
            self.lost = self.acting
        await super().answered(request, ok)


plain_client.main(Broken)
