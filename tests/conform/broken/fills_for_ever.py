"""Asks for the missing events again and again."""

import plain_client


class Broken(plain_client.Client):
    async def event(self, event):
        self.filled = False
        await super().event(event)


plain_client.main(Broken)
