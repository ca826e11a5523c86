"""Asks for the whole room again before it plays."""

import plain_client


class Broken(plain_client.Client):
    async def act(self):
        if self.state and not self.waiting and not self.acting and self.state["turn"] == 0:
            self.state = None
            await self.join()
        await super().act()


plain_client.main(Broken)
