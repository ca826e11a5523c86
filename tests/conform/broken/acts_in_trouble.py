"""Acts upon trouble while a join is under way that mends it."""

import plain_client


class Broken(plain_client.Client):
    async def event(self, event):
        self.waiting = False
        await super().event(event)


plain_client.main(Broken)
