"""Asks for a snapshot when more trouble comes while a join is to mend it."""

import plain_client


class Broken(plain_client.Client):
    async def event(self, event):
        if self.waiting:
            await self.ask("join", room=self.room)
        await super().event(event)


plain_client.main(Broken)
