"""Asks for rooms of its game, of a server that does not know the filter."""

import plain_client


class Broken(plain_client.Client):
    async def act(self):
        if self.state and not self.acting:
            await self.ask("rooms", game="loose")
        await super().act()


plain_client.main(Broken)
